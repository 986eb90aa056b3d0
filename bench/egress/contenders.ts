/** Each proxy as a process of its own that lets through the name `localhost` and nothing else. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

import type { Door, Origin } from './load.ts'

type Contender = AsyncDisposable & { door: Door; pid: number }

export type Place = { folder: string; origin: Origin; root: string }

export type Start = (place: Place) => Promise<Contender>

/** As the Dockerfile has them. */
const FLAGS = [
  '--disable-sigusr1',
  '--expose-gc',
  ...(process.env['BENCH_NODE_FLAGS'] ?? '').split(' ').filter(Boolean),
]
const MEMORY = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '65536', MALLOC_TOP_PAD_: '0' }

/** As in an image: the bundle, its unix socket, policy on stdin, audit lines on stdout. */
export const glovebox: Start = ({ folder, origin, root }) => {
  const path = join(folder, `egress-${process.hrtime.bigint()}.sock`)
  const child = spawn(process.execPath, [...FLAGS, join(root, 'dist/image/egress-proxy.mjs')], {
    env: { GLOVEBOX_SOCKET: path, ...MEMORY },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const open = { host: 'localhost', allow_private: ['127.0.0.0/8'] }
  const say = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)
  say({
    type: 'configure',
    version: 1,
    session: 'bench',
    identity: { uid: 1000, gid: 1000, name: 'agent', home: '/home/agent' },
    rules: [
      { id: 'http', ports: [origin.http], protocol: 'http', ...open },
      { id: 'raw', ports: [origin.raw], protocol: 'tcp', ...open },
    ],
    deny: [],
    gateway: [],
    dns_servers: [origin.dns],
    limits: { tunnels: 1_010 },
  })
  child.stdout.resume()
  const beat = setInterval(() => say({ type: 'heartbeat' }), 2_000)
  return Promise.resolve(
    contender({ path }, child, () => {
      clearInterval(beat)
      return Promise.resolve()
    }),
  )
}

/** The same as programs inside reach it: through the port of init. */
export const throughInit: Start = async (place) => {
  const proxy = await glovebox(place)
  const port = await freePort()
  const listeners = JSON.stringify(join(place.root, 'container/init/listeners.ts'))
  const socket = JSON.stringify('path' in proxy.door ? proxy.door.path : '')
  const script = `import { listen } from ${listeners}; await listen([${port}], ${socket})`
  const init = spawnNode(script, place.folder)
  const both = contender({ host: '127.0.0.1', port }, init, async () => {
    await proxy[Symbol.asyncDispose]()
  })
  // Its memory is the proxy's: init has more to do than to listen here.
  return { ...both, pid: proxy.pid }
}

/**
 * The program that `BENCH_SQUID` names, or the one on PATH; it writes a log line for each request,
 * as we do. `BENCH_SQUID_INCLUDE` names further configuration, for one that was only unpacked.
 */
export const squid: Start = async ({ folder }) => {
  const port = await freePort()
  const program = process.env['BENCH_SQUID'] ?? 'squid'
  const include = process.env['BENCH_SQUID_INCLUDE']
  const file = join(folder, 'squid.conf')
  writeFileSync(
    file,
    [
      `http_port 127.0.0.1:${port}`,
      `pid_filename ${folder}/squid.pid`,
      `access_log stdio:/dev/null`,
      'cache_log /dev/null',
      'cache_store_log none',
      'netdb_filename none',
      'pinger_enable off',
      'cache deny all',
      'dns_v4_first on',
      'acl allowed dstdomain localhost',
      'http_access allow allowed',
      'http_access deny all',
      'shutdown_lifetime 0 seconds',
      'max_filedescriptors 4096',
      `coredump_dir ${folder}`,
      ...(include === undefined ? [] : [`include ${include}`]),
    ].join('\n'),
  )
  const child = spawn(program, ['-N', '-f', file], { stdio: 'ignore' })
  return contender({ host: '127.0.0.1', port }, child)
}

/** The program that `BENCH_TINYPROXY` names, or the one on PATH. */
export const tinyproxy: Start = async ({ folder }) => {
  const port = await freePort()
  const file = join(folder, 'tinyproxy.conf')
  writeFileSync(join(folder, 'tinyproxy.filter'), '^localhost$\n')
  writeFileSync(
    file,
    [
      `Port ${port}`,
      'Listen 127.0.0.1',
      'MaxClients 1200',
      'Timeout 60',
      `LogFile "/dev/null"`,
      `Filter "${folder}/tinyproxy.filter"`,
      'FilterDefaultDeny Yes',
      '',
    ].join('\n'),
  )
  const program = process.env['BENCH_TINYPROXY'] ?? 'tinyproxy'
  const child = spawn(program, ['-d', '-c', file], { stdio: 'ignore' })
  return contender({ host: '127.0.0.1', port }, child)
}

export const proxyChain: Start = async ({ folder }) => {
  const port = await freePort()
  const script = `
    import { Server, RequestError } from 'proxy-chain'
    const prepareRequestFunction = ({ hostname }) => {
      if (hostname !== 'localhost') throw new RequestError('no', 403)
      return {}
    }
    await new Server({ port: ${port}, host: '127.0.0.1', prepareRequestFunction }).listen()`
  return contender({ host: '127.0.0.1', port }, spawnNode(script, folder))
}

/** Its HTTP proxy alone, as its library starts it in its own process. */
export const sandboxRuntime: Start = async ({ folder }) => {
  const port = await freePort()
  const at = join(folder, 'node_modules/@anthropic-ai/sandbox-runtime/dist/sandbox/http-proxy.js')
  const script = `
    import { createHttpProxyServer } from ${JSON.stringify(at)}
    createHttpProxyServer({ filter: (_, host) => host === 'localhost' }).listen(${port}, '127.0.0.1')`
  return contender({ host: '127.0.0.1', port }, spawnNode(script, folder))
}

function contender(
  door: Door,
  child: ChildProcess,
  after: () => Promise<void> = () => Promise.resolve(),
): Contender {
  const gone = once(child, 'exit').catch(() => undefined)
  return {
    door,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await gone
      await after()
    },
  }
}

function spawnNode(script: string, cwd: string): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}
