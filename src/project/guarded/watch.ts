/** Looks after a project while an agent works in it: from the host, so that no agent can be in its way. */
import { join } from 'node:path'

import type { AuditType } from '../../audit/record.ts'
import { sentenceOf } from '../../errors.ts'
import type { Patterns } from './names.ts'
import { factsOf, type Plan } from './plan.ts'
import { makeListable, putBack, quarantine } from './quarantine.ts'
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
    const modules = await modulesOf(project)
    for (const link of modules.links) this.#told.add(link)
    for (const git of ['.git', ...plan.repositories, ...modules.repositories]) {
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
      await this.#git()
    } catch (error) {
      this.#live?.record('error', { message: `project watch: ${sentenceOf(error)}` })
    }
  }

  async #git(): Promise<void> {
    const { project } = this.#watched
    const { repositories, links } = await modulesOf(project)
    this.#remember(repositories)
    for (const path of links.filter((link) => !this.#told.has(link))) {
      // oxlint-disable-next-line no-await-in-loop -- none, as a rule
      await this.#found({ path, why: 'it leads git to another repository' })
    }
    for (const before of this.#repositories.values()) {
      // oxlint-disable-next-line no-await-in-loop -- one, as a rule
      for (const plant of await plantsIn(project, before)) await this.#found(plant)
    }
  }

  async #covers(): Promise<void> {
    const { project, plan } = this.#watched
    for (const { path, how, identity, links } of plan.covered) {
      // oxlint-disable-next-line no-await-in-loop -- the first one ends it
      const now = await factsOf(join(project, path))
      if (how === 'masked' && now.identity === identity && (now.links ?? 0) > links) {
        this.#live?.restart(
          `${path} got another name on the host, which is not masked, so the agent was stopped.`,
        )
        return
      }
      if (now.identity === identity) continue
      const what = how === 'masked' ? 'is no longer masked' : 'is no longer protected'
      this.#live?.restart(
        `${path} was replaced or removed on the host and ${what}, so the agent was stopped.`,
      )
      return
    }
  }

  async #walk(): Promise<void> {
    const { project, patterns, plan } = this.#watched
    const { found, repositories, unreadable, cut, took } = await scan(project, patterns)
    this.#nextWalk = performance.now() + Math.max(PERIOD, took * SHARE)
    for (const { path, kind } of found) {
      if (kind === 'secret') this.#newSecret(path)
      else if (!plan.known.has(path)) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await this.#found({ path, why: 'programs of the host read it by themselves' })
      }
    }
    this.#remember(repositories)
    for (const folder of unreadable.filter((one) => !plan.unreadable.has(one))) {
      // oxlint-disable-next-line no-await-in-loop -- none, as a rule
      await makeListable(project, folder)
      this.#once(folder, `${folder || 'the project'} was made unreadable, and is readable again.`)
    }
    if (cut) this.#once('', 'the project is too large to be watched to the end.')
  }

  /** Repositories that were not there before. */
  #remember(folders: string[]): void {
    for (const git of folders) {
      if (!this.#repositories.has(git)) this.#repositories.set(git, nothing(git))
    }
  }

  #newSecret(path: string): void {
    if (this.#watched.plan.secrets.has(path)) return
    this.#once(
      path,
      `${path} appeared. The agent can read it; it is masked from the next session on.`,
    )
  }

  /** Whether it was not told before. */
  #once(path: string, text: string): boolean {
    if (this.#told.has(path)) return false
    this.#told.add(path)
    this.#live?.notify(text)
    return true
  }

  async #found({ path, why, original }: Plant): Promise<void> {
    const { project, folder, planted } = this.#watched
    if (planted === 'report') {
      if (this.#once(path, `${path} was written, and ${why}.`)) {
        this.#live?.record('plant', { path, why })
      }
      return
    }
    let where: string | undefined
    try {
      where = await quarantine(project, path, folder)
      if (where === undefined) return
      if (original !== undefined) await putBack(project, path, original)
    } catch (error) {
      // One that cannot be moved must not keep the others from being found.
      const failed = sentenceOf(error)
      const text = `${path} was written, and ${why}. It could not be moved away: ${failed}`
      if (this.#once(path, text)) this.#live?.record('plant', { path, why, failed })
      return
    }
    this.#live?.record('plant', { path, why, where })
    const now = original === undefined ? '' : ', and is as it was before'
    this.#live?.notify(`${path} was written, and ${why}. It was moved to ${where}${now}.`)
  }
}
