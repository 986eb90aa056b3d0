/** The agent's one catalogue of faults: code → JSON-RPC code, and every sentence a caller reads. */

import { oneLine } from './visible.ts'

const RPC = {
  auth_required: -32_000,
  not_found: -32_002,
  invalid_request: -32_600,
  invalid_params: -32_602,
  internal: -32_603,
} as const

export type FaultCode = keyof typeof RPC

/** A fault whose message is a sentence for the user: no stack, no secret, no foreign text unshown. */
export class AgentFault extends Error {
  readonly code: FaultCode
  constructor(code: FaultCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'AgentFault'
    this.code = code
  }
  /** The JSON-RPC error code (ACP v1 schema, `ErrorCode`). */
  get rpc(): number {
    return RPC[this.code]
  }
}

export const fault = {
  notConfigured: (missing: string) =>
    new AgentFault(
      'auth_required',
      `The agent has no usable model: ${missing} is not set. Run \`glovebox setup\` to choose a model and enter its key.`,
    ),
  badConfiguration: (name: string, expected: string) =>
    new AgentFault('internal', `${name} is not valid: expected ${expected}.`),
  cwd: (cwd: string, why: string) =>
    new AgentFault('invalid_params', `The working directory ${quoted(cwd)} ${why}.`),
  promptRunning: () =>
    new AgentFault(
      'invalid_request',
      'A prompt is already running in this session. Cancel it, or wait for it to end.',
    ),
  promptEmpty: () =>
    new AgentFault('invalid_params', 'The prompt is empty. Send text, a file or an image.'),
  promptUnsupported: (what: string) =>
    new AgentFault('invalid_params', `The prompt holds ${what}, which this agent does not take.`),
  unknownOption: (id: string) =>
    new AgentFault('invalid_params', `There is no option ${quoted(id)}.`),
  unknownValue: (id: string, value: string) =>
    new AgentFault('invalid_params', `The option ${quoted(id)} has no value ${quoted(value)}.`),
  sessionOpen: () =>
    new AgentFault('invalid_request', 'This session is open already, or is being opened.'),
  otherFolder: (cwd: string) =>
    new AgentFault(
      'invalid_params',
      `This session belongs to the folder ${quoted(cwd)}, not to the one asked for.`,
    ),
  unknownMode: (mode: string) =>
    new AgentFault('invalid_params', `There is no mode ${quoted(mode)}.`),
  provider: (sentence: string, status?: number) =>
    new AgentFault(status === 401 ? 'auth_required' : 'internal', sentence),
  unexpected: () =>
    new AgentFault('internal', 'The agent failed unexpectedly. Its log on stderr says more.'),
} as const

/** What a client sent, on one line and visible. */
function quoted(value: string): string {
  return oneLine(JSON.stringify(value))
}
