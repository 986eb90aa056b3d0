/** The egress proxy as a real process, driven as the launcher drives it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type Socket, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import {
  FromProxy,
  HEARTBEAT_INTERVAL,
  type Close,
  type Configure,
  type Decision,
} from '../../../egress-proxy/messages.ts'

const MAIN = fileURLToPath(new URL('../../../egress-proxy/main.ts', import.meta.url))

export type ProxyOptions = Partial<Omit<Configure, 'type' | 'version'>>

type MessageOf<T extends FromProxy['type']> = Extract<FromProxy, { type: T }>

export type ProxyProcess = AsyncDisposable & {
  socketPath: string
  folder: string
  child: ChildProcess
  messages: FromProxy[]
  send: (message: object) => void
  /** Sends no further heartbeat. */
  stopBeating: () => void
  sendRaw: (text: string) => void
  /** Resolves with the first message, past or future, that fits; rejects after 5 s. */
  waitFor: <T extends FromProxy['type']>(
    type: T,
    fits?: (message: MessageOf<T>) => boolean,
  ) => Promise<MessageOf<T>>
  decisions: () => Decision[]
  closes: () => Close[]
  connect: () => Socket
  /** Resolves with the exit code. */
  exited: Promise<number | null>
  stderr: () => string
}

/** Spawns the proxy and leaves it waiting for its configuration. */
export async function spawnProxy(
  env: NodeJS.ProcessEnv = {},
  args: string[] = [],
): Promise<ProxyProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'glovebox-egress-'))
  const socketPath = join(folder, 'egress.sock')
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env['PATH'], GLOVEBOX_SOCKET: socketPath, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null))
  const messages: FromProxy[] = []
  const listeners = new Set<() => void>()
  readLines(child.stdout, (line) => {
    messages.push(FromProxy.parse(withoutTime(line)))
    for (const listener of listeners) listener()
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8')
  })
  child.stdin.on('error', () => undefined)
  const sendRaw = (text: string) => child.stdin.write(text)
  const send = (message: object) => sendRaw(`${JSON.stringify(message)}\n`)
  const beat = setInterval(() => send({ type: 'heartbeat' }), HEARTBEAT_INTERVAL)
  return {
    socketPath,
    folder,
    child,
    messages,
    send,
    stopBeating: () => clearInterval(beat),
    sendRaw,
    waitFor: (type, fits) => waitFor(messages, listeners, type, fits),
    decisions: () => messages.filter((message) => message.type === 'decision'),
    closes: () => messages.filter((message) => message.type === 'close'),
    connect: () => connect({ path: socketPath, allowHalfOpen: true }),
    exited,
    stderr: () => errors,
    async [Symbol.asyncDispose]() {
      clearInterval(beat)
      child.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function withoutTime(line: string): unknown {
  const value: unknown = JSON.parse(line)
  if (typeof value === 'object' && value !== null) Reflect.deleteProperty(value, 'ts')
  return value
}

/** Spawns the proxy and configures it; resolves when it listens. */
export async function startProxy(
  options: ProxyOptions,
  env?: NodeJS.ProcessEnv,
): Promise<ProxyProcess> {
  const proxy = await spawnProxy(env)
  proxy.send(configureWith(options))
  await proxy.waitFor('ready')
  return proxy
}

export function configureWith(options: ProxyOptions): Configure {
  return {
    type: 'configure',
    version: 1,
    session: 'test',
    identity: { uid: 1000, gid: 1000, name: 'agent', home: '/home/agent' },
    rules: [],
    deny: [],
    gateway: [],
    ...options,
  }
}

function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  })
}

function waitFor<T extends FromProxy['type']>(
  messages: FromProxy[],
  listeners: Set<() => void>,
  type: T,
  fits: (message: MessageOf<T>) => boolean = () => true,
): Promise<MessageOf<T>> {
  const isWanted = (message: FromProxy): message is MessageOf<T> => message.type === type
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = messages.filter(isWanted).find(fits)
      if (found === undefined) return
      clearTimeout(timer)
      listeners.delete(look)
      resolve(found)
    }
    const timer = setTimeout(() => {
      listeners.delete(look)
      reject(new Error(`no ${type} within 5 s; got ${JSON.stringify(messages).slice(0, 2000)}`))
    }, 5_000)
    listeners.add(look)
    look()
  })
}
