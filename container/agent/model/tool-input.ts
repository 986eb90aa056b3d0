import type { ToolCallPart } from './model.ts'

/** A finished call; an input that is no JSON is kept as the text it was, for the model to read. */
export function toolCallPart(id: string, name: string, json: string): ToolCallPart {
  if (json.trim() === '') return { type: 'tool-call', id, name, input: {} }
  try {
    return { type: 'tool-call', id, name, input: JSON.parse(json) }
  } catch {
    return { type: 'tool-call', id, name, input: {}, notJson: json }
  }
}
