import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'

import type { CallContext } from '../../../../../container/agent/session/call.ts'
import { runToolCalls } from '../../../../../container/agent/session/tool-calls.ts'
import { FileVersions } from '../../../../../container/agent/tools/file-versions.ts'
import { ProcessGroups } from '../../../../../container/agent/tools/process-groups.ts'
import { defineTool } from '../../../../../container/agent/tools/tool.ts'
import type { RunContext } from '../../../../../container/agent/tools/tool.ts'

afterEach(() => vi.useRealTimers())

/** A tool that does what the test says. */
function toolOf(name: string, readOnly: boolean, run: (context: RunContext) => Promise<string>) {
  return defineTool({
    name,
    kind: 'other',
    readOnly,
    description: '',
    input: z.strictObject({}),
    plan: () => ({
      title: name,
      kind: 'other',
      locations: [],
      need: { access: 'none' },
      prepare: async () => ({
        preview: [],
        run: async (context) => ({ text: await run(context), failed: false }),
      }),
    }),
  })
}

function contextOf(tools: CallContext['tools'], signal = new AbortController().signal) {
  const events: string[] = []
  const context: CallContext = {
    tools,
    place: {
      root: '/p',
      realRoot: '/p',
      versions: new FileVersions(),
      groups: new ProcessGroups(),
    },
    mode: 'ask',
    leavePlan: async () => 'ask',
    rules: { allow: [], deny: [] },
    ports: {
      emit: async (event) => {
        events.push(event.type === 'call-ended' ? `${event.id} ${event.failed}` : event.type)
      },
      form: undefined,
      ask: async () => ({ allowed: false, session: false, reason: 'nobody is there' }),
    },
    signal,
    report: () => undefined,
  }
  return { context, events }
}

const call = (id: string, name: string) => ({ type: 'tool-call' as const, id, name, input: {} })

test('[turn.parallel] calls that only read run beside each other, their results in the calls’ order', async () => {
  const both = Promise.withResolvers<void>()
  let running = 0
  const meet = toolOf('meet', true, async () => {
    running += 1
    const place = running
    if (running === 2) both.resolve()
    await both.promise
    return `came as ${place}`
  })
  const { context } = contextOf([meet])
  const { results } = await runToolCalls(context, [call('a', 'meet'), call('b', 'meet')])
  expect(results.map(({ callId, text }) => [callId, text])).toEqual([
    ['a', 'came as 1'],
    ['b', 'came as 2'],
  ])
})

test('a call that changes something runs alone', async () => {
  let running = 0
  let most = 0
  const count = async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setTimeout(resolve, 5))
    running -= 1
    return ''
  }
  const { context } = contextOf([toolOf('read', true, count), toolOf('write', false, count)])
  const names = ['read', 'write', 'write', 'read']
  await runToolCalls(
    context,
    names.map((name, index) => call(`${index}`, name)),
  )
  expect(most).toBe(1)
})

test('a tool that throws is a failed result without its words', async () => {
  const broken = toolOf('broken', true, async () => {
    throw new Error('secret path')
  })
  const { context, events } = contextOf([broken])
  const { results } = await runToolCalls(context, [call('a', 'broken')])
  expect(results).toEqual([{ callId: 'a', text: 'The tool failed unexpectedly.', failed: true }])
  expect(events).toContain('a true')
})

test('[cancel.settle] a call that does not settle within 3 s of the cancel ends failed, its result dropped', async () => {
  vi.useFakeTimers()
  const stop = new AbortController()
  const late = Promise.withResolvers<string>()
  const stuck = toolOf('stuck', true, () => late.promise)
  const { context, events } = contextOf([stuck], stop.signal)
  const running = runToolCalls(context, [call('a', 'stuck')])
  await vi.advanceTimersByTimeAsync(10)
  stop.abort()
  await vi.advanceTimersByTimeAsync(2_990)
  expect(events).toEqual(['call', 'call-started'])
  await vi.advanceTimersByTimeAsync(10)
  const { results, stopped } = await running
  late.resolve('too late')
  await late.promise
  expect(results).toEqual([{ callId: 'a', text: 'Cancelled.', failed: true }])
  expect(stopped).toEqual(['stuck'])
  expect(events).toEqual(['call', 'call-started', 'a true'])
})
