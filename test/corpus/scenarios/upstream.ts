import { faultsInReach, faultsOf } from '../observe.ts'
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

/** `upstream misbehaves at /path`. */
export const misbehavingAsWritten: Scenario = (lab, given) =>
  misbehaving(/at (\/[\w-]+)/.exec(given.request)?.[1] ?? '/nul')(lab, given)

export const redirect: Scenario = async (lab) => {
  const seen = await ask(lab, request(PLAIN, '/redirect'))
  return [
    ...faultsInReach(seen),
    ...check(seen.statuses.join() === '302', seen.statuses.join()),
    ...check(seen.heads.length === 1, `${seen.heads.length} requests`),
  ]
}

export const forgedVerdict: Scenario = async (lab) => {
  const seen = await ask(lab, request(PLAIN, '/forged'))
  return check(seen.statuses[0] === 200 && seen.reason === undefined, `reason ${seen.reason}`)
}

/** Half an answer never looks whole. */
export const cutAnswer: Scenario = async (lab) => {
  const seen = await Promise.all(
    ['/cut', '/chunk-bad'].map((path) => ask(lab, request(PLAIN, path))),
  )
  return seen.flatMap(({ text, ended }) => {
    const whole = /content-length: 4\r/i.test(text) || text.endsWith('\r\n0\r\n\r\n')
    return [...check(ended, 'the connection stayed open'), ...check(!whole, 'it looks whole')]
  })
}
