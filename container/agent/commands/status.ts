import type { Rules } from '../permission/decide.ts'
import type { Mode } from '../permission/modes.ts'
import { ruleText } from '../permission/rules.ts'

export type SessionState = {
  model: { name: string }
  mode: Mode
  /** US dollars. */
  spent: { cost: number | undefined }
  rules: Rules
  conversation: { messages: readonly unknown[] }
}

/** The answer to `/status`. */
export function status({ model, mode, spent, rules, conversation }: SessionState): string {
  const cost = spent.cost === undefined ? [] : [`${spent.cost.toFixed(4)} US dollars`]
  const about = [`model ${model.name}`, `mode ${mode}`, `${conversation.messages.length} messages`]
  const allowed = rules.allow.map((rule) => `allow ${ruleText(rule)}`)
  const denied = rules.deny.map((rule) => `deny ${ruleText(rule)}`)
  const all = [...allowed, ...denied].join(', ') || 'none'
  return `${[...about, ...cost].join(', ')}; rules of this session: ${all}.`
}
