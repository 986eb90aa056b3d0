/** A real agent in its own image, with the demo model as its provider. */
import type { GatewayPreset } from '../../../egress-proxy/policy.ts'
import { type Profile, loadProfile } from '../../../src/agents/profile.ts'
import { choose, type Editor, INITIALIZE } from './editor.ts'
import { World } from './world.ts'

/** How long a cold agent may take to open a session or to end a turn, in ms. */
export const SLOW = 90_000

/** A user with one key, for a provider of this kind, and a model that no catalogue knows. */
export async function worldFor(preset: GatewayPreset): Promise<World> {
  const world = await World.open()
  const key_env = `${preset.toUpperCase()}_API_KEY`
  world.env['ANTHROPIC_API_KEY'] = undefined
  world.env[key_env] = world.outside.key
  const provider = {
    preset,
    base_url: `http://${world.outside.modelHost}:8080`,
    key_env,
    insecure_http: true,
    allow_private: [world.outside.subnet],
  }
  await world.configure({
    model: 'glovebox-demo',
    provider: preset,
    providers: { [preset]: provider },
  })
  return world
}

/** An editor that answers every question with the first option of that kind. */
export function editorWith(world: World, agent: string, kind = 'allow_once'): Editor {
  return world.editor({ args: ['--agent', agent], onQuestion: choose(kind) })
}

/**
 * What the agent itself answers to the `initialize` that the launcher sends it: it is started once
 * more, in the running container.
 */
export async function ownInitialize(world: World, agent: string): Promise<Profile['initialize']> {
  const [container] = await world.engine.list(`glovebox.project=${world.project}`)
  if (container === undefined) throw new Error('no container runs')
  const request = JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { ...INITIALIZE, clientCapabilities: {} },
  })
  const { stdout, stderr } = await world.engine
    .container(container.id)
    .exec(['node', '-e', ASK, request, ...loadProfile(agent).command])
  const answer = stdout.split('\n').find((line) => line.startsWith('{'))
  if (answer === undefined) throw new Error(`no answer: ${stdout}${stderr}`)
  const { result }: { result: Profile['initialize'] } = JSON.parse(answer)
  return result
}

const ASK = `
const [request, command, ...args] = process.argv.slice(1)
const child = require('node:child_process').spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
child.stdin.write(request + '\\n')
require('node:readline').createInterface({ input: child.stdout }).on('line', (line) => {
  if (!line.includes('agentCapabilities')) return
  console.log(line)
  child.kill('SIGKILL')
  process.exit()
})
`
