/** Finds the engine to use: what the user named, or the first of the usual places that answers. */
import { GloveboxError } from '../errors.ts'
import { type Candidate, type Environment, namedCandidate, usualCandidates } from './candidates.ts'
import { dockerodeEngine } from './dockerode-engine.ts'
import type { Engine, EngineInfo } from './engine.ts'
import { type Probe, probe } from './probe.ts'

/** Milliseconds until a socket nobody named is passed over. */
const CANDIDATE_BOUND = 3_000
/** There is no other engine to turn to: a busy one may take its time. */
const ONLY_ONE_BOUND = 10_000

export type FindOptions = {
  /** The socket of this checkout's private engine; found from the module's place by default. */
  privateSocket?: string
  /** Replaces the usual sockets, for tests. */
  sockets?: string[]
}

/**
 * The engine for this environment. Throws `engine_missing`, or `engine_denied` when one is there
 * and the user has no right to it.
 */
export async function findEngine(env: Environment, options: FindOptions = {}): Promise<Engine> {
  const info = await findEngineInfo(env, options)
  return dockerodeEngine(info)
}

/** As `findEngine`, without a connection: for `doctor` and the like. */
export async function findEngineInfo(
  env: Environment,
  options: FindOptions = {},
): Promise<EngineInfo> {
  const named = await namedCandidate(env)
  const usual = options.sockets?.map(toCandidate) ?? usualCandidates(env, options.privateSocket)
  const tried: { candidate: Candidate; result: Probe }[] = []
  for (const candidate of named === undefined ? usual : [named, ...usual]) {
    // oxlint-disable-next-line no-await-in-loop -- the order is the rule: first to answer wins
    const result = await tryCandidate(candidate)
    if (result.ok) return result.info
    if (candidate.explicit) throw namedFailed(candidate, result)
    tried.push({ candidate, result })
  }
  const denied = tried.find(({ result }) => !result.ok && result.why === 'denied')
  if (denied !== undefined) throw noRight(denied.candidate)
  throw missing(tried)
}

const toCandidate = (path: string): Candidate => ({
  source: 'the usual sockets',
  address: `unix://${path}`,
  explicit: false,
})

async function tryCandidate(candidate: Candidate): Promise<Probe> {
  const path = socketOf(candidate.address)
  if (path === undefined) return { ok: false, why: 'unfit', text: 'not a unix socket' }
  return await probe(path, candidate.explicit ? ONLY_ONE_BOUND : CANDIDATE_BOUND, ONLY_ONE_BOUND)
}

/** `unix:///run/docker.sock` or a plain absolute path. */
function socketOf(address: string): string | undefined {
  const path = address.startsWith('unix://') ? address.slice('unix://'.length) : address
  return path.startsWith('/') ? path : undefined
}

type Failed = Extract<Probe, { ok: false }>

function namedFailed(candidate: Candidate, result: Failed): GloveboxError {
  if (result.why === 'denied') return noRight(candidate)
  const path = socketOf(candidate.address)
  if (path === undefined) return notLocal(candidate)
  return new GloveboxError(
    'engine_missing',
    `${candidate.source} names ${candidate.address}, and there is no engine to use: ${result.text}.`,
    `Start that engine, or unset ${candidate.source} to look in the usual places.`,
  )
}

function notLocal(candidate: Candidate): GloveboxError {
  // Only the scheme is repeated: an address may hold a user name and password.
  const scheme = /^[a-z]+(?=:)/.exec(candidate.address)?.[0] ?? 'no'
  return new GloveboxError(
    'engine_missing',
    `${candidate.source} names a ${scheme} address; Glovebox mounts your project by its path, so it uses only an engine of this machine, through a unix socket.`,
    `Unset ${candidate.source}, or set it to unix:///path/of/the/engine.sock.`,
  )
}

function noRight(candidate: Candidate): GloveboxError {
  return new GloveboxError(
    'engine_denied',
    `An engine listens on ${candidate.address}, and you have no right to use it.`,
    'Add yourself to the group docker (`sudo usermod -aG docker "$USER"`, then log in again), or use rootless Podman (`systemctl --user enable --now podman.socket`).',
  )
}

function missing(tried: { candidate: Candidate; result: Probe }[]): GloveboxError {
  const list = tried.map(({ candidate, result }) => {
    const local = socketOf(candidate.address) !== undefined
    const where = local ? candidate.address : candidate.source
    return result.ok ? where : `${where} (${result.text})`
  })
  return new GloveboxError(
    'engine_missing',
    `No Docker or Podman engine answers. Tried: ${list.join(', ')}.`,
    'Install one: rootless Podman with `sudo apt-get install podman uidmap slirp4netns && systemctl --user enable --now podman.socket`, or Docker with `sudo apt-get install docker.io && sudo usermod -aG docker "$USER"` (then log in again). As root, `npm run demo` installs and starts one by itself.',
  )
}
