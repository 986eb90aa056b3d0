/** The questions of `glovebox setup`, on a terminal. */
import { createInterface, type Interface } from 'node:readline/promises'
import { Writable, type Readable } from 'node:stream'

import { GloveboxError } from '../errors.ts'
import type { Answers } from './save.ts'

const CHOICES = `Which model provider?
  1  Anthropic
  2  OpenAI
  3  another service or a local model that speaks the OpenAI API
`

/** Asks for provider and key; the key is not shown. Errors: `usage` for an answer that is none. */
export async function askForProvider(input: Readable, output: Writable): Promise<Answers> {
  const screen = new Screen(output)
  const terminal = createInterface({ input, output: screen, terminal: true })
  try {
    output.write(CHOICES)
    const choice = (await ask(terminal, 'Number: ')).trim()
    if (choice === '1') return { provider: 'anthropic', key: await askKey(terminal, screen) }
    if (choice === '2') return { provider: 'openai', key: await askKey(terminal, screen) }
    if (choice === '3') return await askCustom(terminal, screen)
    throw new GloveboxError('usage', `${JSON.stringify(choice)} is none of 1, 2 and 3.`)
  } finally {
    terminal.close()
  }
}

async function askCustom(terminal: Interface, screen: Screen): Promise<Answers> {
  const base_url = (await ask(terminal, 'Base URL, such as https://llm.example.com: ')).trim()
  const model = (await ask(terminal, 'Model: ')).trim()
  const key = await askKey(terminal, screen, true)
  return {
    provider: 'custom',
    custom: { preset: 'openai', base_url, ...(model === '' ? {} : { model }) },
    ...(key === '' ? {} : { key }),
  }
}

async function askKey(terminal: Interface, screen: Screen, optional = false): Promise<string> {
  const answer = ask(terminal, optional ? 'API key (empty for none): ' : 'API key: ')
  screen.hide()
  const key = (await answer).trim()
  screen.show()
  if (key === '' && !optional) throw new GloveboxError('usage', 'No key was entered.')
  if (/[^\u0021-\u007E]/.test(key)) {
    throw new GloveboxError('usage', 'A key has no spaces, control or other special characters.')
  }
  return key
}

async function ask(terminal: Interface, question: string): Promise<string> {
  const left = new AbortController()
  terminal.once('close', () => left.abort())
  try {
    return await terminal.question(question, { signal: left.signal })
  } catch (error) {
    throw new GloveboxError('usage', 'Set-up was left; nothing was changed.', '', { cause: error })
  }
}

/** Shows what is typed, or not. */
class Screen extends Writable {
  readonly #output: Writable
  #hidden = false

  constructor(output: Writable) {
    super()
    this.#output = output
  }

  hide(): void {
    this.#hidden = true
  }

  show(): void {
    this.#hidden = false
    this.#output.write('\n')
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (!this.#hidden) this.#output.write(chunk)
    done()
  }
}
