import type { ImageFacts } from '../docker/engine.ts'
import { type Role, imageTag } from './catalogue.ts'
import { lockEntry, lockImages, lockPath, readLock } from './lock.ts'

/** Makes these images the ones that run on this engine. Throws `config_invalid`. */
export async function pinImages(
  env: Readonly<Record<string, string | undefined>>,
  engineUri: string,
  images: Map<Role, ImageFacts>,
): Promise<void> {
  await pinNamed(
    env,
    engineUri,
    [...images].map(([role, { id }]) => ({ role, name: imageTag(role), id })),
  )
}

/** The same for images with names of their own. */
export async function pinNamed(
  env: Readonly<Record<string, string | undefined>>,
  engineUri: string,
  entries: { role: string; name: string; id: string }[],
): Promise<void> {
  const path = lockPath(env)
  const lock = await readLock(path)
  const changed = entries.filter(({ role, name, id }) => {
    const entry = lockEntry(lock, engineUri, role)
    return entry?.id !== id || entry.name !== name
  })
  if (changed.length === 0) return
  const pins = Object.fromEntries(changed.map(({ role, name, id }) => [role, { name, id }]))
  await lockImages(path, engineUri, pins)
}
