import { Readable } from 'node:stream'

import { describe, expect, test } from 'vitest'

import { followProgress, progressOf } from '../../../src/docker/progress.ts'

const id = `sha256:${'a'.repeat(64)}`

test.for([
  ['{"stream":"Step 1/2 : FROM x\\n"}', { line: 'Step 1/2 : FROM x' }],
  ['{"stream":"\\n"}', {}],
  [`{"aux":{"ID":"${id}"}}`, { id }],
  [`{"status":"${id}"}`, { id }],
  ['{"status":"Pulling fs layer","id":"abc"}', { line: 'abc: Pulling fs layer' }],
  ['{"status":"Downloading","progress":"[=> ]","id":"abc"}', {}],
  ['{"errorDetail":{"message":"bad"},"error":"bad\\n"}', { error: 'bad' }],
  ['not JSON', { line: 'not JSON' }],
  ['', {}],
  ['{}', {}],
] as const)('the line %s tells %j', ([text, expected]) => {
  expect(progressOf(text)).toEqual(expected)
})

const follow = async (...chunks: string[]) => {
  const lines: string[] = []
  const result = await followProgress(
    Readable.from(chunks.map((one) => Buffer.from(one))),
    (line) => lines.push(line),
  )
  return { lines, result }
}

describe('followProgress', () => {
  test('gives each line however the bytes are cut, and the last id', async () => {
    const wire = `{"stream":"ä"}\r\n{"stream":"two\\nthree"}\n{"aux":{"ID":"${id}"}}`
    expect(await follow(...wire.split(/(?=s)/))).toEqual({
      lines: ['ä', 'two', 'three'],
      result: id,
    })
  })

  test('fails with the error the stream tells, after the lines before it', async () => {
    await expect(follow('{"stream":"one"}\n{"error":"no space"}\n')).rejects.toThrow('no space')
  })

  test('fails when the connection does', async () => {
    const broken = new Readable({ read: () => undefined })
    setImmediate(() => broken.destroy(new Error('gone')))
    await expect(followProgress(broken, () => undefined)).rejects.toThrow('gone')
  })
})
