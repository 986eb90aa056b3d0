import { text } from 'node:stream/consumers'

import { describe, expect, test } from 'vitest'

import { bench, run, testEngines } from '../../support/engine/engines.ts'

describe.for(await testEngines())('On %s', ([, uri]) => {
  test.for([1, 2, 3])('nothing a quick container prints is lost (round %i)', async () => {
    await using b = await bench(uri)
    const script = 'echo first; echo e >&2; exit 7'
    const { container, streams } = await run(b, b.proxy(['sh', '-c', script]))
    const printed = await Promise.all([text(streams.stdout), text(streams.stderr)])
    expect(printed).toEqual(['first\n', 'e\n'])
    // Podman looks for an end every quarter of a second and may come too late to say how.
    const known = [
      { exitCode: 7, outOfMemory: false },
      ...(b.engine.info.kind === 'podman' ? [undefined] : []),
    ]
    expect(known).toContainEqual(await container.wait())
  })

  test('1 MiB goes in and comes back unchanged, and the end of input is seen', async () => {
    await using b = await bench(uri)
    const { container, streams } = await run(b, b.proxy(['cat']))
    const sent = Buffer.from(Uint8Array.from({ length: 1024 * 1024 }, (_, at) => at % 251))
    streams.stderr.resume()
    const received = streams.stdout.toArray()
    streams.stdin.end(sent)
    expect(Buffer.concat(await received).equals(sent)).toBe(true)
    expect(await streams.closed).toBeUndefined()
    await container.wait()
  })

  test('a container that ended is gone with its volume', async () => {
    await using b = await bench(uri)
    const { container, streams } = await run(b, b.proxy(['cat']))
    const { Mounts: mounts } = await container.inspect()
    const volume = mounts[0]?.Name ?? ''
    expect(volume).not.toBe('')
    expect(await b.engine.removeVolume(volume)).toBe(false)
    streams.stdin.end()
    await container.wait()
    await expect.poll(() => b.engine.list(b.label), { timeout: 5000 }).toEqual([])
    const left = await b.engine.volumes(b.label)
    expect(left).toEqual([])
    expect(await b.engine.removeVolume(volume)).toBe(true)
    await container.remove()
  })

  test('a container that never started is listed as created, and removed with its volume', async () => {
    await using b = await bench(uri)
    const created = await b.engine.create(b.proxy(['cat']))
    expect(await b.engine.list(b.label)).toMatchObject([{ id: created.id, state: 'created' }])
    await created.remove()
    await created.remove()
    expect(await b.engine.list(b.label)).toEqual([])
  })
})
