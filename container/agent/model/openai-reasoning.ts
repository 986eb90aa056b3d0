import type { Model } from './model.ts'

/** OpenAI's own reasoning models take an effort; other servers refuse the field. */
export function reasoningOf(model: string): Pick<Model, 'efforts' | 'defaultEffort'> {
  const reasons = /^(gpt-5|o[1-9])/.test(model.slice(model.lastIndexOf('/') + 1))
  if (!reasons) return { efforts: [], defaultEffort: undefined }
  return { efforts: ['low', 'medium', 'high'], defaultEffort: 'medium' }
}
