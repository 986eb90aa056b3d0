/** What init tells of the mounted folders, before the agent runs and could say something else. */
import { readFileSync, statSync } from 'node:fs'

export type FolderFacts = {
  /** Of the kernel that numbers the folders; a launcher on the same kernel can compare. */
  boot: string
  /** `device:inode` of each folder that was asked for; empty for one that cannot be looked at. */
  folders: string[]
}

/** `list`: absolute paths as a JSON array; none when absent or no such array. */
export function folderFacts(list: string | undefined): FolderFacts {
  return { boot: bootId(), folders: pathsIn(list).map(identityOf) }
}

function pathsIn(list: string | undefined): string[] {
  try {
    const parsed: unknown = JSON.parse(list ?? '[]')
    return Array.isArray(parsed) ? parsed.map(String) : []
  } catch {
    return []
  }
}

function identityOf(path: string): string {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return ''
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
