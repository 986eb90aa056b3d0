import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'

import type { Engine, ImageFacts } from '../docker/engine.ts'
import { GloveboxError } from '../errors.ts'
import { type Role, imageTag } from './catalogue.ts'

/**
 * Loads images that were saved on another machine (`docker save`), and returns those of these
 * roles. Throws `image_missing` when the archive cannot be read or lacks one of them.
 */
export async function loadArchive(
  engine: Engine,
  archive: string,
  roles: Role[],
  onStep: (line: string) => void,
): Promise<Map<Role, ImageFacts>> {
  try {
    await access(archive)
  } catch (cause) {
    throw new GloveboxError(
      'image_missing',
      `The image archive ${archive} cannot be read.`,
      `Make one on a machine that has the images: docker save -o archive.tar ${roles.map(imageTag).join(' ')}.`,
      { cause },
    )
  }
  onStep(`Loading ${archive}`)
  await engine.load(createReadStream(archive))
  const found = await Promise.all(
    roles.map(async (role) => ({ role, facts: await engine.image(imageTag(role)) })),
  )
  const images = new Map<Role, ImageFacts>()
  for (const { role, facts } of found) {
    if (facts === undefined) throw lacking(archive, role)
    if (facts.arch !== engine.info.arch) throw otherArch(archive, facts.arch, engine.info.arch)
    images.set(role, facts)
  }
  return images
}

const lacking = (archive: string, role: Role): GloveboxError =>
  new GloveboxError(
    'image_missing',
    `The archive ${archive} has no image ${imageTag(role)}.`,
    'Make it with the same version of Glovebox, and save the images by their names.',
  )

const otherArch = (archive: string, has: string, wants: string): GloveboxError =>
  new GloveboxError(
    'image_missing',
    `The images in ${archive} are for ${has}, and this engine runs ${wants}.`,
    'Make the archive on a machine of the same kind.',
  )
