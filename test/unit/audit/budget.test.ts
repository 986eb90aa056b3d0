import { describe, expect, it } from 'vitest'

import { sessionRecorder } from '../../../src/audit/budget.ts'
import type { AuditType } from '../../../src/audit/record.ts'

function recorder(max: number) {
  const written: AuditType[] = []
  const record = (type: AuditType): number => {
    written.push(type)
    return 400
  }
  return { written, record: sessionRecorder({ record }, max) }
}

describe('sessionRecorder', () => {
  it('records until the session has used up its share, and then refuses with a sentence', () => {
    const { record, written } = recorder(1_000)
    for (let n = 0; n < 3; n += 1) record('refusal', {})
    expect(() => record('refusal', {})).toThrow(/This session has written 0 MiB into the audit log/)
    expect(written).toHaveLength(3)
  })

  it('records the end of a session in any case', () => {
    const { record, written } = recorder(0)
    for (const type of ['error', 'container.end', 'session.close'] as const) record(type, {})
    expect(written).toEqual(['error', 'container.end', 'session.close'])
    expect(() => record('tool_call', {})).toThrow('audit log')
  })
})
