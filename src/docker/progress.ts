/** The JSON lines an engine streams while it builds, pulls, imports or loads. */
import { StringDecoder } from 'node:string_decoder'

import { objectOf } from './engine-answers.ts'

export type Progress = { line?: string; error?: string; id?: string }

/** One line of the stream; what is no JSON object is shown as it is. */
export function progressOf(text: string): Progress {
  const entry = objectOf(text)
  if (entry === undefined) return lineOf(text)
  const { error, aux, stream, status } = entry
  if (typeof error === 'string') return { error: error.trim() }
  if (isNamed(aux)) return { id: aux.ID }
  if (typeof stream === 'string') return lineOf(stream)
  if (isId(status)) return { id: status }
  return typeof status === 'string' ? statusLine(entry, status) : {}
}

/** A build tells its result aside. */
const isNamed = (aux: unknown): aux is { ID: string } =>
  typeof aux === 'object' && aux !== null && 'ID' in aux && typeof aux.ID === 'string'

/** An import ends with the bare id as its status. */
const isId = (status: unknown): status is string =>
  typeof status === 'string' && /^sha256:[0-9a-f]{64}$/.test(status)

const lineOf = (text: string): Progress => {
  const line = text.trimEnd()
  return line === '' ? {} : { line }
}

/** Download bars would be hundreds of lines: only the steps are shown. */
function statusLine(entry: Record<string, unknown>, status: string): Progress {
  if (typeof entry['progress'] === 'string' && entry['progress'] !== '') return {}
  return lineOf(typeof entry['id'] === 'string' ? `${entry['id']}: ${status}` : status)
}

/**
 * Reads the stream to its end, giving each line. Resolves with the last id seen; rejects with the
 * error the stream told, or the connection's.
 */
export async function followProgress(
  stream: NodeJS.ReadableStream,
  onLine: (line: string) => void,
): Promise<string | undefined> {
  let id: string | undefined
  let failure: string | undefined
  for await (const text of linesOf(stream)) {
    const progress = progressOf(text)
    id = progress.id ?? id
    failure = progress.error ?? failure
    if (progress.line !== undefined) for (const line of progress.line.split('\n')) onLine(line)
  }
  if (failure !== undefined) throw new Error(failure)
  return id
}

/** Not node:readline, whose iterator swallows an error of its input. */
async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.write(Buffer.from(chunk))).split(/\r?\n/)
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
