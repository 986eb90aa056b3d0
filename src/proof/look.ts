/** A look from inside the agent's container: what to run there, and what its answer must be. */
import { createHash } from 'node:crypto'

import { z } from 'zod'

import type { StartedContainer } from '../docker/engine.ts'
import { GloveboxError } from '../errors.ts'
import { lookProgram } from './look-inside.ts'
import type { LookQuestions } from './look-inside.ts'
import { foreignMounts } from './mounts.ts'

/** Comes from inside, so it is untrusted. */
export const Look = z.strictObject({
  interfaces: z.array(z.string()),
  routes: z.array(z.string()),
  processes: z.array(
    z.strictObject({
      pid: z.number(),
      name: z.string(),
      uid: z.number(),
      /** Hexadecimal masks of proc_pid_status(5). */
      capabilities: z.string(),
      bounding: z.string(),
      noNewPrivs: z.string(),
      seccomp: z.string(),
    }),
  ),
  user: z.strictObject({ uid: z.number(), gid: z.number() }),
  userName: z.string(),
  /** Error codes, or `written`. */
  rootWrite: z.string(),
  binWrite: z.string(),
  hostName: z.string(),
  hostPathsFound: z.array(z.string()),
  mounts: z.array(z.string()),
  /** An error code, or `found`. */
  lookUp: z.string(),
  /** An error code, or `connected`. */
  dial: z.string(),
  throughProxy: z.strictObject({ status: z.number(), reason: z.string() }),
  /** SHA-256 of each variable's value. */
  environment: z.record(z.string(), z.string()),
})
export type Look = z.infer<typeof Look>

/** The command for a container that has `node`. */
export function lookCommand(questions: LookQuestions): string[] {
  return ['node', '-e', lookProgram(questions)]
}

/** Errors: `container_failed` when the look could not be made or read. */
export async function lookFrom(
  container: Pick<StartedContainer, 'exec'>,
  questions: LookQuestions,
): Promise<Look> {
  const { exitCode, stdout, stderr } = await container.exec(lookCommand(questions))
  const parsed = Look.safeParse(exitCode === 0 ? parseJson(stdout) : undefined)
  if (parsed.success) return parsed.data
  const why = stderr.trim().split('\n').at(-1) ?? ''
  throw new GloveboxError(
    'container_failed',
    `The look inside the agent's container failed (exit code ${exitCode}). ${why.slice(0, 200)}`,
  )
}

/** One line of the table: what was looked at, what was found, whether it is as promised. */
export type Finding = { what: string; found: string; ok: boolean }

export type Promises = {
  uid: number
  /** Of the host; the container must have another. */
  hostName: string
  project: string
  /** The real keys, which must not be the value of any variable inside. */
  keys: string[]
}

/** Every row of the table is a check. */
export function findings(look: Look, promised: Promises): Finding[] {
  return [
    ...networkFindings(look),
    ...rightsFindings(look, promised),
    ...hostFindings(look, promised),
  ]
}

function networkFindings(look: Look): Finding[] {
  const { interfaces, routes, lookUp, dial, throughProxy } = look
  const { status, reason } = throughProxy
  return [
    row('network interfaces', interfaces.join(' '), interfaces.join() === 'lo'),
    row('routes', routes.length === 0 ? 'none' : routes.join('; '), routes.length === 0),
    row('name lookup of a forbidden host', lookUp, lookUp !== 'found' && lookUp !== 'timeout'),
    row('direct connection to another network', dial, dial === 'ENETUNREACH'),
    row(
      'forbidden host through the proxy',
      `HTTP ${status} ${reason}`,
      status === 403 && reason !== '',
    ),
  ]
}

function rightsFindings(
  { processes, user, userName, ...look }: Look,
  promised: Promises,
): Finding[] {
  const distinct = (of: (one: Look['processes'][number]) => string | number) =>
    [...new Set(processes.map(of))].join(' ')
  const capabilities = distinct((one) => one.capabilities)
  const noNewPrivs = distinct((one) => one.noNewPrivs)
  const seccomp = distinct((one) => one.seccomp)
  const uids = distinct((one) => one.uid)
  return [
    row(
      `capabilities of all ${processes.length} processes`,
      isZero(capabilities) ? 'none' : capabilities,
      isZero(capabilities),
    ),
    row('no new privileges', noNewPrivs === '1' ? 'on' : noNewPrivs, noNewPrivs === '1'),
    row('seccomp filter', seccomp === '2' ? 'on' : seccomp, seccomp === '2'),
    row('user of all processes', `${uids} (${userName})`, uids === String(promised.uid)),
    row('user of the agent', `${user.uid}:${user.gid}`, user.uid === promised.uid),
    row(
      'writing to the root file system',
      look.rootWrite === look.binWrite ? look.rootWrite : `${look.rootWrite} ${look.binWrite}`,
      readOnly(look.rootWrite) && readOnly(look.binWrite),
    ),
  ]
}

function hostFindings(look: Look, { hostName, project, keys }: Promises): Finding[] {
  const { hostPathsFound, environment, mounts } = look
  const shared = foreignMounts(mounts, project)
  const hashes = new Set(Object.values(environment))
  const leaked = keys.filter((key) => hashes.has(createHash('sha256').update(key).digest('hex')))
  const count = Object.keys(environment).length
  return [
    row('folders of the host', shared.join(' '), shared.join() === project),
    row(
      'key file, ~/.ssh, settings and engine sockets of the host',
      hostPathsFound.length === 0 ? 'not there' : hostPathsFound.join(' '),
      hostPathsFound.length === 0,
    ),
    row('host name', look.hostName, look.hostName !== hostName && look.hostName !== ''),
    row(
      'model key in the environment',
      leaked.length === 0 ? `in none of ${count} variables` : 'found',
      leaked.length === 0 && count > 0,
    ),
  ]
}

function row(what: string, found: string, ok: boolean): Finding {
  return { what, found: found === '' ? 'nothing' : found, ok }
}

function isZero(mask: string): boolean {
  return /^0+$/.test(mask)
}

/** EACCES is not enough: it would say that only this user cannot. */
function readOnly(outcome: string): boolean {
  return outcome === 'EROFS'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
