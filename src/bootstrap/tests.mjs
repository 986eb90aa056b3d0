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

/** Resolves with the exit code: 0 only when tests ran and none failed. */
export async function runTests(root) {
  await bundle(root)
  step('Unit and integration tests')
  const figures = [await vitest(root, ['--project', 'unit', '--project', 'integration'], {})]
  const engines = await testEngines(root)
  for (const engine of engines) {
    await prepareImages(engine, 'all')
    step(`End-to-end tests on ${nameOf(engine.info)}`)
    const env = { DOCKER_HOST: engine.info.uri }
    // One file at a time: these share an engine, and some of them count what runs on it.
    figures.push(await vitest(root, ['--project', 'e2e', '--no-file-parallelism'], env))
  }
  for (const name of notRun(engines.map((one) => one.info))) {
    say(`not run: end-to-end tests on ${name} (no such engine was given or answers)`)
  }
  const sum = addUp(figures)
  step('Done')
  process.stdout.write(`${closingLine(sum)}\n`)
  return sum.failed === 0 && sum.passed > 0 ? 0 : 1
}

/** The engine of this machine, or those that GLOVEBOX_TEST_ENGINES lists, divided by blanks. */
async function testEngines(root) {
  const listed = (process.env.GLOVEBOX_TEST_ENGINES ?? '').split(/\s+/).filter(Boolean)
  if (listed.length === 0) return [await findOrSetUpEngine(root)]
  const { findEngine } = await import('../docker/find.ts')
  return await Promise.all(listed.map((uri) => findEngine({ ...process.env, DOCKER_HOST: uri })))
}

const nameOf = ({ kind, version, rootless }) =>
  `${kind === 'docker' ? 'Docker' : 'Podman'} ${version}${rootless ? ', rootless' : ''}`

async function vitest(root, args, env) {
  const folder = mkdtempSync(join(tmpdir(), 'glovebox-test-'))
  const report = join(folder, 'report.json')
  const command = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    ...['run', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  ]
  try {
    const child = spawn(process.execPath, command, {
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
