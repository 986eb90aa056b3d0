import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { emptyEngine, ping } from '../../../src/bootstrap/engine-api.mjs'
import { scratchFolder } from '../../support/scratch.ts'

const CONTAINERS = [{ Id: 'c1' }, { Id: 'c2' }]
const NETWORKS = [
  { Id: 'n0', Name: 'bridge' },
  { Id: 'n1', Name: 'host' },
  { Id: 'n2', Name: 'none' },
  { Id: 'n3', Name: 'glovebox-egress' },
]

/** An engine that answers on a socket and notes what was asked. */
async function fakeEngine(path: string) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const list = request.url?.startsWith('/containers') ? CONTAINERS : NETWORKS
    response.end(request.url === '/_ping' ? 'OK' : JSON.stringify(list))
  })
  server.listen(path)
  await once(server, 'listening')
  return {
    asked,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

test('An engine answers only where one listens.', async () => {
  await using folder = await scratchFolder()
  const socket = join(folder.path, 'docker.sock')
  expect(await ping(socket)).toBe(false)
  await writeFile(join(folder.path, 'file'), '')
  expect(await ping(join(folder.path, 'file'))).toBe(false)
  await using engine = await fakeEngine(socket)
  expect(await ping(socket)).toBe(true)
  expect(engine.asked).toEqual(['GET /_ping'])
})

test('Emptying an engine removes every container, and every network that is not built in.', async () => {
  await using folder = await scratchFolder()
  const socket = join(folder.path, 'docker.sock')
  await using engine = await fakeEngine(socket)
  await emptyEngine(socket)
  expect(engine.asked.filter((line) => line.startsWith('DELETE')).toSorted()).toEqual([
    'DELETE /containers/c1?force=1&v=1',
    'DELETE /containers/c2?force=1&v=1',
    'DELETE /networks/n3',
  ])
})

test('Emptying an engine that does not answer is no error.', async () => {
  await expect(emptyEngine('/nowhere/docker.sock')).resolves.toBeUndefined()
})
