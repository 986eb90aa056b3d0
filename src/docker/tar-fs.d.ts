/** The part of tar-fs we use; it comes without types. */
declare module 'tar-fs' {
  import type { Readable } from 'node:stream'

  type Header = { name: string; mode: number; mtime: Date; uid: number; gid: number; type: string }
  type PackOptions = {
    entries: string[]
    sort?: boolean
    map?: (header: Header) => Header
  }
  export function pack(folder: string, options: PackOptions): Readable
}
