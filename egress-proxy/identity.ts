/** passwd and group for the agent's container, which reads them from the shared volume. */
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Identity } from './messages.ts'

const NOLOGIN = '/usr/sbin/nologin'

/**
 * The two files' contents. The agent's own line is first: lookups by uid take the first match, so a
 * uid of 0 or 65534 gets the agent's home. Throws when a field cannot be written in this format.
 */
export function identityFiles({ uid, gid, name, home }: Identity): {
  passwd: string
  group: string
} {
  // oxlint-disable-next-line no-control-regex -- a line break would add an entry
  if (/[\x00-\x1f\x7f:]/.test(home)) throw new Error('identity.home: no colon or control character')
  const users = [
    { name, line: `${name}:x:${uid}:${gid}::${home}:/bin/sh` },
    { name: 'root', line: 'root:x:0:0:root:/root:/bin/sh' },
    { name: 'nobody', line: `nobody:x:65534:65534:nobody:/nonexistent:${NOLOGIN}` },
  ]
  const groups = [
    { name, line: `${name}:x:${gid}:` },
    { name: 'root', line: 'root:x:0:' },
    { name: 'nogroup', line: 'nogroup:x:65534:' },
  ]
  return { passwd: linesOf(users), group: linesOf(groups) }
}

function linesOf(entries: { name: string; line: string }[]): string {
  const unique = entries.filter(
    ({ name }, at) => entries.findIndex((other) => other.name === name) === at,
  )
  return unique.map(({ line }) => `${line}\n`).join('')
}

/** Writes both files into `folder`, each at once. Throws the file system's error. */
export async function writeIdentity(folder: string, identity: Identity): Promise<void> {
  const files = Object.entries(identityFiles(identity))
  await Promise.all(files.map(([name, text]) => replace(join(folder, name), text)))
}

async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`
  await writeFile(temporary, text, { mode: 0o644 })
  await rename(temporary, path)
}
