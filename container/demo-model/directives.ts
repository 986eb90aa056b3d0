/** `demo: …` lines in a prompt: single steps for tests, with answers that are still the tools' own. */
import { stopped } from './fix-test.ts'
import type { Story } from './fix-test.ts'

export type StopReason = 'end_turn' | 'max_tokens' | 'refusal'

/** What the lines of a prompt ask for; `undefined` when there is no such line. */
export type Directives = {
  steps: string[]
  /** An HTTP status to answer with instead of a message. */
  error: number | undefined
  /** Streams one word each 100 ms for this many words. */
  slowWords: number
  stop: StopReason
}

export function directivesOf(prompt: string): Directives | undefined {
  const lines = [...prompt.matchAll(/^\s*demo: (.+)$/gm)].map((found) => (found[1] ?? '').trim())
  if (lines.length === 0) return undefined
  const argument = (word: string) =>
    lines.find((line) => line.split(' ')[0] === word)?.split(' ')[1]
  const slow = lines.some((line) => line.split(' ')[0] === 'slow')
  const error = argument('error')
  return {
    steps: lines.filter((line) => /^(?:run|read|write) /.test(line)),
    error: error === undefined ? undefined : Number(error),
    slowWords: slow ? Number(argument('slow') ?? 300) : 0,
    stop: stopReasonOf(argument('stop')),
  }
}

/** Does the steps in order and tells what each tool answered. */
export function* followDirectives(directives: Directives): Story {
  const told: string[] = []
  for (const line of directives.steps) {
    const [word = '', first = '', ...rest] = line.split(' ')
    const tail = rest.join(' ')
    const answer = yield step(word, first, tail)
    const what = word === 'run' ? `run \`${line.slice(4)}\`` : `${word} ${first}`
    if (answer.isError && word !== 'run') return [...told, stopped(what, answer)].join('\n')
    told.push(answer.isError ? stopped(what, answer) : `I did ${what}. ${shortened(answer.text)}`)
  }
  if (directives.slowWords > 0) told.push(slowText(directives.slowWords))
  return told.length === 0 ? 'Nothing to do.' : told.join('\n')
}

function step(word: string, first: string, tail: string) {
  const say = `I ${word} as asked.`
  if (word === 'read') return { say, role: 'read', path: first } as const
  if (word === 'write') return { say, role: 'write', path: first, text: `${tail}\n` } as const
  return { say, role: 'run', command: `${first} ${tail}`.trim(), why: 'Asked for' } as const
}

function shortened(text: string): string {
  const trimmed = text.trim()
  return trimmed.length > 600
    ? `The answer began: ${trimmed.slice(0, 600)}`
    : `The answer: ${trimmed}`
}

function slowText(words: number): string {
  return Array.from({ length: words }, (_, index) => `word-${index + 1}`).join(' ')
}

function stopReasonOf(word: string | undefined): StopReason {
  return word === 'max_tokens' || word === 'refusal' ? word : 'end_turn'
}
