/** Where an engine may listen, in the order they are tried. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { z } from 'zod'

export type Environment = Readonly<Record<string, string | undefined>>

export type Candidate = {
  /** `DOCKER_HOST`, `the Docker context desktop-linux`, `the usual sockets`, … */
  source: string
  /** As it was written there. */
  address: string
  /** The user named it: when it does not answer, looking further would be a surprise. */
  explicit: boolean
}

/** What the user named: at most one. */
export async function namedCandidate(env: Environment): Promise<Candidate | undefined> {
  for (const source of ['DOCKER_HOST', 'CONTAINER_HOST']) {
    const address = env[source]
    if (address !== undefined && address !== '') return { source, address, explicit: true }
  }
  return await contextCandidate(env)
}

/** The sockets engines usually have, and last the private engine of this checkout. */
export function usualCandidates(env: Environment, privateSocket?: string): Candidate[] {
  const home = env['HOME'] || homedir()
  const runtime = env['XDG_RUNTIME_DIR']
  const inRuntime = (path: string): string[] => (runtime ? [join(runtime, path)] : [])
  const paths = [
    '/var/run/docker.sock',
    ...inRuntime('docker.sock'),
    join(home, '.docker/run/docker.sock'),
    join(home, '.docker/desktop/docker.sock'),
    join(home, '.colima/default/docker.sock'),
    join(home, '.orbstack/run/docker.sock'),
    join(home, '.rd/docker.sock'),
    ...inRuntime('podman/podman.sock'),
    '/run/podman/podman.sock',
    join(home, '.local/share/containers/podman/machine/podman.sock'),
    privateSocket ?? privateEngineSocket(),
  ]
  return paths.map((path) => ({
    source: 'the usual sockets',
    address: `unix://${path}`,
    explicit: false,
  }))
}

/** Where the bootstrap starts an engine of its own, in the folder that holds our package.json. */
export function privateEngineSocket(from = dirname(fileURLToPath(import.meta.url))): string {
  let folder = from
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) {
    folder = dirname(folder)
  }
  return join(folder, '.glovebox-engine/docker.sock')
}

const ContextMeta = z.object({
  Endpoints: z.object({ docker: z.object({ Host: z.string() }) }),
})

/** The Docker CLI's current context; `undefined` for its `default`, or when it cannot be read. */
async function contextCandidate(env: Environment): Promise<Candidate | undefined> {
  const folder = env['DOCKER_CONFIG'] || join(env['HOME'] || homedir(), '.docker')
  const named = env['DOCKER_CONTEXT']
  const name = named || (await currentContext(folder))
  if (name === undefined || name === 'default') return undefined
  const digest = createHash('sha256').update(name).digest('hex')
  const meta = ContextMeta.safeParse(
    await readJson(join(folder, 'contexts/meta', digest, 'meta.json')),
  )
  const address = meta.success ? meta.data.Endpoints.docker.Host : ''
  return { source: `the Docker context ${name}`, address, explicit: Boolean(named) }
}

async function currentContext(folder: string): Promise<string | undefined> {
  const config = z
    .object({ currentContext: z.string().min(1) })
    .safeParse(await readJson(join(folder, 'config.json')))
  return config.success ? config.data.currentContext : undefined
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    // The Docker CLI's files are not ours to judge: what cannot be read names no engine.
    return undefined
  }
}
