/**
 * A socket in front of the engine that passes everything on and tells of each request first, so that
 * a test can strike at an exact moment. A request that is held is never passed on.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** `POST /containers/create`, and the bytes that came with it. True holds the request. */
export type Watch = (request: string, bytes: Buffer) => boolean

export class EngineGate implements AsyncDisposable {
  readonly uri: string
  watch: Watch = () => false
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  static async open(engineUri: string): Promise<EngineGate> {
    const folder = await mkdtemp(join(tmpdir(), 'gb-gate-'))
    const gate = new EngineGate(engineUri.slice('unix://'.length), join(folder, 'engine.sock'))
    await once(gate.#server, 'listening')
    return gate
  }

  private constructor(target: string, path: string) {
    this.uri = `unix://${path}`
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#join(client, target))
    this.#server.listen(path)
  }

  #join(client: Socket, target: string): void {
    const engine = connect({ path: target, allowHalfOpen: true })
    let held = false
    for (const socket of [client, engine]) {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      socket.on('error', () => undefined)
    }
    client.on('data', (chunk: Buffer) => {
      const line = /^(GET|POST|PUT|DELETE|HEAD) (\/(?:v[\d.]+\/)?\S*) HTTP/.exec(
        chunk.subarray(0, 2048).toString('latin1'),
      )
      if (line !== null && this.watch(`${line[1]} ${line[2]}`, chunk)) held = true
      if (!held) engine.write(chunk)
    })
    client.on('end', () => engine.end())
    client.on('close', () => engine.destroy())
    engine.on('data', (chunk: Buffer) => client.write(chunk))
    engine.on('end', () => client.end())
    engine.on('close', () => client.destroy())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await rm(dirname(this.uri.slice('unix://'.length)), { recursive: true, force: true })
  }
}
