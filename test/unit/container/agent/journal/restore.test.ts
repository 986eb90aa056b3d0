import { expect, test } from 'vitest'

import { parseJournal } from '../../../../../container/agent/journal/record.ts'
import type { JournalRecord } from '../../../../../container/agent/journal/record.ts'
import { replayed } from '../../../../../container/agent/journal/replay.ts'
import { restore } from '../../../../../container/agent/journal/restore.ts'
import type { Message } from '../../../../../container/agent/model/model.ts'

const header: JournalRecord = { type: 'session', version: 1, id: 'i', cwd: '/p', at: '' }
const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })
const said = (message: Message): JournalRecord => ({ type: 'message', message })

test('[journal.first] a torn last line, a foreign line and an empty one are left out', () => {
  const text = `${JSON.stringify(header)}\n\n{"type":"other"}\nnull\n${JSON.stringify(header).slice(0, 20)}`
  expect(parseJournal(text)).toEqual([header])
})

test('messages come back without what was cut, and with open calls closed', () => {
  const call: Message = {
    role: 'assistant',
    parts: [{ type: 'tool-call', id: 'c', name: 't', input: {} }],
  }
  const records = [header, said(user('a')), said(user('bad')), { type: 'cut' as const, length: 1 }]
  const restored = restore([...records, said(user('b')), said(call)])
  expect(restored?.messages).toEqual([
    user('a'),
    user('b'),
    call,
    {
      role: 'tools',
      results: [{ callId: 'c', text: 'Not run: the session was interrupted.', failed: true }],
    },
  ])
})

test('a journal without its beginning is none', () => {
  expect(restore([said(user('a'))])).toBeUndefined()
})

test('reminders and results are not told again, and a call left open is told as failed', () => {
  const entry = {
    id: 'c',
    title: 't',
    kind: 'read' as const,
    locations: [],
    content: [],
    input: {},
  }
  const events = replayed([
    header,
    { type: 'prompt', pieces: [{ type: 'text', text: 'hi' }], at: '' },
    said(user('<system-reminder>hidden</system-reminder>')),
    { type: 'event', event: { type: 'call', ...entry } },
  ])
  expect(events.map((event) => event.type)).toEqual(['user', 'call', 'call-ended'])
  expect(events.at(-1)).toMatchObject({ id: 'c', failed: true })
})
