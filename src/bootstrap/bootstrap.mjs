/**
 * `node src/bootstrap/bootstrap.mjs setup | bundle | demo | test | test:agents | test:toolchains | test:faults | engine:stop`: from
 * a fresh clone on a bare machine to a running program. Starts under any Node from 20 on, with nothing
 * installed, and goes on under the pinned Node.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { installModules } from './modules.mjs'
import { pinnedNode, runsPinned } from './pinned-node.mjs'
import { exitOf } from './run.mjs'
import { say } from './steps.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const [what = '', ...rest] = process.argv.slice(2)

/** Each step is loaded only when the ones before it made it loadable. */
const STORIES = {
  setup: async () => 0,
  bundle: async () => {
    const { bundle } = await import('./bundle.mjs')
    await bundle(root)
    return 0
  },
  demo: async () => {
    const { prepare } = await import('./prepare.mjs')
    const engine = await prepare(root, 'demo')
    const env = { ...process.env, DOCKER_HOST: engine.info.uri }
    return await pass([`${root}dist/glovebox.mjs`, 'demo', ...rest], env)
  },
  test: async () => {
    const { runTests } = await import('./tests.mjs')
    return await runTests(root)
  },
  'test:agents': async () => await longTests('agents'),
  'test:toolchains': async () => await longTests('toolchains'),
  'test:faults': async () => await longTests('faults'),
  'engine:stop': async () => {
    const { stopPrivateEngine } = await import('./private-engine.mjs')
    await stopPrivateEngine(root)
    return 0
  },
}

async function longTests(project) {
  const { runLongTests } = await import('./tests.mjs')
  return await runLongTests(root, project)
}

// At once: a pull from a registry that never answers must not keep us.
process.exit(await main())

async function main() {
  const story = STORIES[what]
  if (story === undefined) {
    say(`bootstrap: say one of ${Object.keys(STORIES).join(', ')}`)
    return 64
  }
  try {
    if (what === 'engine:stop') return await story()
    await installModules(root)
    if (!runsPinned(root)) {
      return await pass([fileURLToPath(import.meta.url), what, ...rest], process.env)
    }
    return await story()
  } catch (error) {
    say(`glovebox: ${error.sentence ?? error.message}`)
    return error.exitCode ?? 1
  }
}

/** Runs the rest under the pinned Node, on our own stdin, stdout and stderr. */
async function pass(args, env) {
  const child = spawn(pinnedNode(root), args, { stdio: 'inherit', env })
  // A terminal sends these to the whole group: the child decides how to end, we only wait.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  return await exitOf(child)
}
