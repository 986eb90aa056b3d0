import { performance } from 'node:perf_hooks'

/** The clock goes on when the pinned Node takes over. */
const start = Number(process.env.GLOVEBOX_STARTED ?? Date.now() - performance.now())
process.env.GLOVEBOX_STARTED = String(start)

/** One line on stderr: stdout belongs to what is being started. */
export function say(line) {
  process.stderr.write(`${line}\n`)
}

/** `[ 12.3 s] Installing docker.io` */
export function step(line) {
  const seconds = ((Date.now() - start) / 1000).toFixed(1)
  say(`[${seconds.padStart(5)} s] ${line}`)
}

/** A fault with a sentence and an exit code (sysexits), as the launcher's own errors have. */
export class BootstrapError extends Error {
  constructor(sentence, exitCode = 1) {
    super(sentence)
    this.exitCode = exitCode
  }
}
