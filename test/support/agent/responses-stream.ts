/** A scripted reply as the events of the OpenAI Responses API. */
import { halves } from './anthropic-stream.ts'
import type { ScriptedReply } from './scripted-model.ts'

export function responsesStream(reply: ScriptedReply): string[] {
  const { usage = { input: 10, cacheRead: 0, output: 5 }, calls = [], stop } = reply
  const cut = stop === 'max-tokens' ? 'max_output_tokens' : undefined
  const incomplete = stop === 'refusal' ? 'content_filter' : cut
  const type = incomplete === undefined ? 'response.completed' : 'response.incomplete'
  return [
    event({ type: 'response.created', response: { id: 'resp_1' } }),
    ...reasoning(reply.thinking),
    ...message(reply.text),
    ...calls.map(({ id, name, input, notJson }, index) =>
      event({
        type: 'response.output_item.done',
        item: {
          type: 'function_call',
          id: `fc_${index}`,
          call_id: id ?? `call-${index + 1}`,
          name,
          arguments: notJson ?? JSON.stringify(input),
        },
      }),
    ),
    event({
      type,
      response: {
        id: 'resp_1',
        ...(incomplete === undefined ? {} : { incomplete_details: { reason: incomplete } }),
        usage: {
          input_tokens: usage.input + usage.cacheRead,
          input_tokens_details: { cached_tokens: usage.cacheRead },
          output_tokens: usage.output,
        },
      },
    }),
  ]
}

function reasoning(text: string | undefined): string[] {
  if (text === undefined) return []
  const summary = [{ type: 'summary_text', text }]
  return [
    ...halves(text).map((delta) => event({ type: 'response.reasoning_summary_text.delta', delta })),
    event({
      type: 'response.output_item.done',
      item: { type: 'reasoning', id: 'rs_1', summary, encrypted_content: 'sealed' },
    }),
  ]
}

function message(text: string | undefined): string[] {
  if (text === undefined) return []
  return [
    ...halves(text).map((delta) => event({ type: 'response.output_text.delta', delta })),
    event({
      type: 'response.output_item.done',
      item: { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text }] },
    }),
  ]
}

function event(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}
