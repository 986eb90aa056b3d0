/** `glovebox acp`: serves one editor over stdin and stdout until it leaves. */
import { Connection, type Backend } from '../acp/connection.ts'
import { initializeAnswer, offersMethod } from '../acp/initialize.ts'
import { takeStdout } from '../acp/stdout-guard.ts'
import { readConfigured } from '../agents/configured.ts'
import { loadProfile } from '../agents/profile.ts'
import { EXIT } from '../errors.ts'
import { LateLauncher } from '../late-launcher.ts'
import type { Launcher, LauncherOptions } from '../launcher.ts'
import { parseArguments } from './arguments.ts'
import type { Io } from './io.ts'

const USAGE = 'glovebox acp [--agent NAME] [--image IMAGE]'

/** Loading the rest of the program waits this long for `initialize`, in ms. */
const FIRST_ANSWER = 150

/** Returns the exit code: 0 when the editor left or asked us to end. */
export async function acpCommand(argv: string[], io: Io): Promise<number> {
  // An editor adds this word to the command it has, for a terminal log-in (ACP, "Authentication").
  if (argv.at(-1) === 'setup') {
    const { setupCommand } = await import('./setup.ts')
    return setupCommand([], io)
  }
  const { values } = parseArguments(USAGE, argv, {
    agent: { type: 'string' },
    image: { type: 'string' },
  })
  const agent = typeof values['agent'] === 'string' ? values['agent'] : undefined
  const imageName = typeof values['image'] === 'string' ? values['image'] : undefined
  // A wrong name is said at once, not with the first session.
  if (agent !== undefined) loadProfile(agent)
  const answered = Promise.withResolvers<void>()
  await using launcher = new LateLauncher(() =>
    startLauncher(io, { agent, imageName }, answered.promise),
  )
  // What goes wrong is told with the first session.
  launcher.get().catch(() => undefined)
  const connection = new Connection(
    takeStdout(io.stdout, io.stderr),
    backend(io, agent, launcher, answered.resolve),
  )
  await Promise.race([connection.serve(io.stdin), askedToEnd()])
  answered.resolve()
  await connection.close()
  return EXIT.ok
}

/** What the first answer does not need is loaded after it. */
async function startLauncher(
  io: Io,
  chosen: Pick<LauncherOptions, 'agent' | 'imageName'>,
  answered: Promise<void>,
): Promise<Launcher> {
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, FIRST_ANSWER))])
  const { createLauncher } = await import('../create-launcher.ts')
  const launcher = createLauncher(io.env, chosen)
  launcher.warmUp()
  return launcher
}

function backend(
  io: Io,
  agent: string | undefined,
  launchers: LateLauncher,
  answered: () => void,
): Backend {
  const answer = (params?: Record<string, unknown>): Record<string, unknown> => {
    const known = readConfigured(io.env)
    return initializeAnswer(loadProfile(agent ?? known.agent), known, params)
  }
  return {
    initialize: (params) => {
      setImmediate(answered)
      return answer(params)
    },
    offers: (method) => offersMethod(answer(), method),
    authenticate: async () => {
      const [launcher, { chooseModel }] = await Promise.all([
        launchers.get(),
        import('../session/model-choice.ts'),
      ])
      const policy = launcher.readPolicy(undefined)
      chooseModel(policy, loadProfile(agent ?? policy.agent), io.env)
      return {}
    },
    open: async (frame, initialize, events) => {
      const [launcher, { openSession }] = await Promise.all([
        launchers.get(),
        import('../session/open.ts'),
      ])
      return openSession(launcher, frame, initialize, events)
    },
  }
}

/** Resolves at the first signal that asks a program to end. */
async function askedToEnd(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, resolve)
  })
}
