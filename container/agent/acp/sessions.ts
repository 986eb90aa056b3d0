/** The sessions of one connection. */
import { randomUUID } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'

import { RequestError } from '@agentclientprotocol/sdk'
import type { AgentContext, NewSessionRequest } from '@agentclientprotocol/sdk'

import { readConfiguration } from '../configuration.ts'
import { fault } from '../errors.ts'
import { openModel } from '../model/open-model.ts'
import type { TurnPorts } from '../session/events.ts'
import { Session } from '../session/session.ts'
import { systemPrompt } from '../system-prompt.ts'
import { ALL_TOOLS } from '../tools/all-tools.ts'
import { FileVersions } from '../tools/file-versions.ts'
import type { ProcessGroups } from '../tools/process-groups.ts'
import { oneLine } from '../visible.ts'
import type { ClientOffers } from './client-offers.ts'
import { answerFrom, noAnswer, permissionRequest } from './questions.ts'
import { sessionUpdates } from './updates.ts'
import type { Send } from './updates.ts'

export type SessionsOptions = {
  client: AgentContext
  offers: () => ClientOffers
  groups: ProcessGroups
  env: NodeJS.ProcessEnv
  report: (error: unknown) => void
}

export class Sessions implements AsyncDisposable {
  readonly #options: SessionsOptions
  readonly #open = new Map<string, Session>()

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  /** @throws AgentFault for a folder or a configuration that cannot be used. */
  async start(request: NewSessionRequest): Promise<Session> {
    const { groups, env, report } = this.#options
    const realRoot = await projectFolder(request.cwd)
    const model = openModel(readConfiguration(env))
    const id = randomUUID()
    const session = new Session({
      id,
      model,
      report,
      place: { root: request.cwd, realRoot, versions: new FileVersions(), groups },
      tools: ALL_TOOLS,
      system: await systemPrompt(request.cwd),
      ports: this.#portsOf(id),
      notices: droppedServers(request),
    })
    this.#open.set(id, session)
    return session
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

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open.values()].map((session) => session[Symbol.asyncDispose]()))
  }

  #portsOf(sessionId: string): TurnPorts {
    const { client, report } = this.#options
    const offers = this.#options.offers()
    const send: Send = async (update) => {
      // A client that went away ends the connection; the turn must not stumble over it first.
      await client.notify('session/update', { sessionId, update }).catch(report)
    }
    return {
      emit: sessionUpdates(send, offers),
      ask: async (question, signal) => {
        if (signal.aborted) return noAnswer(true)
        const request = permissionRequest(sessionId, question, offers)
        try {
          const options = { cancellationSignal: signal, stopWaitingOnCancel: true }
          return answerFrom(await client.request('session/request_permission', request, options))
        } catch (error) {
          if (!signal.aborted) report(error)
          return noAnswer(signal.aborted)
        }
      },
    }
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

function droppedServers(request: NewSessionRequest): string[] {
  const names = request.mcpServers.map((server) => oneLine(server.name, 60))
  if (names.length === 0) return []
  return [`MCP servers are not started in this version: ${names.join(', ')}.`]
}
