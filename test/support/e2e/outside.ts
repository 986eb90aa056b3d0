/** A network of the test's own with an outside host on it, and a model. All are containers. */
import { randomBytes } from 'node:crypto'
import { networkInterfaces } from 'node:os'

import type { Engine } from '../../../src/docker/engine.ts'
import { lockEntry, readLock } from '../../../src/images/lock.ts'
import { statePaths } from '../../../src/state.ts'
import { demultiplexed, engineApi, type Api } from './engine-api.ts'

/**
 * Answers every request, and prints it: `GET allowed.test:8080/path`. Greets as a WebSocket server
 * and echoes what follows. Greets as an SSH server on port 2222, and prints what the client is.
 */
const OUTSIDE = `
const { createHash } = require('node:crypto')
const http = require('node:http')
http.createServer((request, response) => {
  console.log(request.method + ' ' + request.headers.host + request.url)
  response.end('hello from outside')
}).on('upgrade', (request, socket) => {
  console.log('UPGRADE ' + request.headers.host + request.url)
  const accept = createHash('sha1')
    .update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11')
    .digest('base64')
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n'
    + 'Sec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n')
  socket.on('error', () => {}).pipe(socket)
}).listen(8080)
require('node:net').createServer((socket) => {
  socket.write('SSH-2.0-outside\\r\\n')
  socket.on('error', () => {}).once('data', (chunk) => {
    console.log('SSH ' + String(chunk).split('\\r')[0])
    socket.end()
  })
}).listen(2222)
`

/** An engine without CAP_SYS_RESOURCE cannot raise its own limits, and Podman tries to. */
export const TEST_ULIMITS = [
  { Name: 'nofile', Soft: 1024, Hard: 1024 },
  { Name: 'nproc', Soft: 4096, Hard: 4096 },
]

/** The names the outside host has on the test's network. */
const OUTSIDE_NAMES = ['allowed.test', 'forbidden.test']
const MODEL_NAME = 'model.test'

export class Outside implements AsyncDisposable {
  readonly api: Api
  readonly network: string
  /** Of the network, such as `172.30.0.0/16`. */
  readonly subnet: string
  /** An address of the host that a container on the test's network reaches. */
  readonly hostAddress: string
  /** Whether the engine answers names on its networks; Podman's CNI does so with a plugin only. */
  readonly named: boolean
  /** The model's name, or its address where there are no names. */
  readonly modelHost: string
  /** The key the model wants to see. */
  readonly key: string
  readonly #model: string
  readonly #outside: string

  private constructor(api: Api, parts: Parts) {
    this.api = api
    this.network = parts.network
    this.subnet = parts.subnet
    this.hostAddress = parts.hostAddress
    this.named = parts.named
    this.modelHost = parts.modelHost
    this.key = parts.key
    this.#model = parts.model
    this.#outside = parts.outside
  }

  static async start(engine: Engine): Promise<Outside> {
    const api = engineApi(engine.info.uri)
    const key = `sk-test-${randomBytes(16).toString('hex')}`
    const network = `gb-test-${randomBytes(4).toString('hex')}`
    await api('POST', '/networks/create', { Name: network, Driver: 'bridge' })
    const { IPAM } = await api<{ IPAM: { Config: { Subnet: string; Gateway: string }[] } }>(
      'GET',
      `/networks/${network}`,
    )
    const [{ Subnet: subnet, Gateway: gateway } = { Subnet: '', Gateway: '' }] = IPAM.Config
    // A rootless engine's bridge is in a network namespace of its own.
    const hostAddress = engine.info.rootless ? ownAddress() : gateway
    const named = await answersNames(engine, api, network)
    const [proxyImage, modelImage] = await Promise.all([
      imageId(engine, 'egress-proxy'),
      imageId(engine, 'demo-model'),
    ])
    const outside = await start(api, network, OUTSIDE_NAMES, {
      Image: proxyImage,
      Entrypoint: ['node', '-e', OUTSIDE],
    })
    // The key is in a file of the container's own, put there before it starts.
    const model = await start(api, network, [MODEL_NAME], {
      Image: modelImage,
      Entrypoint: [
        'sh',
        '-c',
        `printf %s "$0" > /tmp/key && exec node /opt/glovebox/demo-model.mjs --word-delay 2 --key-file /tmp/key`,
        key,
      ],
    })
    const modelHost = named ? MODEL_NAME : await addressOf(api, model, network)
    const parts = { network, subnet, hostAddress, named, modelHost, key, model, outside }
    return new Outside(api, parts)
  }

  /** What the outside host was asked: `GET allowed.test:8080/`. */
  async requests(): Promise<string[]> {
    return lines(await this.#logs(this.#outside))
  }

  /** What the model was asked: one JSON object each. */
  async modelRequests(): Promise<Record<string, unknown>[]> {
    return lines(await this.#logs(this.#model)).map(
      (line) => JSON.parse(line) as Record<string, unknown>,
    )
  }

  /** The model stops answering, or goes on: connections to it stay open. */
  async hangModel(hang: boolean): Promise<void> {
    await this.api('POST', `/containers/${this.#model}/${hang ? 'pause' : 'unpause'}`)
  }

  /** A plain container on the test's network runs this; the control for what must not work inside. */
  async control(command: string[]): Promise<string> {
    const { Image } = await this.api<{ Image: string }>('GET', `/containers/${this.#outside}/json`)
    return await this.plain({ Image, Entrypoint: command })
  }

  /** A container as it is asked for, with nothing of Glovebox; what it said. */
  async plain(body: Record<string, unknown>): Promise<string> {
    const id = await start(this.api, this.network, [], body)
    await this.api('POST', `/containers/${id}/wait`)
    const output = await this.#logs(id)
    await this.api('DELETE', `/containers/${id}?force=1`)
    return output
  }

  /** The outside host's address on the test's network. */
  address(): Promise<string> {
    return addressOf(this.api, this.#outside, this.network)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of [this.#model, this.#outside]) {
      await this.api('DELETE', `/containers/${id}?force=1`).catch(() => undefined)
    }
    await this.#removeNetwork()
  }

  /** A proxy that is just ending may still be on the network for a moment. */
  async #removeNetwork(): Promise<void> {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      try {
        await this.api('DELETE', `/networks/${this.network}`)
        return
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
    }
  }

  async #logs(id: string): Promise<string> {
    return demultiplexed(await this.api('GET', `/containers/${id}/logs?stdout=1&stderr=1`))
  }
}

type Parts = {
  network: string
  subnet: string
  hostAddress: string
  named: boolean
  modelHost: string
  key: string
  model: string
  outside: string
}

async function answersNames({ info }: Engine, api: Api, network: string): Promise<boolean> {
  if (info.kind === 'docker') return true
  const found = await api<{ dns_enabled: boolean }>(
    'GET',
    `/v4.0.0/libpod/networks/${network}/json`,
  )
  return found.dns_enabled
}

async function addressOf(api: Api, id: string, network: string): Promise<string> {
  const { NetworkSettings } = await api<{
    NetworkSettings: { Networks: Record<string, { IPAddress: string }> }
  }>('GET', `/containers/${id}/json`)
  return NetworkSettings.Networks[network]?.IPAddress ?? ''
}

/** Of the interface that leads out, which is the first one beside loopback. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? ''
}

async function imageId(engine: Engine, role: string): Promise<string> {
  const lock = await readLock(statePaths(process.env).lock)
  const entry = lockEntry(lock, engine.info.uri, role)
  if (entry === undefined) throw new Error(`no image for ${role}: run npm test, which builds it`)
  return entry.id ?? entry.name
}

async function start(api: Api, network: string, aliases: string[], body: object): Promise<string> {
  const { Id } = await api<{ Id: string }>('POST', '/containers/create', {
    User: '65532:65532',
    Labels: { 'glovebox-test': '1' },
    HostConfig: { NetworkMode: network, Ulimits: TEST_ULIMITS },
    NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: aliases } } },
    ...body,
  })
  await api('POST', `/containers/${Id}/start`)
  return Id
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')
