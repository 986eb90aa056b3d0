/** `glovebox verify`: opens a session, looks at its container from inside and outside, and judges. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { homedir, hostname } from 'node:os'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'

import { methods } from '@agentclientprotocol/sdk'

import { loadProfile } from '../agents/profile.ts'
import { paintFor } from '../client/colour.ts'
import { columns } from '../client/columns.ts'
import { connect } from '../client/connect.ts'
import { spawnAcp } from '../client/spawn-agent.ts'
import { makeWorkspace } from '../demo/workspace.ts'
import { containerUser, ownIds } from '../docker/container-user.ts'
import type { Engine } from '../docker/engine.ts'
import { findEngine } from '../docker/find.ts'
import { pinnedImage } from '../docker/image.ts'
import { EXIT, GloveboxError } from '../errors.ts'
import { lockEntry, readLock } from '../images/lock.ts'
import { loadPolicy } from '../policy/load.ts'
import type { Policy } from '../policy/merge.ts'
import { parseProbe, probeScript } from '../proof/probe.ts'
import { agentContainerOf, privatePaths } from '../proof/session-box.ts'
import { judgeInspect, judgeProbe, type Check } from '../proof/verify-checks.ts'
import { agentImage } from '../session/agent-image.ts'
import { statePaths, type StatePaths } from '../state.ts'
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
  const { canary, env } = planted(io)
  const chosen = ['agent', 'image'].flatMap((name) => {
    const value = values[name]
    return typeof value === 'string' ? [`--${name}`, value] : []
  })
  const child = spawnAcp({
    entry: process.argv[1] ?? '',
    args: chosen,
    env,
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
  const container = engine.container(await agentContainerOf(engine, workspace.project))
  const { project, secret, owner } = workspace
  const hostPaths = privatePaths(secret, paths, engine.info.uri)
  const questions = { project, hostPaths, canary }
  const { stdout } = await container.exec(['sh', '-c', probeScript(questions)])
  const policy = loadPolicy(paths, project)
  const inspect = await container.inspect()
  const locked = await lockedImage(engine, paths, policy, values, project)
  return [
    ...judgeProbe(parseProbe(stdout), {
      ...questions,
      uid: containerUser(engine.info, ownIds(), owner).uid,
      hostName: hostname(),
      limits: { memory: policy.limits.memory_mb * 1024 * 1024, pids: policy.limits.pids },
    }),
    ...judgeInspect(inspect, locked, canary),
  ]
}

/** A key that was made up opens a session as well as a real one: no model is asked. */
function planted({ env }: Io): { canary: string; env: Io['env'] } {
  const canary = `verify-${randomBytes(18).toString('hex')}`
  return { canary, env: { ...env, ...Object.fromEntries(KEYS.map((name) => [name, canary])) } }
}

/** The id of the image that may run for these arguments. */
async function lockedImage(
  engine: Engine,
  paths: StatePaths,
  policy: Policy,
  { agent, image }: Record<string, unknown>,
  project: string,
): Promise<string> {
  const lock = await readLock(paths.lock)
  const host = {
    imageName: typeof image === 'string' ? image : undefined,
    image: (of: Engine, role: string) => pinnedImage(of, lockEntry(lock, of.info.uri, role), role),
  }
  const profile = loadProfile(typeof agent === 'string' ? agent : policy.agent)
  return (await agentImage(host, engine, profile, policy, { realCwd: project })).id
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
  const { canary, env } = planted(io)
  const questions = { project: process.cwd(), hostPaths: [join(homedir(), '.ssh')], canary }
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
