import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import { engineCall, engineError, unlessStatus } from '../../../src/docker/call.ts'
import { GloveboxError } from '../../../src/errors.ts'

const answered = (statusCode: number, message: string): Error =>
  Object.assign(new Error(`(HTTP code ${statusCode}) server error - ${message} `), {
    statusCode,
    json: { message },
  })

describe('engineCall', () => {
  test('gives what the call gives', async () => {
    expect(await engineCall('look', 1000, () => Promise.resolve(7))).toBe(7)
  })

  test('ends in time although the call never does, and drops its connection', async () => {
    let dropped = false
    const call = engineCall('look', 30, (signal) => {
      signal.addEventListener('abort', () => (dropped = true))
      return new Promise(() => undefined)
    })
    await expect(call).rejects.toMatchObject({
      code: 'engine_failed',
      message: 'The engine did not look within 0.03 s.',
    })
    expect(dropped).toBe(true)
  })

  test('leaves nothing unhandled when the call fails after its time', async () => {
    const call = engineCall('look', 10, async () => {
      await sleep(30)
      throw new Error('late')
    })
    await expect(call).rejects.toThrow('within 0.01 s')
    await sleep(40)
  })

  test('passes an error that is already a sentence', async () => {
    const ours = new GloveboxError('build_failed', 'No.')
    await expect(engineCall('look', 1000, () => Promise.reject(ours))).rejects.toBe(ours)
  })
})

test.for([
  ["the engine's words", answered(500, 'no space left'), 'no space left.'],
  ['one line of several', answered(500, 'a\n\tb'), 'a b.'],
  [
    'a socket that is gone',
    Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
    'ECONNREFUSED',
  ],
  ['something odd', { odd: true }, 'it gave no reason.'],
  ['a string', 'plain', 'plain.'],
] as const)('the sentence of an error holds %s', ([, error, expected]) => {
  const { code, message } = engineError('start', error)
  expect(code).toBe('engine_failed')
  expect(message).toMatch(/^The engine could not start: /)
  expect(message).toContain(expected)
})

test('a very long reason is cut', () => {
  expect(engineError('start', answered(500, 'x'.repeat(5000))).message.length).toBeLessThan(500)
})

describe('unlessStatus', () => {
  test('gives undefined for a listed status', async () => {
    expect(await unlessStatus([404, 409], Promise.reject(answered(409, 'x')))).toBeUndefined()
  })

  test('passes every other error', async () => {
    await expect(unlessStatus([404], Promise.reject(answered(500, 'x')))).rejects.toThrow('x')
    await expect(unlessStatus([404], Promise.reject(new Error('y')))).rejects.toThrow('y')
  })
})
