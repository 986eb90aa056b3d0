/** Which base image ours are built on. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Engine } from '../docker/engine.ts'
import { GloveboxError, sentenceOf } from '../errors.ts'
import { packageRoot } from '../package-root.ts'
import { debianBase, makeDebianBase, mayMakeDebianBase } from './debian-base.ts'

/** After its first word a pull may take long. */
const REGISTRY_BOUND = 10_000

export type Base = {
  /** What `FROM` gets. */
  reference: string
  /** `sha256:…` */
  id: string
  /** Made by us, with every tool in it; any other may need packages. */
  complete: boolean
}

export type BaseOptions = {
  /** The user's own choice: `--base` or `BASE_IMAGE`. */
  base: string | undefined
  env: NodeJS.ProcessEnv
  /** Milliseconds until a registry must have said its first word. */
  registryBound?: number
  onStep: (line: string) => void
}

/**
 * The base to build on that the engine has already: the one the user named, else the public Node
 * image the Dockerfile pins, else our own.
 */
export async function presentBase(
  engine: Engine,
  chosen: string | undefined,
): Promise<Base | undefined> {
  if (chosen !== undefined) return await inEngine(engine, chosen, false)
  const pinned = await inEngine(engine, await pinnedBase(), false)
  if (pinned !== undefined) return pinned
  const own = await debianBase(engine.info.arch)
  return own && (await inEngine(engine, own.tag, true))
}

/**
 * Gets a base, by the first of these:
 * 1. the image the user named, pulled; no other is tried when that fails;
 * 2. the public image, pulled, when a registry answers within 10 s;
 * 3. our own base, made from Debian packages: as root on Debian or Ubuntu.
 * Throws `image_missing`, `build_failed`, `engine_failed`.
 */
export async function obtainBase(engine: Engine, options: BaseOptions): Promise<Base> {
  if (options.base !== undefined) return await pulledBase(engine, options.base, options)
  const pinned = await pinnedBase()
  const why = await tryPull(engine, pinned, options)
  const pulled = await inEngine(engine, pinned, false)
  if (pulled !== undefined) return pulled
  const own = await debianBase(engine.info.arch)
  if (own === undefined || !mayMakeDebianBase()) throw noSource(why, own !== undefined)
  const id = await makeDebianBase(engine, own, options.env, options.onStep)
  return { reference: own.tag, id, complete: true }
}

async function pulledBase(engine: Engine, name: string, options: BaseOptions): Promise<Base> {
  options.onStep(`Pulling ${name}`)
  await engine.pull(name, () => undefined)
  const pulled = await inEngine(engine, name, false)
  if (pulled !== undefined) return pulled
  throw new GloveboxError('image_missing', `The engine pulled ${name} and does not list it.`)
}

async function inEngine(
  engine: Engine,
  reference: string,
  complete: boolean,
): Promise<Base | undefined> {
  const facts = await engine.image(reference)
  return facts && { reference, id: facts.id, complete }
}

/** The default of the Dockerfile's BASE_IMAGE, so that it is written in one place. */
export async function pinnedBase(): Promise<string> {
  const text = await readFile(join(packageRoot(), 'Dockerfile'), 'utf8')
  const found = /^ARG BASE_IMAGE=(\S+@sha256:[0-9a-f]{64})$/m.exec(text)?.[1]
  if (found !== undefined) return found
  throw new GloveboxError('build_failed', 'The Dockerfile pins no base image by digest.')
}

/** Why there is no image afterwards; empty when there is one. */
async function tryPull(engine: Engine, reference: string, options: BaseOptions): Promise<string> {
  const { onStep, registryBound = REGISTRY_BOUND } = options
  onStep(`Pulling ${reference.split('@')[0]}`)
  const silent = Promise.withResolvers<string>()
  const timer = setTimeout(() => {
    silent.resolve(`no registry answered within ${registryBound / 1000} s`)
  }, registryBound)
  const pulling = engine.pull(reference, () => clearTimeout(timer)).then(() => '', sentenceOf)
  const why = await Promise.race([pulling, silent.promise])
  clearTimeout(timer)
  if (why !== '') onStep('No image registry can be reached from this engine')
  return why
}

function noSource(why: string, debian: boolean): GloveboxError {
  const root = debian ? ' As root, Glovebox makes a base image from Debian packages by itself.' : ''
  return new GloveboxError(
    'image_missing',
    `There is no source for the images: ${why.replace(/\.$/, '')}.`,
    `Name a Node 24 base image that the engine can get with \`BASE_IMAGE=… glovebox build\`, or load images saved on another machine with \`glovebox build --from archive.tar\`.${root}`,
  )
}
