/** What the demo claims, as checks of what was really found. Pure. */
import type { StopReason } from '@agentclientprotocol/sdk'

import type { ToolCallRecord } from '../client/turn-record.ts'
import type { DecisionRow } from './decisions.ts'
import type { Answer } from './drive.ts'
import type { ModelRequest } from './model.ts'
import { firstOutcome, lastOutcome } from './test-output.ts'
import type { TestOutcome } from './test-output.ts'

export type Check = { what: string; ok: boolean }

export type Outcome = {
  stopReason: StopReason
  toolCalls: ToolCallRecord[]
  answers: Answer[]
  /** The file with the fault, before and after, as on the host. */
  before: string
  after: string
  owner: { uid: number; gid: number }
  /** Of the file after the turn. */
  fileOwner: { uid: number; gid: number }
  decisions: DecisionRow[]
  forbiddenHost: string
  /** `undefined` when the model is the user's own. */
  requests: ModelRequest[] | undefined
  auditProblems: number
  /** Containers and volumes of the session after its end. */
  leftovers: number
}

export function checksOf(outcome: Outcome): Check[] {
  return [...turnChecks(outcome), ...borderChecks(outcome), ...endChecks(outcome)]
}

function turnChecks(outcome: Outcome): Check[] {
  const { stopReason, toolCalls, answers, before, after, owner, fileOwner } = outcome
  const first = firstOutcome(toolCalls)
  const last = lastOutcome(toolCalls)
  return [
    { what: 'the agent ended its turn by itself', ok: stopReason === 'end_turn' },
    { what: `the test failed at first (${counts(first)})`, ok: (first?.failed ?? 0) > 0 },
    { what: `the test passes now (${counts(last)})`, ok: last?.failed === 0 && last.passed > 0 },
    { what: 'the edit was asked for with its diff, and allowed', ok: answers.some(isAllowedEdit) },
    { what: 'the file changed on the host', ok: before !== after },
    {
      what: `the changed file belongs to the project's owner (${fileOwner.uid}:${fileOwner.gid})`,
      ok: fileOwner.uid === owner.uid && fileOwner.gid === owner.gid,
    },
  ]
}

function borderChecks({ decisions, forbiddenHost, requests }: Outcome): Check[] {
  const allowed = decisions.filter(
    ({ verdict, what }) => verdict === 'allow' && what.startsWith('gateway'),
  )
  const denied = decisions.filter(({ verdict }) => verdict === 'deny')
  const checks = [
    { what: 'model traffic went through the gateway', ok: allowed.length > 0 },
    {
      what: `the attempt to reach ${forbiddenHost} was denied and recorded`,
      ok: denied.some(({ what }) => what.includes(forbiddenHost)),
    },
  ]
  if (requests === undefined) return checks
  const withKey = requests.filter(({ key }) => key === 'match').length
  const ok = requests.length > 0 && withKey === requests.length
  return [
    ...checks,
    { what: `the model saw its real key (${withKey} of ${requests.length} requests)`, ok },
  ]
}

function endChecks({ auditProblems, leftovers }: Outcome): Check[] {
  return [
    {
      what: 'the audit log is whole: every record is chained to the one before',
      ok: auditProblems === 0,
    },
    { what: 'nothing of the session is left in the engine', ok: leftovers === 0 },
  ]
}

function isAllowedEdit({ kind, hadDiff, answer }: Answer): boolean {
  return kind === 'edit' && hadDiff && answer.startsWith('allow')
}

function counts(outcome: TestOutcome | undefined): string {
  return outcome === undefined ? 'no report' : `${outcome.passed} passed, ${outcome.failed} failed`
}
