import { once } from 'node:events'
import { type Socket, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import { dial, askByUdp, readAll, resolverAt, withLength } from '../../support/init/dns-client.ts'
import { question } from '../../support/init/dns-question.ts'
import { freePorts, startInit } from '../../support/init/init-process.ts'
import { proxySocket } from '../../support/init/proxy-socket.ts'

const HOSTS = ['echo.test', 'first.test', 'refused.test', 'cut.test', '*.wild.test']

/** Init with an agent that lives, where each of HOSTS is allowed on one port. */
async function setUp() {
  const [port = 0, other = 0] = await freePorts(2)
  const rules = HOSTS.map((host) => ({ host, ports: [port] }))
  const proxy = await proxySocket({ names: { rules, deny: [{ host: 'no.wild.test' }] } })
  const init = await startInit(['cat'], { socket: proxy.path })
  await proxy.heard('agent-started')
  const resolver = resolverAt(init.dnsPort)
  return {
    port,
    other,
    proxy,
    init,
    resolver,
    addressOf: async (name: string) => (await resolver.resolve4(name))[0] ?? '',
    refusals: () => proxy.said.filter(({ type }) => type === 'name-refused'),
    async [Symbol.asyncDispose]() {
      await init[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
    },
  }
}

describe('the resolver', () => {
  test.concurrent('gives allowed names an address each, of IPv4 only', async () => {
    await using at = await setUp()
    const names = ['echo.test', 'FIRST.test', 'a.wild.test', 'b.wild.test', 'echo.test']
    const addresses: string[] = []
    for (const name of names) addresses.push(await at.addressOf(name))
    expect(addresses).toEqual([1, 2, 3, 4, 1].map((last) => `127.77.0.${last}`))
    await expect(at.resolver.resolve6('echo.test')).rejects.toThrow('ENODATA')
    await expect(at.resolver.resolveTxt('echo.test')).rejects.toThrow('ENODATA')
    expect(at.refusals()).toEqual([])
  })

  test.concurrent('says at once that other names do not exist, and tells each once', async () => {
    await using at = await setUp()
    const started = performance.now()
    for (const name of ['evil.test', 'wild.test', 'no.wild.test', 'test', 'evil.test']) {
      await expect(at.resolver.resolve4(name)).rejects.toThrow('ENOTFOUND')
      await expect(at.resolver.resolve6(name)).rejects.toThrow('ENOTFOUND')
    }
    expect(performance.now() - started).toBeLessThan(500)
    const told = ['evil.test', 'wild.test', 'no.wild.test', 'test']
    expect(at.refusals()).toEqual(told.map((name) => ({ type: 'name-refused', name })))
  })

  test.concurrent('knows localhost and its reverse without telling', async () => {
    await using at = await setUp()
    expect(await at.addressOf('localhost')).toBe('127.0.0.1')
    expect(await at.addressOf('app.localhost')).toBe('127.0.0.1')
    await expect(at.resolver.resolvePtr('1.0.0.127.in-addr.arpa')).rejects.toThrow('ENOTFOUND')
    expect(at.refusals()).toEqual([])
  })

  test.concurrent('answers over TCP however the bytes are cut, and in order', async () => {
    await using at = await setUp()
    const asked = [1, 2, 3].map((id) => question(id === 2 ? 'evil.test' : 'echo.test', { id }))
    const client = await dial(at.init.dnsPort)
    const bytes = Buffer.concat(asked.map(withLength))
    for (let from = 0; from < bytes.length; from += 7) {
      client.write(bytes.subarray(from, from + 7))
      await sleep(1)
    }
    client.end()
    const answers = await readAll(client)
    const first = answers.readUInt16BE(0)
    expect(answers.readUInt16BE(2)).toBe(1)
    expect(answers.readUInt16BE(2 + first + 2)).toBe(2)
    expect(answers.readUInt16BE(2 + first + 4) & 15).toBe(3)
    expect(answers.readUInt16BE(answers.length - first)).toBe(3)
  })

  test.concurrent('closes a TCP connection that sends what is no question', async () => {
    await using at = await setUp()
    for (const bytes of [Buffer.from([255, 255]), Buffer.from('GET / HTTP/1.1\r\n\r\n')]) {
      const client = await dial(at.init.dnsPort)
      client.on('error', () => undefined).write(bytes)
      await once(client.resume(), 'end')
      client.destroy()
    }
    expect(await at.addressOf('echo.test')).toBe('127.77.0.1')
  })

  test.concurrent('is not put off by garbage in datagrams', async () => {
    await using at = await setUp()
    const garbage = Array.from({ length: 40 }, (_, size) => Buffer.alloc(size * 8, size))
    const answer = await askByUdp(at.init.dnsPort, [
      Buffer.alloc(3),
      question('echo.test', { flags: 0x8180 }),
      Buffer.alloc(5_000),
      question('echo.test', { id: 77 }),
    ])
    expect(answer.readUInt16BE(0)).toBe(77)
    await askByUdp(at.init.dnsPort, [...garbage, question('echo.test')])
    expect(await at.addressOf('echo.test')).toBe('127.77.0.1')
  })

  test.concurrent('lets a question wait that came before the names', async () => {
    await using proxy = await proxySocket()
    await using init = await startInit(['cat'], { socket: proxy.path })
    await proxy.heard('agent-started')
    const [port] = await freePorts(1)
    const asked = resolverAt(init.dnsPort).resolve4('late.test')
    await sleep(200)
    proxy.say(`{"type":"names","rules":[{"host":"late.test","ports":[${port}]}]}`)
    expect(await asked).toEqual(['127.77.0.1'])
  })

  test.concurrent('whose port is taken is told with exit 69', async () => {
    await using at = await setUp()
    await using other = await proxySocket()
    const env = { GLOVEBOX_INIT_DNS_PORT: String(at.init.dnsPort) }
    await using second = await startInit(['cat'], { socket: other.path, env })
    expect(await second.exit).toMatchObject({ code: 69 })
    expect(second.stderr()).toContain(`Port ${at.init.dnsPort} of 127.0.0.1 cannot be listened on`)
  })
})

describe('a connection to a name', () => {
  test.concurrent('reaches that name and port through the proxy, whole and with half-close', async () => {
    await using at = await setUp()
    for (const name of ['echo.test', 'a.wild.test', 'b.wild.test']) {
      const client = await dial(at.port, await at.addressOf(name))
      const bytes = Buffer.alloc(3_000_000, name)
      client.end(bytes)
      expect((await readAll(client)).equals(bytes)).toBe(true)
    }
    const names = ['echo.test', 'a.wild.test', 'b.wild.test']
    expect(at.proxy.asked).toEqual(names.map((name) => `${name}:${at.port}`))
  })

  test.concurrent('gets what a server says first', async () => {
    await using at = await setUp()
    const client = await dial(at.port, await at.addressOf('first.test'))
    const [greeting]: unknown[] = await once(client, 'data')
    expect(String(greeting)).toBe('SSH-2.0-test\r\n')
    client.destroy()
  })

  test.concurrent('is reset when the proxy refuses', async () => {
    await using at = await setUp()
    const client = await dial(at.port, await at.addressOf('refused.test'))
    client.write('hello')
    await expect(readAll(client)).rejects.toThrow('ECONNRESET')
  })

  test.concurrent('is refused on a port that no rule has', async () => {
    await using at = await setUp()
    const address = await at.addressOf('echo.test')
    await expect(dial(at.other, address)).rejects.toThrow('ECONNREFUSED')
    expect(at.proxy.asked).toEqual([])
  })

  test.concurrent('holds a fast sender back while the other side does not read', async () => {
    await using at = await setUp()
    const client = await dial(at.port, await at.addressOf('echo.test'))
    client.pause()
    let taken = 0
    while (client.write(Buffer.alloc(256 * 1024)) || (await drained(client))) {
      taken += 1
      if (taken > 400) break
    }
    expect(taken).toBeLessThan(100)
    client.destroy()
  })
})

test('a server of the agent’s own keeps its port, and the name works when it is gone', async () => {
  await using at = await setUp()
  const own = createServer().listen(at.port, '0.0.0.0')
  await once(own, 'listening')
  await expect(at.resolver.resolve4('echo.test')).rejects.toThrow('ESERVFAIL')
  await new Promise((resolve) => own.close(resolve))
  const client = await dial(at.port, await at.addressOf('echo.test'))
  client.end('hello')
  expect(String(await readAll(client))).toBe('hello')
})

async function drained(client: Socket): Promise<boolean> {
  const drain = once(client, 'drain').then(() => true)
  return Promise.race([drain, sleep(500).then(() => false)])
}
