/**
 * Volumes of ours by name, one small file each in the state folder: Podman lists no label of an
 * anonymous volume, and no engine says when a volume was last used. Never throws: what is not
 * recorded is at worst left over.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { z } from 'zod'

/** What engines take as the name of a volume. */
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/

const Content = z.strictObject({
  engine: z.string(),
  /** Whose end is the volume's end; absent for one that outlives its launchers. */
  launcher: z.string().optional(),
})

export type VolumeRecord = z.infer<typeof Content> & {
  name: string
  /** When it was last used, in ms since the epoch. */
  used: number
}

export class VolumeRecords {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Says that the volume is used now, and by whom when it ends with its launcher. */
  note(name: string, engine: string, launcher?: string): void {
    if (!NAME.test(name)) return
    attempt(() => {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      const content = launcher === undefined ? { engine } : { engine, launcher }
      writeFileSync(join(this.#folder, name), JSON.stringify(content), { mode: 0o600 })
    })
  }

  forget(name: string): void {
    if (NAME.test(name)) attempt(() => rmSync(join(this.#folder, name), { force: true }))
  }

  all(): VolumeRecord[] {
    const names = attempt(() => readdirSync(this.#folder)) ?? []
    return names.flatMap((name) => attempt(() => this.#read(name)) ?? [])
  }

  #read(name: string): VolumeRecord {
    const path = join(this.#folder, name)
    const content = Content.parse(JSON.parse(readFileSync(path, 'utf8')))
    return { ...content, name, used: statSync(path).mtimeMs }
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
