import { faultsOf } from '../observe.ts'
import { MISBEHAVIOUR } from '../public-origin.ts'
import { type Scenario, ask, check, request } from './tools.ts'

const PLAIN = 'plain.allowed.test'

/** Malformed answers, each of which must end as the case expects or break the client's connection. */
function misbehaving(...paths: string[]): Scenario {
  return async (lab, given) => {
    const faults: string[] = []
    for (const path of paths) {
      const seen = await ask(lab, request(PLAIN, path))
      const passed = seen.heads.length > 0 ? { ...seen, heads: [] } : seen
      faults.push(...faultsOf(given, passed, true).map((fault) => `${path}: ${fault}`))
    }
    return faults
  }
}

export const doubleFraming = misbehaving('/cl-te', '/two-cl', '/te-gzip')
export const malformedAnswers = misbehaving(
  '/obs-fold',
  '/bare-lf',
  '/nul',
  '/http09',
  '/big-header',
)
export const unsolicitedSwitch = misbehaving('/unsolicited-101')

export const manyHints: Scenario = async (lab) => {
  const seen = await ask(lab, request(PLAIN, '/hints'))
  return check(seen.statuses.at(-1) === 200 && seen.text.endsWith('ok'), seen.text.slice(0, 80))
}

/** A second answer that nobody asked for never becomes the answer to another request. */
export const poisonedQueue: Scenario = async (lab) => {
  const first = await ask(lab, request(PLAIN, '/poison'))
  const second = await ask(lab, request(PLAIN, '/after'))
  return [
    ...check(MISBEHAVIOUR['/poison'] !== undefined, 'no such misbehaviour'),
    ...check(!first.text.includes('poison'), 'the extra answer reached the client'),
    ...check(second.text.includes('public origin'), 'the next request got another answer'),
  ]
}
