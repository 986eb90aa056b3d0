/** Keeps one egress proxy running ahead of the session that will need it. */
import { randomUUID } from 'node:crypto'

import type { Engine } from '../docker/engine.ts'
import { EGRESS_NETWORK, proxyContainer } from '../docker/hardening.ts'
import { ownHardLimits } from '../docker/limits.ts'
import { Proxy } from '../egress/proxy.ts'
import { labels } from './labels.ts'
import { type QueueEvents, StartQueue } from './start-queue.ts'
import type { VolumeRecords } from './volume-records.ts'

export type ProxyNeeds = {
  engine: () => Promise<Engine>
  image: (engine: Engine, role: string) => Promise<string>
  launcherId: string
  volumes: VolumeRecords
}

type Warm = { networks: string; proxy: Promise<Proxy>; failed: boolean }

/** Starts proxies; at most one of them waits for a session. */
export class ProxyPool implements AsyncDisposable {
  readonly #needs: ProxyNeeds
  /** Twenty at once took longer, each, than a proxy may take to answer. */
  readonly #starts = new StartQueue()
  #warm: Warm | undefined

  constructor(needs: ProxyNeeds) {
    this.#needs = needs
  }

  /** Starts a proxy on these networks beside our own, for the next `take`. Never throws. */
  warmUp(networks: string[]): void {
    const warm: Warm = { networks: networks.join(), proxy: this.#start(networks), failed: false }
    warm.proxy.catch(() => {
      warm.failed = true
    })
    this.#warm = warm
  }

  /**
   * The proxy that was started ahead, if its networks still fit and it lives; else a new one.
   * A start that failed before it was needed says nothing of now; one that fails while it is
   * waited for is the caller's failure.
   */
  async take(networks: string[], queued: QueueEvents = {}): Promise<Proxy> {
    const warm = this.#warm
    this.#warm = undefined
    if (warm === undefined || warm.failed) return this.#start(networks, queued)
    const ready = await warm.proxy
    if (warm.networks === networks.join() && !ready.ended) return ready
    await ready[Symbol.asyncDispose]().catch(() => undefined)
    return this.#start(networks, queued)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const warm = this.#warm
    this.#warm = undefined
    const proxy = await warm?.proxy.catch(() => undefined)
    await proxy?.[Symbol.asyncDispose]().catch(() => undefined)
  }

  /** Resolves when the container exists; its place in the queue is free when it also runs. */
  async #start(networks: string[], queued: QueueEvents = {}): Promise<Proxy> {
    const { promise, resolve, reject } = Promise.withResolvers<Proxy>()
    void this.#starts.run(async () => {
      const created = this.#create(networks)
      created.then(resolve, reject)
      await created.then(({ started }) => started).catch(() => undefined)
    }, queued)
    return promise
  }

  async #create(networks: string[]): Promise<Proxy> {
    const engine = await this.#needs.engine()
    const image = await this.#needs.image(engine, 'egress-proxy')
    const all = labels('proxy', randomUUID(), this.#needs.launcherId)
    await engine.ensureNetwork(EGRESS_NETWORK, { glovebox: '1' })
    const body = proxyContainer({ engine: engine.info, image, labels: all, hard: ownHardLimits() })
    const proxy = await Proxy.create(engine, body, networks)
    for (const name of proxy.volumes) {
      this.#needs.volumes.note(name, engine.info.uri, this.#needs.launcherId)
      void proxy.removed.then(() => this.#needs.volumes.forget(name))
    }
    return proxy
  }
}
