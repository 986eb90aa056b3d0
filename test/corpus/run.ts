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
import { noNetwork } from './scenarios/network.ts'

type Result = { outcome: 'passed' | 'failed' | 'not run'; why: string[] }

const DEFAULT_FILES = ['egress-corpus.json', 'further-cases.json'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
)

const print = (line: string) => process.stdout.write(`${line}\n`)

async function runCase(lab: Lab, given: CorpusCase): Promise<Result> {
  if (given.expected === 'cannot-see' || given.expected === 'see-why') {
    return { outcome: 'not run', why: [`expected is ${given.expected}`] }
  }
  const scenario =
    scenarioFor(given) ?? (given.expected_reason === 'network' ? noNetwork : undefined)
  const own = lab.proxy !== undefined
  if (scenario !== undefined) {
    if (!own) return { outcome: 'not run', why: ['needs our own proxy process'] }
    return resultOf(await scenario(lab, given))
  }
  const attempts = attemptsFor(given)
  if (attempts.length === 0)
    return {
      outcome: 'not run',
      why: [`no way to run this ${given.kind} case from its description`],
    }
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

type Order = { files: string[]; proxy: { host: string; port: number } | undefined }

/** Throws an Error of one sentence when the command line makes no sense. */
function readOrder(argv: string[]): Order {
  const options = { proxy: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true })
  const files = positionals.length === 0 ? DEFAULT_FILES : positionals
  if (values.proxy === undefined) return { files, proxy: undefined }
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(values.proxy) ?? []
  if (host === undefined) throw new Error(`--proxy ${values.proxy}: expected HOST:PORT.`)
  return { files, proxy: { host, port: Number(port) } }
}

/** Every file is read before the first case runs, so that a malformed one costs no wait. */
async function main(): Promise<void> {
  const { files, proxy } = readOrder(process.argv.slice(2))
  const cases = files.flatMap(readCorpus)
  await using lab = await startLab(proxy)
  await selfTest(lab)
  const counts = { passed: 0, failed: 0, 'not run': 0 }
  for (const given of cases) {
    const { outcome, why } = await runCase(lab, given).catch((error: unknown) => ({
      outcome: 'failed' as const,
      why: [String(error)],
    }))
    counts[outcome] += 1
    if (outcome !== 'passed') print(`${outcome.padEnd(8)} ${given.id}  ${why.join('; ')}`)
  }
  print(`${counts['not run']} not run`)
  print(`${counts.passed} passed, ${counts.failed} failed`)
  process.exitCode = counts.failed === 0 ? 0 : 1
}

await main().catch((error: unknown) => {
  process.stderr.write(`corpus: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
})
