import type { Profile } from '../agents/profile.ts'
import { isRecord } from './frame.ts'

/**
 * The answer to `initialize`: the profile's shipped data, narrowed to what crosses the boundary.
 * Always protocol version 1: ACP wants an agent to answer with its own latest. `hasKey`: nothing
 * is left to set up, so no log-in is offered (some clients call the first one blindly).
 */
export function initializeAnswer(
  profile: Profile,
  hasKey: boolean,
  params: Record<string, unknown> = {},
): Record<string, unknown> {
  const { agentInfo, agentCapabilities, _meta } = profile.initialize
  return {
    protocolVersion: 1,
    agentInfo,
    agentCapabilities: { ...agentCapabilities, mcpCapabilities: { http: false, sse: false } },
    authMethods: !hasKey && offersTerminal(params) ? [SETUP] : [],
    ...(_meta === undefined ? {} : { _meta }),
  }
}

/** The launcher's own set-up; no agent's log-in command, which would run on the host. */
const SETUP = {
  type: 'terminal',
  id: 'glovebox-setup',
  name: 'Set up Glovebox',
  description: 'Choose a model provider and enter its key.',
  args: ['setup'],
  _meta: {
    'terminal-auth': {
      label: 'Set up Glovebox',
      command: process.execPath,
      args: [process.argv[1] ?? '', 'setup'],
    },
  },
}

/** In the present form and in the older one, which the registry's checker sends alone. */
function offersTerminal(params: Record<string, unknown>): boolean {
  const client = record(params['clientCapabilities'])
  return (
    record(client['auth'])['terminal'] === true || record(client['_meta'])['terminal-auth'] === true
  )
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}
