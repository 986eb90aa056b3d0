import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { loadProfile, profileIds } from '../../../src/agents/profile.ts'
import { pinnedBase } from '../../../src/images/base.ts'
import { BUILDABLE, CONTEXT_FILES, recipeOf } from '../../../src/images/catalogue.ts'
import { packageRoot } from '../../../src/package-root.ts'

const roles = [...new Set(Object.values(BUILDABLE).flat())]
const dockerfile = await readFile(join(packageRoot(), 'Dockerfile'), 'utf8')

test('Every image is a stage of the Dockerfile.', () => {
  const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name)
  expect(stages).toEqual(expect.arrayContaining(roles.map((role) => recipeOf(role).target)))
})

test('Every agent profile has an image that can be built.', () => {
  const images = profileIds().map((id) => loadProfile(id).image)
  expect(roles).toEqual(expect.arrayContaining(images))
})

test('Everything the Dockerfile copies is in the build context.', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
    sources.split(' '),
  )
  const known = [
    ...CONTEXT_FILES,
    ...roles.flatMap((role) => recipeOf(role).files),
    'container/base/host',
    'container/claude/',
  ]
  expect(copied.filter((source) => !known.includes(source))).toEqual([])
  expect(copied.length).toBeGreaterThan(4)
})

test('Inputs that are not bundled are in the repository.', () => {
  const files = roles.flatMap((role) => recipeOf(role).files)
  const kept = files.filter((file) => !file.startsWith('dist/'))
  expect(kept.filter((file) => !existsSync(join(packageRoot(), file)))).toEqual([])
})

test('The default base image is pinned by digest, and no step needs BuildKit.', async () => {
  await expect(pinnedBase()).resolves.toMatch(/^node:24-trixie-slim@sha256:[0-9a-f]{64}$/)
  expect(dockerfile).not.toMatch(/^# syntax=|--mount=|--chmod|--chown|--link|<<EOF/m)
})
