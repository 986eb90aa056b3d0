import type { Readable, Writable } from 'node:stream'

/** What a command may touch of its process. */
export type Io = {
  env: Record<string, string | undefined>
  stdin: Readable
  stdout: Writable
  stderr: Writable
}
