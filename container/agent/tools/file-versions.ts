/** Which version of each file the model has seen, so that an edit never lands on another one. */
import { stat } from 'node:fs/promises'

export class FileVersions {
  readonly #seen = new Map<string, string>()

  /** Remembers the file as it is now. */
  async note(real: string): Promise<void> {
    this.#seen.set(real, await versionOf(real))
  }

  /** Whether the file is another than the one last noted. A file never noted has not changed. */
  async changed(real: string): Promise<boolean> {
    const seen = this.#seen.get(real)
    return seen !== undefined && seen !== (await versionOf(real))
  }
}

async function versionOf(real: string): Promise<string> {
  try {
    const { mtimeNs, size, ino } = await stat(real, { bigint: true })
    return `${mtimeNs}:${size}:${ino}`
  } catch {
    return 'absent'
  }
}
