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

export const queryKeys = sanitized(
  modelRequest(`${MESSAGES}?key=mine&beta=true&api_key=mine&api%5fkey=mine&ACCESS-TOKEN=mine`),
  /mine/,
  /\?beta=true\r/,
)

export const methodOverrides = sanitized(
  modelRequest(
    MESSAGES,
    'X-HTTP-Method-Override: DELETE\r\nX_Method_Override: DELETE\r\nX-HTTP-Method: DELETE\r\n',
  ),
  /DELETE/,
  /^POST/,
)

/** The route alone chooses where the key goes. */
export const apiBase: Scenario = async (lab) => {
  const body = '{"api_base":"http://evil.test/","base_url":"http://evil.test/","model":"evil/x"}'
  const head = `POST ${MESSAGES} HTTP/1.1\r\nHost: 127.0.0.1:3129\r\nContent-Type: application/json\r\n`
  const seen = await ask(lab, `${head}Content-Length: ${body.length}\r\n\r\n${body}`)
  return [
    ...faultsInReach(seen),
    ...check(seen.statuses[0] === 200, `status ${seen.statuses[0]}`),
    ...check(/host: model\.allowed\.test/i.test(seen.heads.join()), 'another host was asked'),
  ]
}

/** The answers of a provider that means harm, by its request's anthropic-beta field. */
function provider(order: string, wanted: (text: string) => string[]): Scenario {
  return async (lab) => {
    const seen = await ask(lab, modelRequest(MESSAGES, `anthropic-beta: ${order}\r\n`), {
      quiet: 300,
    })
    return [...faultsInReach(seen), ...wanted(seen.text)]
  }
}

export const echoedInPieces = provider('echo', (text) => [
  ...check(/HTTP\/1\.1 200/.test(text), text.slice(0, 60)),
  ...check(!text.includes(KEY) && text.includes('*'.repeat(KEY.length)), 'the key came back'),
])

export const keyAndRedirect = provider('redirect', (text) =>
  check(/HTTP\/1\.1 307/.test(text), text.slice(0, 60)),
)

export const unbuffered: Scenario = async (lab) => {
  const socket = lab.connect()
  send(socket, modelRequest(MESSAGES, 'anthropic-beta: stream\r\n'))
  const first = await readAll(socket, { quiet: 50, most: 1_000 })
  socket.destroy()
  return check(first.text.includes('data: 1') && !first.ended, 'the first event did not come alone')
}
