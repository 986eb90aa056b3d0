import type { Io } from './commands/io.ts'
/** `glovebox`: argv → command → exit code. */
import { EXIT, GloveboxError, sentenceOf } from './errors.ts'
import { unsupportedNode } from './node-version.ts'

type Command = (argv: string[], io: Io) => Promise<number>

/** Loaded only when asked for: `glovebox acp` must answer quickly. */
const COMMANDS: Record<string, { summary: string; load: () => Promise<Command> }> = {
  acp: {
    summary: 'serve an editor over stdin and stdout (what the editor starts)',
    load: async () => (await import('./commands/acp.ts')).acpCommand,
  },
  run: {
    summary: 'run one prompt in this folder, for scripts and CI',
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  demo: {
    summary: 'show the whole path on a small project',
    load: async () => (await import('./commands/demo.ts')).demoCommand,
  },
  setup: {
    summary: 'choose a model provider and enter its key',
    load: async () => (await import('./commands/setup.ts')).setupCommand,
  },
  build: {
    summary: 'build the images and pin them',
    load: async () => (await import('./commands/build.ts')).buildCommand,
  },
  agents: {
    summary: 'list the agents and what each still lacks',
    load: async () => (await import('./commands/agents.ts')).agentsCommand,
  },
  ps: {
    summary: 'list the sessions that run and what they use',
    load: async () => (await import('./commands/ps.ts')).psCommand,
  },
  stop: {
    summary: 'end a session, or all of yours',
    load: async () => (await import('./commands/stop.ts')).stopCommand,
  },
  gc: {
    summary: 'remove what launchers that died left behind',
    load: async () => (await import('./commands/gc.ts')).gcCommand,
  },
  egress: {
    summary: 'explain whether a destination may be reached, and why',
    load: async () => (await import('./commands/egress.ts')).egressCommand,
  },
  verify: {
    summary: 'look at a session’s container from inside, and judge every promise',
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
  },
  audit: {
    summary: 'verify the audit log',
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
}

const io: Io = {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
}

process.exit(await main(process.argv.slice(2)))

async function main([name, ...argv]: string[]): Promise<number> {
  try {
    const tooOld = unsupportedNode(process.versions.node)
    if (tooOld !== undefined) throw new GloveboxError('usage', tooOld)
    if (name === undefined || name === 'help' || name === '--help' || name === '-h') return help()
    if (name === '--version' || name === 'version') return await version()
    const command = COMMANDS[name]
    if (command === undefined) {
      const known = Object.keys(COMMANDS).join(', ')
      throw new GloveboxError(
        'usage',
        `There is no command ${JSON.stringify(name)}.`,
        `Use one of: ${known}.`,
      )
    }
    return await (
      await command.load()
    )(argv, io)
  } catch (error) {
    io.stderr.write(`glovebox: ${sentenceOf(error)}\n`)
    return error instanceof GloveboxError ? error.exitCode : EXIT.software
  }
}

function help(): number {
  const lines = Object.entries(COMMANDS).map(
    ([name, { summary }]) => `  ${name.padEnd(8)}${summary}`,
  )
  io.stdout.write(`Usage: glovebox COMMAND [OPTIONS]\n\n${lines.join('\n')}\n`)
  return EXIT.ok
}

async function version(): Promise<number> {
  const { packageVersion } = await import('./package-root.ts')
  io.stdout.write(`${packageVersion()}\n`)
  return EXIT.ok
}
