import { describe, expect, test } from 'vitest'

import type { Engine, ImageFacts } from '../../../src/docker/engine.ts'
import { splitTag } from '../../../src/docker/image-store.ts'
import { pinnedImage } from '../../../src/docker/image.ts'

const id = `sha256:${'a'.repeat(64)}`
const other = `sha256:${'b'.repeat(64)}`
const digest = `registry.example/x@sha256:${'c'.repeat(64)}`

const facts = (changes: Partial<ImageFacts> = {}): ImageFacts => ({
  id,
  tags: ['glovebox/agent-bundled:1'],
  digests: [digest],
  labels: {},
  arch: 'amd64',
  size: 1,
  ...changes,
})

const engineWith = (image: ImageFacts | undefined): Pick<Engine, 'image'> => ({
  image: () => Promise.resolve(image),
})

describe('pinnedImage', () => {
  const local = { name: 'glovebox/agent-bundled:1', id }

  test('gives the image whose id is locked', async () => {
    expect(await pinnedImage(engineWith(facts()), local)).toEqual(facts())
  })

  test('gives the image whose digest is locked', async () => {
    expect(await pinnedImage(engineWith(facts()), { name: digest })).toEqual(facts())
  })

  test('refuses another image under the locked name, telling both short ids', async () => {
    await expect(pinnedImage(engineWith(facts({ id: other })), local)).rejects.toMatchObject({
      code: 'image_not_pinned',
      message: expect.stringMatching(/bbbbbbbbbbbb .* aaaaaaaaaaaa /),
    })
  })

  test('refuses an image the engine gives for a digest it does not list', async () => {
    const image = facts({ digests: [] })
    await expect(pinnedImage(engineWith(image), { name: digest })).rejects.toMatchObject({
      code: 'image_not_pinned',
    })
  })

  test.for([
    ['the engine has no such image', local],
    ['nothing is locked', undefined],
  ] as const)('says to build when %s', async ([, entry]) => {
    await expect(pinnedImage(engineWith(undefined), entry)).rejects.toMatchObject({
      code: 'image_missing',
      fix: 'Run `glovebox build`.',
    })
  })
})

test.for([
  ['a/b:1', 'a/b', '1'],
  ['a/b', 'a/b', 'latest'],
  ['host:5000/a', 'host:5000/a', 'latest'],
  ['host:5000/a:2', 'host:5000/a', '2'],
] as const)('%s is %s in version %s', ([reference, repository, version]) => {
  expect(splitTag(reference)).toEqual({ repository, version })
})
