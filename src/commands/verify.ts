/** `glovebox verify`: opens a session, looks at its container from inside and outside, and judges. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { homedir, hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'

import { methods } from '@agentclientprotocol/sdk'

import { paintFor } from '../client/colour.ts'
import { connect } from '../client/connect.ts'
import { spawnAcp } from '../client/spawn-agent.ts'
import { columns } from '../demo/show.ts'
import { makeWorkspace, type Workspace } from '../demo/workspace.ts'
import { containerUser } from '../docker/container-user.ts'
import { findEngine } from '../docker/find.ts'
import { EXIT, GloveboxError } from '../errors.ts'
import { loadPolicy } from '../policy/load.ts'
import { parseProbe, probeScript } from '../proof/probe.ts'
import { judgeInspect, judgeProbe, type Check } from '../proof/verify-checks.ts'
import { LABEL } from '../session/labels.ts'
import { statePaths } from '../state.ts'
import { parseArguments } from './arguments.ts'
import type { Io } from './io.ts'

const USAGE = 'glovebox verify [--agent NAME] [--image IMAGE] [--json] [-- COMMAND…]'
/** How long another command may take, in ms. */
const PATIENCE = 60_000
const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY']

/** Returns 0 when every check holds, else 1. Throws `usage` and what a session's start throws. */
export async function verifyCommand(argv: string[], io: Io): Promise<number> {
  const at = argv.indexOf('--')
  const [own, other] = at === -1 ? [argv, []] : [argv.slice(0, at), argv.slice(at + 1)]
  const { values } = parseArguments(USAGE, own, {
    agent: { type: 'string' },
    image: { type: 'string' },
    json: { type: 'boolean' },
  })
  const checks = at === -1 ? await verifySession(values, io) : await verifyOther(other, io)
  const bad = checks.filter(({ ok }) => !ok)
  io.stdout.write(
    values['json'] === true ? `${JSON.stringify({ checks }, undefined, 2)}\n` : table(checks, io),
  )
  return bad.length === 0 ? EXIT.ok : EXIT.failed
}

async function verifySession(values: Record<string, unknown>, io: Io): Promise<Check[]> {
  const paths = statePaths(io.env)
  const engine = await findEngine(io.env)
  const workspace = await makeWorkspace(paths.cache, {
    files: { 'README.md': 'For glovebox verify.\n' },
    source: 'README.md',
  })
  const canary = `verify-${randomBytes(18).toString('hex')}`
  // A key that was made up opens a session as well as a real one: no model is asked.
  const keys = Object.fromEntries(KEYS.map((name) => [name, canary]))
  const chosen = ['agent', 'image'].flatMap((name) => {
    const value = values[name]
    return typeof value === 'string' ? [`--${name}`, value] : []
  })
  const child = spawnAcp({
    entry: process.argv[1] ?? '',
    args: chosen,
    env: { ...io.env, ...keys },
    cwd: workspace.project,
  })
  await using connection = await connect(child, {
    onUpdate: () => undefined,
    onPermission: async () => ({ outcome: 'cancelled' }),
  })
  await connection.agent.request(methods.agent.session.new, {
    cwd: workspace.project,
    mcpServers: [],
  })
  const found = await engine.list(`${LABEL.project}=${workspace.project}`)
  const agent = found.find(({ labels }) => labels[LABEL.role] === 'agent')
  if (agent === undefined)
    throw new GloveboxError('container_failed', 'The session has no container.')
  const container = engine.container(agent.id)
  const questions = { ...askOf(workspace, paths, engine.info.uri), canary }
  const { stdout } = await container.exec(['sh', '-c', probeScript(questions)])
  const { limits } = loadPolicy(paths, workspace.project)
  const caller = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const inspect = await container.inspect()
  return [
    ...judgeProbe(parseProbe(stdout), {
      ...questions,
      uid: containerUser(engine.info, caller, workspace.owner).uid,
      hostName: hostname(),
      limits: { memory: limits.memory_mb * 1024 * 1024, pids: limits.pids },
    }),
    ...judgeInspect(inspect, inspect.Image, canary),
  ]
}

function askOf({ project, secret }: Workspace, paths: ReturnType<typeof statePaths>, uri: string) {
  const hostPaths = [
    secret,
    join(homedir(), '.ssh'),
    paths.state,
    dirname(paths.userConfig),
    uri.replace('unix://', ''),
  ]
  return { project, hostPaths }
}

/** Another way to run a container: the probe goes to its shell's input. */
async function verifyOther(command: string[], io: Io): Promise<Check[]> {
  const [program, ...args] = command
  if (program === undefined) {
    throw new GloveboxError(
      'usage',
      'After -- comes a command that runs a shell in a container.',
      `Usage: ${USAGE}`,
    )
  }
  const canary = `verify-${randomBytes(18).toString('hex')}`
  const questions = { project: process.cwd(), hostPaths: [join(homedir(), '.ssh')], canary }
  const env = { ...io.env, ...Object.fromEntries(KEYS.map((name) => [name, canary])) }
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE)
  child.stdin.on('error', () => undefined)
  child.stdin.end(probeScript(questions))
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) =>
      reject(new GloveboxError('usage', `${program} could not be run: ${error.message}.`)),
    )
  })
  try {
    const answers = parseProbe(await Promise.race([readAll(child.stdout), failed]))
    if (answers.size === 0) {
      throw new GloveboxError(
        'container_failed',
        `${program} ran no shell that reads its standard input.`,
        'Use a command such as: docker run -i --rm IMAGE sh',
      )
    }
    return judgeProbe(answers, {
      ...questions,
      uid: undefined,
      hostName: hostname(),
      limits: undefined,
    })
  } finally {
    clearTimeout(timer)
  }
}

function table(checks: Check[], io: Io): string {
  const paint = paintFor(io.stdout, io.env)
  const rows = [
    ['check', 'expected', 'found', 'guarantee'],
    ...checks.map(({ id, expected, found, guarantee }) => [
      id,
      expected,
      found.slice(0, 60),
      guarantee,
    ]),
  ]
  const [head = '', ...lines] = columns(rows).split('\n')
  const marked = checks.map(
    ({ ok }, index) => `${ok ? paint('good', '✔') : paint('bad', '✖')} ${lines[index] ?? ''}\n`,
  )
  const held = checks.filter(({ ok }) => ok).length
  const good = held === checks.length
  return `  ${head}\n${marked.join('')}\n${paint(good ? 'good' : 'bad', `${held} of ${checks.length} checks hold.`)}\n`
}
