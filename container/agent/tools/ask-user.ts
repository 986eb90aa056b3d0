import { z } from 'zod'

import { oneLine } from '../visible.ts'
import { defineTool } from './tool.ts'
import type { FormQuestion, RunContext, ToolResult } from './tool.ts'

const Option = z.strictObject({
  label: z.string().min(1).max(200),
  description: z.string().max(500).optional(),
})

const Input = z.strictObject({
  questions: z
    .array(
      z.strictObject({
        question: z.string().min(1).max(1_000),
        options: z.array(Option).max(20).optional().describe('Choices; free text when absent.'),
        several: z.boolean().optional().describe('More than one choice can be taken.'),
      }),
    )
    .min(1)
    .max(4),
})

export const askUserTool = defineTool({
  name: 'ask_user',
  kind: 'other',
  readOnly: false,
  description:
    'Asks the user when you cannot go on without a decision that is theirs. ' +
    'Beside the choices the user can always give an answer of their own.',
  input: Input,
  plan: (input) => {
    const questions = input.questions.map(
      ({ question, options = [], several = false }): FormQuestion => ({
        question,
        options,
        several,
      }),
    )
    return {
      title: `Ask: ${oneLine(questions[0]?.question ?? '', 120)}`,
      kind: 'other',
      locations: [],
      need: { access: 'none' },
      prepare: async () => ({ preview: [], run: (context) => ask(questions, context) }),
    }
  },
})

async function ask(questions: FormQuestion[], { form }: RunContext): Promise<ToolResult> {
  if (form === undefined) {
    const text = 'The question was put to the user as text. The answer is their next message.'
    return { text, failed: false, ends: { say: asText(questions) } }
  }
  const answers = await form(questions)
  if (answers === undefined) return { text: 'The user did not answer.', failed: true }
  const text = questions
    .map(({ question }, index) => `${question}\n${answers[index]?.join(', ') || '(no answer)'}`)
    .join('\n\n')
  return { text, failed: false, raw: { answers } }
}

function asText(questions: FormQuestion[]): string {
  return questions
    .map(({ question, options }) => {
      const choices = options.map(({ label, description }) =>
        description === undefined ? `- ${label}` : `- ${label}: ${description}`,
      )
      return [question, ...choices].join('\n')
    })
    .join('\n\n')
}
