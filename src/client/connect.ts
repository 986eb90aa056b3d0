/** A connection to an ACP agent that runs as a child process. */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

import { PROTOCOL_VERSION, client, methods, ndJsonStream } from '@agentclientprotocol/sdk'
import type {
  ClientContext,
  InitializeResponse,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  SessionUpdate,
} from '@agentclientprotocol/sdk'

import { GloveboxError } from '../errors.ts'
import type { AgentProcess } from './spawn-agent.ts'
import { visibleLine } from './visible.ts'

export type Handlers = {
  onUpdate: (update: SessionUpdate) => void
  /** `signal` aborts when the connection ends. */
  onPermission: (
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ) => Promise<RequestPermissionOutcome>
}

export type AgentConnection = AsyncDisposable & {
  readonly agent: ClientContext
  readonly initialized: InitializeResponse
  /**
   * Resolves to the last line on stderr of an agent that has ended, or to its exit code when it was
   * silent; `undefined` while the connection stands.
   */
  lastWords: () => Promise<string | undefined>
}

/** Milliseconds from the end of input to SIGTERM, and from there to SIGKILL. */
const GRACE = { eof: 5_000, term: 3_000 }
/** Milliseconds to wait for the end of stderr. */
const LAST_WORDS = 1_000

/** Starts ACP with the child; throws when it ends or refuses before `initialize` is answered. */
export async function connect(child: AgentProcess, handlers: Handlers): Promise<AgentConnection> {
  const lastWords = watchStderr(child)
  const exited = exitOf(child, 'exit')
  const app = client({ name: 'glovebox' })
    .onNotification(methods.client.session.update, ({ params }) => handlers.onUpdate(params.update))
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => ({
      outcome: await handlers.onPermission(params, signal),
    }))
  const connection = app.connect(
    ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)),
  )
  const dispose = async () => {
    child.stdin.end()
    await endOf(child, exited)
    connection.close()
  }
  try {
    const initialized = await connection.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'glovebox-run', version: '1' },
      clientCapabilities: {},
    })
    const { agent, signal } = connection
    const words = async () => (signal.aborted ? await lastWords() : undefined)
    return { agent, initialized, lastWords: words, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    const what = `The agent did not start: ${await lastWords()}`
    throw new GloveboxError('session_ended', what, '', { cause: error })
  }
}

async function exitOf(child: AgentProcess, event: 'exit' | 'close'): Promise<void> {
  // A child that cannot be started has an error and no exit.
  await Promise.race([once(child, event), once(child, 'error')]).catch(() => undefined)
}

async function endOf(child: AgentProcess, exited: Promise<void>): Promise<void> {
  const within = async (ms: number) => {
    const timer = new AbortController()
    const timeout = sleep(ms, 'late', { signal: timer.signal }).catch(() => 'late')
    const first = await Promise.race([exited, timeout])
    timer.abort()
    return first !== 'late'
  }
  if (await within(GRACE.eof)) return
  child.kill('SIGTERM')
  if (await within(GRACE.term)) return
  child.kill('SIGKILL')
  await exited
}

/** Collects the last line; the answer waits a little for what is still in the pipe. */
function watchStderr(child: AgentProcess): () => Promise<string> {
  let last = ''
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.trim() !== '') last = visibleLine(line, 1000)
  })
  // A child that is gone cannot take our input; its exit says so elsewhere.
  child.stdin.on('error', () => undefined)
  const closed = exitOf(child, 'close')
  return async () => {
    await Promise.race([closed, sleep(LAST_WORDS, undefined, { ref: false })])
    return last === '' ? `its exit code was ${child.exitCode ?? child.signalCode}` : last
  }
}
