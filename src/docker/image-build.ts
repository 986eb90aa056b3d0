/** Builds an image with the engine's classic builder from files of one folder. */
import type { Readable } from 'node:stream'

import type Dockerode from 'dockerode'

import { GloveboxError } from '../errors.ts'
import { BOUND, engineCall } from './call.ts'
import type { BuildOptions } from './engine.ts'
import { followProgress } from './progress.ts'

const LAST_LINES = 12

/** Throws `build_failed` with the last lines the build printed. */
export async function buildImage(
  docker: Dockerode,
  folder: string,
  files: string[],
  options: BuildOptions,
): Promise<string | undefined> {
  const last: string[] = []
  const onLine = (line: string): void => {
    last.push(line)
    if (last.length > LAST_LINES) last.shift()
    options.onLine(line)
  }
  const context = await contextOf(folder, files)
  return await engineCall(`build ${options.tag}`, BOUND.build, async (abortSignal) => {
    const stream = await docker.buildImage(context, { ...queryOf(options), abortSignal })
    try {
      return await followProgress(stream, onLine)
    } catch (error) {
      throw buildFailed(options.tag, last, error)
    }
  }).finally(() => context.destroy())
}

function queryOf(options: BuildOptions): Dockerode.ImageBuildOptions {
  return {
    // Version 1 is the classic builder: Podman has no other, and BuildKit would need a session.
    version: '1',
    t: options.tag,
    target: options.target,
    buildargs: options.buildArgs,
    labels: options.labels,
    rm: true,
    forcerm: true,
  }
}

/**
 * The same files give the same archive whoever checked them out and when, so that the engine's
 * build cache holds.
 */
async function contextOf(folder: string, files: string[]): Promise<Readable> {
  const { pack } = await import('tar-fs')
  return pack(folder, {
    // A copy: the packer empties the list.
    entries: [...files],
    sort: true,
    map: (header) => {
      const executable = header.type === 'directory' || (header.mode & 0o100) !== 0
      const mode = executable ? 0o755 : 0o644
      return { ...header, uid: 0, gid: 0, mtime: new Date(0), mode }
    },
  })
}

function buildFailed(tag: string, last: string[], error: unknown): GloveboxError {
  const reason = error instanceof Error ? error.message : String(error)
  const shown = [...last, reason].join('\n  ')
  return new GloveboxError(
    'build_failed',
    `The image ${tag} could not be built. The last lines were:\n  ${shown}`,
    '',
    { cause: error },
  )
}
