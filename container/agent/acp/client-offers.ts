/** What the client said it can do; nothing is sent to it that it did not offer. */
import type { ClientCapabilities } from '@agentclientprotocol/sdk'

export type ClientOffers = {
  /** Cards fed by `_meta.terminal_*` (a convention of Zed and the adapters it ships). */
  terminalCards: boolean
  /** The `notice` session update. */
  notices: boolean
  /** Form elicitation. */
  forms: boolean
}

export const NO_OFFERS: ClientOffers = { terminalCards: false, notices: false, forms: false }

export function clientOffers(capabilities: ClientCapabilities | undefined): ClientOffers {
  return {
    terminalCards: capabilities?.['_meta']?.['terminal_output'] === true,
    notices: isOffered(capabilities?.session?.notices),
    forms: isOffered(capabilities?.elicitation?.form),
  }
}

function isOffered(capability: unknown): boolean {
  return capability !== undefined && capability !== null && capability !== false
}
