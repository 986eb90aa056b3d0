/** Bounded fuzzing with kept seeds: properties that hold for whatever the agent sends. */
import { isIP } from 'node:net'

import { expect, test } from 'vitest'

import { classOf } from '../../../egress-proxy/address.ts'
import { parseAuthority, parseHost } from '../../../egress-proxy/authority.ts'
import { parseMessage } from '../../../egress-proxy/control/launcher.ts'
import { createLineReader, parseObject } from '../../../egress-proxy/control/lines.ts'
import { decide, policyFrom } from '../../../egress-proxy/decide.ts'
import { isCanonicalPath } from '../../../egress-proxy/path.ts'
import { faultInHello, parseHello } from '../../../egress-proxy/sni.ts'
import { parseAbsolute } from '../../../egress-proxy/target.ts'
import { clientHello } from '../../support/egress/client-hello.ts'
import { type Random, createRandom } from '../../support/egress/random.ts'

/** More for a longer run: FUZZ_SEEDS=1000,1001 FUZZ_ROUNDS=100000. */
const SEEDS = [1, 7, 42, 2_026, 65_537, ...numbersIn(process.env['FUZZ_SEEDS'])]
const ROUNDS = Number(process.env['FUZZ_ROUNDS'] ?? 2_000)

function numbersIn(list = ''): number[] {
  return list.split(',').filter(Boolean).map(Number)
}

const PIECES = [
  ...'a b . .. - _ : :: [ ] @ / // \\ ? # % %2e %2F %00 %0d %0a \t \r \n \0 é 。 ① 0 1 7 9 08 0x7f 127 256 2130706433 443'.split(
    ' ',
  ),
  ...'allowed test wild evil localhost xn-- ffff 64:ff9b:: 169.254.169.254 http: https: * ,'.split(
    ' ',
  ),
  'api.allowed.test',
  '.wild.test',
  ':443',
  'a'.repeat(64),
]

/** A text with a port more often than not. */
const target = (random: Random) => text(random) + random.pick([':443', ':443', ':80', ''])

function text(random: Random): string {
  return Array.from({ length: 1 + random.next(6) }, () => random.pick(PIECES)).join('')
}

const policy = policyFrom(
  {
    rules: [
      { id: 'api', host: 'api.allowed.test', ports: [443], protocol: 'tls' },
      { id: 'wild', host: '*.wild.test', ports: [443], protocol: 'tls' },
    ],
    deny: [],
    gateway: [],
  },
  'box',
)

/**
 * Runs `look` on generated inputs: which were wrong, and whether enough were of the kind in question
 * for that to say something.
 */
function run<T>(
  seed: number,
  make: (random: Random) => T,
  look: (input: T) => boolean | undefined,
) {
  const random = createRandom(seed)
  const wrong: T[] = []
  let judged = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const input = make(random)
    const right = look(input)
    if (right !== undefined) judged += 1
    if (right === false) wrong.push(input)
  }
  return { wrong, enough: judged > 20 }
}

const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

test.for(SEEDS)('a host that is read is canonical, and reads as itself (seed %i)', (seed) => {
  const found = run(seed, text, (written) => {
    const parsed = parseHost(written)
    if (!parsed.ok) return undefined
    const { kind, text: host } = parsed.value
    const again = parseHost(host.includes(':') ? `[${host}]` : host)
    const same = again.ok && again.value.text === host && again.value.kind === kind
    return same && again.value.plain && (kind === 'ip' ? isIP(host) !== 0 : NAME.test(host))
  })
  expect(found).toEqual({ wrong: [], enough: true })
})

test.for(SEEDS)('a host that is read is the one WHATWG reads (seed %i)', (seed) => {
  const found = run(seed, text, (written) => {
    const parsed = parseHost(written)
    if (!parsed.ok || !URL.canParse(`http://${written}/`)) return undefined
    const { hostname } = new URL(`http://${written}/`)
    const theirs = hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1')
    const ours = parsed.value.text
    return ours.includes(':') ? classOf(theirs) === classOf(ours) : theirs === ours
  })
  expect(found).toEqual({ wrong: [], enough: true })
})

const ALLOWED = /^(?:api\.allowed\.test|[a-z0-9_.-]+\.wild\.test)\.?:443$/i

test.for(SEEDS)('only exactly the rules’ names and ports are allowed (seed %i)', (seed) => {
  const found = run(seed, target, (written) => {
    const parsed = parseAuthority(written)
    if (!parsed.ok) return undefined
    const { verdict } = decide(policy, { kind: 'connect', authority: parsed.value })
    return verdict === 'deny' || ALLOWED.test(written)
  })
  expect(found).toEqual({ wrong: [], enough: true })
})

test.for(SEEDS)('a canonical path is one that WHATWG leaves as it is (seed %i)', (seed) => {
  const found = run(seed, text, (written) => {
    const parsed = parseAbsolute(`http://a.test/${written}`)
    if (!parsed.ok || !isCanonicalPath(parsed.value.path)) return undefined
    return new URL(`http://a.test${parsed.value.path}`).pathname === parsed.value.path
  })
  expect(found).toEqual({ wrong: [], enough: true })
})

const TARGET = 'api.allowed.test'

function damagedHello(random: Random): Buffer {
  const names = [random.pick([TARGET, TARGET, 'evil.test'])]
  const record = random.pick([3, 20, 16_384])
  const bytes = clientHello({ names, padding: random.next(40), record })
  for (let count = random.next(3); count > 0; count -= 1) {
    bytes[random.next(bytes.length)] = random.next(256)
  }
  return random.next(4) === 0 ? bytes.subarray(0, random.next(bytes.length)) : bytes
}

test.for(SEEDS)(
  'a damaged greeting never throws, and passes only with its target (seed %i)',
  (seed) => {
    const found = run(seed, damagedHello, (bytes) => {
      const result = parseHello(bytes)
      if (result.state !== 'hello') return undefined
      if (faultInHello(result.hello, TARGET, {}) !== undefined) return true
      return result.hello.names[0]?.toLowerCase().replace(/\.$/, '') === TARGET
    })
    expect(found).toEqual({ wrong: [], enough: true })
  },
)

const noise = (random: Random) =>
  Buffer.from(Array.from({ length: random.next(100) }, () => random.next(256)))

test.for(SEEDS)('random bytes are never a greeting (seed %i)', (seed) => {
  const found = run(seed, noise, (bytes) => parseHello(bytes).state !== 'hello')
  expect(found).toEqual({ wrong: [], enough: true })
})

const FRAGMENTS = [
  '{"type":"heartbeat"}',
  '{"type":"turn","turn":"é"}',
  '{"__proto__":{"a":1}}',
  '\n',
  '\n',
  '{',
  '"',
  '\\u0000',
  '[1]',
  'null',
  '\0',
]

function stream(random: Random): { bytes: Buffer; cut: number } {
  const parts = Array.from({ length: random.next(12) }, () => random.pick(FRAGMENTS))
  return { bytes: Buffer.from(parts.join('')), cut: 1 + random.next(9) }
}

function throws(line: string): boolean {
  try {
    parseMessage(line)
    return false
  } catch (error) {
    return error instanceof Error
  }
}

test.for(SEEDS)('the control codec reads the same lines however they are cut (seed %i)', (seed) => {
  const found = run(seed, stream, ({ bytes, cut }) => {
    const whole = createLineReader(1_000)(bytes)
    const read = createLineReader(1_000)
    const pieces: string[] = []
    for (let at = 0; at < bytes.length; at += cut)
      pieces.push(...read(bytes.subarray(at, at + cut)))
    const sound = whole.every((line) => parseObject(line) !== undefined || throws(line))
    return sound && JSON.stringify(pieces) === JSON.stringify(whole)
  })
  expect(found).toEqual({ wrong: [], enough: true })
  expect(Reflect.get({}, 'a')).toBeUndefined()
})
