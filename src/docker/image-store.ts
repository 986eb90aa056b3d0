/** Images an engine has, gets and names. */
import type { Readable } from 'node:stream'

import type Dockerode from 'dockerode'

import { GloveboxError } from '../errors.ts'
import { BOUND, engineCall, unlessStatus } from './call.ts'
import { ImageAnswer } from './engine-answers.ts'
import type { ImageFacts } from './engine.ts'
import { followProgress } from './progress.ts'

/** `undefined` when the engine has no such image. */
export async function imageFacts(
  docker: Dockerode,
  reference: string,
): Promise<ImageFacts | undefined> {
  const image = await engineCall(`inspect the image ${reference}`, BOUND.inspect, (abortSignal) => {
    const options: Dockerode.ImageInspectOptions & { abortSignal: AbortSignal } = { abortSignal }
    const found = docker.getImage(reference).inspect(options)
    return unlessStatus(
      [404],
      found.then((answer) => ImageAnswer.parse(answer)),
    )
  })
  if (image === undefined) return undefined
  return {
    id: imageId(image.Id),
    tags: image.RepoTags,
    digests: image.RepoDigests,
    labels: image.Config.Labels,
    env: image.Config.Env,
    volumes: Object.keys(image.Config.Volumes ?? {}),
    arch: image.Architecture,
    size: image.Size,
  }
}

/** Podman leaves `sha256:` out in places. */
export const imageId = (id: string): string => (id.startsWith('sha256:') ? id : `sha256:${id}`)

/**
 * `changes` are Dockerfile lines, such as `ENV A=b`. Returns the image id. Named in a second step,
 * since Podman's import takes no version.
 */
export async function importRootfs(
  docker: Dockerode,
  archive: Readable,
  tag: string,
  changes: string[],
): Promise<string> {
  const id = await engineCall(`import ${tag}`, BOUND.load, async (abortSignal) => {
    const stream = await docker.importImage(archive, { changes, abortSignal })
    return await followProgress(stream, () => undefined)
  }).finally(() => archive.destroy())
  if (id === undefined) {
    throw new GloveboxError('engine_failed', `The engine imported ${tag} and did not name it.`)
  }
  await tagImage(docker, id, tag)
  return id
}

export async function loadImages(docker: Dockerode, archive: Readable): Promise<void> {
  await engineCall('load the image archive', BOUND.load, async (abortSignal) => {
    const stream = await docker.loadImage(archive, { abortSignal })
    await followProgress(stream, () => undefined)
  }).finally(() => archive.destroy())
}

export async function pullImage(
  docker: Dockerode,
  reference: string,
  onLine: (line: string) => void,
): Promise<void> {
  const { repository, version } = splitTag(reference)
  // Without a tag an engine fetches all of them.
  const query = reference.includes('@')
    ? { fromImage: reference }
    : { fromImage: repository, tag: version }
  await engineCall(`pull ${reference}`, BOUND.pull, async (abortSignal) => {
    const stream = await docker.createImage({ ...query, abortSignal })
    await followProgress(stream, onLine)
  })
}

export async function tagImage(docker: Dockerode, id: string, tag: string): Promise<void> {
  const { repository, version } = splitTag(tag)
  await engineCall(`tag the image as ${tag}`, BOUND.inspect, (abortSignal) =>
    docker.getImage(id).tag({ repo: repository, tag: version, abortSignal }),
  )
}

/** `host:5000/name:tag` → name and tag; the tag is `latest` when there is none. */
export function splitTag(reference: string): { repository: string; version: string } {
  const colon = reference.lastIndexOf(':')
  if (colon <= reference.lastIndexOf('/')) return { repository: reference, version: 'latest' }
  return { repository: reference.slice(0, colon), version: reference.slice(colon + 1) }
}
