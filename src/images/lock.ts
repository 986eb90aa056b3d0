/** The lock file: which image runs for which role, on which engine. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import { z } from 'zod'

import { GloveboxError } from '../errors.ts'
import { statePaths } from '../state.ts'

const DIGEST = /sha256:[0-9a-f]{64}$/

/** A locally built image by name and id, or a registry's by `name@sha256:…`. */
export const LockEntry = z.union([
  z.strictObject({
    name: z.string().min(1).max(512),
    id: z.string().regex(DIGEST).startsWith('sha256:'),
  }),
  z.strictObject({
    name: z
      .string()
      .max(512)
      .regex(/^[^@]+@sha256:[0-9a-f]{64}$/, 'a name with @sha256:…'),
    id: z.undefined().optional(),
  }),
])

/** Engine URI → image role, such as `agent-bundled` or `egress-proxy` → entry. */
export const Lock = z.strictObject({
  version: z.literal(1),
  engines: z.record(z.string(), z.record(z.string(), LockEntry)),
})

export type LockEntry = z.infer<typeof LockEntry>
export type Lock = z.infer<typeof Lock>

/** `$XDG_STATE_HOME/glovebox/lock.json`, by default below `~/.local/state`. */
export function lockPath(env: Readonly<Record<string, string | undefined>>): string {
  return statePaths(env).lock
}

/** An empty lock when there is no file. Throws `config_invalid` naming file and key. */
export async function readLock(path: string): Promise<Lock> {
  const text = await textOf(path)
  if (text === undefined) return { version: 1, engines: {} }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(path, 'it is not JSON', error)
  }
  const parsed = Lock.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalid(path, `${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not valid'}`)
}

export function lockEntry(lock: Lock, engineUri: string, role: string): LockEntry | undefined {
  return lock.engines[engineUri]?.[role]
}

/** Sets entries of one engine and keeps the rest. Written aside and renamed: never half a file. */
export async function lockImages(
  path: string,
  engineUri: string,
  entries: Record<string, LockEntry>,
): Promise<Lock> {
  const old = await readLock(path)
  const engine = { ...old.engines[engineUri], ...entries }
  const lock = Lock.parse({ ...old, engines: { ...old.engines, [engineUri]: engine } })
  await writeAside(path, `${JSON.stringify(lock, undefined, 2)}\n`)
  return lock
}

async function writeAside(path: string, text: string): Promise<void> {
  const aside = `${path}.${process.pid}.${Date.now()}`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await writeFile(aside, text, { mode: 0o600, flush: true, flag: 'wx' })
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw invalid(path, 'it cannot be read', error)
  }
}

function invalid(path: string, why: string, cause?: unknown): GloveboxError {
  return new GloveboxError(
    'config_invalid',
    `The lock file ${path} is not valid: ${why}.`,
    'Run `glovebox build` after removing it.',
    { cause },
  )
}
