/** The agent's side of ACP: which method does what. */
import { agent, methods, RequestError } from '@agentclientprotocol/sdk'
import type {
  AgentApp,
  AgentConnection,
  InitializeResponse,
  Stream,
} from '@agentclientprotocol/sdk'

import packageJson from '../../../package.json' with { type: 'json' }
import { readConfiguration } from '../configuration.ts'
import { AgentFault, fault } from '../errors.ts'
import type { SessionStore } from '../journal/session-store.ts'
import { MODES } from '../permission/modes.ts'
import type { Session } from '../session/session.ts'
import type { ProcessGroups } from '../tools/process-groups.ts'
import { clientOffers, NO_OFFERS } from './client-offers.ts'
import { configOptions } from './config-options.ts'
import { promptPieces } from './prompt-blocks.ts'
import { Sessions } from './sessions.ts'
import type { Reopening } from './sessions.ts'

export type ServerOptions = {
  groups: ProcessGroups
  store: SessionStore
  env: NodeJS.ProcessEnv
  report: Report
}

/** For what the user does not see: the log. */
type Report = (error: unknown) => void

export type Server = {
  connection: AgentConnection
  /** Ends when the connection does; dispose of them then. */
  sessions: Sessions
}

/** What the handlers share: the sessions are there as soon as the connection is. */
type Shared = { report: Report; store: SessionStore; sessions: () => Sessions }

export function serve(stream: Stream, options: ServerOptions): Server {
  let offers = NO_OFFERS
  let sessions: Sessions | undefined
  const { report, store } = options
  const app = agent({ name: 'glovebox' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      offers = clientOffers(params.clientCapabilities)
      return initialized(store.usable)
    })
    .onRequest(
      methods.agent.authenticate,
      answering(report, () => {
        readConfiguration(options.env)
        return {}
      }),
    )
  const shared: Shared = {
    report,
    store,
    sessions: () => {
      if (sessions === undefined) throw fault.unexpected()
      return sessions
    },
  }
  handleOpening(app, shared)
  if (store.usable) handleStored(app, shared)
  handleOpen(app, shared)
  const connection = app.connect(stream)
  sessions = new Sessions({ ...options, client: connection.client, offers: () => offers })
  return { connection, sessions }
}

function handleOpening(app: AgentApp, { report, sessions }: Shared): void {
  const { session } = methods.agent
  app
    .onRequest(
      session.new,
      answering(report, async ({ params }) => {
        const started = await sessions().start(params)
        sessions().announceAfterResponse(started)
        return { sessionId: started.id, ...stateOf(started) }
      }),
    )
    .onRequest(
      session.close,
      answering(report, async ({ params }) => {
        await sessions().close(params.sessionId)
        return {}
      }),
    )
}

/** What needs a place for journals. */
function handleStored(app: AgentApp, { report, store, sessions }: Shared): void {
  const { session } = methods.agent
  app
    .onRequest(
      session.load,
      answering(report, async ({ params }) => await reopened(sessions(), params, true)),
    )
    .onRequest(
      session.resume,
      answering(report, async ({ params }) => await reopened(sessions(), params, false)),
    )
    .onRequest(
      session.list,
      answering(report, async ({ params }) => {
        const page = await store.list(params.cwd ?? undefined, params.cursor ?? undefined)
        return {
          sessions: page.sessions.map(({ id: sessionId, ...rest }) => ({ sessionId, ...rest })),
          ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
        }
      }),
    )
    .onRequest(
      session.delete,
      answering(report, async ({ params }) => {
        await sessions().delete(params.sessionId)
        return {}
      }),
    )
}

async function reopened(sessions: Sessions, request: Reopening, replay: boolean) {
  const session = await sessions.reopen(request, replay)
  sessions.announceAfterResponse(session)
  return stateOf(session)
}

function handleOpen(app: AgentApp, { report, sessions }: Shared): void {
  const { session } = methods.agent
  app
    .onRequest(
      session.prompt,
      answering(report, async ({ params, signal }) => {
        const addressed = sessions().get(params.sessionId)
        const stopReason = await addressed.prompt(promptPieces(params.prompt), signal)
        return { stopReason }
      }),
    )
    .onNotification(session.cancel, ({ params }) => sessions().find(params.sessionId)?.cancel())
    .onRequest(
      session.setMode,
      answering(report, ({ params }) => {
        sessions().get(params.sessionId).setMode(params.modeId)
        return {}
      }),
    )
    .onRequest(
      session.setConfigOption,
      answering(report, ({ params }) => {
        const addressed = sessions().get(params.sessionId)
        addressed.choose(params.configId, String(params.value))
        return { configOptions: configOptions(addressed.choices) }
      }),
    )
}

function stateOf(session: Session) {
  return {
    modes: { currentModeId: session.mode, availableModes: MODES },
    configOptions: configOptions(session.choices),
  }
}

/** Version 1 whatever was asked for: it is the only one there is here (ACP, "Initialization"). */
function initialized(stores: boolean): InitializeResponse {
  return {
    protocolVersion: 1,
    agentInfo: { name: 'glovebox', title: 'Glovebox', version: packageJson.version },
    agentCapabilities: {
      loadSession: stores,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: {
        close: {},
        ...(stores ? { list: {}, resume: {}, delete: {} } : {}),
      },
    },
    authMethods: [],
  }
}

/** Every fault becomes a JSON-RPC error with its sentence; what is no fault of ours goes to the log. */
function answering<Context, Response>(
  report: Report,
  handler: (context: Context) => Response | Promise<Response>,
) {
  return async (context: Context): Promise<Response> => {
    try {
      return await handler(context)
    } catch (error) {
      throw requestError(error, report)
    }
  }
}

function requestError(error: unknown, report: Report): RequestError {
  if (error instanceof RequestError) return error
  if (!(error instanceof AgentFault)) report(error)
  const { rpc, message } = error instanceof AgentFault ? error : fault.unexpected()
  return new RequestError(rpc, message)
}
