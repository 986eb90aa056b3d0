import type { StopReason } from '@agentclientprotocol/sdk'

import { EXIT } from '../errors.ts'

/** The exit code of a finished turn. */
export function exitCodeOf(stopReason: StopReason): number {
  switch (stopReason) {
    case 'end_turn':
      return EXIT.ok
    case 'max_tokens':
    case 'max_turn_requests':
      return EXIT.limit
    case 'refusal':
      return EXIT.failed
    case 'cancelled':
      return EXIT.interrupted
    default:
      // An agent may send a word that the protocol does not know.
      return EXIT.failed
  }
}
