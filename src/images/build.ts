/** Brings images up to date: choose a base, skip what is unchanged, build the rest. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine, ImageFacts } from '../docker/engine.ts'
import { GloveboxError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'
import { type Base, chooseBase } from './base.ts'
import { buildContext } from './build-context.ts'
import { type Role, imageTag, recipeOf } from './catalogue.ts'
import { CONTENT_LABEL, contentLabel } from './content-label.ts'
import { type MachineSettings, machineSettings } from './machine-settings.ts'

export type BuildImagesOptions = {
  /** The base image the user named. */
  base: string | undefined
  env: NodeJS.ProcessEnv
  /** One line for each thing that takes time. */
  onStep: (line: string) => void
}

/**
 * Builds the images of these roles that are not up to date and returns what the engine has then.
 * Without any base, images of this version that are there are taken as they are.
 * Throws `image_missing`, `build_failed`, `engine_failed`.
 */
export async function buildImages(
  engine: Engine,
  roles: Role[],
  options: BuildImagesOptions,
): Promise<Map<Role, ImageFacts>> {
  let base: Base
  try {
    base = await chooseBase(engine, { ...options, chosen: options.base })
  } catch (error) {
    const there = options.base === undefined ? await imagesThere(engine, roles) : undefined
    if (there === undefined) throw error
    return there
  }
  let settings: MachineSettings | undefined
  const images = new Map<Role, ImageFacts>()
  for (const role of roles) {
    // oxlint-disable-next-line no-await-in-loop -- later images start from layers of earlier ones
    const label = contentLabel(base.id, await inputsOf(role))
    // oxlint-disable-next-line no-await-in-loop
    let facts = await engine.image(imageTag(role))
    if (facts?.labels[CONTENT_LABEL] !== label) {
      // oxlint-disable-next-line no-await-in-loop
      settings ??= base.complete ? NO_SETTINGS : await machineSettings(options.env)
      // oxlint-disable-next-line no-await-in-loop
      facts = await buildOne(engine, role, { base, label, settings, options })
    }
    images.set(role, facts)
  }
  return images
}

/**
 * The images of this version, when the engine has them all: loaded from an archive, say, on a
 * machine that has nothing to build them from.
 */
async function imagesThere(
  engine: Engine,
  roles: Role[],
): Promise<Map<Role, ImageFacts> | undefined> {
  const images = new Map<Role, ImageFacts>()
  for (const role of roles) {
    // oxlint-disable-next-line no-await-in-loop -- a handful, and the first missing one decides
    const facts = await engine.image(imageTag(role))
    if (facts === undefined) return undefined
    images.set(role, facts)
  }
  return images
}

const NO_SETTINGS: MachineSettings = { buildArgs: {}, files: {} }

type One = { base: Base; label: string; settings: MachineSettings; options: BuildImagesOptions }

async function buildOne(engine: Engine, role: Role, one: One): Promise<ImageFacts> {
  const { env, onStep } = one.options
  const tag = imageTag(role)
  const { arch } = engine.info
  await using context = await buildContext(role, { arch, env, host: one.settings.files, onStep })
  onStep(`Building ${tag}`)
  await engine.build(context.folder, context.files, {
    tag,
    target: recipeOf(role).target,
    buildArgs: { ...one.settings.buildArgs, BASE_IMAGE: one.base.reference },
    labels: { glovebox: '1', [CONTENT_LABEL]: one.label },
    onLine: () => undefined,
  })
  const facts = await engine.image(tag)
  if (facts !== undefined) return facts
  throw new GloveboxError('build_failed', `The engine built ${tag} and does not list it.`)
}

async function inputsOf(role: Role): Promise<{ name: string; content: Uint8Array }[]> {
  const names = ['Dockerfile', ...recipeOf(role).files]
  return await Promise.all(
    names.map(async (name) => {
      try {
        return { name, content: await readFile(join(packageRoot(), name)) }
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
