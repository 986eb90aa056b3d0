/** One session's border: the proxy container, from creation to disposal. */
import {
  HEARTBEAT_INTERVAL,
  type Close,
  type Configure,
  type Decision,
  type FromProxy,
} from '../../egress-proxy/messages.ts'
import type {
  AttachedStreams,
  ContainerBody,
  CreatedContainer,
  Engine,
  StartedContainer,
} from '../docker/engine.ts'
import { verifyCreated } from '../docker/verify-created.ts'
import { GloveboxError } from '../errors.ts'
import { ControlChannel } from './control-channel.ts'

/** How long the proxy may take from its start to `hello`, and from `configure` to `ready`, in ms. */
const ANSWER_TIMEOUT = 15_000

export type ProxyEvents = {
  onDecision: (decision: Decision) => void
  onClose: (close: Close) => void
  /** From inside the agent container: untrusted. */
  onInit: (message: Record<string, unknown>) => void
  onInitClosed: () => void
  /** One line the proxy wrote on stderr. */
  onLog: (line: string) => void
}

type Waiter = { resolve: () => void; reject: (error: Error) => void; until: FromProxy['type'] }

/** A proxy container. It exists when the constructor's promise resolved, and runs when `started` did. */
export class Proxy implements AsyncDisposable {
  readonly id: string
  /** Resolves when the container runs; rejects with the engine's error. */
  readonly started: Promise<void>
  /** Names of its volumes, which go with it. */
  readonly volumes: readonly string[]
  /** Resolves when the engine has removed the container and its volumes. */
  readonly removed: Promise<void>
  /** Resolves when the proxy is gone, whatever the reason. */
  readonly closed: Promise<void>
  readonly #created: CreatedContainer
  readonly #streams: AttachedStreams
  readonly #channel: ControlChannel
  #events: ProxyEvents | undefined
  #running: StartedContainer | undefined
  #waiter: Waiter | undefined
  #initBeat: NodeJS.Timeout | undefined
  #gone = false
  readonly #removal = Promise.withResolvers<void>()
  #ended = false

  /**
   * Creates, checks and starts a proxy container.
   * Errors: `engine_failed`; `container_refused` when the engine made something else than asked.
   */
  static async create(engine: Engine, body: ContainerBody, networks: string[]): Promise<Proxy> {
    const created = await engine.create(body, networks)
    try {
      const inspect = await created.inspect()
      const differences = verifyCreated(body, inspect, engine.info)
      const refused = differences.find(({ kind }) => kind === 'difference')
      if (refused !== undefined) {
        throw new GloveboxError(
          'container_refused',
          `The engine made the egress proxy with ${refused.field} = ${refused.found}, not ${refused.asked}.`,
        )
      }
      const volumes = inspect.Mounts.flatMap(({ Type: type, Name: name }) =>
        type === 'volume' && name ? [name] : [],
      )
      return new Proxy(created, await created.attach(), volumes)
    } catch (error) {
      // The first fault is the one to tell; what cannot be removed now is swept later.
      await created.remove().catch(() => undefined)
      throw error
    }
  }

  private constructor(
    created: CreatedContainer,
    streams: AttachedStreams,
    volumes: readonly string[],
  ) {
    this.id = created.id
    this.volumes = volumes
    this.removed = this.#removal.promise
    this.#created = created
    this.#streams = streams
    this.#channel = new ControlChannel(streams.stdin, streams.stdout, {
      onMessage: (message) => this.#receive(message),
      onGarbage: (why) =>
        this.#fail(new GloveboxError('proxy_failed', `The egress proxy sent ${why}.`)),
    })
    readLines(streams, (line) => this.#events?.onLog(line))
    this.closed = this.#closed()
    this.started = this.#start()
    this.started.catch(() => undefined)
  }

  /** Whether the proxy is gone. */
  get ended(): boolean {
    return this.#ended
  }

  /** Hands over policy and credentials; resolves when the border listens. */
  async configure(configure: Configure, events: ProxyEvents): Promise<void> {
    this.#events = events
    await this.started
    const ready = this.#wait('ready')
    this.#channel.send(configure)
    await ready
  }

  /** Names the turn that the next decisions belong to. */
  turn(turn: string): void {
    this.#channel.send({ type: 'turn', turn })
  }

  toInit(message: Record<string, unknown>): void {
    this.#channel.send({ type: 'to-init', message })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#gone = true
    clearInterval(this.#initBeat)
    this.#channel[Symbol.dispose]()
    this.#streams.destroy()
    await (this.#running ?? this.#created).remove()
    this.#removal.resolve()
  }

  async #closed(): Promise<void> {
    await this.#streams.closed
    this.#ended = true
    this.#fail(new GloveboxError('proxy_failed', 'The egress proxy ended before it was ready.'))
  }

  async #start(): Promise<void> {
    const hello = this.#wait('hello')
    hello.catch(() => undefined)
    this.#running = await this.#created.start()
    await hello
  }

  #wait(until: FromProxy['type']): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#fail(
          new GloveboxError(
            'proxy_failed',
            `The egress proxy did not answer in ${ANSWER_TIMEOUT / 1000} s.`,
          ),
        )
      }, ANSWER_TIMEOUT)
      const settle = (): void => clearTimeout(timer)
      this.#waiter = {
        until,
        resolve: () => (settle(), resolve()),
        reject: (error) => (settle(), reject(error)),
      }
    })
  }

  #receive(message: FromProxy): void {
    if (message.type === this.#waiter?.until) {
      const waiter = this.#waiter
      this.#waiter = undefined
      waiter.resolve()
    }
    this.#act(message)
  }

  #act(message: FromProxy): void {
    if (message.type === 'refused') {
      const text = `The egress proxy refused its policy: ${message.error}`
      this.#fail(new GloveboxError('proxy_failed', text))
    }
    if (message.type === 'decision') this.#events?.onDecision(message)
    if (message.type === 'close') this.#events?.onClose(message)
    if (message.type === 'from-init') this.#events?.onInit(message.message)
    if (message.type === 'init-connected') this.#beatInit()
    if (message.type === 'init-closed') {
      clearInterval(this.#initBeat)
      this.#events?.onInitClosed()
    }
  }

  #beatInit(): void {
    const beat = (): void => this.toInit({ type: 'heartbeat' })
    beat()
    this.#initBeat = setInterval(beat, HEARTBEAT_INTERVAL)
  }

  #fail(error: GloveboxError): void {
    const waiter = this.#waiter
    this.#waiter = undefined
    waiter?.reject(error)
    if (!this.#gone) this.#streams.destroy()
  }
}

function readLines(streams: AttachedStreams, onLine: (line: string) => void): void {
  let rest = ''
  streams.stderr.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).slice(-64 * 1024).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  })
}
