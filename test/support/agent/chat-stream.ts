/** A scripted reply as the chunks of OpenAI Chat Completions. */
import { halves } from './anthropic-stream.ts'
import type { ScriptedReply } from './scripted-model.ts'

const FINISHES = {
  end: 'stop',
  tools: 'tool_calls',
  'max-tokens': 'length',
  refusal: 'content_filter',
  pause: 'stop',
}

export function chatStream(reply: ScriptedReply): string[] {
  const { usage = { input: 10, cacheRead: 0, output: 5 }, calls = [] } = reply
  const finish = FINISHES[reply.stop ?? (calls.length > 0 ? 'tools' : 'end')]
  return [
    delta({ role: 'assistant', content: '' }),
    ...halves(reply.thinking ?? '').map((reasoning_content) => delta({ reasoning_content })),
    ...halves(reply.text ?? '').map((content) => delta({ content })),
    ...calls.flatMap(callDeltas),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }),
    chunk({
      choices: [],
      usage: {
        prompt_tokens: usage.input + usage.cacheRead,
        completion_tokens: usage.output,
        prompt_tokens_details: { cached_tokens: usage.cacheRead },
      },
    }),
    'data: [DONE]\n\n',
  ]
}

function callDeltas(call: NonNullable<ScriptedReply['calls']>[number], index: number): string[] {
  const { id = `call-${index + 1}`, name, input, notJson } = call
  return [
    delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ...halves(notJson ?? JSON.stringify(input)).map((part) =>
      delta({ tool_calls: [{ index, function: { arguments: part } }] }),
    ),
  ]
}

function delta(fields: Record<string, unknown>): string {
  return chunk({ choices: [{ index: 0, delta: fields, finish_reason: null }] })
}

function chunk(fields: Record<string, unknown>): string {
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', ...fields })}\n\n`
}
