import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { promisify } from 'node:util'

import { expect, test } from 'vitest'

import { Look, lookCommand } from '../../../src/proof/look.ts'

test('The program runs as text under plain Node and tells what it sees', async () => {
  const asked: string[] = []
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.host}`)
    response.writeHead(403, { 'x-egress-reason': 'host_not_allowed' }).end()
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const [, ...args] = lookCommand({
    hostPaths: [process.execPath, '/not/there'],
    forbiddenHost: 'forbidden.invalid',
    farAddress: '127.0.0.1',
  })
  try {
    const env = { HTTP_PROXY: `http://127.0.0.1:${port}`, SOME: 'value' }
    const { stdout } = await promisify(execFile)(process.execPath, args, { env })
    const look = Look.parse(JSON.parse(stdout))
    expect(asked).toEqual(['GET http://forbidden.invalid/ forbidden.invalid'])
    expect(look.throughProxy).toEqual({ status: 403, reason: 'host_not_allowed' })
    expect(look.hostPathsFound).toEqual([process.execPath])
    expect(look.interfaces).toContain('lo')
    expect(look.processes.map(({ pid }) => pid)).toContain(process.pid)
    expect(look.user.uid).toBe(process.getuid?.())
    expect(look.dial).toBe('ECONNREFUSED')
    expect(look.lookUp).toMatch(/^E/)
    expect(Object.keys(look.environment).toSorted()).toEqual(['HTTP_PROXY', 'SOME'])
    expect(stdout).not.toContain('value')
  } finally {
    proxy.close()
  }
})
