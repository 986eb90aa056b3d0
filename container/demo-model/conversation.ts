/** Reads a Messages API request: the tools offered, the user's task, and what its tools returned. */
import { z } from 'zod'

const Block = z.looseObject({ type: z.string() })
const Content = z.union([z.string(), z.array(Block)])
const ToolUse = z.looseObject({ id: z.string(), name: z.string() })
const ToolResult = z.looseObject({
  tool_use_id: z.string(),
  content: Content.optional(),
  is_error: z.boolean().optional(),
})
const Text = z.looseObject({ text: z.string() })

/** The part of `POST /v1/messages` that this model reads; other fields are accepted and ignored. */
export const MessagesRequest = z.looseObject({
  model: z.string(),
  max_tokens: z.number().int().positive(),
  messages: z
    .array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: Content }))
    .min(1),
  tools: z
    .array(
      z.looseObject({
        name: z.string(),
        input_schema: z
          .looseObject({
            properties: z.record(z.string(), z.unknown()).optional(),
            required: z.array(z.string()).optional(),
          })
          .optional(),
      }),
    )
    .optional(),
  stream: z.boolean().optional(),
})
export type MessagesRequest = z.infer<typeof MessagesRequest>

export type ToolAnswer = { text: string; isError: boolean }

/** The user's last task and the answers its tool calls got so far, in order. */
export type Turn = { prompt: string; answers: ToolAnswer[] }

/** The last turn of a conversation. A call without a result counts as an error with no text. */
export function lastTurn(messages: MessagesRequest['messages']): Turn {
  let turn: Turn = { prompt: '', answers: [] }
  let open: string[] = []
  let results = new Map<string, ToolAnswer>()
  for (const message of messages) {
    // Claude Code sends notes for the model between the messages.
    if (message.role === 'system') continue
    const blocks = blocksOf(message.content)
    if (message.role === 'assistant') {
      open.push(...blocks.flatMap(toolUseId))
      continue
    }
    for (const block of blocks) addResult(block, results)
    const prompt = promptOf(blocks)
    if (prompt === '') continue
    turn = { prompt, answers: [] }
    open = []
    results = new Map()
  }
  const missing = { text: '', isError: true }
  return { ...turn, answers: open.map((id) => results.get(id) ?? missing) }
}

function blocksOf(content: z.infer<typeof Content>): z.infer<typeof Block>[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function toolUseId(block: z.infer<typeof Block>): string[] {
  const parsed = block.type === 'tool_use' ? ToolUse.safeParse(block) : undefined
  return parsed?.success === true ? [parsed.data.id] : []
}

function addResult(block: z.infer<typeof Block>, results: Map<string, ToolAnswer>): void {
  if (block.type !== 'tool_result') return
  const parsed = ToolResult.safeParse(block)
  if (!parsed.success) return
  const { tool_use_id: id, content = '', is_error: isError = false } = parsed.data
  results.set(id, { text: withoutReminders(textOf(blocksOf(content))), isError })
}

/** Text that stands for a user's task: not what a client adds beside tool results by itself. */
function promptOf(blocks: z.infer<typeof Block>[]): string {
  const text = withoutReminders(textOf(blocks)).trim()
  return text.startsWith('[Request interrupted') ? '' : text
}

function textOf(blocks: z.infer<typeof Block>[]): string {
  return blocks
    .filter((block) => block.type === 'text')
    .flatMap((block) => Text.safeParse(block).data?.text ?? [])
    .join('\n')
}

/** Agents put notes for the model into user messages and results, marked by these tags. */
const NOTES = /<(system-reminder|environment_context|session_context)>[\s\S]*?<\/\1>/g

function withoutReminders(text: string): string {
  return text.replaceAll(NOTES, '')
}
