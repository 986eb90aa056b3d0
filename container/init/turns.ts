/** The launcher's words about turns, and init's answers. */
import { type FromInit, type ToInit, reapedMessage } from './messages.ts'
import { createReaper } from './reaper.ts'

type Of<Type extends ToInit['type']> = Extract<ToInit, { type: Type }>

export type Turns = {
  mark: (message: Of<'mark'>) => void
  reap: (message: Of<'reap'>) => void
  /** SIGINT, which the launcher sends when its control stream does not answer. */
  interrupt: () => void
}

/** Marks and reaps in the order they are asked for, each answered with `send`. */
export function createTurns(send: (message: FromInit) => void): Turns {
  const reaper = createReaper()
  let interrupted = false
  const reap = async (id: number | undefined): Promise<void> => {
    const { processes, left } = await reaper.reap()
    send(reapedMessage(processes, left, id))
  }
  return {
    mark: ({ turn, helpers }) =>
      void reaper.mark(helpers).then(() => send({ type: 'marked', turn })),
    reap: ({ id }) => void reap(id),
    interrupt() {
      // The agent may send SIGINT as well: one waiting is enough.
      if (interrupted) return
      interrupted = true
      void reap(undefined).finally(() => (interrupted = false))
    },
  }
}
