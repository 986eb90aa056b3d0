import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { resolveCredential } from '../../../src/credentials/resolve.ts'
import { redactText } from '../../../src/redact.ts'
import { scratchFolder } from '../../support/scratch.ts'

const missing = (message: string, fix = '') =>
  expect.objectContaining({
    code: 'credential_missing',
    message: expect.stringContaining(message),
    fix: expect.stringContaining(fix),
  })

test('a key comes from the variable, without its last line break, and is struck out of logs', () => {
  const secret = resolveCredential('p', { key_env: 'K' }, { K: 'sk-from-env-1234\n' })
  expect(secret?.reveal()).toBe('sk-from-env-1234')
  expect(String(secret)).toBe('***')
  expect(redactText('Bearer sk-from-env-1234')).toBe('Bearer ***')
})

test('a provider without variable and file wants no key', () => {
  expect(resolveCredential('local', {}, {})).toBeUndefined()
})

test.for([{}, { K: '' }, { K: ' \n' }])('the environment %j has no key', (env) => {
  expect(() => resolveCredential('p', { key_env: 'K' }, env)).toThrow(
    missing('no key for the model provider p.', "Set K in the environment of the editor's"),
  )
})

test('a key comes from a file that only its owner can read, before any variable', async () => {
  await using scratch = await scratchFolder()
  const key_file = join(scratch.path, 'key')
  writeFileSync(key_file, 'sk-from-file\r\n', { mode: 0o600 })
  const both = { key_file, key_env: 'K' }
  expect(resolveCredential('p', both, { K: 'sk-other' })?.reveal()).toBe('sk-from-file')
})

test.for(['640', '604', '620', '601'])('a key file of mode %s is refused', async (mode) => {
  await using scratch = await scratchFolder()
  const key_file = join(scratch.path, 'key')
  writeFileSync(key_file, 'sk-open')
  chmodSync(key_file, Number.parseInt(mode, 8))
  expect(() => resolveCredential('p', { key_file }, {})).toThrow(
    missing(`the file ${key_file} is open to others`, `chmod 600 ${key_file}`),
  )
})

test.for([
  ['a line break', 'one\ntwo'],
  ['a carriage return', 'one\rtwo'],
  ['a NUL', 'one\0two'],
  ['a space', 'one two'],
  ['another script', 'kéy'],
])('a key with %s is refused without being shown', async ([, text = '']) => {
  await using scratch = await scratchFolder()
  const key_file = join(scratch.path, 'key')
  writeFileSync(key_file, text, { mode: 0o600 })
  for (const provider of [{ key_file }, { key_env: 'K' }]) {
    const resolve = () => resolveCredential('p', provider, { K: text })
    expect(resolve).toThrow(missing('that is in no key'))
    expect(resolve).not.toThrow(text)
  }
})

const resolve = (key_file: string) => () => resolveCredential('p', { key_file }, {})

test('a missing, empty, relative or special key file is refused with its reason', async () => {
  await using scratch = await scratchFolder()
  const path = (name: string) => join(scratch.path, name)
  writeFileSync(path('empty'), '\n', { mode: 0o600 })
  execFileSync('mkfifo', ['-m', '600', path('pipe')])
  expect(resolve(path('none'))).toThrow(missing('cannot be read (ENOENT)'))
  expect(resolve(path('empty'))).toThrow(missing('is empty'))
  expect(resolve(path('pipe'))).toThrow(missing('is no key file'))
  expect(resolve(scratch.path)).toThrow(missing('is no key file'))
  expect(resolve('key')).toThrow(missing('is no absolute path'))
})
