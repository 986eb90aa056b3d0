/** The bundled agent as a real process, driven over stdio by the SDK's client. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

import { client, ndJsonStream } from '@agentclientprotocol/sdk'
import type {
  ClientCapabilities,
  ClientContext,
  ContentBlock,
  CreateElicitationRequest,
  CreateElicitationResponse,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk'

import { faultOf } from './frame-schema.ts'
import type { Frame } from './frame-schema.ts'
import type { ScriptedModel } from './scripted-model.ts'

const MAIN = fileURLToPath(new URL('../../../container/agent/main.ts', import.meta.url))

export type AgentOptions = {
  model?: ScriptedModel
  /** The home folder of an agent before, with what it stored; kept by this one. */
  home?: string
  /** Replaces single variables of the agent's environment. */
  env?: Record<string, string>
  capabilities?: ClientCapabilities
  /** Answers a permission question; the id of an option, `cancelled`, or never. */
  permission?: (request: RequestPermissionRequest) => string | Promise<string>
  elicitation?: (request: CreateElicitationRequest) => CreateElicitationResponse
  /** Extra arguments for Node. */
  nodeArguments?: string[]
}

export type Seen = { sessionId: string; update: SessionUpdate }

export class AgentProcess implements AsyncDisposable {
  /** Without the command menus: those come for every session, at some time after its response. */
  readonly updates: Seen[] = []
  readonly menus: Seen[] = []
  readonly questions: RequestPermissionRequest[] = []
  readonly forms: CreateElicitationRequest[] = []
  /** Every frame the agent sent, in order. */
  readonly frames: Frame[] = []
  /** Lines on stdout that are no frames, and frames that the schema refuses. */
  readonly faults: string[] = []
  readonly home: string
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  stderr = ''
  readonly #child
  readonly #sent = new Map<Frame['id'], string>()
  readonly #options: AgentOptions
  readonly #connection
  #watchers: (() => void)[] = []

  constructor(home: string, options: AgentOptions) {
    this.home = home
    this.#options = options
    this.#child = spawn(process.execPath, [...(options.nodeArguments ?? []), MAIN], {
      cwd: home,
      env: environment(home, options),
      stdio: 'pipe',
    })
    this.exited = once(this.#child, 'exit').then(([code, signal]) => ({ code, signal }))
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    this.#child.stdin.on('error', () => undefined)
    this.#connection = this.#app().connect(this.#stream())
  }

  get agent(): ClientContext {
    return this.#connection.agent
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  async initialize(protocolVersion = 1) {
    return await this.agent.request('initialize', {
      protocolVersion,
      clientCapabilities: this.#options.capabilities ?? {},
      clientInfo: { name: 'test', version: '0' },
    })
  }

  /** A new session's id. */
  async session(cwd: string, mode?: string): Promise<string> {
    const { sessionId } = await this.agent.request('session/new', { cwd, mcpServers: [] })
    if (mode !== undefined)
      await this.agent.request('session/set_mode', { sessionId, modeId: mode })
    return sessionId
  }

  async prompt(sessionId: string, prompt: string | ContentBlock[]): Promise<PromptResponse> {
    const blocks = typeof prompt === 'string' ? [{ type: 'text' as const, text: prompt }] : prompt
    return await this.agent.request('session/prompt', { sessionId, prompt: blocks })
  }

  async cancel(sessionId: string): Promise<void> {
    await this.agent.notify('session/cancel', { sessionId })
  }

  /** Waits for the first update that fits, also among those already seen. */
  async seen<Found extends SessionUpdate>(
    fits: (update: SessionUpdate) => update is Found,
  ): Promise<Found>
  async seen(fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate>
  async seen(fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate> {
    for (;;) {
      const found = this.updates.find(({ update }) => fits(update))
      if (found !== undefined) return found.update
      await this.changed()
    }
  }

  /** Resolves with the next update or question. */
  async changed(): Promise<void> {
    await new Promise<void>((resolve) => this.#watchers.push(resolve))
  }

  /** All text of one kind of message, joined. */
  text(kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk'): string {
    return this.updates
      .flatMap(({ update }) =>
        update.sessionUpdate === kind && update.content.type === 'text' ? update.content.text : [],
      )
      .join('')
  }

  /** The states of one call, in order. */
  call(toolCallId: string) {
    return this.updates.flatMap(({ update }) =>
      (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') &&
      update.toolCallId === toolCallId
        ? [update]
        : [],
    )
  }

  writeRaw(bytes: string | Uint8Array): void {
    this.#child.stdin.write(bytes)
  }

  endInput(): void {
    this.#child.stdin.end()
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end()
    const late = setTimeout(() => this.#child.kill('SIGKILL'), 5_000)
    await this.exited
    clearTimeout(late)
    if (this.#options.home === undefined) await rm(this.home, { recursive: true, force: true })
    if (this.faults.length > 0)
      throw new Error(`the agent sent what it must not: ${this.faults[0]}`)
  }

  #app() {
    return client({ name: 'test' })
      .onNotification('session/update', ({ params }) => {
        const isMenu = params.update.sessionUpdate === 'available_commands_update'
        if (isMenu) this.menus.push(params)
        else this.updates.push(params)
        this.#wake()
      })
      .onRequest('session/request_permission', async ({ params }) => {
        this.questions.push(params)
        this.#wake()
        const answer = (await this.#options.permission?.(params)) ?? 'allow-once'
        return outcomeOf(answer)
      })
      .onRequest('elicitation/create', ({ params }) => {
        this.forms.push(params)
        return this.#options.elicitation?.(params) ?? { action: 'cancel' }
      })
  }

  #stream() {
    const input = new PassThrough()
    let rest = ''
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      rest += text
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#check(line)
      input.write(text)
    })
    this.#child.stdout.on('end', () => input.end())
    const bytes: ReadableStream<Uint8Array> = Readable.toWeb(input)
    const stream = ndJsonStream(Writable.toWeb(this.#child.stdin), bytes)
    return { readable: stream.readable, writable: this.#noting(stream.writable) }
  }

  /** Notes which request has which id, so that its response can be checked. */
  #noting(writable: ReturnType<typeof ndJsonStream>['writable']): typeof writable {
    const writer = writable.getWriter()
    return new WritableStream({
      write: async (message) => {
        if ('method' in message && 'id' in message) this.#sent.set(message.id, message.method)
        await writer.write(message)
      },
    })
  }

  #check(line: string): void {
    try {
      const frame: Frame = JSON.parse(line)
      this.frames.push(frame)
      const fault = frame.id === null ? undefined : faultOf(frame, (id) => this.#sent.get(id))
      if (fault !== undefined) this.faults.push(`${fault} in ${line.slice(0, 500)}`)
    } catch {
      this.faults.push(`not a frame: ${line.slice(0, 500)}`)
    }
  }

  #wake(): void {
    for (const wake of this.#watchers.splice(0)) wake()
  }
}

function outcomeOf(answer: string): RequestPermissionResponse {
  if (answer === 'cancelled') return { outcome: { outcome: 'cancelled' } }
  return { outcome: { outcome: 'selected', optionId: answer } }
}

function environment(home: string, options: AgentOptions): Record<string, string> {
  const model = options.model
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    // The sources are compiled once for all tests, not once for each process.
    NODE_COMPILE_CACHE: path.join(os.tmpdir(), 'glovebox-test-compile-cache'),
    ...(model === undefined
      ? {}
      : {
          GLOVEBOX_PROVIDER: model.dialect === 'anthropic' ? 'anthropic' : 'openai',
          GLOVEBOX_OPENAI_API: model.dialect === 'responses' ? 'responses' : 'chat',
          GLOVEBOX_MODEL: 'claude-scripted',
          GLOVEBOX_BASE_URL: model.baseUrl,
          GLOVEBOX_API_KEY: 'placeholder-key',
        }),
    ...options.env,
  }
}

/** An agent that is not initialized yet. */
export async function bareAgent(options: AgentOptions = {}): Promise<AgentProcess> {
  const home = options.home ?? (await mkdtemp(path.join(os.tmpdir(), 'glovebox-agent-')))
  return new AgentProcess(home, options)
}

export async function startAgent(options: AgentOptions = {}): Promise<AgentProcess> {
  const started = await bareAgent(options)
  await started.initialize()
  return started
}
