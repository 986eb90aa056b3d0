/** What an image was built from, as one fingerprint that the image carries. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { GloveboxError } from '../errors.ts'
import { type Role, recipeOf } from './catalogue.ts'

/** The label that holds the fingerprint of everything an image was built from. */
export const CONTENT_LABEL = 'glovebox.content'

/** The label that holds the id of the base image. */
export const BASE_LABEL = 'glovebox.base'

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

/** Everything of `root` that decides over an image. Throws `build_failed` when a file is missing. */
export async function inputsOf(root: string, role: Role): Promise<BuildInput[]> {
  const names = ['Dockerfile', ...recipeOf(role).files]
  return await Promise.all(
    names.map(async (name) => {
      try {
        return { name, content: await readFile(join(root, name)) }
      } catch (cause) {
        throw new GloveboxError(
          'build_failed',
          `The images are built from ${name}, which is missing here.`,
          'Run `npm run build` first.',
          { cause },
        )
      }
    }),
  )
}
