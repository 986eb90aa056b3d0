/** What OpenAI's two APIs have in common. */
import { z } from 'zod'

const Part = z.looseObject({ type: z.string(), text: z.string().optional() })

export const OpenAiContent = z.union([z.string(), z.array(Part)])

/** The schema of a function's arguments, as far as it is read. */
export const Parameters = z.looseObject({
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
})

/** The texts of a message's content; other parts are left out. */
export function contentOf(
  content: z.infer<typeof OpenAiContent> | null | undefined,
): { type: 'text'; text: string }[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return (content ?? []).flatMap(({ text }) => (text === undefined ? [] : { type: 'text', text }))
}

export function openAiFault(status: number, message: string): object {
  const type = status === 401 ? 'authentication_error' : 'invalid_request_error'
  return {
    error: { message, type: status >= 500 ? 'server_error' : type, param: null, code: null },
  }
}

export function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`
}
