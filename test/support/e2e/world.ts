/** A user with a project and a configuration whose model and hosts are the test's own. */
import {
  chmod,
  chown,
  lchown,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { AuditRecord } from '../../../src/audit/record.ts'
import type { Engine } from '../../../src/docker/engine.ts'
import { findEngine } from '../../../src/docker/find.ts'
import { statePaths } from '../../../src/state.ts'
import { choose, Editor, type EditorOptions } from './editor.ts'
import { Outside } from './outside.ts'

type Ids = { uid: number; gid: number }

/**
 * Who owns test projects: when the tests run as root, some other user, as root's projects do; on a
 * rootless engine its user, whose rights are all that containers have.
 */
function ownerFor({ info }: Engine): Ids {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  if (uid !== 0) return { uid, gid }
  return (info.rootless ? info.owner : undefined) ?? { uid: 1234, gid: 1234 }
}

export type WorldOptions = {
  /** Over the default configuration, key by key. */
  config?: Record<string, unknown>
  /** Its address; the one that is found otherwise. */
  engine?: string
}

export class World implements AsyncDisposable {
  readonly engine: Engine
  readonly outside: Outside
  /** Holds everything of this world on the host. */
  readonly folder: string
  readonly project: string
  /** Of the project, on the host. */
  readonly owner: Ids
  readonly env: Record<string, string | undefined>

  private constructor(engine: Engine, outside: Outside, folder: string) {
    this.engine = engine
    this.outside = outside
    this.folder = folder
    this.project = join(folder, 'project')
    this.owner = ownerFor(engine)
    this.env = {
      PATH: process.env['PATH'],
      HOME: join(folder, 'home'),
      LANG: 'C.UTF-8',
      DOCKER_HOST: engine.info.uri,
      XDG_CONFIG_HOME: join(folder, 'config'),
      XDG_STATE_HOME: join(folder, 'state'),
      ANTHROPIC_API_KEY: outside.key,
    }
  }

  static async open(options: WorldOptions = {}): Promise<World> {
    const { engine: uri } = options
    const engine = await findEngine({ ...process.env, ...(uri ? { DOCKER_HOST: uri } : {}) })
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'gb-world-')))
    // A rootless engine's user must get to the project.
    await chmod(folder, 0o711)
    const world = new World(engine, await Outside.start(engine), folder)
    for (const name of ['project', 'home', 'config/glovebox', 'state/glovebox']) {
      await mkdir(join(folder, name), { recursive: true })
    }
    await world.configure(options.config ?? {})
    await writeFile(
      statePaths(world.env).lock,
      await readFile(statePaths(process.env).lock, 'utf8'),
    )
    await world.write('README.md', 'a project\n')
    await chown(world.project, world.owner.uid, world.owner.gid)
    return world
  }

  /** Writes the user's configuration anew. */
  async configure(config: Record<string, unknown>): Promise<void> {
    const { network, subnet, modelHost } = this.outside
    const allowed = { id: 'allowed', host: 'allowed.test', ports: [8080], protocol: 'http' }
    await writeFile(
      statePaths(this.env).userConfig,
      JSON.stringify({
        version: 1,
        providers: {
          anthropic: {
            preset: 'anthropic',
            base_url: `http://${modelHost}:8080`,
            key_env: 'ANTHROPIC_API_KEY',
            insecure_http: true,
            allow_private: [subnet],
          },
        },
        egress: { networks: [network], rules: [{ ...allowed, allow_private: [subnet] }] },
        ...config,
      }),
    )
  }

  /** A file of the project, owned as the project is. */
  async write(path: string, text: string): Promise<void> {
    await writeFile(join(this.project, path), text)
    await chown(join(this.project, path), this.owner.uid, this.owner.gid)
  }

  /** Gives a folder and everything in it to the project's owner. */
  async own(folder = this.project): Promise<void> {
    for (const name of ['', ...(await readdir(folder, { recursive: true }))]) {
      await lchown(join(folder, name), this.owner.uid, this.owner.gid)
    }
  }

  read(path: string): Promise<string> {
    return readFile(join(this.project, path), 'utf8')
  }

  editor(options: Partial<EditorOptions> = {}): Editor {
    return new Editor({
      env: this.env,
      cwd: this.folder,
      onQuestion: choose('allow_once'),
      ...options,
    })
  }

  /** Every audit record of this world's launchers, in order. */
  async audit(): Promise<AuditRecord[]> {
    const folder = statePaths(this.env).audit
    const files = (await readdir(folder)).toSorted()
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
    return texts
      .flatMap((text) => text.split('\n').filter((line) => line !== ''))
      .map((line) => JSON.parse(line) as AuditRecord)
  }

  /** Ids of the containers of this world's projects and launchers, in any state. */
  async containers(role?: 'agent' | 'proxy'): Promise<string[]> {
    const all = await this.engine.list(role === undefined ? 'glovebox' : `glovebox.role=${role}`)
    return all.map(({ id }) => id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.outside[Symbol.asyncDispose]()
    const kept = await this.engine.volumes('glovebox.role=state')
    const own = kept.filter(({ labels }) => labels['glovebox.project']?.startsWith(this.folder))
    await Promise.allSettled(own.map(({ name }) => this.engine.removeVolume(name)))
    await rm(this.folder, { recursive: true, force: true })
  }
}
