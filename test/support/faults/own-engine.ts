/** An engine of the test's own, with the images of the usual one: it can be stopped and killed. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { enginePaths } from '../../../src/bootstrap/engine-paths.mjs'
import { startPrivateEngine, stopPrivateEngine } from '../../../src/bootstrap/private-engine.mjs'
import { findEngine } from '../../../src/docker/find.ts'
import { unixResponse } from '../../../src/docker/unix-request.ts'
import { lockEntry, lockImages, readLock } from '../../../src/images/lock.ts'
import { statePaths } from '../../../src/state.ts'

const ROLES = ['egress-proxy', 'agent-bundled', 'demo-model']

export class OwnEngine implements AsyncDisposable {
  readonly uri: string
  readonly #root: string

  private constructor(root: string) {
    this.#root = root
    this.uri = `unix://${enginePaths(root).socket}`
  }

  /** Starts it, and points XDG_STATE_HOME at a lock that knows its images. Needs root. */
  static async start(): Promise<OwnEngine> {
    // Not below /tmp: its data must be on a disk that overlays can be made on.
    const root = mkdtempSync('/var/tmp/gb-faults-')
    const own = new OwnEngine(root)
    await own.run()
    await own.#images()
    return own
  }

  /** Starts it, again. */
  async run(): Promise<void> {
    await startPrivateEngine(this.#root)
  }

  /** Ends the engine's own process, and nothing else. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    process.kill(Number(readFileSync(enginePaths(this.#root).pidFile, 'utf8')), signal)
  }

  async #images(): Promise<void> {
    const usual = await findEngine(process.env)
    const own = await findEngine({ ...process.env, DOCKER_HOST: this.uri })
    const lock = await readLock(statePaths(process.env).lock)
    const state = join(this.#root, 'state')
    await mkdir(join(state, 'glovebox'), { recursive: true })
    process.env['XDG_STATE_HOME'] = state
    for (const role of ROLES) {
      const entry = lockEntry(lock, usual.info.uri, role)
      if (entry === undefined) throw new Error(`${role} is not built`)
      await own.load(
        await unixResponse({
          socketPath: usual.info.uri.slice('unix://'.length),
          method: 'GET',
          path: `/images/${encodeURIComponent(entry.name)}/get`,
          signal: AbortSignal.timeout(60_000),
        }),
      )
      await lockImages(statePaths(process.env).lock, this.uri, { [role]: entry })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await stopPrivateEngine(this.#root)
    rmSync(this.#root, { recursive: true, force: true })
  }
}
