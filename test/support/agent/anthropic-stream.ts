/** A scripted reply as the events of the Anthropic Messages API. */
import type { ScriptedReply } from './scripted-model.ts'

const STOPS = {
  end: 'end_turn',
  tools: 'tool_use',
  'max-tokens': 'max_tokens',
  refusal: 'refusal',
  pause: 'pause_turn',
}

export function anthropicStream(reply: ScriptedReply): string[] {
  const { usage = { input: 10, cacheRead: 0, output: 5 }, calls = [] } = reply
  const blocks = [...thinkingBlock(reply), ...textBlock(reply), ...calls.map(callBlock)]
  const stop = STOPS[reply.stop ?? (calls.length > 0 ? 'tools' : 'end')]
  return [
    event({
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        content: [],
        model: 'scripted',
        usage: {
          input_tokens: usage.input,
          cache_read_input_tokens: usage.cacheRead,
          output_tokens: 1,
        },
      },
    }),
    ...blocks.flatMap((block, index) => [
      event({ type: 'content_block_start', index, content_block: block.start }),
      ...block.deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
      event({ type: 'content_block_stop', index }),
    ]),
    event({
      type: 'message_delta',
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: usage.output },
    }),
    event({ type: 'message_stop' }),
  ]
}

type Block = { start: Record<string, unknown>; deltas: Record<string, unknown>[] }

function thinkingBlock(reply: ScriptedReply): Block[] {
  if (reply.thinking === undefined) return []
  const deltas = [
    ...halves(reply.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature: 'sealed' },
  ]
  return [{ start: { type: 'thinking', thinking: '', signature: '' }, deltas }]
}

function textBlock(reply: ScriptedReply): Block[] {
  if (reply.text === undefined) return []
  const deltas = halves(reply.text).map((text) => ({ type: 'text_delta', text }))
  return [{ start: { type: 'text', text: '' }, deltas }]
}

function callBlock(call: NonNullable<ScriptedReply['calls']>[number], index: number): Block {
  const { id = `call-${index + 1}`, name, input, notJson } = call
  const deltas = halves(notJson ?? JSON.stringify(input)).map((partial_json) => ({
    type: 'input_json_delta',
    partial_json,
  }))
  return { start: { type: 'tool_use', id, name, input: {} }, deltas }
}

export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '')
}

function event(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}
