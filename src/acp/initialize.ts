import type { Profile } from '../agents/profile.ts'
import { isRecord } from './frame.ts'

export type Known = {
  /** Nothing is left to set up, so no log-in is offered: some clients call the first one blindly. */
  hasKey: boolean
  /** Sessions outlive their containers. */
  keepsSessions: boolean
}

/**
 * The answer to `initialize`: the profile's shipped data, narrowed to what crosses the boundary.
 * Always protocol version 1: ACP wants an agent to answer with its own latest.
 */
export function initializeAnswer(
  profile: Profile,
  { hasKey, keepsSessions }: Known,
  params: Record<string, unknown> = {},
): Record<string, unknown> {
  const { agentInfo, agentCapabilities, _meta } = profile.initialize
  return {
    protocolVersion: 1,
    agentInfo,
    agentCapabilities: {
      ...(keepsSessions ? agentCapabilities : forgetting(agentCapabilities)),
      mcpCapabilities: { http: false, sse: false },
    },
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

/** What is left of the capabilities when nothing of a session is kept. */
function forgetting(capabilities: Record<string, unknown>): Record<string, unknown> {
  const { close } = record(capabilities['sessionCapabilities'])
  const left = close === undefined ? {} : { close }
  return { ...capabilities, loadSession: false, sessionCapabilities: left }
}

/** Whether `initialize` offered a method for which a container is started. */
export function offersMethod(answer: Record<string, unknown>, method: string): boolean {
  const { loadSession, sessionCapabilities } = record(answer['agentCapabilities'])
  if (method === 'session/new') return true
  if (method === 'session/load') return loadSession === true
  return record(sessionCapabilities)[method.slice('session/'.length)] !== undefined
}
