import type { CorpusCase } from '../corpus-file.ts'
import type { Lab } from '../lab.ts'

/** Returns what is wrong; empty when the case is passed. */
export type Scenario = (lab: Lab, given: CorpusCase) => Promise<string[]>

const SCENARIOS: Record<string, Scenario> = {}

/** The special way to run a case that its request alone does not say. */
export function scenarioFor(given: CorpusCase): Scenario | undefined {
  return SCENARIOS[given.id]
}
