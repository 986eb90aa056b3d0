import { readFileSync } from 'node:fs'

import { z } from 'zod'

/** One attack: what a client sends, and what a sound proxy does about it. */
const Case = z.object({
  id: z.string(),
  kind: z.string(),
  policy: z.string().optional(),
  setup: z.string().optional(),
  /** Raw bytes as latin1, or a description in words. */
  request: z.string(),
  request_encoding: z.string().optional(),
  expected: z.string(),
  expected_status: z.number().nullable().optional(),
  expected_reason: z.string().nullable().optional(),
  why: z.string().optional(),
})

const File = z.object({ cases: z.array(Case) })

export type CorpusCase = z.infer<typeof Case>

/** Reads a corpus. Throws an Error of one sentence, with file and place, when the file is not one. */
export function readCorpus(path: string): CorpusCase[] {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read'
    throw new Error(`${path} is not a corpus: ${why}.`, { cause: error })
  }
  const parsed = File.safeParse(value)
  if (parsed.success) return parsed.data.cases
  const { path: keys, message } = parsed.error.issues[0] ?? { path: [], message: '' }
  throw new Error(`${path} is not a corpus: ${keys.join('.') || 'the whole'}: ${message}.`)
}

/** Whether the request is meant to be sent as it is. */
export function isRaw({ request_encoding: encoding }: CorpusCase): boolean {
  return encoding?.startsWith('latin1') === true
}
