/** The one long-lived network of the egress proxies. */
import { setTimeout as sleep } from 'node:timers/promises'

import type Dockerode from 'dockerode'

import { GloveboxError } from '../errors.ts'
import { BOUND, engineCall, engineError, statusOf, unlessStatus } from './call.ts'
import { differencesOf } from './differences.ts'
import { NetworkAnswers, type NetworkFacts } from './engine-answers.ts'
import type { EngineInfo } from './engine.ts'

const ATTEMPTS = 5

/**
 * Makes the network when it is missing. Two launchers may do so at once, and Docker then makes two
 * of one name: both launchers keep the older and remove the other.
 * Throws `engine_failed` for a network of that name that is not as asked.
 */
export async function ensureNetwork(
  docker: Dockerode,
  info: EngineInfo,
  name: string,
  labels: Record<string, string>,
  { reachable } = { reachable: false },
): Promise<void> {
  const wanted = optionsFor(info, reachable)
  let failure: Error | undefined
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    // oxlint-disable no-await-in-loop -- each attempt looks at what the one before left
    const [oldest, ...others] = await networksNamed(docker, name)
    if (oldest === undefined && failure !== undefined) throw failure
    if (oldest === undefined) {
      // Another launcher may have been first: each engine has its own status for that.
      failure = await create(docker, name, labels, wanted)
    } else if (others.length > 0) {
      await Promise.all(others.map((one) => remove(docker, one)))
    } else {
      requireAsAsked(oldest, labels, wanted)
      return
    }
    if (attempt > 2) await sleep(50 * attempt)
    // oxlint-enable no-await-in-loop
  }
  throw new GloveboxError(
    'engine_failed',
    `The engine has several networks named ${name}.`,
    `Remove them with \`docker network rm\` and try again.`,
  )
}

/** Names of the networks with this label. Throws `engine_failed`. */
export async function networksLabelled(docker: Dockerode, label: string): Promise<string[]> {
  return await engineCall('list its networks', BOUND.network, async (abortSignal) => {
    const filters = { label: [label] }
    return NetworkAnswers.parse(await docker.listNetworks({ filters, abortSignal })).map(
      ({ Name: name }) => name,
    )
  })
}

/** False when a container is still on it. Throws `engine_failed`. */
export async function removeNetwork(docker: Dockerode, name: string): Promise<boolean> {
  return await engineCall(`remove the network ${name}`, BOUND.network, async (abortSignal) => {
    try {
      await unlessStatus([404], docker.getNetwork(name).remove({ abortSignal }))
      return true
    } catch (error) {
      // Docker says 403 for one in use, Podman 409 or 500 by version.
      if ([403, 409, 500].includes(statusOf(error) ?? 0)) return false
      throw error
    }
  })
}

/** The options that keep containers apart, or the same ones switched the other way. */
function optionsFor(info: EngineInfo, reachable: boolean): Record<string, string> {
  const apart = differencesOf(info).networkOptions
  if (!reachable) return apart
  return Object.fromEntries(Object.keys(apart).map((name) => [name, 'true']))
}

/** Networks of exactly this name, the oldest first. */
async function networksNamed(docker: Dockerode, name: string): Promise<NetworkFacts[]> {
  const found = await engineCall('list its networks', BOUND.network, async (abortSignal) =>
    NetworkAnswers.parse(await docker.listNetworks({ filters: { name: [name] }, abortSignal })),
  )
  // The engine's filter matches parts of names.
  return found
    .filter((one) => one.Name === name)
    .toSorted((a, b) => order(a).localeCompare(order(b)))
}

const order = (network: NetworkFacts): string => `${network.Created} ${network.Id}`

/** Gives the error in place of throwing it. */
async function create(
  docker: Dockerode,
  name: string,
  labels: Record<string, string>,
  options: Record<string, string>,
): Promise<Error | undefined> {
  const body = { Name: name, CheckDuplicate: true, Driver: 'bridge', Internal: false }
  try {
    await engineCall(`create the network ${name}`, BOUND.network, (abortSignal) =>
      docker.createNetwork({ ...body, Labels: labels, Options: options, abortSignal }),
    )
    return undefined
  } catch (error) {
    return engineError('create the network', error)
  }
}

async function remove(docker: Dockerode, network: NetworkFacts): Promise<void> {
  await engineCall(`remove a second network ${network.Name}`, BOUND.network, (abortSignal) =>
    // 403 and 409: in use; the next look decides.
    unlessStatus([403, 404, 409], docker.getNetwork(network.Id).remove({ abortSignal })),
  )
}

/** Throws when the network would let proxies reach each other, or is someone else's. */
function requireAsAsked(
  network: NetworkFacts,
  labels: Record<string, string>,
  options: Record<string, string>,
): void {
  const wrong = [
    ...(network.Driver === 'bridge' ? [] : [`driver ${network.Driver} instead of bridge`]),
    ...(network.Internal ? ['internal'] : []),
    ...missingOf('option', network.Options, options),
    ...missingOf('label', network.Labels, labels),
  ]
  if (wrong.length === 0) return
  throw new GloveboxError(
    'engine_failed',
    `The network ${network.Name} exists and is not as Glovebox needs it: ${wrong.join(', ')}.`,
    `Remove it with \`docker network rm ${network.Name}\`; Glovebox makes its own.`,
  )
}

function missingOf(
  what: string,
  found: Record<string, string>,
  asked: Record<string, string>,
): string[] {
  return Object.entries(asked)
    .filter(([key, value]) => found[key] !== value)
    .map(([key, value]) => `${what} ${key} is not ${value}`)
}
