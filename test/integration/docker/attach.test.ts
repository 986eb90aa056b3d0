import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'

import { expect, test } from 'vitest'

import { attach } from '../../../src/docker/attach.ts'
import { fakeEngine, frame } from '../../support/engine/fake-engine.ts'

const SWITCH = 'HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n'

test('asks by an upgrade without a body, and gives what came with the answer', async () => {
  let head = ''
  await using fake = await fakeEngine({}, (socket, request) => {
    head = JSON.stringify(request.headers)
    socket.end(Buffer.concat([Buffer.from(SWITCH), frame(1, 'early'), frame(2, 'oops')]))
  })
  const streams = await attach(fake.socketPath, 'abc')
  expect(await Promise.all([text(streams.stdout), text(streams.stderr)])).toEqual(['early', 'oops'])
  expect(await streams.closed).toBeUndefined()
  expect(fake.seen[0]?.path).toBe('/containers/abc/attach?stream=1&stdin=1&stdout=1&stderr=1')
  expect(JSON.parse(head)).toMatchObject({ upgrade: 'tcp', connection: 'Upgrade' })
  expect(head).not.toContain('chunked')
})

test('ending the input is seen by the engine, and output still arrives after it', async () => {
  await using fake = await fakeEngine({}, (socket) => {
    socket.write(SWITCH)
    void text(socket).then((received) => socket.end(frame(1, `got ${received}`)))
  })
  const streams = await attach(fake.socketPath, 'abc')
  streams.stdin.write('one ')
  streams.stdin.end('two')
  expect(await text(streams.stdout)).toBe('got one two')
  streams.stderr.resume()
  expect(await streams.closed).toBeUndefined()
})

test('holds a writer back while the engine does not read, and loses nothing', async () => {
  const { promise, resolve } = Promise.withResolvers<Duplex>()
  await using fake = await fakeEngine({}, (socket) => {
    socket.write(SWITCH)
    resolve(socket)
  })
  const { stdin } = await attach(fake.socketPath, 'abc')
  const socket = await promise
  const block = Buffer.alloc(64 * 1024, 'x')
  let sent = 1
  while (stdin.write(block) && sent < 1000) sent += 1
  expect(sent).toBeLessThan(100)
  const received = text(socket)
  await once(stdin, 'drain')
  stdin.end()
  expect((await received).length).toBe(sent * block.length)
})

test('a connection that breaks ends the output and says so, without an error event', async () => {
  await using fake = await fakeEngine({}, (socket) => {
    socket.write(Buffer.concat([Buffer.from(SWITCH), frame(1, 'part').subarray(0, 10)]))
    setTimeout(() => socket.destroy(), 50)
  })
  const streams = await attach(fake.socketPath, 'abc')
  expect(await Promise.all([text(streams.stdout), text(streams.stderr)])).toEqual(['pa', ''])
  expect(await streams.closed).toBeInstanceOf(Error)
  expect(streams.stdin.write('into the void')).toBe(false)
})

test('destroy drops the connection at once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await using fake = await fakeEngine({}, (socket) => {
    socket.write(SWITCH)
    socket.resume().once('end', resolve)
  })
  const streams = await attach(fake.socketPath, 'abc')
  streams.destroy()
  await promise
  expect(await streams.closed).toBeUndefined()
})

test.for([
  [404, { message: 'No such container: abc' }, 'No such container: abc.'],
  [409, { cause: 'odd' }, 'HTTP 409'],
  [200, {}, 'HTTP 200'],
] as const)('an answer %i in place of a stream is one sentence', async ([status, json, part]) => {
  await using fake = await fakeEngine({ 'POST /containers/abc/attach': { status, json } })
  await expect(attach(fake.socketPath, 'abc')).rejects.toMatchObject({
    code: 'engine_failed',
    message: expect.stringContaining(part),
  })
})

test('no engine is one sentence', async () => {
  await expect(attach('/does/not/exist', 'abc')).rejects.toMatchObject({
    code: 'engine_failed',
    message: expect.stringContaining('does not answer (ENOENT)'),
  })
})
