import { send } from '../../support/egress/raw-client.ts'
import { KEY } from '../lab.ts'
import { faultsInReach } from '../observe.ts'
import { readAll } from '../observe.ts'
import { type Scenario, ask, check, modelRequest, request, sanitized } from './tools.ts'

const MESSAGES = '/anthropic/v1/messages'

export const providerFields = sanitized(
  modelRequest(
    MESSAGES,
    'anthropic-beta: b1\r\nanthropic-version: 2023-06-01\r\nx-stainless-lang: js\r\nCookie: mine\r\nX-Forwarded-Host: evil.test\r\n',
  ),
  /mine|evil|cookie|x-forwarded/i,
  /anthropic-beta: b1\r\nanthropic-version: 2023-06-01\r\nx-stainless-lang: js/i,
)

export const foldedCredentials = sanitized(
  modelRequest(
    MESSAGES,
    'X_Api_Key: mine\r\nx.api.key: mine\r\nAUTHORIZATION: mine\r\nX-Goog-Api-Key: mine\r\nX-Goog-Api-Key: mine\r\n',
  ),
  /mine/,
  new RegExp(`x-api-key: ${KEY}`),
)

export const routeChoosesKey = sanitized(
  modelRequest('/openai/v1/responses', 'x-api-key: mine\r\n').replace(
    '127.0.0.1:3129',
    'api.anthropic.com',
  ),
  /mine|x-api-key|api\.anthropic/i,
  new RegExp(`authorization: Bearer ${KEY}`),
)

/** An answer that repeats the key reaches nobody’s log. */
export const echoedKey: Scenario = async (lab) => {
  await ask(lab, modelRequest('/badcert/v1/responses'))
  await ask(lab, modelRequest(MESSAGES))
  const written = JSON.stringify(lab.proxy?.messages) + (lab.proxy?.stderr() ?? '')
  return check(!written.includes(KEY.slice(3, 12)), 'a part of the key was logged')
}

export const wrongCertificate: Scenario = async (lab, given) => {
  const seen = await ask(lab, modelRequest('/badcert/v1/responses'))
  return [
    ...faultsInReach(seen),
    ...check(seen.statuses[0] === given.expected_status, `status ${seen.statuses[0]}`),
    ...check(seen.reason === given.expected_reason, `reason ${seen.reason}`),
    ...check(seen.heads.length === 0, 'the request was sent'),
  ]
}

/** The upstream request ends soon after the client left in mid-stream. */
export const clientLeaves: Scenario = async (lab) => {
  const socket = lab.connect()
  send(socket, modelRequest(MESSAGES, 'anthropic-beta: stream\r\n'))
  await readAll(socket, { quiet: 50 })
  const left = performance.now()
  socket.destroy()
  await lab.origin.streamEnded()
  const took = performance.now() - left
  const close = await lab.proxy?.waitFor('close', ({ reason }) => reason === 'client_abort')
  return [
    ...check(took < 100, `the upstream request lived on for ${took} ms`),
    ...check(close !== undefined, 'no close'),
  ]
}

/** Neither the configuration nor a key is to be had from outside. */
export const noConfigDump: Scenario = async (lab) => {
  const texts: string[] = []
  for (const path of ['/config', '/.glovebox/config', '/debug', '/anthropic/config', '/metrics']) {
    for (const host of ['127.0.0.1:3129', 'plain.allowed.test']) {
      const seen = await ask(lab, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      texts.push(seen.text)
    }
  }
  const written = texts.join('') + JSON.stringify(lab.proxy?.messages) + (lab.proxy?.stderr() ?? '')
  return [
    ...check(!written.includes(KEY), 'the key is readable'),
    ...check(!/HTTP\/1\.1 200/.test(texts.join('')), 'something answered'),
  ]
}

/** An encoded answer passes as it is. */
export const encodedAnswer: Scenario = async (lab) => {
  const seen = await ask(lab, request('plain.allowed.test', '/gzip'))
  return [
    ...check(seen.statuses[0] === 200, `status ${seen.statuses[0]}`),
    ...check(/content-encoding: gzip/i.test(seen.text), 'the coding was changed'),
    ...check(seen.text.includes('\u001f\u008b\u0008\u0000'), 'the bytes were changed'),
  ]
}
