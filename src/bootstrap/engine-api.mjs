import { lstatSync } from 'node:fs'
/** The few requests the bootstrap sends to its own engine, before anything is installed. */
import { request } from 'node:http'

/** Milliseconds one request may take. */
const BOUND = 10_000

/** Whether an engine answers on this socket. */
export async function ping(socketPath) {
  if (!isSocket(socketPath)) return false
  const answer = await ask(socketPath, 'GET', '/_ping').catch(() => undefined)
  return answer?.status === 200
}

export function isSocket(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? false
}

/**
 * Removes all containers and all networks that are not built in, so that the engine takes down the
 * bridges and packet filter rules it made for them. What fails is left for its shutdown.
 */
export async function emptyEngine(socketPath) {
  const list = async (path) => {
    const answer = await ask(socketPath, 'GET', path).catch(() => undefined)
    return answer?.status === 200 ? JSON.parse(answer.body) : []
  }
  const remove = (path) => ask(socketPath, 'DELETE', path).catch(() => undefined)
  const containers = await list('/containers/json?all=1')
  await Promise.all(containers.map((one) => remove(`/containers/${one.Id}?force=1&v=1`)))
  const networks = await list('/networks')
  const builtIn = new Set(['bridge', 'host', 'none'])
  for (const one of networks) if (!builtIn.has(one.Name)) await remove(`/networks/${one.Id}`)
}

function ask(socketPath, method, path) {
  return new Promise((resolve, reject) => {
    const options = { socketPath, method, path, headers: { Host: 'engine' }, timeout: BOUND }
    const sent = request(options, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text) => (body += text))
      response.once('end', () => resolve({ status: response.statusCode, body }))
      response.once('error', reject)
    })
    sent.once('timeout', () => sent.destroy(new Error('no answer in time')))
    sent.once('error', reject)
    sent.end()
  })
}
