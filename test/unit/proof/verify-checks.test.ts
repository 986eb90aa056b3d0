import { expect, test } from 'vitest'

import { parseProbe, probeScript } from '../../../src/proof/probe.ts'
import { judgeInspect, judgeProbe } from '../../../src/proof/verify-checks.ts'

const wanted = { project: '/p', uid: 1, hostName: 'h', hostPaths: [], limits: undefined }

test('what a container says before the probe is left out', () => {
  const answers = parseProbe('motd=1\nglovebox-probe\nnet.interfaces=lo \nx\n=y\nend=yes\n')
  expect([...answers]).toEqual([
    ['net.interfaces', 'lo'],
    ['end', 'yes'],
  ])
  expect(parseProbe('no probe ran')).toEqual(new Map())
})

test('a probe that says nothing fails every check that needs an answer', () => {
  const checks = judgeProbe(new Map(), wanted)
  expect(checks.length).toBeGreaterThanOrEqual(60)
  expect(checks.filter(({ ok }) => ok)).toEqual([])
  expect(checks[0]).toMatchObject({ id: 'probe', found: 'did not' })
})

test('a path with quotes stays one word of the shell', () => {
  const script = probeScript({ project: "/it's", hostPaths: ["/a'b"], canary: 'c' })
  expect(script).toContain(`writes '/it'\\''s' write.project`)
  expect(script).toContain(`there '/a'\\''b' host.0`)
})

test.for(['mount ', 'mknod', 'chown', 'kill', 'date -s', 'rm -r', '> /'])(
  'the probe, which may run anywhere, has no %s in it',
  (word) => {
    expect(probeScript({ project: '/p', hostPaths: [], canary: 'c' })).not.toContain(word)
  },
)

test('an image that is not the locked one is noticed, however the engine spells its id', () => {
  const inspect = {
    Id: 'c',
    Name: '/c',
    Image: 'a'.repeat(64),
    State: { Status: 'running', Running: true, ExitCode: 0, OOMKilled: false, Pid: 1 },
    Config: { Labels: {}, Env: [] },
    HostConfig: {},
    Mounts: [],
    NetworkSettings: { Networks: {} },
  }
  const image = (locked: string) =>
    judgeInspect(inspect, locked, 'canary').find(({ id }) => id === 'engine.image')?.ok
  expect(image(`sha256:${'a'.repeat(64)}`)).toBe(true)
  expect(image(`sha256:${'b'.repeat(64)}`)).toBe(false)
})
