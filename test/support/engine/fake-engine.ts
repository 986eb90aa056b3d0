/** An engine of canned answers on a real unix socket: slow, wrong or silent as a test needs it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'

import type { EngineInfo } from '../../../src/docker/engine.ts'

type Seen = { method: string; path: string; body: string }
/** A value is sent as JSON; a function does what it likes. */
export type Answer =
  | { status?: number; json: unknown }
  | ((response: ServerResponse, seen: Seen) => void)
/** Keys such as `GET /version`; the query is not part of them. */
export type Answers = Record<string, Answer>
export type OnUpgrade = (socket: Duplex, request: IncomingMessage) => void

export type FakeEngine = AsyncDisposable & {
  socketPath: string
  info: EngineInfo
  seen: Seen[]
  answers: Answers
}

/** Never answers, and keeps the connection. */
export const silence: Answer = () => undefined
/** Closes the connection without an answer. */
export const hangUp: Answer = (response) => void response.socket?.destroy()

export async function fakeEngine(answers: Answers, onUpgrade?: OnUpgrade): Promise<FakeEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-engine-'))
  const socketPath = join(folder, 'docker.sock')
  const seen: Seen[] = []
  const known: Answers = {
    'GET /version': { json: VERSION },
    'GET /info': { json: INFO },
    ...answers,
  }
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const one = { method: request.method ?? '', path: request.url ?? '', body: await text(request) }
    seen.push(one)
    give(response, known[`${one.method} ${one.path.replace(/\?.*/, '')}`], one)
  }
  const open = new Set<Socket>()
  const server = createServer((request, response) => {
    void reply(request, response)
  })
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket)).on('error', () => undefined)
  })
  if (onUpgrade !== undefined) {
    server.on('upgrade', (request, socket) => {
      seen.push({ method: request.method ?? '', path: request.url ?? '', body: '' })
      onUpgrade(socket, request)
    })
  }
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  return {
    socketPath,
    info: fakeInfo({ uri: `unix://${socketPath}` }),
    seen,
    answers: known,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function give(response: ServerResponse, answer: Answer | undefined, seen: Seen): void {
  if (typeof answer === 'function') {
    answer(response, seen)
    return
  }
  const { status = 200, json } = answer ?? { status: 404, json: { message: 'no such page' } }
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(json))
}

export const VERSION = {
  Version: '20.10.24',
  ApiVersion: '1.41',
  Arch: 'amd64',
  Components: [{ Name: 'Engine' }],
}

export const INFO = {
  SecurityOptions: ['name=seccomp,profile=default'],
  Runtimes: { runc: { path: 'runc' } },
  Warnings: null,
  NCPU: 8,
  CgroupVersion: '2',
}

export function fakeInfo(changes: Partial<EngineInfo> = {}): EngineInfo {
  return {
    kind: 'docker',
    rootless: false,
    version: '20.10.24',
    apiVersion: '1.41',
    uri: 'unix:///run/fake.sock',
    arch: 'amd64',
    runtimes: ['runc'],
    warnings: [],
    cpus: 8,
    seccomp: true,
    usernsRemap: false,
    owner: { uid: 1000, gid: 1000 },
    ...changes,
  }
}

/** A frame of the engine's multiplexed stream. */
export function frame(stream: 1 | 2, payload: string | Buffer): Buffer {
  const data = Buffer.from(payload)
  const header = Buffer.alloc(8)
  header.writeUInt8(stream, 0)
  header.writeUInt32BE(data.length, 4)
  return Buffer.concat([header, data])
}
