/** Where a provider's key comes from. It leaves this process only in the proxy's `configure`. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

import { GloveboxError } from '../errors.ts'
import type { Provider } from '../policy/merge.ts'
import { rememberSecret } from '../redact.ts'
import { Secret } from '../secret.ts'

/** Bytes; a larger key file is not one. */
const MAX_KEY = 16 * 1024

/**
 * The key of a provider, struck out of logs from now on; undefined when the provider wants none.
 * Errors: `credential_missing`, which says how to give one and never shows any of it.
 */
export function resolveCredential(
  id: string,
  provider: Pick<Provider, 'key_env' | 'key_file'>,
  env: Record<string, string | undefined>,
): Secret | undefined {
  const { key_env, key_file } = provider
  if (key_file !== undefined) return asSecret(readKeyFile(id, key_file), id, `the file ${key_file}`)
  if (key_env === undefined) return undefined
  const value = env[key_env] ?? ''
  if (value.trim() === '') throw missing(id, key_env)
  return asSecret(value, id, `the variable ${key_env}`)
}

function missing(id: string, variable: string): GloveboxError {
  return new GloveboxError(
    'credential_missing',
    `There is no key for the model provider ${id}.`,
    `Set ${variable} in the environment of the editor's agent entry, or providers.${id}.key_file ` +
      'in the configuration to the absolute path of a file that only you can read.',
  )
}

function asSecret(text: string, id: string, where: string): Secret {
  const value = text.replace(/\r?\n$/, '')
  if (value === '') throw refused(id, `${where} is empty`, 'Put the key there.')
  // It becomes an HTTP header, where a line break would begin another one (RFC 9110, 5.5).
  if (!/^[\x21-\x7e]+$/.test(value)) {
    const what = `${where} holds a space, a line break or another character that is in no key`
    throw refused(id, what, 'Put nothing but the key there.')
  }
  return rememberSecret(new Secret(value))
}

function readKeyFile(id: string, path: string): string {
  if (!path.startsWith('/'))
    throw refused(id, `the file ${path} is no absolute path`, 'Name it so.')
  const fd = openKeyFile(id, path)
  try {
    const { mode, size } = fstatSync(fd)
    if ((mode & constants.S_IFMT) !== constants.S_IFREG || size > MAX_KEY) {
      throw refused(id, `the file ${path} is no key file`, 'Name a small regular file.')
    }
    if ((mode & 0o077) !== 0) {
      throw refused(id, `the file ${path} is open to others`, `Run: chmod 600 ${path}`)
    }
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

function openKeyFile(id: string, path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw refused(id, `the file ${path} cannot be read (${code})`, 'Make it, with the key in it.')
  }
}

function refused(id: string, why: string, fix: string): GloveboxError {
  const what = `The key of the model provider ${id} cannot be used: ${why}.`
  return new GloveboxError('credential_missing', what, fix)
}
