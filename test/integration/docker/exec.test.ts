import { describe, expect, test } from 'vitest'

import { dockerodeEngine } from '../../../src/docker/dockerode-engine.ts'
import { type Answers, fakeEngine, frame } from '../../support/engine/fake-engine.ts'

async function withEngine(answers: Answers) {
  const fake = await fakeEngine(answers)
  return Object.assign(fake, { engine: await dockerodeEngine(fake.info) })
}

describe('exec', () => {
  const EXEC = {
    'POST /containers/abc/exec': { status: 201, json: { Id: 'ex' } },
    'GET /exec/ex/json': { json: { ExitCode: 4, Running: false } },
  }

  test('gives both streams and the exit code', async () => {
    await using fake = await withEngine({
      ...EXEC,
      'POST /exec/ex/start': (response) =>
        void response.end(Buffer.concat([frame(1, 'out'), frame(2, 'err')])),
    })
    const result = await fake.engine.container('abc').exec(['ls', '-l'])
    expect(result).toEqual({ exitCode: 4, stdout: 'out', stderr: 'err' })
    expect(JSON.parse(fake.seen[0]?.body ?? '')).toMatchObject({ Cmd: ['ls', '-l'] })
  })

  test('keeps 1 MiB of each stream and reads the rest away', async () => {
    const block = frame(1, Buffer.alloc(300_000, 'x'))
    await using fake = await withEngine({
      ...EXEC,
      'POST /exec/ex/start': (response) =>
        void response.end(Buffer.concat([...Array(8).fill(block), frame(2, 'end')])),
    })
    const { stdout, stderr } = await fake.engine.container('abc').exec(['cat'])
    expect([stdout.length, stderr]).toEqual([1024 * 1024, 'end'])
  })

  test('fails when the stream is cut', async () => {
    await using fake = await withEngine({
      ...EXEC,
      'POST /exec/ex/start': (response) => void response.end(frame(1, 'out').subarray(0, 9)),
    })
    await expect(fake.engine.container('abc').exec(['ls'])).rejects.toThrow(
      'The engine could not run ls in the container',
    )
  })
})
