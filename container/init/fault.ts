/** Why init gives up, and with which exit code (sysexits). */

export const EXIT = {
  ok: 0,
  usage: 64,
  /** The proxy cannot be reached, or a port is taken. */
  unavailable: 69,
  software: 70,
  /** The agent's command cannot be started. */
  notExecutable: 126,
} as const

/** A fault with one sentence for stderr. */
export class InitFault extends Error {
  override readonly name = 'InitFault'
  readonly exitCode: number
  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** The system's error code, such as `ENOENT`, or the message of an error that has none. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
