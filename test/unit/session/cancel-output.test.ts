import { describe, expect, it } from 'vitest'

import { TurnOutput } from '../../../src/session/cancel-output.ts'

const call = (toolCallId: string, title: string) => ({
  sessionUpdate: 'tool_call',
  toolCallId,
  title,
})
const update = (toolCallId: string, status: string) => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  status,
})
const say = (text: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
})

function turn(...updates: Record<string, unknown>[]): TurnOutput {
  const output = new TurnOutput()
  output.begin()
  for (const one of updates) output.see(one)
  return output
}

describe('the end of a cancelled turn', () => {
  it('fails each call that is open, with a line of its title', () => {
    const output = turn(call('a', '$ sleep\n 60'), call('b', 'Read'), update('b', 'completed'))
    expect(output.close()).toEqual({ failed: ['a'], lines: ['$ sleep 60 cancelled.'] })
  })

  it('takes the newest title, and the id where there never was one', () => {
    const renamed = { ...update('a', 'in_progress'), title: '$ sleep 60' }
    const output = turn(call('a', 'Terminal'), renamed, {
      sessionUpdate: 'tool_call',
      toolCallId: 'b',
    })
    expect(output.close().lines).toEqual(['$ sleep 60 cancelled.', 'b cancelled.'])
  })

  it('is one line when no call is open', () => {
    const output = turn(call('a', 'Read'), update('a', 'failed'))
    expect(output.close()).toEqual({ failed: [], lines: ['the turn was cancelled.'] })
  })

  it('says nothing that the agent said itself', () => {
    const whole = turn(say('Glovebox: The turn was cancelled.\n'))
    expect(whole.close().lines).toEqual([])
    const one = turn(call('a', 'A'), call('b', 'B'), say('Glovebox: A cancelled.\n'))
    expect(one.close()).toEqual({ failed: ['a', 'b'], lines: ['B cancelled.'] })
  })

  it('comes once', () => {
    const output = turn(call('a', 'A'))
    output.close()
    expect(output.close()).toEqual({ failed: [], lines: [] })
  })
})

describe('late output of a cancelled turn', () => {
  it('is dropped until the next turn, while the session’s own updates pass', () => {
    const output = turn(call('a', 'A'))
    output.close()
    expect(output.see(say('late'))).toBe(false)
    expect(output.see({ sessionUpdate: 'plan', entries: [] })).toBe(false)
    expect(output.see({ sessionUpdate: 'current_mode_update' })).toBe(true)
    output.begin()
    expect(output.see(say('new'))).toBe(true)
  })

  it('is dropped in the next turn too when it names a call of the cancelled one', () => {
    const output = turn(call('a', 'A'))
    output.close()
    output.begin()
    expect(output.see(update('a', 'completed'))).toBe(false)
    expect(output.see(update('unknown', 'completed'))).toBe(true)
    expect(output.see(call('a', 'A again'))).toBe(true)
    expect(output.see(update('a', 'completed'))).toBe(true)
  })
})
