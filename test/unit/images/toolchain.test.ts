import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it, test } from 'vitest'

import { pinned, toolchainReference, toolchainRole } from '../../../src/images/toolchain.ts'
import { scratchFolder } from '../../support/scratch.ts'

const ID = `sha256:${'a'.repeat(64)}`

describe('the image of a dev container', () => {
  it.for([
    ['.devcontainer/devcontainer.json', `{"image": "x/y@${ID}"}`],
    ['.devcontainer.json', `// words\n{ /* more */ "image": "x/y@${ID}", }`],
  ])('is read from %s, comments and all', async ([place = '', text = '']) => {
    await using folder = await scratchFolder()
    await mkdir(join(folder.path, '.devcontainer'))
    await writeFile(join(folder.path, place), text)
    expect(await toolchainReference('devcontainer', folder.path)).toBe(`x/y@${ID}`)
  })

  it.for([
    ['{"image": "debian:12"}', /names no digest/],
    ['{"build": {}}', /names no "image"/],
    ['{"image": 1}', /is not a devcontainer\.json/],
    ['secret', /is not a devcontainer\.json/],
    [' '.repeat(300_000), /is larger than 256 KiB/],
  ] as const)('is refused where the file says %.20s', async ([text, said]) => {
    await using folder = await scratchFolder()
    await writeFile(join(folder.path, '.devcontainer.json'), text)
    await expect(toolchainReference('devcontainer', folder.path)).rejects.toThrow(said)
  })

  it('is refused where there is no such file', async () => {
    await using folder = await scratchFolder()
    await expect(toolchainReference('devcontainer', folder.path)).rejects.toThrow(/has none of/)
  })
})

test.for(['debian:12', 'debian@sha256:1', `${ID} x`, `-x@${ID}`])('%s is not pinned', (name) => {
  expect(() => pinned(name, 'the command line')).toThrow(/names no digest/)
})

test.for([ID, `host:5000/a/b@${ID}`])('%s is pinned', (name) => {
  expect(pinned(name, 'the command line')).toBe(name)
})

test('every image has a role of its own in the lock', () => {
  expect(toolchainRole('agent-claude', ID)).toMatch(/^agent-claude\+[0-9a-f]{12}$/)
  expect(toolchainRole('agent-claude', ID)).not.toBe(toolchainRole('agent-claude', `x@${ID}`))
})
