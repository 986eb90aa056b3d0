/** The agent's container, from creation to disposal. */
import type { Readable, Writable } from 'node:stream'

import type { AttachedStreams, ContainerBody, Engine, StartedContainer } from '../docker/engine.ts'
import { verifyCreated, type Difference } from '../docker/verify-created.ts'
import { GloveboxError } from '../errors.ts'
import { StderrTail } from './stderr-tail.ts'

/**
 * How long the agent may take to end by itself after its input ended, in ms. Init
 * sends it SIGTERM at 1 s; whoever asked the launcher to end waits 3 s at most.
 */
const END_GRACE = 1_800

/** How a container ended, as far as the engine could say. */
export type Ending = { exitCode: number | undefined; outOfMemory: boolean }

/** A running agent container. */
export class AgentContainer implements AsyncDisposable {
  readonly id: string
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: StderrTail
  /** What the engine does not enforce although it was asked to. */
  readonly unenforced: readonly Difference[]
  /** Resolves when the container ended or its streams broke; never rejects. */
  readonly ended: Promise<Ending>
  readonly #container: StartedContainer
  readonly #streams: AttachedStreams

  /**
   * Creates the container, compares what the engine made with what was asked, and starts it.
   * Errors: `engine_failed`; `container_refused` on any difference, and on a limit the engine does
   * not enforce when `unenforced` is `refuse`.
   */
  static async start(
    engine: Engine,
    body: ContainerBody,
    unenforced: 'refuse' | 'tell',
    onStderr: (line: string) => void,
  ): Promise<AgentContainer> {
    const created = await engine.create(body)
    try {
      const differences = verifyCreated(body, await created.inspect(), engine.info)
      const fatal = differences.find(({ kind }) => kind === 'difference' || unenforced === 'refuse')
      if (fatal !== undefined) throw refused(fatal)
      const streams = await created.attach()
      return new AgentContainer(await created.start(), streams, differences, onStderr)
    } catch (error) {
      // The first fault is the one to tell; what cannot be removed now is swept later.
      await created.remove().catch(() => undefined)
      throw error
    }
  }

  private constructor(
    container: StartedContainer,
    streams: AttachedStreams,
    unenforced: readonly Difference[],
    onStderr: (line: string) => void,
  ) {
    this.id = container.id
    this.#container = container
    this.#streams = streams
    this.stdin = streams.stdin
    this.stdout = streams.stdout
    this.stderr = new StderrTail(streams.stderr, onStderr)
    this.unenforced = unenforced
    this.stdin.on('error', () => undefined)
    this.ended = this.#watch()
  }

  /** A signal for init. After SIGKILL the engine removes the container. */
  async signal(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#container.kill(signal)
  }

  /** Freezes every process of the container, until `unpause`. */
  async pause(): Promise<void> {
    await this.#container.pause()
  }

  async unpause(): Promise<void> {
    await this.#container.unpause()
  }

  /** Removes the container without giving the agent a moment. */
  async kill(): Promise<void> {
    this.#streams.destroy()
    await this.#container.remove()
  }

  /** Ends the agent's input, gives it a moment to end by itself, then removes the container. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stdin.end()
    this.stdout.resume()
    await Promise.race([this.ended, pause(END_GRACE)])
    this.#streams.destroy()
    await this.#container.remove()
  }

  async #watch(): Promise<Ending> {
    const exit = this.#container.wait()
    await Promise.race([exit, this.#streams.closed])
    const found = await Promise.race([exit, pause(1_000)])
    return {
      exitCode: found === undefined ? undefined : found.exitCode,
      outOfMemory: found?.outOfMemory === true,
    }
  }
}

function refused({ field, asked, found, kind }: Difference): GloveboxError {
  if (kind === 'limit-not-enforced') {
    return new GloveboxError(
      'container_refused',
      `This engine does not enforce ${field} (asked: ${asked}, found: ${found}).`,
      'Set "unenforced_limits": "tell" in the configuration to start all the same.',
    )
  }
  return new GloveboxError(
    'container_refused',
    `The engine made the agent's container with ${field} = ${found}, not ${asked}; it was not started.`,
    'Run `docker info` to see what changes containers on this engine.',
  )
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref()
  })
}
