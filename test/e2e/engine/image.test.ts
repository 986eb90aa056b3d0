import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'

import Dockerode from 'dockerode'
import { afterAll, describe, expect, test } from 'vitest'

import type { BuildOptions } from '../../../src/docker/engine.ts'
import { pinnedImage } from '../../../src/docker/image.ts'
import { type Bench, bench, run, testEngines } from '../../support/engine/engines.ts'
import { hostRootfs, TEST_IMAGE } from '../../support/engine/host-rootfs.ts'

const TAG = 'glovebox-test/built:1'
const PINNED = 'glovebox-test/pinned:1'

async function build(b: Bench, dockerfile: string, more: Partial<BuildOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'build-'))
  const lines: string[] = []
  await writeFile(join(folder, 'Dockerfile'), dockerfile)
  await writeFile(join(folder, 'given.txt'), 'given\n', { mode: 0o600 })
  await writeFile(join(folder, 'left-out.txt'), 'left out\n')
  try {
    const id = await b.engine.build(folder, ['Dockerfile', 'given.txt'], {
      tag: TAG,
      target: 'wanted',
      buildArgs: { WORD: 'said' },
      labels: { 'glovebox.content': 'abc' },
      onLine: (line) => lines.push(line),
      ...more,
    })
    return { id, lines }
  } finally {
    await rm(folder, { recursive: true })
  }
}

const GOOD = `
FROM ${TEST_IMAGE} AS wanted
ARG WORD
ENV WORD=$WORD
COPY *.txt /opt/
CMD ["sh", "-c", "echo $WORD; cat /opt/given.txt; ls /opt; stat -c '%a %u' /opt/given.txt"]
FROM wanted AS unwanted
COPY missing /
`

async function removeImages(uri: string, names: string[]): Promise<void> {
  const docker = new Dockerode({ socketPath: uri.slice('unix://'.length) })
  await Promise.allSettled(names.map((one) => docker.getImage(one).remove({ force: true })))
}

describe.for(await testEngines())('On %s', ([, uri]) => {
  afterAll(() => removeImages(uri, [TAG, PINNED]))

  test('the named target is built from the named files, with arguments and labels', async () => {
    await using b = await bench(uri)
    const { id, lines } = await build(b, GOOD)
    const image = await b.engine.image(TAG)
    expect(image).toMatchObject({ id, labels: { 'glovebox.content': 'abc' }, arch: 'amd64' })
    expect(id).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(lines.length).toBeGreaterThan(3)
    const { Cmd: _none, ...body } = b.proxy([])
    const { container, streams } = await run(b, { ...body, Image: id })
    streams.stdin.end()
    streams.stderr.resume()
    const out = Buffer.concat(await streams.stdout.toArray()).toString()
    expect(out).toBe('said\ngiven\ngiven.txt\n644 0\n')
    await container.wait()
    const again = await build(b, GOOD)
    expect(again.id).toBe(id)
  })

  test('a failing build is one error with its last lines', async () => {
    await using b = await bench(uri)
    await expect(build(b, `FROM ${TEST_IMAGE} AS wanted\nCOPY missing /\n`)).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringMatching(/could not be built.*COPY.*missing/s),
    })
  })

  test('a file that is missing on the host is named before the engine is asked', async () => {
    await using b = await bench(uri)
    const options = { tag: TAG, target: '', buildArgs: {}, labels: {}, onLine: () => undefined }
    await expect(b.engine.build('/tmp', ['no-such-file'], options)).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringContaining('no-such-file'),
    })
  })

  test('a name that was moved to another image is refused by its id', async () => {
    await using b = await bench(uri)
    const first = await b.engine.importRootfs(await hostRootfs(), PINNED, ['ENV ROUND=1'])
    const entry = { name: PINNED, id: first }
    expect((await pinnedImage(b.engine, entry)).id).toBe(first)
    const second = await b.engine.importRootfs(await hostRootfs(), PINNED, ['ENV ROUND=2'])
    expect(second).not.toBe(first)
    await expect(pinnedImage(b.engine, entry)).rejects.toMatchObject({ code: 'image_not_pinned' })
    await b.engine.tag(first, PINNED)
    expect((await pinnedImage(b.engine, entry)).id).toBe(first)
    await removeImages(uri, [second])
  })

  test('an image the engine does not have is undefined, and an archive that is none an error', async () => {
    await using b = await bench(uri)
    expect(await b.engine.image('glovebox-test/none:1')).toBeUndefined()
    await expect(b.engine.load(Readable.from([Buffer.from('no tar')]))).rejects.toMatchObject({
      code: 'engine_failed',
    })
  })
})
