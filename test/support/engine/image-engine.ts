import type { Engine, ImageFacts } from '../../../src/docker/engine.ts'

/** What an engine was asked to do with images, in order. */
type Asked = { built: string[]; pulled: string[]; context: string[][] }

export type ImageEngine = { engine: Engine; asked: Asked; images: Map<string, ImageFacts> }

export type ImageEngineOptions = {
  arch: Engine['info']['arch']
  /** Names of images that are there from the start. */
  present?: string[]
  /** Names a registry has; any other pull fails. */
  registry?: string[]
  /** A registry that takes the connection and never says a word. */
  silentRegistry?: boolean
}

/** The image half of the engine port, in memory. Everything else throws. */
export function imageEngine(options: ImageEngineOptions): ImageEngine {
  const images = new Map<string, ImageFacts>()
  const asked: Asked = { built: [], pulled: [], context: [] }
  const add = (tag: string, labels: Record<string, string> = {}): string => {
    const id = `sha256:${Buffer.from(`${tag}#${images.size}`).toString('hex').padEnd(64, '0').slice(0, 64)}`
    images.set(tag, { id, tags: [tag], digests: [], labels, arch: options.arch, size: 1 })
    return id
  }
  for (const tag of options.present ?? []) add(tag)
  const engine: Engine = {
    info: {
      kind: 'docker',
      rootless: false,
      version: '20.10.24',
      apiVersion: '1.41',
      uri: 'unix:///test.sock',
      arch: options.arch,
      runtimes: [],
      warnings: [],
    },
    image: async (reference) => images.get(reference),
    pull: async (reference) => {
      asked.pulled.push(reference)
      if (options.silentRegistry === true) await new Promise<never>(() => undefined)
      if (options.registry?.includes(reference) !== true) throw new Error('no such host')
      add(reference)
    },
    build: async (_folder, files, build) => {
      asked.built.push(build.tag)
      asked.context.push(files)
      return add(build.tag, build.labels)
    },
    importRootfs: other,
    load: other,
    tag: other,
    create: other,
    list: other,
    container: other,
    volumes: other,
    removeVolume: other,
    networks: other,
    removeNetwork: other,
    ensureNetwork: other,
  }
  return { engine, asked, images }
}

const other = (): never => {
  throw new Error('This engine knows only images.')
}

/** An architecture this machine does not have, so that no base can be made here. */
export const otherArch = (): Engine['info']['arch'] => (process.arch === 'x64' ? 'arm64' : 'amd64')
