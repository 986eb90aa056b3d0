/**
 * The guarantees, and how far each is delivered. A test on a real engine cites a guarantee in its
 * title, as in `[G-NET] …`; the suite fails when a delivered one is not cited, or an unknown one is.
 */
export type Guarantee = {
  sentence: string
  /** Why it is not delivered yet; absent when it is. */
  open?: string
}

export const GUARANTEES = {
  'G-MOUNT': {
    sentence: 'The agent sees the project at its own absolute path, and nothing else of the host.',
  },
  'G-WRITE': {
    sentence: 'What the host runs by itself cannot be planted in the project unnoticed.',
  },
  'G-MASK': {
    sentence: 'Untracked secret files that policy masks read as empty inside.',
  },
  'G-NET': {
    sentence:
      'The container has loopback only; the one way out is a socket to this session’s proxy.',
  },
  'G-EGRESS': {
    sentence: 'The proxy connects only to allowed host and port pairs, and records every decision.',
  },
  'G-KEY': {
    sentence:
      'No model key is ever inside the agent container: environment, files, inspect, memory.',
  },
  'G-GUARD': {
    sentence: 'No request of the agent makes the editor read, write or run outside the boundary.',
  },
  'G-CANCEL': {
    sentence:
      'After session/cancel the prompt ends cancelled and what the turn started is dead within a bound.',
  },
  'G-REAP': {
    sentence:
      'When the launcher dies, nothing keeps running, and nothing is left after the next start.',
  },
  'G-PIN': { sentence: 'Only the image whose content address is locked runs.' },
  'G-AUDIT': {
    sentence:
      'Starts, egress decisions, permission answers and refusals are in one hash-chained log.',
  },
  'G-WIRE': {
    sentence:
      'stdout carries ACP frames only; frames the policy does not change pass byte for byte.',
  },
} as const satisfies Record<string, Guarantee>
