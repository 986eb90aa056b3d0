import { PassThrough, type Readable, type Writable } from 'node:stream'

/** Bytes of input that are taken in while the agent does not read. */
const BACKLOG = 1024 * 1024

export type Input = {
  /** Sends everything, also what came before, to the agent. */
  feed: (agent: Writable) => void
  /** Ends the agent's input after what was already taken in. */
  close: () => void
}

/**
 * Takes the launcher's input from the first moment on, so that its end is noticed even when the
 * agent was not started yet or does not read. Past the backlog the launcher is held back.
 */
export function takeInput(stdin: Readable, onEnd: () => void): Input {
  const backlog = new PassThrough({ highWaterMark: BACKLOG })
  stdin.once('end', onEnd)
  stdin.once('error', onEnd)
  stdin.pipe(backlog)
  return {
    feed(agent) {
      agent.on('error', () => {
        // The agent closed its input but lives: go on reading, or our own end would stay unseen.
        backlog.unpipe(agent)
        backlog.resume()
      })
      backlog.pipe(agent)
    },
    close() {
      stdin.unpipe(backlog)
      if (!backlog.writableEnded) backlog.end()
      // What still comes is for nobody.
      stdin.resume()
    },
  }
}
