/** TLS ClientHellos made by hand, also malformed ones. */

type Options = {
  /** Names of the server_name extension, as latin1; no extension when absent. */
  names?: readonly string[]
  ech?: boolean
  /** Bytes of other extensions, such as a large key share. */
  padding?: number
  /** Further extensions: type and data. */
  more?: readonly (readonly [type: number, data: Buffer])[]
  /** The type of the names; `host_name` is 0. */
  nameType?: number
  /** Cipher suites before the one that is real. */
  ciphers?: readonly number[]
  /** Cut the handshake message into records of at most this many bytes. */
  record?: number
}

export function clientHello(options: Options): Buffer {
  const { names, ech = false, padding = 0, record = 16_384, more = [], nameType = 0 } = options
  const named = (name: string) =>
    Buffer.concat([Buffer.from([nameType]), sized(2, Buffer.from(name, 'latin1'))])
  const ciphers = [...(options.ciphers ?? []), 0x1301].flatMap((id) => [id >> 8, id & 0xff])
  const extensions = [
    ...(names === undefined ? [] : [extension(0, sized(2, Buffer.concat(names.map(named))))]),
    ...more.map(([type, data]) => extension(type, data)),
    ...(ech ? [extension(0xfe0d, Buffer.alloc(8))] : []),
    ...(padding === 0 ? [] : [extension(21, Buffer.alloc(padding))]),
  ]
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    sized(1, Buffer.alloc(0)),
    sized(2, Buffer.from(ciphers)),
    sized(1, Buffer.from([0])),
    sized(2, Buffer.concat(extensions)),
  ])
  const message = Buffer.concat([Buffer.from([1]), sized(3, body)])
  const records: Buffer[] = []
  for (let at = 0; at < message.length; at += record) {
    records.push(Buffer.from([22, 3, 1]), sized(2, message.subarray(at, at + record)))
  }
  return Buffer.concat(records)
}

function extension(type: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type >> 8, type & 0xff]), sized(2, data)])
}

/** Data after its length in `width` bytes. */
function sized(width: number, data: Buffer): Buffer {
  const length = Buffer.alloc(width)
  length.writeUIntBE(data.length, 0, width)
  return Buffer.concat([length, data])
}
