import type { Answer, Zone } from '../support/egress/stub-dns.ts'

/** IPv6 spellings of loopback addresses, which an answer must not smuggle in. */
const EMBEDDED = [
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '::1',
  'fc00::1',
  'fe80::1',
]

/** What the first label of a name under wild.test asks for; others lead to the public origin. */
const ANSWERS: [RegExp, (name: string, type: 'A' | 'AAAA') => Answer | undefined][] = [
  [/^(?:priv|alias|loop|meta|cname)/, () => ['127.0.0.1']],
  [/^(?:mixed|multi)/, () => ['127.0.0.2', '127.0.0.1']],
  [/^chain/, (_name, type) => ({ odd: 'cname', addresses: type === 'A' ? ['127.0.0.2'] : [] })],
  [/^forged/, () => ({ odd: 'forged', addresses: ['127.0.0.2'] })],
  [/^tc/, () => ({ odd: 'truncated', addresses: ['127.0.0.2'] })],
  [/^huge/, () => [...Array<string>(20).fill('127.0.0.2'), '127.0.0.1']],
  [/^only6/, () => ['fd00::1']],
  [/^nx/, () => undefined],
  [/^(?:empty|none|zero)/, () => []],
  [/^(?:slow|silent|timeout)/, () => 'silent'],
  [/^(?:servfail|broken)/, () => 'fail'],
  [/^(?:down|refused)/, () => ['127.0.0.4']],
  [/^v6-\d/, (name) => [EMBEDDED[Number(name.slice(3, 4))] ?? '::1']],
  [/^dual/, () => ['127.0.0.2', 'fd00:dead::1']],
]

/** Allowed names lead to 127.0.0.2; every other one to the evil origin, so that asking shows. */
export function createZone(): Zone {
  const asked = new Map<string, number>()
  return (name, type) => {
    if (!/(?:^|\.)(?:allowed|wild)\.test$/.test(name)) return ['127.0.0.3']
    if (name.startsWith('rebind')) {
      const count = (asked.get(name) ?? 0) + (type === 'A' ? 1 : 0)
      asked.set(name, count)
      return [count <= 1 ? '127.0.0.2' : '127.0.0.1']
    }
    const special = ANSWERS.find(([pattern]) => name.endsWith('.wild.test') && pattern.test(name))
    return special === undefined ? ['127.0.0.2'] : special[1](name, type)
  }
}
