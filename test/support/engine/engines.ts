/** The real engines that tests run on: `GLOVEBOX_TEST_ENGINES` (URIs), or the one findEngine gives. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { chown, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { type ContainerUser, containerUser } from '../../../src/docker/container-user.ts'
import type {
  AttachedStreams,
  ContainerBody,
  Engine,
  EngineInfo,
  StartedContainer,
} from '../../../src/docker/engine.ts'
import { findEngine, findEngineInfo } from '../../../src/docker/find.ts'
import { agentContainer, type AgentInput, proxyContainer } from '../../../src/docker/hardening.ts'
import { type HardLimits, ownHardLimits, parseHardLimits } from '../../../src/docker/limits.ts'
import { projectMounts } from '../../../src/docker/mounts.ts'
import { testImage } from './host-rootfs.ts'

const TEST_LABEL = 'glovebox-test'
const TEST_USER = { uid: 1000, gid: 1000 }

/** Title and URI of each. */
export async function testEngines(): Promise<[string, string][]> {
  const named = process.env['GLOVEBOX_TEST_ENGINES']?.split(/[\s,]+/).filter((one) => one !== '')
  const uris = named ?? [(await findEngineInfo(process.env)).uri]
  return await Promise.all(
    uris.map(async (uri): Promise<[string, string]> => {
      const info = await findEngineInfo({ DOCKER_HOST: uri })
      return [`${info.rootless ? 'rootless' : 'rootful'} ${info.kind} ${info.version}`, uri]
    }),
  )
}

export type Bench = AsyncDisposable & {
  engine: Engine
  image: string
  user: ContainerUser
  /** A project folder of the session's user. */
  project: string
  /** On every resource of this test, and on no other. */
  label: string
  proxy(command: string[]): ContainerBody
  agent(command: string[], proxy: string, changes?: Partial<AgentInput>): ContainerBody
}

/** An engine with the tiny image, a project folder, and nothing left of them afterwards. */
export async function bench(uri: string): Promise<Bench> {
  const engine = await findEngine({ DOCKER_HOST: uri })
  const image = await testImage(engine)
  const caller = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const user = containerUser(engine.info, caller, TEST_USER)
  const project = await realpath(await mkdtemp(join(tmpdir(), 'project-')))
  if (caller.uid === 0) await chown(project, user.uid, user.gid)
  const id = `${process.pid}-${Math.random().toString(36).slice(2)}`
  const labels = { [TEST_LABEL]: id }
  const label = `${TEST_LABEL}=${id}`
  const common = { engine: engine.info, image, labels, hard: hardLimitsOf(engine.info) }
  return {
    engine,
    image,
    user,
    project,
    label,
    // Without a network: rootless engines of a bare machine often cannot make one.
    proxy: (command) => ({ ...proxyContainer({ ...common, network: 'none' }), Cmd: command }),
    agent: (command, proxy, changes = {}) =>
      agentContainer({
        ...common,
        user,
        command,
        proxy,
        env: { PATH: '/usr/bin:/bin', HOME: '/home/agent' },
        cwd: project,
        mounts: projectMounts({ cwd: project, realCwd: project }),
        ...changes,
      }),
    [Symbol.asyncDispose]: async () => {
      const left = await engine.list(label)
      await Promise.all(left.map((one) => engine.container(one.id).remove()))
      await rm(project, { recursive: true, force: true })
    },
  }
}

export type Running = { container: StartedContainer; streams: AttachedStreams }

/** Attached before it was started. */
export async function run(b: Bench, body: ContainerBody): Promise<Running> {
  const created = await b.engine.create(body)
  const streams = await created.attach()
  return { container: await created.start(), streams }
}

/** What a command prints in an agent container beside a proxy that does nothing. */
export async function look(
  b: Bench,
  script: string,
  changes: Partial<AgentInput> = {},
): Promise<string> {
  const proxy = await run(b, b.proxy(['cat']))
  const agent = await run(b, b.agent(['sh', '-c', script], proxy.container.id, changes))
  agent.streams.stdin.end()
  const [out, err] = await Promise.all([text(agent.streams.stdout), text(agent.streams.stderr)])
  await agent.container.wait()
  await proxy.container.remove()
  return out + err
}

/**
 * The hard limits of the engine's own process, which in a test may be another user's: where it
 * lacks CAP_SYS_RESOURCE no container can start above them.
 */
function hardLimitsOf(info: EngineInfo): HardLimits {
  const all = [
    ownHardLimits(),
    ...processes()
      .filter((one) => isEngine(one, info))
      .map(limitsOf),
  ]
  const least = (field: keyof HardLimits): number =>
    Math.min(...all.map((one) => one[field] ?? Number.POSITIVE_INFINITY))
  const [nofile, nproc] = [least('nofile'), least('nproc')]
  return {
    ...(Number.isFinite(nofile) ? { nofile } : {}),
    ...(Number.isFinite(nproc) ? { nproc } : {}),
  }
}

const processes = (): string[] => readdirSync('/proc').filter((one) => /^\d+$/.test(one))

function isEngine(pid: string, { kind, owner }: EngineInfo): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    const named = kind === 'docker' ? /dockerd/ : /podman.*system\0service/s
    return named.test(command) && statSync(`/proc/${pid}`).uid === owner?.uid
  } catch {
    return false
  }
}

function limitsOf(pid: string): HardLimits {
  try {
    return parseHardLimits(readFileSync(`/proc/${pid}/limits`, 'utf8'))
  } catch {
    return {}
  }
}
