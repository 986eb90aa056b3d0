import type { Profile } from '../agents/profile.ts'

/**
 * The answer to `initialize`: the profile's shipped data, narrowed to what crosses the boundary.
 * Always protocol version 1: ACP wants an agent to answer with its own latest.
 */
export function initializeAnswer(profile: Profile): Record<string, unknown> {
  const { agentInfo, agentCapabilities, _meta } = profile.initialize
  return {
    protocolVersion: 1,
    agentInfo,
    agentCapabilities: {
      ...agentCapabilities,
      loadSession: false,
      mcpCapabilities: { http: false, sse: false },
    },
    authMethods: [],
    ...(_meta === undefined ? {} : { _meta }),
  }
}
