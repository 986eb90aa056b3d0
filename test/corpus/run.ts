import { fileURLToPath } from 'node:url'
/**
 * `npm run corpus -- [--proxy HOST:PORT] [FILE…]`: sends every attack of a corpus through the
 * egress proxy, or through another one, and ends with `N passed, N failed`.
 */
import { parseArgs } from 'node:util'

import { type Attempt, attemptsFor } from './attempts.ts'
import { controlFaults, selfTest } from './control.ts'
import { type CorpusCase, readCorpus } from './corpus-file.ts'
import { type Lab, startLab } from './lab.ts'
import { faultsOf, observe } from './observe.ts'
import { scenarioFor } from './scenarios/index.ts'

type Result = { outcome: 'passed' | 'failed' | 'not run'; why: string[] }

const DEFAULT_FILE = fileURLToPath(new URL('egress-corpus.json', import.meta.url))

const print = (line: string) => process.stdout.write(`${line}\n`)

async function runCase(lab: Lab, given: CorpusCase): Promise<Result> {
  if (given.expected === 'cannot-see' || given.expected === 'see-why') {
    return { outcome: 'not run', why: [`expected is ${given.expected}`] }
  }
  if (given.expected_reason === 'network') {
    return { outcome: 'not run', why: ['a property of the container network, not of the proxy'] }
  }
  const scenario = scenarioFor(given)
  const own = lab.proxy !== undefined
  if (scenario !== undefined) {
    if (!own) return { outcome: 'not run', why: ['needs our own proxy process'] }
    return resultOf(await scenario(lab, given))
  }
  const attempts = attemptsFor(given)
  if (attempts.length === 0)
    return { outcome: 'not run', why: ['the description is not understood'] }
  const faults: string[] = []
  for (const attempt of attempts) faults.push(...(await runAttempt(lab, given, attempt, own)))
  return resultOf(faults)
}

async function runAttempt(
  lab: Lab,
  given: CorpusCase,
  attempt: Attempt,
  own: boolean,
): Promise<string[]> {
  const control = await controlFaults(attempt.bytes)
  const seen = await observe(lab, () => attempt.run(lab))
  const faults = [...control, ...faultsOf(given, seen, own)]
  return faults.map((fault) => `${attempt.label}: ${fault}`)
}

function resultOf(faults: string[]): Result {
  return { outcome: faults.length === 0 ? 'passed' : 'failed', why: faults }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { proxy: { type: 'string' } },
    allowPositionals: true,
  })
  const [, host, port] = /^(.+):(\d+)$/.exec(values.proxy ?? '') ?? []
  const other = host === undefined ? undefined : { host, port: Number(port) }
  await using lab = await startLab(other)
  await selfTest(lab)
  const counts = { passed: 0, failed: 0, 'not run': 0 }
  for (const file of positionals.length === 0 ? [DEFAULT_FILE] : positionals) {
    for (const given of readCorpus(file)) {
      const { outcome, why } = await runCase(lab, given).catch((error: unknown) => ({
        outcome: 'failed' as const,
        why: [String(error)],
      }))
      counts[outcome] += 1
      if (outcome !== 'passed') print(`${outcome.padEnd(8)} ${given.id}  ${why.join('; ')}`)
    }
  }
  print(`${counts['not run']} not run`)
  print(`${counts.passed} passed, ${counts.failed} failed`)
  process.exitCode = counts.failed === 0 ? 0 : 1
}

await main()
