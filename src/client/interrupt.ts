/** Ctrl-C: the first asks the agent to stop, the second ends it. */

export type Interrupt = Disposable & {
  /** Aborts at the first interrupt. */
  readonly signal: AbortSignal
  /** Called at the second. */
  onSecond: (() => void) | undefined
}

/** Listens to SIGINT, and to SIGTERM as if it were both at once, until disposed. */
export function watchInterrupts(process: NodeJS.EventEmitter): Interrupt {
  const first = new AbortController()
  const watch: Interrupt = {
    signal: first.signal,
    onSecond: undefined,
    [Symbol.dispose]() {
      process.off('SIGINT', onInterrupt)
      process.off('SIGTERM', onTerminate)
    },
  }
  const onInterrupt = () => {
    if (first.signal.aborted) watch.onSecond?.()
    else first.abort()
  }
  const onTerminate = () => {
    first.abort()
    watch.onSecond?.()
  }
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onTerminate)
  return watch
}
