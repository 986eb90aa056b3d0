import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { buildImages } from '../../../src/images/build.ts'
import { BUNDLED, CONTEXT_FILES, imageTag } from '../../../src/images/catalogue.ts'
import { CONTENT_LABEL } from '../../../src/images/content-label.ts'
import { imageEngine, otherArch } from '../../support/engine/image-engine.ts'
import { scratchFolder } from '../../support/scratch.ts'

const arch = otherArch()
let folder: Awaited<ReturnType<typeof scratchFolder>>

beforeEach(async () => {
  folder = await scratchFolder()
  await Promise.all(
    CONTEXT_FILES.map(async (file) => {
      await mkdir(dirname(join(folder.path, file)), { recursive: true })
      await writeFile(join(folder.path, file), file)
    }),
  )
})
afterEach(async () => folder[Symbol.asyncDispose]())

const options = () => ({
  base: 'base:1',
  root: folder.path,
  env: { XDG_CACHE_HOME: join(folder.path, 'cache') },
  settings: async () => ({ buildArgs: { HTTP_PROXY: 'http://p' }, files: { mirrors: 'x' } }),
  onStep: () => undefined,
})

test('What is up to date is not built again.', async () => {
  const { engine, asked } = imageEngine({ arch, present: ['base:1'] })
  const first = await buildImages(engine, BUNDLED, options())
  expect(asked.built).toEqual(BUNDLED.map(imageTag))
  const second = await buildImages(engine, BUNDLED, options())
  expect(asked.built).toHaveLength(2)
  expect(second).toEqual(first)
  expect(first.get('egress-proxy')?.labels[CONTENT_LABEL]).toMatch(/^[0-9a-f]{64}$/)
})

test('A changed program builds only the images that hold it.', async () => {
  const { engine, asked } = imageEngine({ arch, present: ['base:1'] })
  await buildImages(engine, BUNDLED, options())
  await writeFile(join(folder.path, 'dist/image/init.mjs'), 'changed')
  await buildImages(engine, BUNDLED, options())
  expect(asked.built.slice(2)).toEqual([imageTag('agent-bundled')])
})

test('A moved base builds everything again.', async () => {
  const { engine, asked, images } = imageEngine({ arch, present: ['base:1'] })
  await buildImages(engine, BUNDLED, options())
  const base = images.get('base:1')
  if (base !== undefined) images.set('base:1', { ...base, id: `sha256:${'f'.repeat(64)}` })
  await buildImages(engine, BUNDLED, options())
  expect(asked.built).toHaveLength(4)
})

test('Every context holds what a classic builder needs for the stages above, and is removed.', async () => {
  const { engine, asked } = imageEngine({ arch, present: ['base:1'] })
  await buildImages(engine, ['egress-proxy'], options())
  expect(asked.context[0]).toEqual(
    expect.arrayContaining([...CONTEXT_FILES, 'container/base/host']),
  )
  expect(await readdir(join(folder.path, 'cache/glovebox'))).toEqual([])
})

test('Images that are up to date need no base and no registry.', async () => {
  const { engine, asked, images } = imageEngine({ arch, present: ['base:1'] })
  const built = await buildImages(engine, BUNDLED, options())
  images.delete('base:1')
  expect(await buildImages(engine, BUNDLED, { ...options(), base: undefined })).toEqual(built)
  expect(asked.pulled).toEqual([])
})

test('Without any base, images of this version are taken although they cannot be compared.', async () => {
  const { engine, asked } = imageEngine({ arch, present: BUNDLED.map(imageTag) })
  const images = await buildImages(engine, BUNDLED, { ...options(), base: undefined })
  expect([...images.keys()]).toEqual(BUNDLED)
  expect(asked.built).toEqual([])
})

test('Without any base, an image that is missing is an error.', async () => {
  const { engine } = imageEngine({ arch, present: [imageTag('egress-proxy')] })
  const failure = buildImages(engine, BUNDLED, { ...options(), base: undefined })
  await expect(failure).rejects.toMatchObject({ code: 'image_missing' })
})

test('A missing bundle is named together with the command that makes it.', async () => {
  const { engine } = imageEngine({ arch, present: ['base:1'] })
  const elsewhere = { ...options(), root: join(folder.path, 'dist') }
  await expect(buildImages(engine, BUNDLED, elsewhere)).rejects.toMatchObject({
    code: 'build_failed',
    fix: 'Run `npm run build` first.',
  })
})
