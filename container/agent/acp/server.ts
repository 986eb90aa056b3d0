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
import { MODES } from '../permission/modes.ts'
import type { ProcessGroups } from '../tools/process-groups.ts'
import { clientOffers, NO_OFFERS } from './client-offers.ts'
import { promptPieces } from './prompt-blocks.ts'
import { Sessions } from './sessions.ts'

export type ServerOptions = {
  groups: ProcessGroups
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

export function serve(stream: Stream, options: ServerOptions): Server {
  let offers = NO_OFFERS
  let sessions: Sessions | undefined
  const app = agent({ name: 'glovebox' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      offers = clientOffers(params.clientCapabilities)
      return INITIALIZED
    })
    .onRequest(
      methods.agent.authenticate,
      answering(options.report, () => {
        readConfiguration(options.env)
        return {}
      }),
    )
  handleSessions(app, options.report, () => {
    // Handlers run only on a connection, and the sessions are there as soon as it is.
    if (sessions === undefined) throw fault.unexpected()
    return sessions
  })
  const connection = app.connect(stream)
  sessions = new Sessions({ ...options, client: connection.client, offers: () => offers })
  return { connection, sessions }
}

function handleSessions(app: AgentApp, report: Report, sessions: () => Sessions): void {
  const { session } = methods.agent
  app
    .onRequest(
      session.new,
      answering(report, async ({ params }) => {
        const started = await sessions().start(params)
        const modes = { currentModeId: started.mode, availableModes: MODES }
        return { sessionId: started.id, modes }
      }),
    )
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
      session.close,
      answering(report, async ({ params }) => {
        await sessions().close(params.sessionId)
        return {}
      }),
    )
}

/** Version 1 whatever was asked for: it is the only one there is here (ACP, "Initialization"). */
const INITIALIZED: InitializeResponse = {
  protocolVersion: 1,
  agentInfo: { name: 'glovebox', title: 'Glovebox', version: packageJson.version },
  agentCapabilities: {
    loadSession: false,
    promptCapabilities: { image: true, audio: false, embeddedContext: true },
    mcpCapabilities: { http: false, sse: false },
    sessionCapabilities: { close: {} },
  },
  authMethods: [],
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
