import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../../container/init/main.ts', import.meta.url))

export type InitProcess = AsyncDisposable & {
  child: ChildProcess & { stdin: NonNullable<ChildProcess['stdin']> }
  ports: number[]
  /** The resolver's port. */
  dnsPort: number
  stdout: () => Buffer
  stderr: () => string
  /** Resolves when this text was printed on stdout. */
  printed: (text: string) => Promise<void>
  /** The end of init itself, with the milliseconds since its start. */
  exit: Promise<{ code: number | null; signal: string | null; at: number }>
}

export type InitOptions = {
  socket: string
  /** The program between init and the agent; none by default. */
  tini?: string
  env?: Record<string, string>
  cwd?: string
}

/** Starts init with an agent, as the image's entry point does. */
export async function startInit(command: string[], options: InitOptions): Promise<InitProcess> {
  const [dnsPort = 0, ...ports] = await freePorts(3)
  const started = performance.now()
  const child = spawn(process.execPath, ['--disable-sigusr1', MAIN, ...command], {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: {
      PATH: process.env['PATH'],
      GLOVEBOX_INIT_SOCKET: options.socket,
      GLOVEBOX_INIT_PORTS: ports.join(','),
      GLOVEBOX_INIT_DNS_PORT: String(dnsPort),
      GLOVEBOX_INIT_TINI: options.tini ?? '',
      ...options.env,
    },
  })
  const chunks: Buffer[] = []
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdin.on('error', () => {})
  const exit: InitProcess['exit'] = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, at: performance.now() - started }))
  })
  const stdout = () => Buffer.concat(chunks)
  return {
    child,
    ports,
    dnsPort,
    stdout,
    stderr: () => stderr,
    exit,
    async printed(text) {
      while (!stdout().includes(text)) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exit
    },
  }
}

/**
 * Ports of 127.0.0.1 that nobody listened on a moment ago, from below the range that the system
 * hands out: tests beside this one get theirs from there.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(10_000, 32_000)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
