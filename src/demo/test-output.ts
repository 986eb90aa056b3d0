/** Reads the outcome off what `node --test` printed in the agent's last run. */
import type { ToolCallRecord } from '../client/turn-record.ts'
import { outputOf } from '../client/turn-record.ts'

export type TestOutcome = { passed: number; failed: number }

/** Of the last command whose output is a test report; `undefined` when there was none. */
export function lastOutcome(calls: ToolCallRecord[]): TestOutcome | undefined {
  return outcomes(calls).at(-1)
}

/** Of the first one. */
export function firstOutcome(calls: ToolCallRecord[]): TestOutcome | undefined {
  return outcomes(calls)[0]
}

function outcomes(calls: ToolCallRecord[]): TestOutcome[] {
  return calls.filter(({ kind }) => kind === 'execute').flatMap((call) => outcomeOf(outputOf(call)))
}

function outcomeOf(output: string): TestOutcome[] {
  const passed = count(output, 'pass')
  const failed = count(output, 'fail')
  return passed === undefined || failed === undefined ? [] : [{ passed, failed }]
}

function count(output: string, what: string): number | undefined {
  const found = new RegExp(String.raw`^\W*${what} (\d+)\s*$`, 'm').exec(output)
  return found === null ? undefined : Number(found[1])
}
