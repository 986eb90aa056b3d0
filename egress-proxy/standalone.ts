/** The proxy without a launcher: configuration and secrets from mounted files, audit on stdout. */
import { readFileSync } from 'node:fs'

import { z } from 'zod'

import { explain } from './control/explain.ts'
import { Configure, Identity } from './messages.ts'
import { CredentialHeader, GatewayRoute } from './policy.ts'

const Credential = z.strictObject({
  header: CredentialHeader,
  /** A file that holds the value and nothing else; one line break at its end is dropped. */
  value_file: z.string().startsWith('/'),
})

/** As `configure` without type, version and session; credentials are named by file. */
const StandaloneConfig = Configure.omit({ type: true, version: true, session: true }).extend({
  identity: Identity.optional(),
  deny: Configure.shape.deny.default([]),
  gateway: z.array(GatewayRoute.extend({ credential: Credential.optional() })).default([]),
})

export type Standalone = Omit<Configure, 'type' | 'version' | 'session' | 'identity'> & {
  identity?: Identity | undefined
}

/** Reads and checks the file. Throws an Error that names file, key and expectation. */
export function readStandalone(file: string): Standalone {
  const parsed = StandaloneConfig.safeParse(readJson(file))
  if (!parsed.success) throw new Error(`${file}: ${explain(parsed.error.issues)}`)
  const { gateway, ...rest } = parsed.data
  const routes = gateway.map(({ credential, ...route }) => {
    if (credential === undefined) return route
    const value = readSecret(credential.value_file, `${file}: gateway.${route.id}.credential`)
    return { ...route, credential: { header: credential.header, value } }
  })
  return { ...rest, gateway: routes }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'not JSON'
    throw new Error(`${file}: cannot be read (${code})`, { cause })
  }
}

function readSecret(file: string, where: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable'
    throw new Error(`${where}: ${file} cannot be read (${code})`, { cause })
  }
  const value = text.replace(/\r?\n$/, '')
  if (value === '') throw new Error(`${where}: ${file} is empty`)
  return value
}
