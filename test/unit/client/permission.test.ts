import { PassThrough } from 'node:stream'

import { expect, test } from 'vitest'

import { answerByPolicy, answerName, askAtTerminal } from '../../../src/client/permission.ts'

const OPTIONS = [
  { optionId: 'aa', name: 'Allow always', kind: 'allow_always' },
  { optionId: 'ao', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'ro', name: 'Deny\u202e', kind: 'reject_once' },
  { optionId: 'ra', name: 'Deny always', kind: 'reject_always' },
] as const

const question = (options: readonly (typeof OPTIONS)[number][] = OPTIONS) => ({
  sessionId: 's',
  toolCall: { toolCallId: '1' },
  options: [...options],
})

test.for([
  ['allow', [0, 1, 2], 'ao'],
  ['allow', [0, 2], 'aa'],
  ['allow', [2, 3], undefined],
  ['deny', [1, 2, 3], 'ro'],
  ['deny', [1, 3], 'ra'],
  ['deny', [0, 1], undefined],
] as const)('The policy %s among the options %o chooses %s', ([policy, chosen, optionId]) => {
  const options = question(chosen.map((index) => OPTIONS[index])).options
  const outcome =
    optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId }
  expect(answerByPolicy(options, policy)).toEqual(outcome)
})

test('An answer is told in the words of its option', () => {
  const { options } = question()
  const name = answerName(options, { outcome: 'selected', optionId: 'ao' })
  expect(name).toEqual({ name: 'Allow once', kind: 'allow_once' })
  expect(answerName(options, { outcome: 'cancelled' }).kind).toBe('cancelled')
})

test('At the terminal only the number of an option is an answer', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const shown: string[] = []
  const typed = ['yes', '5', '0', '3']
  output.setEncoding('utf8').on('data', (text: string) => {
    shown.push(text)
    if (text.includes('Your choice')) input.write(`${typed.shift()}\n`)
  })
  const answer = await askAtTerminal(input, output)(question(), new AbortController().signal)
  expect(answer).toEqual({ outcome: 'selected', optionId: 'ro' })
  expect(typed).toEqual([])
  expect(shown.join('')).toContain('  2  Allow once\n  3  Deny\\u{202e}\n')
})

test('Questions asked at once are answered one after the other', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const ask = askAtTerminal(input, output)
  const { signal } = new AbortController()
  const first = ask(question(), signal)
  const second = ask(question(), signal)
  input.write('1\n')
  expect(await first).toEqual({ outcome: 'selected', optionId: 'aa' })
  input.write('2\n')
  expect(await second).toEqual({ outcome: 'selected', optionId: 'ao' })
})

test('The end of the input and a cancel both leave the question cancelled', async () => {
  const ended = new PassThrough()
  const asked = askAtTerminal(ended, new PassThrough())(question(), new AbortController().signal)
  ended.end()
  expect(await asked).toEqual({ outcome: 'cancelled' })
  const cancel = new AbortController()
  const open = askAtTerminal(new PassThrough(), new PassThrough())(question(), cancel.signal)
  cancel.abort()
  expect(await open).toEqual({ outcome: 'cancelled' })
})
