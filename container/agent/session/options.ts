/** What a user can choose for a session, and the words there are for it. */
import type { JournalRecord } from '../journal/record.ts'
import type { Effort, Model } from '../model/model.ts'
import { DEFAULT_MODE, MODES, modeNamed } from '../permission/modes.ts'
import type { Mode } from '../permission/modes.ts'

export type SessionOptions = { mode: Mode; model: string; effort: Effort | undefined }

export type OptionId = 'mode' | 'model' | 'effort'

/** One choice; `values` come from whoever owns them. */
export type Choice = {
  id: OptionId
  name: string
  current: string
  values: { value: string; name: string; description?: string }[]
}

const EFFORT_NAMES: Record<Effort, string> = {
  off: 'Off',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
}

function defaultOptions(model: Model): SessionOptions {
  return { mode: DEFAULT_MODE, model: model.name, effort: model.defaultEffort }
}

/** The stored options as far as their words are still known; the defaults for the rest. */
export function storedOptions(
  stored: Extract<JournalRecord, { type: 'options' }> | undefined,
  models: string[],
  open: (name: string) => Model,
): SessionOptions {
  const known = stored !== undefined && models.includes(stored.model)
  const model = open(known ? stored.model : (models[0] ?? ''))
  const options = defaultOptions(model)
  const effort = model.efforts.find((word) => word === stored?.effort)
  return {
    ...options,
    mode: modeNamed(stored?.mode ?? '') ?? options.mode,
    effort: effort ?? options.effort,
  }
}

/** A choice is there only where there is something to choose. */
export function choicesOf(options: SessionOptions, model: Model, models: string[]): Choice[] {
  const mode: Choice = {
    id: 'mode',
    name: 'Mode',
    current: options.mode,
    values: MODES.map(({ id, name, description }) => ({ value: id, name, description })),
  }
  const values = models.map((value) => ({ value, name: value }))
  const named: Choice = { id: 'model', name: 'Model', current: options.model, values }
  return [mode, ...(models.length > 1 ? [named] : []), ...effortChoice(options, model)]
}

function effortChoice(options: SessionOptions, model: Model): Choice[] {
  if (options.effort === undefined || model.efforts.length === 0) return []
  const values = model.efforts.map((value) => ({ value, name: EFFORT_NAMES[value] }))
  return [{ id: 'effort', name: 'Thinking', current: options.effort, values }]
}
