import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { resolveCredential } from '../../../src/credentials/resolve.ts'
import { loadPolicy } from '../../../src/policy/load.ts'
import { saveAnswers } from '../../../src/setup/save.ts'

let folder: string
let paths: { userConfig: string; adminPolicy: string }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gb-setup-'))
  paths = { userConfig: join(folder, 'config', 'config.json'), adminPolicy: join(folder, 'none') }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('saveAnswers', () => {
  it('makes a configuration with which a session finds its key', async () => {
    const keyFile = await saveAnswers(paths, { provider: 'openai', key: 'sk-entered' })
    const policy = loadPolicy(paths, undefined)
    expect(policy.provider).toBe('openai')
    const provider = policy.providers['openai']
    if (provider === undefined) throw new Error('no provider')
    expect(resolveCredential('openai', provider, {})?.reveal()).toBe('sk-entered')
    expect(statSync(keyFile ?? '').mode & 0o777).toBe(0o600)
    expect(statSync(paths.userConfig).mode & 0o777).toBe(0o600)
    expect(readFileSync(paths.userConfig, 'utf8')).not.toContain('sk-entered')
  })

  it('keeps what else the configuration holds', async () => {
    await saveAnswers(paths, { provider: 'anthropic', key: 'sk-one' })
    const before: object = JSON.parse(readFileSync(paths.userConfig, 'utf8'))
    writeFileSync(paths.userConfig, JSON.stringify({ ...before, limits: { pids: 77 } }))
    await saveAnswers(paths, {
      provider: 'custom',
      custom: { preset: 'openai', base_url: 'https://llm.example.com', model: 'm' },
    })
    const policy = loadPolicy(paths, undefined)
    expect(policy.limits.pids).toBe(77)
    expect(policy.provider).toBe('custom')
    expect(policy.providers['custom']).toMatchObject({ base_url: 'https://llm.example.com' })
    expect(policy.providers['anthropic']?.key_file).toContain('keys/anthropic')
  })

  it('changes nothing when the configuration is not valid', async () => {
    await saveAnswers(paths, { provider: 'anthropic', key: 'sk-one' })
    writeFileSync(paths.userConfig, '{"version":1,"nonsense":true}')
    await expect(saveAnswers(paths, { provider: 'openai', key: 'sk-two' })).rejects.toThrow(
      'nothing was changed',
    )
    expect(readFileSync(paths.userConfig, 'utf8')).toBe('{"version":1,"nonsense":true}')
  })
})
