import { expect, test } from 'vitest'

import { obtainBase, pinnedBase, presentBase } from '../../../src/images/base.ts'
import { imageEngine, otherArch } from '../../support/engine/image-engine.ts'

const arch = otherArch()
const options = (base?: string) => ({ base, env: {}, onStep: () => undefined })

test('The base the user named is the only one that counts as present.', async () => {
  const { engine } = imageEngine({ arch, present: ['corp/node:24', await pinnedBase()] })
  expect(await presentBase(engine, 'corp/node:24')).toMatchObject({ reference: 'corp/node:24' })
  expect(await presentBase(engine, 'corp/node:25')).toBeUndefined()
})

test('A base the user named is pulled, and no other is tried instead.', async () => {
  const { engine, asked } = imageEngine({ arch, registry: [await pinnedBase()] })
  await expect(obtainBase(engine, options('corp/node:24'))).rejects.toThrow('no such host')
  expect(asked.pulled).toEqual(['corp/node:24'])
})

test('The pinned public image is used as it is when the engine has it.', async () => {
  const { engine, asked } = imageEngine({ arch, present: [await pinnedBase()] })
  expect(await presentBase(engine, undefined)).toMatchObject({ reference: await pinnedBase() })
  expect(asked.pulled).toEqual([])
})

test('The pinned public image is pulled when a registry has it.', async () => {
  const { engine } = imageEngine({ arch, registry: [await pinnedBase()] })
  const base = await obtainBase(engine, options())
  expect(base).toMatchObject({ reference: await pinnedBase(), complete: false })
})

test('A registry that says nothing is given up after the bound.', async () => {
  const { engine } = imageEngine({ arch, silentRegistry: true })
  await expect(obtainBase(engine, { ...options(), registryBound: 50 })).rejects.toThrow(
    'no registry answered within 0.05 s',
  )
})

test('Without any source the error names both ways out.', async () => {
  const { engine } = imageEngine({ arch })
  await expect(obtainBase(engine, options())).rejects.toMatchObject({
    code: 'image_missing',
    exitCode: 69,
    fix: expect.stringMatching(/BASE_IMAGE=.*glovebox build --from archive\.tar/),
  })
})
