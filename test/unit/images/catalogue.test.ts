import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'
import { z } from 'zod'

import { loadProfile, profileIds } from '../../../src/agents/profile.ts'
import { pinnedBase } from '../../../src/images/base.ts'
import { BUILDABLE, CONTEXT_FILES, PACKAGED, recipeOf } from '../../../src/images/catalogue.ts'
import { packageRoot } from '../../../src/package-root.ts'

const Packages = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      integrity: z.string().startsWith('sha512-').optional(),
      resolved: z.string().optional(),
      dependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
})

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
    ...Object.keys(PACKAGED).map((agent) => `container/${agent}/`),
  ]
  expect(copied.filter((source) => !known.includes(source))).toEqual([])
  expect(copied.length).toBeGreaterThan(4)
})

test('An agent’s image holds everything of the agent’s folder.', async () => {
  for (const agent of Object.keys(PACKAGED)) {
    const { files = [] } = roles.map(recipeOf).find(({ modules }) => modules === agent) ?? {}
    const folder = join(packageRoot(), 'container', agent)
    // oxlint-disable-next-line no-await-in-loop -- four small folders
    const names = (await readdir(folder)).filter((name) => name !== 'node_modules')
    expect(files).toEqual(
      expect.arrayContaining(names.map((name) => join('container', agent, name))),
    )
  }
})

test.for(Object.keys(PACKAGED))(
  'The packages of %s are pinned by hash, from any registry, in the profile’s version.',
  async (agent) => {
    const text = await readFile(
      join(packageRoot(), 'container', agent, 'package-lock.json'),
      'utf8',
    )
    const { packages } = Packages.parse(JSON.parse(text))
    const { '': own, ...others } = packages
    const unpinned = Object.entries(others).filter(
      ([, { integrity, resolved }]) => integrity === undefined || resolved !== undefined,
    )
    expect(unpinned).toEqual([])
    const wanted = Object.values(own?.dependencies ?? {})
    expect(wanted).toEqual([loadProfile(agent).initialize.agentInfo.version])
  },
)

test('Inputs that are not bundled are in the repository.', () => {
  const files = roles.flatMap((role) => recipeOf(role).files)
  const kept = files.filter((file) => !file.startsWith('dist/'))
  expect(kept.filter((file) => !existsSync(join(packageRoot(), file)))).toEqual([])
})

test('The default base image is pinned by digest, and no step needs BuildKit.', async () => {
  await expect(pinnedBase()).resolves.toMatch(/^node:24-trixie-slim@sha256:[0-9a-f]{64}$/)
  expect(dockerfile).not.toMatch(/^# syntax=|--mount=|--chmod|--chown|--link|<<EOF/m)
})
