/** The one catalogue of what can go wrong: code → sentence → what to do. */

/** JSON-RPC codes of ACP errors. */
export const RPC = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  authRequired: -32_000,
  notFound: -32_002,
} as const

/** Process exit codes (sysexits where one fits). */
export const EXIT = {
  ok: 0,
  failed: 1,
  limit: 2,
  usage: 64,
  noInput: 66,
  unavailable: 69,
  software: 70,
  config: 78,
  interrupted: 130,
} as const

type Entry = { rpc: number; exit: number }

const CODES = {
  usage: { rpc: RPC.internal, exit: EXIT.usage },
  config_invalid: { rpc: RPC.internal, exit: EXIT.config },
  cwd_invalid: { rpc: RPC.invalidParams, exit: EXIT.usage },
  engine_missing: { rpc: RPC.internal, exit: EXIT.unavailable },
  engine_denied: { rpc: RPC.internal, exit: EXIT.unavailable },
  engine_failed: { rpc: RPC.internal, exit: EXIT.unavailable },
  image_missing: { rpc: RPC.internal, exit: EXIT.unavailable },
  image_not_pinned: { rpc: RPC.internal, exit: EXIT.failed },
  credential_missing: { rpc: RPC.authRequired, exit: EXIT.failed },
  container_refused: { rpc: RPC.internal, exit: EXIT.failed },
  container_failed: { rpc: RPC.internal, exit: EXIT.failed },
  proxy_failed: { rpc: RPC.internal, exit: EXIT.failed },
  audit_failed: { rpc: RPC.internal, exit: EXIT.failed },
  audit_broken: { rpc: RPC.internal, exit: EXIT.failed },
  agent_unknown: { rpc: RPC.internal, exit: EXIT.usage },
  prompt_running: { rpc: RPC.invalidRequest, exit: EXIT.failed },
  session_unknown: { rpc: RPC.notFound, exit: EXIT.failed },
  session_ended: { rpc: RPC.internal, exit: EXIT.failed },
  refused: { rpc: RPC.methodNotFound, exit: EXIT.failed },
  invalid_request: { rpc: RPC.invalidRequest, exit: EXIT.failed },
  invalid_params: { rpc: RPC.invalidParams, exit: EXIT.usage },
  build_failed: { rpc: RPC.internal, exit: EXIT.failed },
} as const satisfies Record<string, Entry>

export type ErrorCode = keyof typeof CODES

/**
 * A fault with a sentence for the user. `message` says what and where; `fix` says what to do.
 * Neither ever holds a secret or a stack.
 */
export class GloveboxError extends Error {
  override readonly name = 'GloveboxError'
  readonly code: ErrorCode
  readonly fix: string
  constructor(code: ErrorCode, message: string, fix = '', options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.fix = fix
  }
  get rpcCode(): number {
    return CODES[this.code].rpc
  }
  get exitCode(): number {
    return CODES[this.code].exit
  }
  /** The whole sentence: what, where, what to do. */
  get sentence(): string {
    return this.fix === '' ? this.message : `${this.message} ${this.fix}`
  }
}

/** The sentence of any thrown value, for a user; our own errors with their fix. */
export function sentenceOf(error: unknown): string {
  if (error instanceof GloveboxError) return error.sentence
  return error instanceof Error ? error.message : String(error)
}
