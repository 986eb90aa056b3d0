/** Ctrl-C: the first asks the agent to stop, the second ends it. */

export type Interrupt = Disposable & {
  /** Aborts at the first interrupt. */
  readonly signal: AbortSignal
  /** Called at the second. */
  onSecond: (() => void) | undefined
  /** As if both had come, for when nobody listens any more. */
  stop: () => void
}

/** Listens to SIGINT, and to SIGTERM as if it were both at once, until disposed. */
export function watchInterrupts(process: NodeJS.EventEmitter): Interrupt {
  const first = new AbortController()
  const watch: Interrupt = {
    signal: first.signal,
    onSecond: undefined,
    stop: () => {
      first.abort()
      watch.onSecond?.()
    },
    [Symbol.dispose]() {
      process.off('SIGINT', onInterrupt)
      process.off('SIGTERM', watch.stop)
    },
  }
  const onInterrupt = () => {
    if (first.signal.aborted) watch.onSecond?.()
    else first.abort()
  }
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', watch.stop)
  return watch
}
