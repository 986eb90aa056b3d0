import { describe, expect, it } from 'vitest'

import { parseFrame, type ResponseFrame } from '../../../src/acp/frame.ts'
import { OwnRequests } from '../../../src/acp/own-requests.ts'

const answer = (message: object): ResponseFrame =>
  parseFrame(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))) as ResponseFrame

describe('OwnRequests', () => {
  it('settles each request once, with its result or a sentence', async () => {
    const own = new OwnRequests()
    const [good, bad] = [own.open(), own.open()]
    expect(good.id).not.toBe(bad.id)
    expect(own.settle(answer({ id: good.id, result: 7 }))).toBe(true)
    expect(own.settle(answer({ id: good.id, result: 8 }))).toBe(false)
    expect(own.settle(answer({ id: bad.id, error: { code: 1, message: 'no' } }))).toBe(true)
    expect(await good.answer).toBe(7)
    await expect(bad.answer).rejects.toThrow('The agent answered with an error: no')
  })

  it('knows no id it did not give out', () => {
    expect(new OwnRequests().settle(answer({ id: 1, result: {} }))).toBe(false)
  })

  it('fails what is open when the agent is gone, also when nobody waits any more', async () => {
    const own = new OwnRequests()
    own.open()
    const { answer: open } = own.open()
    own.failAll('It ended.')
    await expect(open).rejects.toThrow('It ended.')
  })
})
