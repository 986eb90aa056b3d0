/** Asks whatever listens on a unix socket whether it is an engine we can use. */
import { stat } from 'node:fs/promises'

import { z } from 'zod'

import type { EngineInfo } from './engine.ts'
import { unixRequest } from './unix-request.ts'

/** Docker 20.10; Podman 3 and later say 1.40 or 1.41. */
const API_FLOOR = [1, 41] as const

export type Probe =
  | { ok: true; info: EngineInfo }
  /** `absent`: nothing listens. `denied`: no right to connect. `unfit`: something else is wrong. */
  | { ok: false; why: 'absent' | 'denied' | 'unfit'; text: string }

/**
 * Never throws. Whether an engine is there shows within `bound` milliseconds; one that is there
 * may take `infoBound` to describe itself, as a busy Podman does.
 */
export async function probe(socketPath: string, bound: number, infoBound = bound): Promise<Probe> {
  const first = await ask(socketPath, '/version', Version, bound)
  if ('failure' in first) return first.failure
  const second = await ask(socketPath, '/info', System, infoBound)
  return 'failure' in second
    ? second.failure
    : await describe(socketPath, first.answer, second.answer)
}

async function ask<T>(
  socketPath: string,
  path: string,
  shape: z.ZodType<T>,
  bound: number,
): Promise<{ answer: T } | { failure: Probe }> {
  const signal = AbortSignal.timeout(bound)
  try {
    const { status, body } = await unixRequest({ socketPath, method: 'GET', path, signal })
    if (status !== 200) throw new Error(`HTTP ${status} on ${path}`)
    return { answer: shape.parse(JSON.parse(body)) }
  } catch (error) {
    const late = unfit(`no answer within ${bound / 1000} s`)
    return { failure: signal.aborted ? late : failed(error) }
  }
}

const orEmpty = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((value) => value ?? [])

const Version = z.object({
  ApiVersion: z.string(),
  Version: z.string(),
  Arch: z.string(),
  Components: orEmpty(z.object({ Name: z.string() })),
})

const System = z.object({
  SecurityOptions: orEmpty(z.string()),
  Runtimes: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((value) => value ?? {}),
  Warnings: orEmpty(z.string()),
  NCPU: z.number().nullish(),
  CgroupVersion: z.string().nullish(),
  /** Podman only. */
  Rootless: z.boolean().nullish(),
})

async function describe(
  socketPath: string,
  version: z.infer<typeof Version>,
  system: z.infer<typeof System>,
): Promise<Probe> {
  if (!meetsFloor(version.ApiVersion)) {
    return unfit(`its API ${version.ApiVersion} is older than ${API_FLOOR.join('.')}`)
  }
  const arch = ARCHES[version.Arch]
  if (arch === undefined) return unfit(`its architecture ${version.Arch} is not supported`)
  const podman = version.Components.some((one) => one.Name === 'Podman Engine')
  const { uid, gid } = await stat(socketPath)
  const info: EngineInfo = {
    kind: podman ? 'podman' : 'docker',
    version: version.Version,
    apiVersion: version.ApiVersion,
    uri: `unix://${socketPath}`,
    arch,
    owner: { uid, gid },
    ...describeSystem(system),
  }
  return { ok: true, info }
}

function describeSystem(system: z.infer<typeof System>) {
  const security = system.SecurityOptions
  const { NCPU: cpus, CgroupVersion: cgroup } = system
  return {
    rootless: system.Rootless ?? security.some((one) => named(one, 'rootless')),
    runtimes: Object.keys(system.Runtimes).toSorted(),
    warnings: system.Warnings,
    seccomp: security.some((one) => named(one, 'seccomp') && !one.includes('unconfined')),
    usernsRemap: security.some((one) => named(one, 'userns')),
    ...(typeof cpus === 'number' ? { cpus } : {}),
    ...(cgroup === '1' || cgroup === '2' ? { cgroupVersion: cgroup } : {}),
  } satisfies Partial<EngineInfo>
}

const ARCHES: Record<string, EngineInfo['arch'] | undefined> = {
  amd64: 'amd64',
  x86_64: 'amd64',
  arm64: 'arm64',
  aarch64: 'arm64',
}

/** Security options read `name=seccomp,profile=default`. */
const named = (option: string, name: string): boolean => option.split(',').includes(`name=${name}`)

/** `1.41` and later; false for what is no version. */
export function meetsFloor(apiVersion: string): boolean {
  const [major = Number.NaN, minor = Number.NaN] = apiVersion.split('.').map(Number)
  return major > API_FLOOR[0] || (major === API_FLOOR[0] && minor >= API_FLOOR[1])
}

const unfit = (text: string): Probe => ({ ok: false, why: 'unfit', text })

function failed(error: unknown): Probe {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EACCES' || code === 'EPERM') {
    return { ok: false, why: 'denied', text: 'permission denied' }
  }
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return { ok: false, why: 'absent', text: 'no such socket' }
  }
  if (code === 'ECONNREFUSED' || code === 'ENOTSOCK') {
    return { ok: false, why: 'absent', text: 'nothing listens there' }
  }
  return unfit('what answers there is not a Docker or Podman engine')
}
