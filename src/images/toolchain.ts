/** The user's own image, such as a project's dev container, on which an agent is to run. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import stripJsonComments from 'strip-json-comments'
import { z } from 'zod'

import { GloveboxError } from '../errors.ts'
import { DEVCONTAINER, PINNED_IMAGE } from './pinned-image.ts'

const PLACES = ['.devcontainer/devcontainer.json', '.devcontainer.json']

/** Bytes. */
const MAX_FILE = 256 * 1024

const DevContainer = z.looseObject({ image: z.string().optional() })

/** The role in the lock of an agent's image on another one, such as `agent-claude+0a1b2c3d4e5f`. */
export function toolchainRole(agentRole: string, reference: string): string {
  return `${agentRole}+${toolchainKey(reference)}`
}

/** Twelve hexadecimal digits that name a reference. */
export function toolchainKey(reference: string): string {
  return createHash('sha256').update(reference).digest('hex').slice(0, 12)
}

/**
 * The pinned reference behind what was configured: itself, or what the project's devcontainer.json
 * names. That file may have been written by an agent, so it is only data: whatever it names runs only
 * when the user has built it. Errors: `image_not_pinned`, `config_invalid`.
 */
export async function toolchainReference(image: string, project: string): Promise<string> {
  if (image !== DEVCONTAINER) return image
  const { place, text } = await devContainer(project)
  const named = read(place, text).image
  if (named === undefined) {
    throw new GloveboxError(
      'config_invalid',
      `${place} names no "image", and Glovebox does not build dev containers.`,
      'Build the image, and configure "image" with its id or its name and digest.',
    )
  }
  return pinned(named, place)
}

/** Errors: `image_not_pinned` with how to find the digest. */
export function pinned(reference: string, where: string): string {
  if (PINNED_IMAGE.test(reference)) return reference
  throw new GloveboxError(
    'image_not_pinned',
    `The image ${JSON.stringify(reference.slice(0, 200))} of ${where} names no digest, so it could be another one tomorrow.`,
    'Use the digest or id: docker image inspect --format "{{index .RepoDigests 0}} {{.Id}}" IMAGE',
  )
}

async function devContainer(project: string): Promise<{ place: string; text: string }> {
  for (const name of PLACES) {
    const place = join(project, name)
    // oxlint-disable-next-line no-await-in-loop -- the first one that is there
    const bytes = await readFile(place).catch(() => undefined)
    if (bytes === undefined) continue
    if (bytes.length > MAX_FILE) {
      throw new GloveboxError('config_invalid', `${place} is larger than ${MAX_FILE / 1024} KiB.`)
    }
    return { place, text: bytes.toString('utf8') }
  }
  throw new GloveboxError(
    'config_invalid',
    `The image of the dev container was asked for, and ${project} has none of ${PLACES.join(', ')}.`,
  )
}

function read(place: string, text: string): z.infer<typeof DevContainer> {
  try {
    return DevContainer.parse(JSON.parse(stripJsonComments(text, { trailingCommas: true })))
  } catch {
    // No cause: its message quotes the file.
    throw new GloveboxError('config_invalid', `${place} is not a devcontainer.json.`)
  }
}
