/** One record of the audit log: what happened, in which session and turn, chained to the last. */
import { z } from 'zod'

const TYPES = [
  'open',
  'session.open',
  'session.close',
  'container.create',
  'container.start',
  'container.end',
  'session.restore',
  'permission.asked',
  'permission.answer',
  'tool_call',
  'egress.decision',
  'egress.close',
  'refusal',
  'cancel',
  'limit',
  'plant',
  'error',
] as const

const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex')

/** The frame of a record; each type adds its own fields. */
export const AuditRecord = z.looseObject({
  v: z.literal(1),
  /** Counts from 1 in each file. */
  seq: z.int().min(1),
  time: z.iso.datetime({ precision: 3 }),
  /** As on the engine's labels: boot id, pid namespace, pid and start time of the process. */
  launcher: z.string().min(1),
  session: z.string().optional(),
  turn: z.string().optional(),
  type: z.enum(TYPES),
  /** In the first record: the newest other file then, and its last hash. */
  prior: z.strictObject({ file: z.string(), hash: Hash }).optional(),
  prev: Hash,
  hash: Hash,
})

export type AuditRecord = z.infer<typeof AuditRecord>
export type AuditType = AuditRecord['type']

/** A record's own fields. Redacted when written; an empty `turn` (between turns) is left out. */
export type AuditData = { session?: string; turn?: string; [field: string]: unknown }
