import { stat, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import {
  demoConfiguration,
  ownConfiguration,
  ownModel,
  withConfiguration,
} from '../../../src/demo/provider.ts'
import { UserConfig } from '../../../src/policy/schema.ts'
import { writeProject } from '../../support/demo-model/write-project.ts'

test.for([
  [{}, undefined],
  [{ ANTHROPIC_API_KEY: '' }, undefined],
  [{ OPENAI_API_KEY: 'o' }, { id: 'openai', key: 'o', baseUrl: undefined }],
  [
    { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a', ANTHROPIC_BASE_URL: 'https://m.example' },
    { id: 'anthropic', key: 'a', baseUrl: 'https://m.example' },
  ],
] as const)('The environment %j means the model %o', ([env, own]) => {
  expect(ownModel(env)).toEqual(own)
})

test('A base URL makes a configuration that names the variable and not the key', () => {
  const own = { id: 'openai', key: 'secret', baseUrl: 'https://m.example/v1' } as const
  const configuration = ownConfiguration(own)
  expect(configuration).toMatchObject({
    providers: { openai: { base_url: 'https://m.example', key_env: 'OPENAI_API_KEY' } },
  })
  expect(UserConfig.parse(configuration)).toEqual(configuration)
  expect(JSON.stringify(configuration)).not.toContain('secret')
  expect(ownConfiguration({ ...own, baseUrl: undefined })).toBeUndefined()
})

test('The demo model is reached by one address and no other private one', () => {
  const model = { address: '172.20.0.2', baseUrl: 'http://172.20.0.2:8080' }
  const configuration = demoConfiguration(model, '/secret/key')
  expect(UserConfig.parse(configuration)).toEqual(configuration)
  expect(configuration).toMatchObject({
    provider: 'demo',
    providers: { demo: { allow_private: ['172.20.0.2/32'], key_file: '/secret/key' } },
  })
})

test('The configuration is private to the caller and named in the environment', async () => {
  await using place = await writeProject({})
  const env = await withConfiguration({ A: 'b' }, place.folder, { version: 1, provider: 'x' })
  const file = join(env['XDG_CONFIG_HOME'] ?? '', 'glovebox/config.json')
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ version: 1, provider: 'x' })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(env['A']).toBe('b')
})
