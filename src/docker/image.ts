/** Which image may run: only the one whose content address is locked. */
import { GloveboxError } from '../errors.ts'
import type { LockEntry } from '../images/lock.ts'
import type { Engine, ImageFacts } from './engine.ts'

/**
 * The engine's image for a lock entry; start it by its `id`, never by name.
 * Throws `image_missing` and `image_not_pinned`.
 */
export async function pinnedImage(
  engine: Pick<Engine, 'image'>,
  entry: LockEntry | undefined,
  role = 'agent',
): Promise<ImageFacts> {
  if (entry === undefined) throw missing(`No image is locked for ${role}.`)
  const found = await engine.image(entry.name)
  if (found === undefined) throw missing(`The engine has no image ${entry.name}.`)
  if (entry.id !== undefined && entry.id !== found.id) throw notPinned(entry.name, entry.id, found)
  if (entry.id === undefined && !hasDigest(found, entry.name)) {
    throw notPinned(entry.name, digestOf(entry.name), found)
  }
  return found
}

const missing = (message: string): GloveboxError =>
  new GloveboxError('image_missing', message, 'Run `glovebox build`.')

function notPinned(name: string, locked: string, found: ImageFacts): GloveboxError {
  return new GloveboxError(
    'image_not_pinned',
    `The image ${name} is ${short(found.id)} on this engine, and ${short(locked)} is locked.`,
    'If you changed it yourself, run `glovebox build` to lock the new one; otherwise find out who did.',
  )
}

/** An engine could answer a digest reference with another image; its own list must agree. */
const hasDigest = (found: ImageFacts, name: string): boolean =>
  [found.id, ...found.digests].some((one) => digestOf(one) === digestOf(name))

const digestOf = (reference: string): string => reference.slice(reference.lastIndexOf('@') + 1)

const short = (id: string): string => id.replace(/^sha256:/, '').slice(0, 12)
