/** Puts a streamed message together again, as a client of the Messages API does. */
import { z } from 'zod'

const StreamEvent = z.object({
  type: z.string(),
  index: z.number().optional(),
  content_block: z.record(z.string(), z.unknown()).optional(),
  delta: z
    .object({
      text: z.string().optional(),
      partial_json: z.string().optional(),
      stop_reason: z.string().optional(),
    })
    .optional(),
  usage: z.object({ output_tokens: z.number() }).optional(),
})
export type StreamEvent = z.infer<typeof StreamEvent>

export async function readEvents(response: Response) {
  const events = eventsOf(await response.text())
  const content: Record<string, unknown>[] = []
  for (const { index, content_block: block } of events)
    if (block !== undefined && index !== undefined)
      content[index] = { ...block, ...joined(events, index) }
  const stopReason = events.findLast((event) => event.delta?.stop_reason)?.delta?.stop_reason
  return { events, content, stopReason }
}

function eventsOf(stream: string): StreamEvent[] {
  return stream.split('\n\n').flatMap((part) => {
    const data = /^event: (\w+)\ndata: (.+)$/.exec(part)?.[2]
    return data === undefined ? [] : [StreamEvent.parse(JSON.parse(data))]
  })
}

function joined(events: StreamEvent[], index: number): Record<string, unknown> {
  const deltas = events.flatMap((event) => (event.index === index ? (event.delta ?? []) : []))
  const json = deltas.map((delta) => delta.partial_json ?? '').join('')
  if (json !== '') return { input: JSON.parse(json) }
  return { text: deltas.map((delta) => delta.text ?? '').join('') }
}
