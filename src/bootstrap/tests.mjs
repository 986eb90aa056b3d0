/** `npm test`: every suite, the real engine ready, and one closing line of figures. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { bundle } from './bundle.mjs'
import { findOrSetUpEngine } from './engine.mjs'
import { prepareImages } from './prepare.mjs'
import { exitOf } from './run.mjs'
import { say, step } from './steps.mjs'
import { addUp, closingLine, figuresOf, notRun } from './test-figures.mjs'

/** The agents whose packages are too large for every run. */
const AGENTS = ['codex', 'gemini', 'opencode']

/**
 * Resolves with the exit code: 0 only when tests ran and none failed, that of the fault when there
 * is no engine or image to test with. Each engine that is not there is named as not run.
 */
export async function runTests(root) {
  await bundle(root)
  step('Unit and integration tests')
  const figures = [await vitest(root, ['--project', 'unit', '--project', 'integration'], {})]
  const tested = []
  let fault
  try {
    for (const engine of await testEngines(root)) {
      figures.push(await endToEnd(root, engine))
      tested.push(engine.info)
    }
  } catch (error) {
    fault = error
    say(`glovebox: ${error.sentence ?? error.message}`)
  }
  for (const name of notRun(tested)) say(`not run: end-to-end tests on ${name}`)
  say('not run: Codex, Gemini CLI and opencode (npm run test:agents)')
  const sum = addUp(figures)
  step('Done')
  process.stdout.write(`${closingLine(sum)}\n`)
  if (fault !== undefined) return fault.exitCode ?? 1
  return sum.failed === 0 && sum.passed > 0 ? 0 : 1
}

/** Suites that take too long for every run, on the engine alone, and the images each needs. */
const LONG = {
  agents: ['demo', 'claude', ...AGENTS],
  toolchains: ['demo'],
  faults: ['demo'],
}

export async function runLongTests(root, project) {
  await bundle(root)
  const figures = []
  for (const engine of await testEngines(root)) {
    await prepareImages(engine, ...LONG[project])
    step(`Tests of ${project} on ${nameOf(engine.info)}`)
    figures.push(
      await vitest(root, ['--project', project, '--no-file-parallelism'], onEngine(engine)),
    )
  }
  const sum = addUp(figures)
  step('Done')
  process.stdout.write(`${closingLine(sum)}\n`)
  return sum.failed === 0 && sum.passed > 0 ? 0 : 1
}

async function endToEnd(root, engine) {
  await prepareImages(engine, 'demo', 'claude')
  step(`End-to-end tests on ${nameOf(engine.info)}`)
  // One file at a time: these share an engine, and some of them count what runs on it.
  return await vitest(root, ['--project', 'e2e', '--no-file-parallelism'], onEngine(engine))
}

const onEngine = ({ info: { uri } }) => ({ DOCKER_HOST: uri, GLOVEBOX_TEST_ENGINES: uri })

/** The engine of this machine, or those that GLOVEBOX_TEST_ENGINES lists. */
async function testEngines(root) {
  const listed = (process.env.GLOVEBOX_TEST_ENGINES ?? '').split(/[\s,]+/).filter(Boolean)
  if (listed.length === 0) return [await findOrSetUpEngine(root)]
  const { findEngine } = await import('../docker/find.ts')
  return await Promise.all(listed.map((uri) => findEngine({ ...process.env, DOCKER_HOST: uri })))
}

const nameOf = ({ kind, version, rootless }) =>
  `${kind === 'docker' ? 'Docker' : 'Podman'} ${version}${rootless ? ', rootless' : ''}`

async function vitest(root, args, env) {
  const folder = mkdtempSync(join(tmpdir(), 'glovebox-test-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const program = join(root, 'node_modules/vitest/vitest.mjs')
  try {
    const child = spawn(process.execPath, [program, 'run', ...args, ...reporters], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    return figuresOf(await exitOf(child), textOf(report))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
