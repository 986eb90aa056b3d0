/** The egress proxy: the one way out of an agent's container. */
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'

import { createAudit } from './audit.ts'
import { type Settings, createBorder } from './border.ts'
import { createInitStream, type InitStream } from './control/init-stream.ts'
import { listenToLauncher } from './control/launcher.ts'
import { namesFrom } from './control/names.ts'
import { type Sink, openSink } from './control/sink.ts'
import { faultOf } from './decide.ts'
import { writeIdentity } from './identity.ts'
import { listenOn } from './listen.ts'
import { log } from './log.ts'
import {
  CONTROL_VERSION,
  HEARTBEAT_INTERVAL,
  type FromLauncher,
  type Identity,
} from './messages.ts'
import { createBorderServer } from './server.ts'
import { readStandalone } from './standalone.ts'

/** Exit codes, from sysexits where one fits. */
const EXIT = { ok: 0, usage: 64, software: 70, silence: 75, config: 78 } as const

/** Milliseconds after the start. */
const SETTLED = 300

const socketPath = process.env['GLOVEBOX_SOCKET'] ?? '/run/glovebox/egress.sock'

function main(): void {
  process.on('uncaughtException', (error) => {
    // Where, not what: a message may quote a request.
    log('crashed', `${error.name} ${/\n\s+(at .*)/.exec(error.stack ?? '')?.[1] ?? ''}`)
    process.exit(EXIT.software)
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => process.exit(EXIT.ok))
  const unsafe = unsafeSetting()
  const file = configFile()
  if (file === undefined) underLauncher(unsafe)
  else standalone(file, unsafe)
}

function configFile(): string | undefined {
  try {
    return parseArgs({ options: { config: { type: 'string' } } }).values.config
  } catch {
    log('usage', 'egress-proxy [--config FILE]')
    return process.exit(EXIT.usage)
  }
}

/** A setting of Node that would undo what the border checks. */
function unsafeSetting(): string | undefined {
  const flags = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(' ')]
  if (process.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') return 'NODE_TLS_REJECT_UNAUTHORIZED=0'
  return flags.find((flag) => flag === '--insecure-http-parser')
}

/** Policy and credentials come on stdin, decisions go to stdout, and so does init's stream. */
function underLauncher(unsafe: string | undefined): void {
  const sink = openSink(() => process.exit(EXIT.ok))
  const refuse = (error: string) => {
    sink.send({ type: 'refused', error })
    sink.flush(1_000, () => process.exit(EXIT.config))
  }
  if (unsafe !== undefined) return refuse(`the setting ${unsafe} is not accepted`)
  let turn = ''
  let configured = false
  const audit = createAudit({ ...sink, turn: () => turn })
  const init = createInitStream(() => audit, {
    onConnected: () => sink.send({ type: 'init-connected' }),
    onClosed: () => sink.send({ type: 'init-closed' }),
    onMessage: (message) => sink.send({ type: 'from-init', message }),
    isBlocked: sink.isBlocked,
    reopens: false,
  })
  const onMessage = (message: FromLauncher) => {
    if (message.type === 'heartbeat') return
    if (message.type === 'turn') turn = message.turn
    else if (message.type === 'to-init') init.send(message.message)
    else if (configured) refuse('the proxy is already configured')
    else {
      configured = true
      start({ ...message, audit, init, identity: message.identity }).then(
        () => sink.send({ type: 'ready' }),
        (error: unknown) => refuse(sentenceOf(error)),
      )
    }
  }
  listenToLauncher(process.stdin, {
    onMessage,
    onGarbage: refuse,
    onSilence: () => {
      log('silence', 'no message from the launcher')
      process.exit(EXIT.silence)
    },
    onEnd: () => process.exit(EXIT.ok),
  })
  sink.send({ type: 'hello', version: CONTROL_VERSION })
}

/** For compose.yaml: a configuration file, audit lines on stdout, until SIGTERM. */
function standalone(file: string, unsafe: string | undefined): void {
  if (unsafe !== undefined) return fail(`the setting ${unsafe} is not accepted`)
  const out = openSink(() => process.exit(EXIT.software))
  const sink: Sink = {
    ...out,
    send: (message) => out.send({ ts: new Date().toISOString(), ...message }),
  }
  const audit = createAudit({ ...sink, turn: () => '' })
  const init = createInitStream(() => audit, {
    onConnected: () => log('init-connected'),
    onClosed: () => log('init-closed'),
    onMessage: () => undefined,
    isBlocked: sink.isBlocked,
    reopens: true,
  })
  // Nobody else beats init's heart here.
  setInterval(() => init.send({ type: 'heartbeat' }), HEARTBEAT_INTERVAL)
  readAndStart(file, { audit, init }).then(
    () => log('ready'),
    (error: unknown) => fail(sentenceOf(error)),
  )
}

type Parts = { audit: ReturnType<typeof createAudit>; init: InitStream }

async function readAndStart(file: string, parts: Parts): Promise<void> {
  const { identity, ...settings } = readStandalone(file)
  await start({ ...settings, ...parts, identity })
}

function fail(why: string): void {
  log('refused', why)
  process.exit(EXIT.config)
}

/** Checks the settings, writes the identity and listens; throws a sentence when any of it fails. */
async function start(given: Settings & Parts & { identity: Identity | undefined }): Promise<void> {
  const { audit, init, identity, ...settings } = given
  const fault = faultOf(settings)
  if (fault !== undefined) throw new Error(fault)
  const border = createBorder(settings, audit, hostname())
  init.greetWith(namesFrom(settings))
  if (identity !== undefined) await writeIdentity(dirname(socketPath), identity)
  await listenOn(createBorderServer(border, init), socketPath)
  // What starting left behind is not kept for a session's whole life.
  setTimeout(collectGarbage, SETTLED).unref()
}

/** Only where the program was started with `--expose-gc`, as in its image: about 10 ms, and 5 MB less. */
function collectGarbage(): void {
  const collect: unknown = Reflect.get(globalThis, 'gc')
  if (typeof collect === 'function')
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown'
}

main()
