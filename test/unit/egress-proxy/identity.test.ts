import { expect, test } from 'vitest'

import { identityFiles } from '../../../egress-proxy/identity.ts'

const home = '/home/agent'

test('the agent’s entry comes first, then root and nobody', () => {
  const { passwd, group } = identityFiles({ uid: 1000, gid: 1001, name: 'ada', home })
  expect(
    passwd
      .split('\n')
      .slice(0, 3)
      .map((line) => line.split(':')[0]),
  ).toEqual(['ada', 'root', 'nobody'])
  expect(passwd).toContain('ada:x:1000:1001::/home/agent:/bin/sh\n')
  expect(group).toContain('ada:x:1001:\n')
})

test('uid 0 finds the agent’s home, and the name root is not written twice', () => {
  const { passwd } = identityFiles({ uid: 0, gid: 0, name: 'root', home })
  expect(passwd.match(/^root:/gm)).toHaveLength(1)
  expect(passwd.startsWith('root:x:0:0::/home/agent:')).toBe(true)
})

test.for(['/home/a:b', '/home/a\nroot::0:0::/:/bin/sh'])('the home %j is refused', (bad) => {
  expect(() => identityFiles({ uid: 1, gid: 1, name: 'ada', home: bad })).toThrow(/home/)
})
