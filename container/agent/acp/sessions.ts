/** The sessions of one connection: new ones, and those their journals bring back. */
import { randomUUID } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'

import { RequestError } from '@agentclientprotocol/sdk'
import type { AgentContext } from '@agentclientprotocol/sdk'

import { commandsFor } from '../commands/command.ts'
import { readConfiguration } from '../configuration.ts'
import { fault } from '../errors.ts'
import { replayed } from '../journal/replay.ts'
import { restore } from '../journal/restore.ts'
import type { Restored } from '../journal/restore.ts'
import type { SessionStore } from '../journal/session-store.ts'
import { openModel } from '../model/open-model.ts'
import { Session } from '../session/session.ts'
import { systemPrompt } from '../system-prompt.ts'
import { ALL_TOOLS } from '../tools/all-tools.ts'
import { FileVersions } from '../tools/file-versions.ts'
import type { ProcessGroups } from '../tools/process-groups.ts'
import { oneLine } from '../visible.ts'
import type { ClientOffers } from './client-offers.ts'
import { turnPorts } from './turn-ports.ts'

export type SessionsOptions = {
  client: AgentContext
  offers: () => ClientOffers
  groups: ProcessGroups
  store: SessionStore
  env: NodeJS.ProcessEnv
  report: (error: unknown) => void
}

/** What `session/new`, `load` and `resume` have in common. */
type Opening = { cwd: string; mcpServers?: { name: string }[] | null }
export type Reopening = Opening & { sessionId: string }

export class Sessions implements AsyncDisposable {
  readonly #options: SessionsOptions
  readonly #open = new Map<string, Session>()
  /** Ids that are being opened right now. */
  readonly #opening = new Set<string>()

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  /** @throws AgentFault for a folder or a configuration that cannot be used. */
  async start(request: Opening): Promise<Session> {
    return await this.#build(randomUUID(), request, undefined)
  }

  /**
   * Goes on with a stored session; with `replay` its history is told first.
   * @throws RequestError `-32002` for an unknown one; AgentFault for another folder.
   */
  async reopen(request: Reopening, replay: boolean): Promise<Session> {
    const { sessionId, cwd } = request
    if (this.#open.has(sessionId) || this.#opening.has(sessionId)) throw fault.sessionOpen()
    this.#opening.add(sessionId)
    try {
      const records = this.#options.store.read(sessionId)
      const restored = records === undefined ? undefined : restore(records)
      if (records === undefined || restored === undefined)
        throw RequestError.sessionNotFound(sessionId)
      if (restored.cwd !== cwd) throw fault.otherFolder(restored.cwd)
      const session = await this.#build(sessionId, request, restored)
      const { emit } = this.#portsOf(sessionId)
      if (replay) for (const event of replayed(records)) await emit(event)
      return session
    } finally {
      this.#opening.delete(sessionId)
    }
  }

  /**
   * Tells the client the session's commands once the response that names the session is written:
   * to be called right before that is returned. Clients have hung on an update that came first.
   */
  announceAfterResponse({ id, commands }: Session): void {
    setImmediate(() => void this.#portsOf(id).emit({ type: 'commands', commands }))
  }

  /** @throws RequestError `-32002` for a session that is not open here. */
  get(id: string): Session {
    const session = this.#open.get(id)
    if (session === undefined) throw RequestError.sessionNotFound(id)
    return session
  }

  find(id: string): Session | undefined {
    return this.#open.get(id)
  }

  async close(id: string): Promise<void> {
    const session = this.get(id)
    this.#open.delete(id)
    await session[Symbol.asyncDispose]()
  }

  /** Closes it where it is open, and removes its journal. */
  async delete(id: string): Promise<void> {
    if (this.#open.has(id)) await this.close(id)
    await this.#options.store.remove(id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open.values()].map((session) => session[Symbol.asyncDispose]()))
  }

  async #build(id: string, request: Opening, restored: Restored | undefined): Promise<Session> {
    const { groups, env, report, store } = this.#options
    const realRoot = await projectFolder(request.cwd)
    const configuration = readConfiguration(env)
    const session = new Session({
      id,
      report,
      restored,
      place: { root: request.cwd, realRoot, versions: new FileVersions(), groups },
      models: configuration.models,
      openModel: (name) => openModel(configuration, name),
      tools: ALL_TOOLS,
      system: await systemPrompt(request.cwd),
      commands: await commandsFor(request.cwd, env['HOME']),
      costLimit: configuration.costLimit,
      ports: this.#portsOf(id),
      notices: droppedServers(request),
      write: store.writer(id, [configuration.apiKey]),
    })
    this.#open.set(id, session)
    return session
  }

  #portsOf(id: string) {
    const { client, report, offers } = this.#options
    return turnPorts(id, client, offers(), report)
  }
}

/** The folder without symbolic links. */
async function projectFolder(cwd: string): Promise<string> {
  if (!path.isAbsolute(cwd)) throw fault.cwd(cwd, 'is not an absolute path')
  const found = await stat(cwd).catch(() => undefined)
  if (found === undefined) throw fault.cwd(cwd, 'does not exist')
  if (!found.isDirectory()) throw fault.cwd(cwd, 'is not a folder')
  return await realpath(cwd)
}

function droppedServers(request: Opening): string[] {
  const names = (request.mcpServers ?? []).map((server) => oneLine(server.name, 60))
  if (names.length === 0) return []
  return [`MCP servers are not started in this version: ${names.join(', ')}.`]
}
