/** From a case's request, raw or in words, to bytes on the wire. */
import { setTimeout as sleep } from 'node:timers/promises'

import { clientHello } from '../support/egress/client-hello.ts'
import { send } from '../support/egress/raw-client.ts'
import { type CorpusCase, isRaw } from './corpus-file.ts'
import type { Lab } from './lab.ts'
import { type ReadText, readAll } from './observe.ts'
import { oddHello } from './odd-hello.ts'

export type Attempt = { label: string; run: (lab: Lab) => Promise<ReadText>; bytes: string }

/** The attempts a case stands for; empty when its words are not understood. */
export function attemptsFor(given: CorpusCase): Attempt[] {
  if (given.kind === 'tls') return tlsAttempts(given.request)
  if (isRaw(given)) return [rawAttempt(expand(given.request))]
  return requestsIn(given.request).map(rawAttempt)
}

function rawAttempt(bytes: string): Attempt {
  return {
    label: bytes.split('\r\n', 1)[0] ?? '',
    bytes,
    async run(lab) {
      const socket = lab.connect()
      send(socket, bytes)
      // Bytes without the end of a header can only be a whole message if they end here.
      if (!bytes.includes('\r\n\r\n')) socket.end()
      const read = await readAll(socket)
      socket.destroy()
      return read
    },
  }
}

/** Long requests are cut in the file and say how they go on: `aaa…(70075 bytes; generate: …)`. */
function expand(request: string): string {
  const [, start = request, size] = /^(.*?)…\((\d+) bytes; generate[^)]*\)$/s.exec(request) ?? []
  if (size === undefined) return request
  const bytes = Number(size)
  const counted = /h(\d+):[^\n]*$/.exec(start)
  if (counted === null) return `${start.padEnd(bytes - 4, start.at(-1))}\r\n\r\n`
  let text = start.slice(0, counted.index)
  for (let count = Number(counted[1]); text.length < bytes - 2; count += 1)
    text += `h${count}: 1\r\n`
  return `${text}\r\n`
}

/** Requests written in words: whole heads, or lines such as `GET http://a/b` and `CONNECT a:1`, with `|` between. */
function requestsIn(words: string): string[] {
  const whole = /^[A-Z]+ \S+ HTTP\/1\.[01]\r\n.*?\r\n\r\n/s.exec(words)?.[0]
  if (whole !== undefined) return [whole]
  let method = 'GET'
  let prefix = ''
  return words.split(/\s*\|\s*/).flatMap((part) => {
    const [, verb, target] = /^(?:([A-Z]{3,7}) )?(\S+)/.exec(part) ?? []
    if (verb !== undefined) method = verb
    if (target === undefined) return []
    if (method === 'CONNECT' && /^\S+:\d+$/.test(target)) return [head(`CONNECT ${target}`, target)]
    const host = /^http:\/\/(?:[^/@]*@)?([^/?#]+)/.exec(target)?.[1]
    if (host !== undefined) return [head(`${method} ${target}`, host)]
    if (!target.startsWith('/')) return []
    const path = verb === undefined ? prefix + target : target
    prefix = /^\/[^/]+/.exec(path)?.[0] ?? ''
    return [head(`${method} ${path}`, '127.0.0.1:3129')]
  })
}

function head(line: string, host: string): string {
  return `${line} HTTP/1.1\r\nHost: ${host}\r\n\r\n`
}

/** A CONNECT and then what the words say the client sends: greetings, other bytes, or nothing. */
function tlsAttempts(words: string): Attempt[] {
  const target = /CONNECT (\S+?:\d+)/.exec(words)?.[1] ?? 'api.allowed.test:443'
  return payloadsIn(words, target.replace(/:\d+$/, '')).map(({ label, pieces }) => ({
    label,
    bytes: Buffer.concat(pieces).toString('latin1'),
    async run(lab) {
      const socket = lab.connect()
      send(socket, head(`CONNECT ${target}`, target))
      const first = await readAll(socket, { quiet: 20 })
      for (const piece of pieces) {
        socket.write(piece)
        await sleep(1)
      }
      const rest = await readAll(socket)
      socket.destroy()
      return { text: first.text + rest.text, ended: rest.ended }
    },
  }))
}

type Payload = { label: string; pieces: Buffer[] }

function one(label: string, ...pieces: Buffer[]): Payload {
  return { label, pieces }
}

function payloadsIn(words: string, target: string): Payload[] {
  const odd = oddHello(words, target)
  if (odd !== undefined) return [one(words, ...odd)]
  if (/silent|sends nothing/i.test(words)) return [one('silence')]
  if (/0xfe0d|encrypted_client_hello|\bECH\b/.test(words)) {
    const outer = ['cloudflare-ech.com', target]
    return outer.map((name) => one(`ECH over ${name}`, clientHello({ names: [name], ech: true })))
  }
  if (
    /(?:no|missing|without|absent|empty) (?:SNI|server_name)|SNI (?:is )?(?:missing|absent|empty)/i.test(
      words,
    )
  ) {
    return [one('no SNI', clientHello({}))]
  }
  if (/split|fragment|records/i.test(words)) {
    const bytes = clientHello({ names: [target], padding: 1_200, record: 200 })
    const cuts = [1, 5, 700].map((size) => one(`pieces of ${size}`, ...piecesOf(bytes, size)))
    return [...cuts, one('records of one byte', clientHello({ names: [target], record: 1 }))]
  }
  if (/16 KiB|oversized|too large|huge/i.test(words)) {
    return [one('oversized', clientHello({ names: [target], padding: 20_000 }))]
  }
  if (/(?:two|several|multiple) (?:server_name|SNI|host_name)/i.test(words)) {
    return [one('two names', clientHello({ names: [target, 'evil.test'] }))]
  }
  const names = namesIn(words)
  if (names.length > 0)
    return names.map((name) => one(`SNI ${name}`, clientHello({ names: [name] })))
  return [...words.matchAll(/"([^"]+)"/g)].map(([, text = '']) =>
    one(text, Buffer.from(text.replaceAll(String.raw`\r`, '\r').replaceAll(String.raw`\n`, '\n'))),
  )
}

function namesIn(words: string): string[] {
  const [, list] = /SNI\s*=\s*(.+)$/s.exec(words) ?? []
  if (list === undefined) return []
  return list
    .split(/ or | \| /)
    .flatMap((part) => /^"?([^\s",;]+)/.exec(part.trim())?.[1] ?? [])
    .map((name) => name.replaceAll(String.raw`\0`, '\0'))
}

function piecesOf(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return pieces
}
