/** Builds an agent's image on the user's own one. */
import { readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Engine, ImageFacts } from '../docker/engine.ts'
import { GloveboxError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'
import { cacheFolder } from './cache-folder.ts'
import { imageTag } from './catalogue.ts'
import { BASE_LABEL, CONTENT_LABEL, contentLabel } from './content-label.ts'
import { toolchainKey } from './toolchain.ts'

const FILES = ['Dockerfile', 'carry.mjs']

export type ToolchainBuild = {
  /** The agent's image, pinned. */
  agent: ImageFacts
  /** The role of it, such as `agent-claude`. */
  role: string
  /** `name@sha256:…` or `sha256:…`: pulled when the engine does not have it. */
  reference: string
  env: NodeJS.ProcessEnv
  onStep: (line: string) => void
}

/** The image, and the tag it got. Errors: `image_missing`, `build_failed`, `engine_failed`. */
export async function buildToolchain(
  engine: Engine,
  build: ToolchainBuild,
): Promise<{ tag: string; facts: ImageFacts }> {
  const toolchain = await obtain(engine, build)
  const key = toolchainKey(build.reference)
  const base = `glovebox/toolchain:${key}`
  await engine.tag(toolchain.id, base)
  const tag = imageTag(`${build.role}-on-${key}`)
  const from = join(packageRoot(), 'container', 'toolchain')
  const label = contentLabel(toolchain.id, [
    { name: 'agent', content: build.agent.id },
    ...FILES.map((name) => ({ name, content: readFileSync(join(from, name)) })),
  ])
  const there = await engine.image(tag)
  if (there?.labels[CONTENT_LABEL] === label) return { tag, facts: there }
  build.onStep(`Building ${tag}`)
  const folder = await mkdtemp(join(await cacheFolder(build.env), 'context-'))
  try {
    await Promise.all(FILES.map((name) => copyFile(join(from, name), join(folder, name))))
    await engine.build(folder, FILES, {
      tag,
      target: 'agent',
      buildArgs: { AGENT: nameOf(build.agent), TOOLCHAIN: base },
      labels: { glovebox: '1', [CONTENT_LABEL]: label, [BASE_LABEL]: toolchain.id },
      onLine: () => undefined,
    })
  } catch (error) {
    throw explained(error, build.reference)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const facts = await engine.image(tag)
  if (facts !== undefined) return { tag, facts }
  throw new GloveboxError('build_failed', `The engine built ${tag} and does not list it.`)
}

async function obtain(engine: Engine, { reference, onStep }: ToolchainBuild): Promise<ImageFacts> {
  let facts = await engine.image(reference)
  if (facts === undefined && reference.includes('@')) {
    onStep(`Pulling ${reference}`)
    await engine.pull(reference, () => undefined)
    facts = await engine.image(reference)
  }
  if (facts === undefined) {
    throw new GloveboxError('image_missing', `The engine has no image ${reference}.`)
  }
  const [volume] = facts.volumes ?? []
  if (volume === undefined) return facts
  // The engine would mount an unasked-for writable volume there; no later layer can take that back.
  throw new GloveboxError(
    'build_failed',
    `The image ${reference} declares the volume ${volume}, which a sealed container cannot have.`,
    'Use an image without VOLUME.',
  )
}

const nameOf = ({ tags, id }: ImageFacts): string => tags[0] ?? id

function explained(error: unknown, reference: string): unknown {
  if (error instanceof GloveboxError && /accessSync|\/bin\/sh/.test(error.message)) {
    return new GloveboxError(
      'build_failed',
      `The image ${reference} has no /bin/sh, so no agent could run a command in it.`,
      'Use an image with a shell.',
      { cause: error },
    )
  }
  return error
}
