/** A session's choices as ACP config options. */
import type { SessionConfigOption } from '@agentclientprotocol/sdk'

import type { Choice, OptionId } from '../session/options.ts'

const CATEGORIES: Record<OptionId, string> = {
  mode: 'mode',
  model: 'model',
  effort: 'thought_level',
}

export function configOptions(choices: Choice[]): SessionConfigOption[] {
  return choices.map(({ id, name, current, values }) => ({
    id,
    name,
    category: CATEGORIES[id],
    type: 'select',
    currentValue: current,
    options: values,
  }))
}
