/** Keeps one session from filling the host's disk with what is recorded about it. */
import { GloveboxError } from '../errors.ts'
import type { AuditData, AuditType } from './record.ts'
import type { AuditWriter } from './writer.ts'

/** Bytes of one session: about 150,000 records, where a long day of work has some thousands. */
const MAX_SESSION = 64 * 1024 * 1024

/** What ends a session is recorded in any case; each comes at most a few times. */
const LAST_WORDS = new Set<AuditType>(['session.close', 'container.end', 'error'])

/**
 * `record` for one session. Errors: `audit_failed` when the session has used up its share, since
 * nothing may happen without a record; and those of the writer.
 */
export function sessionRecorder(
  writer: Pick<AuditWriter, 'record'>,
  max: number = MAX_SESSION,
): (type: AuditType, data: AuditData) => void {
  let used = 0
  return (type, data) => {
    if (used >= max && !LAST_WORDS.has(type)) {
      throw new GloveboxError(
        'audit_failed',
        `This session has written ${Math.round(max / 1024 / 1024)} MiB into the audit log, as no ordinary work does.`,
        'Read what its agent did with `glovebox audit verify` and the file it names.',
      )
    }
    used += writer.record(type, data)
  }
}
