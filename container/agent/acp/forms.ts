/** Questions to the user as a form elicitation, and its content as answers. */
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationPropertySchema,
} from '@agentclientprotocol/sdk'

import type { FormQuestion } from '../tools/tool.ts'
import { visible } from '../visible.ts'

export function formRequest(
  sessionId: string,
  toolCallId: string,
  questions: FormQuestion[],
): CreateElicitationRequest {
  const fields = questions.flatMap((question, index) => fieldsOf(question, index + 1))
  const message =
    questions.length === 1 ? visible(questions[0]?.question ?? '') : 'The agent has questions.'
  return {
    mode: 'form',
    sessionId,
    toolCallId,
    message,
    requestedSchema: { type: 'object', properties: Object.fromEntries(fields) },
  }
}

type Field = [name: string, schema: ElicitationPropertySchema]

/** Beside every choice there is a field for an answer of the user's own. */
function fieldsOf(question: FormQuestion, number: number): Field[] {
  const title = visible(question.question)
  if (question.options.length === 0) return [[`answer_${number}`, { type: 'string', title }]]
  const options = question.options.map(({ label, description }) => ({
    const: label,
    title: visible(label),
    ...(description === undefined ? {} : { description: visible(description) }),
  }))
  const choice: ElicitationPropertySchema = question.several
    ? { type: 'array', title, items: { anyOf: options } }
    : { type: 'string', title, oneOf: options }
  const own: ElicitationPropertySchema = {
    type: 'string',
    title: 'Another answer',
    description: 'Takes the place of the choice above.',
  }
  return [
    [`answer_${number}`, choice],
    [`own_answer_${number}`, own],
  ]
}

/** One list for each question; `undefined` when the user gave no answer at all. */
export function answersFrom(
  response: CreateElicitationResponse,
  questions: FormQuestion[],
): string[][] | undefined {
  if (response.action !== 'accept' || !('content' in response)) return undefined
  const { content } = response
  if (typeof content !== 'object' || content === null) return undefined
  const fields = new Map(Object.entries(content))
  return questions.map((_question, index) => {
    const own = fields.get(`own_answer_${index + 1}`)
    if (typeof own === 'string' && own.trim() !== '') return [own]
    const chosen = fields.get(`answer_${index + 1}`)
    if (Array.isArray(chosen)) return chosen.map(String)
    return chosen === undefined || chosen === '' ? [] : [String(chosen)]
  })
}
