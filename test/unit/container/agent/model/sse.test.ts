import { expect, test } from 'vitest'

import { serverSentEvents } from '../../../../../container/agent/model/sse.ts'

/** The events of the text, cut into chunks of so many bytes. */
async function eventsOf(text: string, size: number) {
  const bytes = new TextEncoder().encode(text)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
  }
  const events = []
  for await (const event of serverSentEvents(chunks())) events.push(event)
  return events
}

const TEXT =
  ': a comment\r\nevent: one\r\ndata: {"ü":1}\r\n\r\ndata:first\ndata: second\n\nid: 7\n\nevent: cut\rdata: last\r\rdata: off'

test.for([1, 2, 3, 7, 1_000])('events are read from chunks of %i bytes', async (size) => {
  expect(await eventsOf(TEXT, size)).toEqual([
    { event: 'one', data: '{"ü":1}' },
    { event: 'message', data: 'first\nsecond' },
    { event: 'cut', data: 'last' },
  ])
})
