/** Brings images up to date: skip what is unchanged, get a base, build the rest. */
import type { Engine, ImageFacts } from '../docker/engine.ts'
import { GloveboxError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'
import { type Base, obtainBase, presentBase } from './base.ts'
import { buildContext } from './build-context.ts'
import { type Role, imageTag, recipeOf } from './catalogue.ts'
import { BASE_LABEL, CONTENT_LABEL, contentLabel, inputsOf } from './content-label.ts'
import { type MachineSettings, machineSettings } from './machine-settings.ts'

export type BuildImagesOptions = {
  /** The base image the user named. */
  base: string | undefined
  env: NodeJS.ProcessEnv
  /** The folder with Dockerfile and dist/; the package's own by default. */
  root?: string
  /** How to find this machine's fetch settings; asks apt by default, which takes a second. */
  settings?: (env: NodeJS.ProcessEnv) => Promise<MachineSettings>
  /** One line for each thing that takes time. */
  onStep: (line: string) => void
}

/**
 * Builds the images of these roles that are not up to date and returns what the engine has then.
 * Where no base is to be had, images of this version that are there are taken as they are: loaded
 * from an archive, say. Throws `image_missing`, `build_failed`, `engine_failed`.
 */
export async function buildImages(
  engine: Engine,
  roles: Role[],
  options: BuildImagesOptions,
): Promise<Map<Role, ImageFacts>> {
  const { root = packageRoot() } = options
  const present = await presentBase(engine, options.base)
  const images = await imagesThere(engine, roles)
  const stale: Role[] = []
  for (const role of roles) {
    // oxlint-disable-next-line no-await-in-loop -- a handful of small files
    if (!(await isFresh(images.get(role), root, role, present))) stale.push(role)
  }
  if (stale.length === 0) return images
  let base: Base
  try {
    base = present ?? (await obtainBase(engine, options))
  } catch (error) {
    if (options.base !== undefined || images.size < roles.length) throw error
    options.onStep('Using the images of this version that are there')
    return images
  }
  const settings = await settingsFor(base, options)
  for (const role of stale) {
    // oxlint-disable-next-line no-await-in-loop -- later images start from layers of earlier ones
    images.set(role, await buildOne(engine, role, { root, base, settings, options }))
  }
  return images
}

/** Those that the engine has, in the order of the roles. */
async function imagesThere(engine: Engine, roles: Role[]): Promise<Map<Role, ImageFacts>> {
  const all = await Promise.all(
    roles.map(async (role) => ({ role, facts: await engine.image(imageTag(role)) })),
  )
  const images = new Map<Role, ImageFacts>()
  for (const { role, facts } of all) if (facts !== undefined) images.set(role, facts)
  return images
}

/** Built from today's inputs, and on the base that would be taken today if that is known. */
async function isFresh(
  facts: ImageFacts | undefined,
  root: string,
  role: Role,
  present: Base | undefined,
): Promise<boolean> {
  const builtOn = facts?.labels[BASE_LABEL]
  if (builtOn === undefined || (present !== undefined && present.id !== builtOn)) return false
  return facts?.labels[CONTENT_LABEL] === contentLabel(builtOn, await inputsOf(root, role))
}

/** Our own base needs nothing fetched. */
async function settingsFor(base: Base, options: BuildImagesOptions): Promise<MachineSettings> {
  if (base.complete) return { buildArgs: {}, files: {} }
  return await (options.settings ?? machineSettings)(options.env)
}

type One = { root: string; base: Base; settings: MachineSettings; options: BuildImagesOptions }

async function buildOne(engine: Engine, role: Role, one: One): Promise<ImageFacts> {
  const { env, onStep } = one.options
  const tag = imageTag(role)
  const label = contentLabel(one.base.id, await inputsOf(one.root, role))
  await using context = await buildContext(role, {
    root: one.root,
    arch: engine.info.arch,
    env,
    host: one.settings.files,
    onStep,
  })
  onStep(`Building ${tag}`)
  await engine.build(context.folder, context.files, {
    tag,
    target: recipeOf(role).target,
    buildArgs: { ...one.settings.buildArgs, BASE_IMAGE: one.base.reference },
    labels: { glovebox: '1', [CONTENT_LABEL]: label, [BASE_LABEL]: one.base.id },
    onLine: () => undefined,
  })
  const facts = await engine.image(tag)
  if (facts !== undefined) return facts
  throw new GloveboxError('build_failed', `The engine built ${tag} and does not list it.`)
}
