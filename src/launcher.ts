/** One `glovebox acp` process: what its sessions share, from the first byte to the last. */
import { dirname } from 'node:path'

import type { AuditWriter } from './audit/writer.ts'
import type { Engine, ImageFacts } from './docker/engine.ts'
import type { Proxy } from './egress/proxy.ts'
import { GloveboxError } from './errors.ts'
import { lockEntry, readLock } from './images/lock.ts'
import type { Log } from './log.ts'
import { loadPolicy } from './policy/load.ts'
import type { Policy } from './policy/merge.ts'
import { launcherId } from './session/launcher-id.ts'
import type { SessionHost } from './session/plan.ts'
import { type QueueEvents, StartQueue } from './session/start-queue.ts'
import { takeStopped } from './session/stop-mark.ts'
import { sweep } from './session/sweep.ts'
import { VolumeRecords } from './session/volume-records.ts'
import { ProxyPool } from './session/warm-proxy.ts'
import type { StatePaths } from './state.ts'

export type LauncherOptions = {
  env: Record<string, string | undefined>
  /** The agent of the command line, which wins over the configuration. */
  agent: string | undefined
  /** The image of the command line, likewise. */
  imageName: string | undefined
  paths: StatePaths
  audit: AuditWriter
  log: Log
}

/** The launcher. Its engine, proxies and sweep start with `warmUp`, ahead of the first session. */
export class Launcher implements SessionHost, AsyncDisposable {
  readonly id = launcherId()
  readonly env: LauncherOptions['env']
  readonly agent: string | undefined
  readonly imageName: string | undefined
  readonly audit: AuditWriter
  readonly log: Log
  readonly starts = new StartQueue()
  readonly volumes: VolumeRecords
  readonly #paths: StatePaths
  readonly #proxies: ProxyPool
  #engine: Promise<Engine> | undefined

  constructor(options: LauncherOptions) {
    this.env = options.env
    this.agent = options.agent
    this.imageName = options.imageName
    this.audit = options.audit
    this.log = options.log
    this.#paths = options.paths
    this.volumes = new VolumeRecords(options.paths.volumes)
    this.#proxies = new ProxyPool({
      engine: () => this.engine(),
      image: async (engine, role) => (await this.image(engine, role)).id,
      launcherId: this.id,
      volumes: this.volumes,
    })
  }

  /** Begins what needs no project: finds the engine, starts a proxy, sweeps. Never throws. */
  warmUp(): void {
    const networks = attempt(() => this.readPolicy(undefined).egress.networks)
    if (networks !== undefined) this.#proxies.warmUp(networks)
    void this.#sweep()
  }

  /** The engine; looked for again after a failure, so that a late engine serves the next session. */
  engine(): Promise<Engine> {
    this.#engine ??= this.#findEngine()
    return this.#engine
  }

  /** The pinned image. Errors: `image_missing`, `image_not_pinned`. */
  async image(engine: Engine, role: string): Promise<ImageFacts> {
    const { pinnedImage } = await import('./docker/image.ts')
    const lock = await readLock(this.#paths.lock)
    return await pinnedImage(engine, lockEntry(lock, engine.info.uri, role), role)
  }

  get keptOut(): string[] {
    const { state, userConfig } = this.#paths
    return [state, dirname(userConfig)]
  }

  /** The policy for a project, or without one. Read anew each time. Errors: `config_invalid`. */
  readPolicy(project: string | undefined): Policy {
    return loadPolicy(this.#paths, project)
  }

  stoppedBy(session: string): string | undefined {
    return takeStopped(this.#paths.stops, session)
  }

  takeProxy(policy: Policy, queued: QueueEvents): Promise<Proxy> {
    return this.#proxies.take(policy.egress.networks, queued)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxies[Symbol.asyncDispose]()
  }

  async #findEngine(): Promise<Engine> {
    try {
      const { findEngine } = await import('./docker/find.ts')
      return await findEngine(this.env)
    } catch (error) {
      this.#engine = undefined
      throw error
    }
  }

  async #sweep(): Promise<void> {
    try {
      const swept = await sweep(await this.engine(), this.volumes)
      if (swept.containers.length + swept.volumes.length > 0) this.log.info('swept', swept)
    } catch (error) {
      this.log.info('no sweep', { why: error instanceof GloveboxError ? error.code : 'unknown' })
    }
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
