import { describe, expect, test } from 'vitest'

import { parseQuery, reply } from '../../../../container/init/dns-message.ts'
import { createRandom } from '../../../support/egress/random.ts'
import { encodeName, question, rawQuestion, words } from '../../../support/init/dns-question.ts'

function queryOf(bytes: Buffer) {
  const parsed = parseQuery(bytes)
  if (!parsed.ok) throw new Error(`no query: ${parsed.reply?.toString('hex')}`)
  return parsed.query
}

/** The code of the answer that a message gets before anything is looked up; undefined for none. */
function faultOf(bytes: Buffer): number | 'query' | undefined {
  const parsed = parseQuery(bytes)
  if (parsed.ok) return 'query'
  return parsed.reply === undefined ? undefined : parsed.reply.readUInt16BE(2) & 15
}

describe('a question', () => {
  test.for([
    ['allowed.test', 'allowed.test'],
    ['ALLowed.TEST', 'allowed.test'],
    ['_dmarc.a-b.test', '_dmarc.a-b.test'],
    [`${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`],
    ['localhost', 'localhost'],
    ['', undefined],
    ['-a.test', undefined],
    ['a b.test', undefined],
    ['*.test', undefined],
    ['a\0.test', undefined],
    ['\xfc.test', undefined],
  ] as const)('for %j is for the host %j', ([name, host]) => {
    expect(queryOf(question(name)).host).toBe(host)
  })

  test('with a dot inside a label is not for the name it reads like', () => {
    const { host, shown } = queryOf(rawQuestion(encodeName([Buffer.from('allowed.test')])))
    expect(host).toBeUndefined()
    expect(shown).toBe('allowed\\046test')
  })

  test('is shown without bytes that a terminal obeys', () => {
    expect(queryOf(question('a\x1b[31m.te\nst')).shown).toBe('a\\027\\09131m.te\\010st')
    expect(queryOf(question('')).shown).toBe('.')
  })

  test('may have a name of 255 bytes and no more', () => {
    const label = Buffer.alloc(61, 'a')
    expect(
      queryOf(rawQuestion(encodeName([label, label, label, label, Buffer.alloc(5, 'b')]))),
    ).toBeDefined()
    const longer = encodeName([label, label, label, label, Buffer.alloc(6, 'b')])
    expect(longer).toHaveLength(256)
    expect(faultOf(rawQuestion(longer))).toBe(1)
  })
})

const valid = question('allowed.test')
const withCounts = (...counts: number[]) =>
  Buffer.concat([words(1, 0x0100, ...counts), valid.subarray(12)])

test.for([
  ['nothing', undefined, Buffer.alloc(0)],
  ['half a header', undefined, valid.subarray(0, 11)],
  ['an answer', undefined, question('allowed.test', { flags: 0x8180 })],
  ['a header alone', 1, valid.subarray(0, 12)],
  ['no question', 1, withCounts(0, 0, 0, 0)],
  ['two questions', 1, withCounts(2, 0, 0, 0)],
  ['65535 questions', 1, withCounts(65_535, 0, 0, 0)],
  ['a name without an end', 1, valid.subarray(0, -5)],
  ['a question without a class', 1, valid.subarray(0, -1)],
  ['a pointer to itself', 1, rawQuestion(Buffer.from([0xc0, 12]))],
  ['a pointer to the header', 1, rawQuestion(Buffer.from([1, 97, 0xc0, 0]))],
  ['a label of a reserved kind', 1, rawQuestion(Buffer.from([0x41, 97, 0]))],
  ['a label longer than the message', 1, rawQuestion(Buffer.from([63, 97, 0])).subarray(0, 15)],
  ['a status request', 4, question('allowed.test', { flags: 0x1000 })],
  ['an update', 4, question('allowed.test', { flags: 0x2800 })],
  ['the class CHAOS', 5, question('version.bind', { type: 16, class: 3 })],
  ['any class', 5, question('allowed.test', { class: 255 })],
  ['half an OPT record', 1, question('allowed.test', { edns: 0 }).subarray(0, -1)],
  ['a record in place of OPT', 'query', Buffer.concat([withCounts(1, 0, 0, 1), Buffer.alloc(11)])],
  ['records counted and not there', 1, withCounts(1, 0, 0, 1)],
  ['bytes after the question', 'query', Buffer.concat([valid, Buffer.alloc(50, 7)])],
] as const)('%s is answered with code %s', ([, code, bytes]) => {
  expect(faultOf(bytes)).toBe(code)
})

test('an OPT record whose options are longer than the message is malformed', () => {
  const bytes = question('allowed.test', { edns: 0 })
  bytes.writeUInt16BE(8, bytes.length - 2)
  expect(faultOf(bytes)).toBe(1)
})

test('EDNS is answered with EDNS, and a version above 0 with BADVERS', () => {
  const plain = reply(queryOf(question('allowed.test')), 'ok')
  expect(plain.readUInt16BE(10)).toBe(0)
  const edns = reply(queryOf(question('allowed.test', { edns: 0 })), 'ok')
  expect(edns.readUInt16BE(10)).toBe(1)
  expect(edns.subarray(-11)).toEqual(Buffer.from([0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]))
  const parsed = parseQuery(question('allowed.test', { edns: 1 }))
  expect(parsed.ok ? undefined : parsed.reply?.subarray(-11)[5]).toBe(1)
})

test('an answer repeats id, recursion and question in the asker’s case, and has one address', () => {
  const asked = question('ALLowed.test', { id: 0xbeef })
  const answer = reply(queryOf(asked), 'ok', '127.77.1.2')
  expect(answer.subarray(0, 12)).toEqual(words(0xbeef, 0x8180, 1, 1, 0, 0))
  expect(answer.subarray(12, asked.length)).toEqual(asked.subarray(12))
  expect(answer.subarray(asked.length)).toEqual(
    Buffer.concat([words(0xc00c, 1, 1, 0, 60, 4), Buffer.from([127, 77, 1, 2])]),
  )
  expect(reply(queryOf(question('a.test', { flags: 0 })), 'noName').readUInt16BE(2)).toBe(0x8083)
})

describe.for([1, 7, 42, 2_026, 65_537])('with seed %i', (seed) => {
  const random = createRandom(seed)
  const damaged = (): Buffer => {
    const name = random.pick(['allowed.test', 'A.b.c.d', 'x'.repeat(63), ''])
    const edns = random.pick([{}, { edns: 0 }, { edns: 1 }])
    const bytes = question(name, { ...edns, type: random.next(300) })
    for (let count = random.next(4); count > 0; count -= 1) {
      bytes[random.next(bytes.length)] = random.next(256)
    }
    return bytes.subarray(0, random.pick([bytes.length, bytes.length, random.next(bytes.length)]))
  }

  /** Whether the name that was read is the one whose bytes the answer repeats. */
  const isSound = (bytes: Buffer): boolean | undefined => {
    const parsed = parseQuery(bytes)
    if (!parsed.ok) return undefined
    const { query } = parsed
    const again = encodeName((query.host ?? '').split('.').map((label) => Buffer.from(label)))
    const repeated = query.question.subarray(0, -4).toString('latin1').toLowerCase()
    const short = reply(query, 'ok', '127.77.0.1').length < 512
    return short && (query.host === undefined || repeated === again.toString('latin1'))
  }

  test('a damaged question never throws, and reads as a name its bytes have', () => {
    const inputs = Array.from({ length: 3_000 }, damaged)
    const judged = inputs.map((bytes) => ({ bytes: bytes.toString('hex'), sound: isSound(bytes) }))
    expect(judged.filter(({ sound }) => sound === false)).toEqual([])
    expect(judged.filter(({ sound }) => sound === true).length).toBeGreaterThan(500)
  })

  test('random bytes never throw, and get short answers', () => {
    const long = Array.from({ length: 3_000 }, () =>
      Buffer.from(Array.from({ length: random.next(80) }, () => random.next(256))),
    ).filter((bytes) => {
      const parsed = parseQuery(bytes)
      return !parsed.ok && (parsed.reply?.length ?? 0) > bytes.length + 11
    })
    expect(long).toEqual([])
  })
})
