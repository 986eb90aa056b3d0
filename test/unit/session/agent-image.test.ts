import { expect, test } from 'vitest'

import { onOwnImage } from '../../../src/session/agent-image.ts'

const image = (env: string[]) => onOwnImage(['node', 'agent.mjs', 'node'], { id: 'sha256:1', env })

test('the agent runs under the Node that is carried in, and its own arguments stay', () => {
  expect(image([]).command).toEqual(['/opt/glovebox/bin/node', 'agent.mjs', 'node'])
  expect(onOwnImage(['/bin/other'], { id: 'sha256:1', env: [] }).command).toEqual(['/bin/other'])
})

test('the programs of the image come first, whether it says where they are or not', () => {
  expect(image(['PATH=/usr/local/go/bin:/bin']).own['PATH']).toBe(
    '/usr/local/go/bin:/bin:/opt/glovebox/bin',
  )
  expect(image([]).own['PATH']).toMatch(/^\/usr\/local\/sbin:.*:\/bin:\/opt\/glovebox\/bin$/)
})

test('the environment of the image is kept, save what would reprogram init', () => {
  const { env } = image(['GOPATH=/go', 'EMPTY=', 'A=b=c', 'LD_PRELOAD=/x.so', 'NODE_OPTIONS=-r /x'])
  expect(env).toEqual({ GOPATH: '/go', EMPTY: '', A: 'b=c', LD_PRELOAD: '', NODE_OPTIONS: '' })
})
