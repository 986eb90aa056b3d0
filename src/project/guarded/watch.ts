/** Looks after a project while an agent works in it: from the host, so that no agent can be in its way. */
import { join } from 'node:path'

import type { AuditType } from '../../audit/record.ts'
import { sentenceOf } from '../../errors.ts'
import type { Patterns } from './names.ts'
import { identityOf, type Plan } from './plan.ts'
import { putBack, quarantine } from './quarantine.ts'
import {
  baselineOf,
  modulesOf,
  nothing,
  plantsIn,
  type Baseline,
  type Plant,
} from './repository.ts'
import { scan } from './scan.ts'

/** Between two looks, in ms. */
const PERIOD = 400
/** A walk may take this share of the time. */
const SHARE = 10

export type Watched = {
  project: string
  plan: Plan
  patterns: Patterns
  planted: 'quarantine' | 'report'
  /** Where planted files go. */
  folder: string
}

/** The session in which the agent works. */
export type Live = {
  record: (type: AuditType, data: Record<string, unknown>) => void
  notify: (text: string) => void
  /** A cover no longer holds, so the container must not go on. */
  restart: (why: string) => void
}

export class ProjectWatch implements AsyncDisposable {
  readonly #watched: Watched
  readonly #repositories = new Map<string, Baseline>()
  /** Paths that were reported and stayed. */
  readonly #told = new Set<string>()
  #live: Live | undefined
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #nextWalk = 0
  #ended = false

  constructor(watched: Watched) {
    this.#watched = watched
  }

  /** Takes note of how the repositories are, before the agent runs. */
  async takeNote(): Promise<void> {
    const { project, plan } = this.#watched
    const nested = plan.repositories.map((folder) => join(folder, '.git'))
    for (const git of ['.git', ...nested, ...(await modulesOf(project))]) {
      // oxlint-disable-next-line no-await-in-loop -- one, as a rule
      this.#repositories.set(git, await baselineOf(project, git))
    }
  }

  start(live: Live): void {
    this.#live = live
    this.#nextWalk = performance.now() + Math.max(PERIOD, this.#watched.plan.took * SHARE)
    this.#again()
  }

  /** A last look, whose findings only the audit and the next session's user see. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    await this.#looking
    this.#ended = true
    if (this.#live !== undefined) await this.#look(true)
  }

  #again(): void {
    if (this.#ended) return
    this.#timer = setTimeout(() => {
      this.#looking = this.#look(false).finally(() => this.#again())
    }, PERIOD)
    this.#timer.unref()
  }

  async #look(last: boolean): Promise<void> {
    try {
      if (!last) await this.#covers()
      if (last || performance.now() >= this.#nextWalk) await this.#walk()
      this.#remember(await modulesOf(this.#watched.project))
      for (const before of this.#repositories.values()) {
        // oxlint-disable-next-line no-await-in-loop -- one, as a rule
        for (const plant of await plantsIn(this.#watched.project, before)) await this.#found(plant)
      }
    } catch (error) {
      this.#live?.record('error', { message: `project watch: ${sentenceOf(error)}` })
    }
  }

  async #covers(): Promise<void> {
    const { project, plan } = this.#watched
    for (const { path, how, identity } of plan.covered) {
      // oxlint-disable-next-line no-await-in-loop -- the first one ends it
      if ((await identityOf(join(project, path))) === identity) continue
      const what = how === 'masked' ? 'is no longer masked' : 'is no longer protected'
      this.#live?.restart(
        `${path} was replaced or removed on the host and ${what}, so the agent was stopped.`,
      )
      return
    }
  }

  async #walk(): Promise<void> {
    const { project, patterns, plan } = this.#watched
    const { found, repositories, took } = await scan(project, patterns)
    this.#nextWalk = performance.now() + Math.max(PERIOD, took * SHARE)
    for (const { path, kind } of found) {
      if (kind === 'secret') this.#newSecret(path)
      else if (!plan.known.has(path)) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await this.#found({ path, why: 'programs of the host read it by themselves' })
      }
    }
    this.#remember(repositories.map((folder) => join(folder, '.git')))
  }

  /** Repositories that were not there before. */
  #remember(folders: string[]): void {
    for (const git of folders) {
      if (!this.#repositories.has(git)) this.#repositories.set(git, nothing(git))
    }
  }

  #newSecret(path: string): void {
    if (this.#watched.plan.secrets.has(path) || this.#told.has(path)) return
    this.#told.add(path)
    this.#live?.notify(
      `${path} appeared. The agent can read it; it is masked from the next session on.`,
    )
  }

  async #found({ path, why, original }: Plant): Promise<void> {
    const { project, folder, planted } = this.#watched
    if (planted === 'report') {
      if (this.#told.has(path)) return
      this.#told.add(path)
      this.#live?.record('plant', { path, why })
      this.#live?.notify(`${path} was written, and ${why}.`)
      return
    }
    const where = await quarantine(project, path, folder)
    if (where === undefined) return
    if (original !== undefined) await putBack(project, path, original)
    this.#live?.record('plant', { path, why, where })
    const now = original === undefined ? '' : ', and is as it was before'
    this.#live?.notify(`${path} was written, and ${why}. It was moved to ${where}${now}.`)
  }
}
