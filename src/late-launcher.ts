import type { Launcher } from './launcher.ts'

/**
 * The launcher of a process, made at the first `get`. One that could not be made, or can no longer
 * write its audit log, is made anew at the next: an editor keeps its agent for days, and nobody
 * restarts it because a disk was full for a minute.
 */
export class LateLauncher implements AsyncDisposable {
  readonly #create: () => Promise<Launcher>
  #current: Promise<Launcher> | undefined

  constructor(create: () => Promise<Launcher>) {
    this.#create = create
  }

  /** Errors: those of making one, such as `audit_failed`. */
  async get(): Promise<Launcher> {
    const asked = (this.#current ??= this.#create())
    const launcher = await asked.catch((error: unknown) => {
      this.#drop(asked)
      throw error
    })
    if (launcher.audit.usable) return launcher
    if (this.#drop(asked)) await launcher[Symbol.asyncDispose]()
    return this.get()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const launcher = await this.#current?.catch(() => undefined)
    await launcher?.[Symbol.asyncDispose]()
  }

  /** False when another caller has done it. */
  #drop(launcher: Promise<Launcher>): boolean {
    if (this.#current !== launcher) return false
    this.#current = undefined
    return true
  }
}
