/**
 * The story of making a failing test pass. Each `yield` is one tool call; what it gives back is the
 * tool's real answer, and everything after it is computed from that answer.
 */
import { dirname, resolve } from 'node:path'

import type { ToolAnswer } from './conversation.ts'
import { repairFunction, repairLiteral } from './repair.ts'
import type { Example, TextEdit } from './repair.ts'
import { plainText } from './source.ts'
import { readReport } from './test-report.ts'
import type { Failure, Report } from './test-report.ts'
import type { Step } from './tools.ts'

/** Yields steps, gets their answers, and returns what it says at the end. */
export type Story = Generator<Step, string, ToolAnswer>

const ATTEMPTS = 2

export function* fixTest(): Story {
  const listing = yield { say: 'First I look at the project.', role: 'list', path: '.' }
  if (listing.isError) return stopped('list the files', listing)
  const command = yield* testCommand(listing.text)
  let report = yield* runTests(command, `I run the tests with \`${command}\`.`)
  if (typeof report === 'string') return report
  if (report.failed === 0) return `All ${report.passed} tests pass already; I changed nothing.`

  const changes: string[] = []
  for (let attempt = 0; attempt < ATTEMPTS && report.failed > 0; attempt += 1) {
    if (report.failure === undefined) return `${UNREADABLE} I changed ${changes.length} lines.`
    const change = yield* repair(report.failure)
    if (typeof change === 'string') return [...changes, change].join(' ')
    changes.push(change.sentence)
    const next: Report | string = yield* runTests(command, 'I run the tests again.')
    if (typeof next === 'string') return [...changes, next].join(' ')
    report = next
  }
  if (report.failed > 0) return [...changes, gaveUp(report)].join(' ')
  return [...changes, `Now ${report.passed} of ${report.passed} tests pass.`].join(' ')
}

const UNREADABLE = 'The tests fail, but I cannot read from their output what was expected.'

function gaveUp(report: Report): string {
  const failure = report.failure
  const detail =
    failure === undefined ? '' : ` (expected ${failure.expected}, got ${failure.actual})`
  return `The tests still fail${detail}. I tried ${ATTEMPTS} times and stop here.`
}

function* testCommand(listing: string): Generator<Step, string, ToolAnswer> {
  const fallback = 'node --test'
  if (!listing.includes('package.json')) return fallback
  const say = 'The test command should be in package.json.'
  const manifest = yield { say, role: 'read', path: 'package.json' }
  const script = /"test"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(plainText(manifest.text))?.[1]
  if (script === undefined) return fallback
  return script.startsWith('node ') ? script : 'npm test'
}

function* runTests(command: string, say: string): Generator<Step, Report | string, ToolAnswer> {
  const answer = yield { say, role: 'run', command, why: 'Run the tests' }
  const report = readReport(answer.text)
  if (report !== undefined) return report
  if (answer.isError) return stopped(`run \`${command}\``, answer)
  return `\`${command}\` did not print a test report that I can read, so I stop here.`
}

type Changed = { sentence: string }

function* repair(failure: Failure): Generator<Step, Changed | string, ToolAnswer> {
  const { file, line, expected, actual } = failure
  const where = `${file}:${line}`
  const found = `The test at ${where} expected ${expected} but got ${actual}. I read the test.`
  const test = yield { say: found, role: 'read', path: file }
  if (test.isError) return stopped(`read ${file}`, test)
  const target = targetOf(plainText(test.text), failure)
  if (target === undefined)
    return `I do not see at ${where} which function of the project is tested.`

  const say = `It calls ${target.name}, which is in ${target.path}.`
  const shown = yield { say, role: 'read', path: target.path }
  if (shown.isError) return stopped(`read ${target.path}`, shown)
  const edit = editFor(plainText(shown.text), target, failure)
  if (edit === undefined)
    return `I see no small change to ${target.name} that gives ${expected} instead of ${actual}.`

  const { oldText, newText } = edit
  const place = `line ${edit.line} of ${target.path}`
  const plan = `Changing ${place} should give ${expected}.`
  const answer = yield { say: plan, role: 'edit', path: target.path, oldText, newText }
  if (answer.isError) return stopped(`edit ${target.path}`, answer)
  return {
    sentence: `I changed ${place} from \`${oldText.trim()}\` to \`${newText.trim()}\`, because the test expected ${expected} and got ${actual}.`,
  }
}

type Target = { name: string; path: string; examples: Example[] }

/** The imported function on the failing line, with every call of it that the test states plainly. */
function targetOf(test: string, failure: Failure): Target | undefined {
  const lines = test.split('\n')
  const failing = lines[failure.line - 1] ?? ''
  for (const [, names = '', specifier = ''] of test.matchAll(
    /import \{([^}]+)\} from ['"](\.[^'"]+)['"]/g,
  )) {
    const name = names
      .split(',')
      .map((word) => word.trim())
      .find((word) => failing.includes(`${word}(`))
    if (name === undefined) continue
    const path = resolve(dirname(failure.file), specifier)
    return { name, path, examples: examplesOf(lines, name, failure) }
  }
  return undefined
}

/** The failing call comes first, with the value that the test's output named. */
function examplesOf(lines: string[], name: string, failure: Failure): Example[] {
  const call = new RegExp(String.raw`\b${name}\(([-\d., _]*)\)\s*,\s*(-?\d[\d._]*)?`)
  const failing: Example[] = []
  const others: Example[] = []
  lines.forEach((line, index) => {
    const found = call.exec(line)
    if (found === null) return
    const args = (found[1] ?? '').split(',').map(numberOf)
    const isFailing = index === failure.line - 1
    const expected = numberOf(isFailing ? failure.expected : (found[2] ?? ''))
    if (Number.isNaN(expected) || args.some(Number.isNaN)) return
    const list = isFailing ? failing : others
    list.push({ args, expected })
  })
  return failing.length === 0 ? [] : [...failing, ...others]
}

function editFor(source: string, target: Target, failure: Failure): TextEdit | undefined {
  const computed =
    target.examples.length === 0 ? undefined : repairFunction(source, target.name, target.examples)
  return computed ?? repairLiteral(source, failure.actual, failure.expected)
}

function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text.replaceAll('_', ''))
}

/** What the model says when a tool answered with an error; a denial is the user's decision. */
export function stopped(what: string, answer: ToolAnswer): string {
  const reason = answer.text.trim().split('\n')[0] ?? ''
  const detail = reason === '' ? '' : ` (${reason})`
  if (isDenial(answer.text))
    return `I was not allowed to ${what}${detail}, so I stop here and leave it as it is.`
  return `I could not ${what}${detail}, so I stop here.`
}

function isDenial(text: string): boolean {
  const words = /den(?:y|ied)|reject|declin|refus|not allowed|doesn't want to proceed/i
  return words.test(text.slice(0, 400))
}
