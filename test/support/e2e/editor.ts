/** An editor as ACP sees it: starts `glovebox acp` and speaks JSON-RPC over its stdin and stdout. */
import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..', '..')
export const PROGRAM = join(ROOT, 'dist', 'glovebox.mjs')
export const SOURCE = join(ROOT, 'src', 'cli.ts')

export type Message = Record<string, unknown>
export type Answer = { result?: Message; error?: { code: number; message: string } }
type Question = { method: string; params: Message }

export type EditorOptions = {
  env: Record<string, string | undefined>
  cwd?: string
  args?: string[]
  /** The launcher's file; the bundle by default. */
  program?: string
  /** In a process group of its own. */
  detached?: boolean
  /** Answers the agent's questions; `undefined` leaves one open. */
  onQuestion?: (question: Question) => unknown
}

/** One running launcher and what it said. */
export class Editor implements AsyncDisposable {
  readonly child: ChildProcess
  readonly updates: Message[] = []
  /** Which limits the engine does not enforce: said in every session on such an engine. */
  readonly notices: string[] = []
  readonly questions: Question[] = []
  /** Lines on stdout that were no JSON. */
  readonly noise: string[] = []
  /** Answers without an id. */
  readonly complaints: Answer[] = []
  stderr = ''
  readonly exited: Promise<number | string | null>
  readonly #answers = new Map<number, (answer: Answer) => void>()
  readonly #watchers = new Set<() => void>()
  readonly #onQuestion: EditorOptions['onQuestion']
  #next = 0

  constructor(options: EditorOptions) {
    this.#onQuestion = options.onQuestion
    this.child = spawn(
      process.execPath,
      [options.program ?? PROGRAM, 'acp', ...(options.args ?? [])],
      {
        env: options.env,
        cwd: options.cwd,
        detached: options.detached ?? false,
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    )
    this.exited = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => resolve(code ?? signal))
    })
    this.child.stdin?.on('error', () => undefined)
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()))
    let rest = ''
    this.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#receive(line)
    })
    void this.exited.then(() => this.#failAll())
  }

  /** Sends a request; an answer that never comes is an error after `timeout` ms. */
  async call(method: string, params: unknown, timeout = 60_000): Promise<Answer> {
    const id = this.#next
    this.#next += 1
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${method}: no answer\n${this.stderr}`)),
        timeout,
      )
      this.#answers.set(id, (answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      this.send({ jsonrpc: '2.0', id, method, params })
    })
  }

  /** As `call`, for requests that must succeed. */
  async ok(method: string, params: unknown, timeout?: number): Promise<Message> {
    const { result, error } = await this.call(method, params, timeout)
    if (result === undefined) throw new Error(`${method}: ${error?.code} ${error?.message}`)
    return result
  }

  notify(method: string, params: unknown): void {
    this.send({ jsonrpc: '2.0', method, params })
  }

  send(message: unknown): void {
    this.raw(`${JSON.stringify(message)}\n`)
  }

  raw(text: string | Buffer): void {
    this.child.stdin?.write(text)
  }

  /** `initialize` and `session/new`; the session's id. */
  async open(cwd: string, timeout?: number): Promise<string> {
    await this.ok('initialize', INITIALIZE)
    const { sessionId } = await this.ok('session/new', { cwd, mcpServers: [] }, timeout)
    return String(sessionId)
  }

  async prompt(sessionId: string, text: string, timeout?: number): Promise<Message> {
    return this.ok('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }, timeout)
  }

  /** All text the agent said. */
  get text(): string {
    return this.updates.map((params) => textOf(params['update'])).join('')
  }

  /** Resolves when `seen` holds, looked at after every message. */
  async until(seen: () => boolean, what: string, timeout = 30_000): Promise<void> {
    if (seen()) return
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`never: ${what}\n${this.stderr}`)), timeout)
      const look = (): void => {
        if (!seen()) return
        clearTimeout(timer)
        this.#watchers.delete(look)
        resolve()
      }
      this.#watchers.add(look)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.stdin?.end()
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 15_000)
    await this.exited
    clearTimeout(timer)
  }

  #receive(line: string): void {
    let message: Message
    try {
      message = JSON.parse(line) as Message
    } catch {
      this.noise.push(line)
      return
    }
    if (typeof message['method'] === 'string') this.#fromAgent(message, message['method'])
    else if (message['id'] === null) this.complaints.push(message)
    else this.#answers.get(message['id'] as number)?.(message)
    for (const look of this.#watchers) look()
  }

  #fromAgent(message: Message, method: string): void {
    const params = (message['params'] ?? {}) as Message
    if (method === 'session/update') this.#update(params)
    if (!('id' in message)) return
    this.questions.push({ method, params })
    const result = this.#onQuestion?.({ method, params })
    if (result !== undefined) this.send({ jsonrpc: '2.0', id: message['id'], result })
  }

  #update(params: Message): void {
    const text = textOf(params['update'])
    if (text.startsWith('Glovebox: this engine does not enforce')) this.notices.push(text)
    else this.updates.push(params)
  }

  #failAll(): void {
    for (const answer of this.#answers.values()) {
      answer({ error: { code: 0, message: `the launcher ended\n${this.stderr}` } })
    }
    for (const look of this.#watchers) look()
  }
}

export const INITIALIZE = {
  protocolVersion: 1,
  clientInfo: { name: 'test-editor', version: '1' },
  clientCapabilities: {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    _meta: { terminal_output: true },
  },
}

/** An answer to a permission request: the first option of that kind. */
export function choose(kind: string): (question: Question) => unknown {
  return ({ method, params }) => {
    if (method !== 'session/request_permission') return undefined
    const options = params['options'] as { optionId: string; kind: string }[]
    const optionId = options.find((option) => option.kind === kind)?.optionId
    return { outcome: { outcome: 'selected', optionId } }
  }
}

function textOf(update: unknown): string {
  const { sessionUpdate, content } = (update ?? {}) as { sessionUpdate?: string; content?: unknown }
  if (sessionUpdate !== 'agent_message_chunk') return ''
  return (content as { text?: string }).text ?? ''
}
