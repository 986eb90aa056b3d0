/** What the border decided for the demo's session, read back from the audit log. */
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { z } from 'zod'

const Entry = z.looseObject({ type: z.string(), session: z.string().optional() })
const Created = z.looseObject({ type: z.literal('container.create'), project: z.string() })
const Decided = z.looseObject({
  type: z.literal('egress.decision'),
  kind: z.string(),
  verdict: z.string(),
  reason: z.string(),
  host: z.string().optional(),
  port: z.number().optional(),
  method: z.string().optional(),
  path: z.string().optional(),
})

export type DecisionRow = { verdict: string; what: string; reason: string; times: number }

/** The decisions of the session that runs in this project, equal ones counted together. */
export async function decisionsOf(auditFolder: string, project: string): Promise<DecisionRow[]> {
  const entries = await entriesOf(auditFolder)
  const session = entries.find(
    (entry) => Created.safeParse(entry).data?.project === project,
  )?.session
  if (session === undefined) return []
  const rows = new Map<string, DecisionRow>()
  for (const entry of entries) {
    const decision = Decided.safeParse(entry).data
    if (decision === undefined || entry.session !== session) continue
    const what = whatOf(decision)
    const key = [decision.verdict, what, decision.reason].join('\n')
    const row = rows.get(key) ?? {
      verdict: decision.verdict,
      what,
      reason: decision.reason,
      times: 0,
    }
    rows.set(key, { ...row, times: row.times + 1 })
  }
  return [...rows.values()]
}

function whatOf({
  kind,
  method = '',
  host = '',
  port,
  path = '',
}: z.infer<typeof Decided>): string {
  const place = port === undefined ? host : `${host}:${port}`
  return [kind, method, `${place}${path}`].filter((word) => word !== '').join(' ')
}

async function entriesOf(folder: string): Promise<z.infer<typeof Entry>[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).toSorted()
  // The demo's own session is among the newest: earlier files are other launchers'.
  const texts = await Promise.all(
    names.slice(-20).map((name) => readFile(join(folder, name), 'utf8')),
  )
  return texts.flatMap((text) => text.split('\n')).flatMap(entryOf)
}

function entryOf(line: string): z.infer<typeof Entry>[] {
  try {
    return [Entry.parse(JSON.parse(line))]
  } catch {
    return []
  }
}
