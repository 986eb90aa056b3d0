/** The demo model in its own container: a real HTTP server that only the gateway may reach. */
import { createInterface } from 'node:readline'

import { z } from 'zod'

import type { AttachedStreams, Engine, StartedContainer } from '../docker/engine.ts'
import { modelContainer } from '../docker/hardening.ts'
import { pinnedImage } from '../docker/image.ts'
import { ownHardLimits } from '../docker/limits.ts'
import { GloveboxError } from '../errors.ts'
import { lockEntry, readLock } from '../images/lock.ts'
import type { Secret } from '../secret.ts'
import { launcherId } from '../session/launcher-id.ts'

export const MODEL_NETWORK = 'glovebox-demo'
const PORT = 8080
/** Milliseconds until it listens. */
const START_TIMEOUT = 20_000

const Line = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('listening') }),
  z.looseObject({
    type: z.literal('request'),
    method: z.string(),
    path: z.string(),
    key: z.string(),
    status: z.number(),
  }),
])
export type ModelRequest = Extract<z.infer<typeof Line>, { type: 'request' }>

export type DemoModel = AsyncDisposable & {
  /** Such as `172.20.0.2`, on the demo's network. */
  address: string
  baseUrl: string
  /** What it was asked so far, as it saw it. */
  readonly requests: ModelRequest[]
}

/**
 * Starts it; its key travels on its input. Errors: `image_missing`, `image_not_pinned`,
 * `engine_failed`, `container_failed`.
 */
export async function startDemoModel(
  engine: Engine,
  lockFile: string,
  key: Secret,
): Promise<DemoModel> {
  const image = await imageId(engine, lockFile)
  await engine.ensureNetwork(MODEL_NETWORK, { glovebox: '1' }, { reachable: true })
  const labels = {
    glovebox: '1',
    'glovebox.role': 'demo-model',
    'glovebox.launcher': launcherId(),
  }
  const body = modelContainer({
    engine: engine.info,
    image,
    labels,
    hard: ownHardLimits(),
    network: MODEL_NETWORK,
  })
  const created = await engine.create({ ...body, Cmd: ['--key-stdin', '--port', String(PORT)] })
  try {
    const streams = await created.attach()
    const started = await created.start()
    return await running(started, streams, key)
  } catch (error) {
    await created.remove()
    throw error
  }
}

async function imageId(engine: Engine, lockFile: string): Promise<string> {
  const entry = lockEntry(await readLock(lockFile), engine.info.uri, 'demo-model')
  try {
    return (await pinnedImage(engine, entry, 'demo-model')).id
  } catch (error) {
    if (!(error instanceof GloveboxError) || error.code !== 'image_missing') throw error
    const fix = 'Run `glovebox build demo`.'
    throw new GloveboxError(error.code, error.message, fix, { cause: error })
  }
}

async function running(
  started: StartedContainer,
  streams: AttachedStreams,
  key: Secret,
): Promise<DemoModel> {
  const requests: ModelRequest[] = []
  const listening = readLog(streams, requests)
  streams.stdin.write(`${JSON.stringify({ key: key.reveal() })}\n`)
  await listening
  const { NetworkSettings } = await started.inspect()
  const address = NetworkSettings.Networks[MODEL_NETWORK]?.IPAddress ?? ''
  if (address === '') throw failed('the engine gave it no address')
  return {
    address,
    baseUrl: `http://${address}:${PORT}`,
    requests,
    async [Symbol.asyncDispose]() {
      streams.destroy()
      await started.remove()
    },
  }
}

/** Resolves when the server listens; every later line is a request it answered. */
function readLog(streams: AttachedStreams, requests: ModelRequest[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(failed('it did not start in time')), START_TIMEOUT)
    const lines = createInterface({ input: streams.stdout })
    let complaint = 'it ended at once'
    createInterface({ input: streams.stderr }).on('line', (line) => (complaint = line))
    lines.on('line', (line) => {
      const parsed = Line.safeParse(parseJson(line))
      if (parsed.data?.type === 'request') requests.push(parsed.data)
      if (parsed.data?.type !== 'listening') return
      clearTimeout(timer)
      resolve()
    })
    lines.once('close', () => {
      clearTimeout(timer)
      reject(failed(complaint))
    })
  })
}

function failed(why: string): GloveboxError {
  return new GloveboxError('container_failed', `The demo model did not start: ${why}.`)
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
