import { createHash } from 'node:crypto'

/** The label that holds the fingerprint of everything an image was built from. */
export const CONTENT_LABEL = 'glovebox.content'

/** Raised when the way images are built changes and the inputs do not show it. */
const FORMAT = 'glovebox-image-1'

export type BuildInput = { name: string; content: Uint8Array | string }

/**
 * The fingerprint of an image: base image and every input, by name and content, in any order.
 * 64 hexadecimal digits.
 */
export function contentLabel(base: string, inputs: BuildInput[]): string {
  const hash = createHash('sha256').update(FORMAT)
  const sorted = inputs.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const { name, content } of [{ name: 'base', content: base }, ...sorted]) {
    // Lengths first, or content moved from one file to the next would give the same fingerprint.
    hash.update(`\n${name.length}:${name}:${Buffer.byteLength(content)}\n`).update(content)
  }
  return hash.digest('hex')
}
