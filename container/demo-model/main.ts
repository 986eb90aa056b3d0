/**
 * The demo model: a server that speaks the providers' APIs and works by rules instead of a
 * language model, so that everything around it can be seen at work without an account.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

import { createModelServer } from './server.ts'

const USAGE =
  'usage: demo-model [--host H] [--port N] [--word-delay MS] (--key-file F | --key-stdin)'

const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      host: { type: 'string', default: '0.0.0.0' },
      port: { type: 'string', default: '8080' },
      'word-delay': { type: 'string', default: '12' },
      'key-file': { type: 'string' },
      'key-stdin': { type: 'boolean', default: false },
    },
  })
  process.on('SIGTERM', () => process.exit(0))
  process.on('SIGINT', () => process.exit(0))
  const key = values['key-stdin'] ? await keyFromStdin() : keyFromFile(values['key-file'])
  if (key === '') throw new Error(USAGE)
  const wordDelay = Number(values['word-delay'])
  const server = createModelServer({ key, wordDelay, log: print })
  server.listen(Number(values.port), values.host)
  await once(server, 'listening')
  const address = server.address()
  print({ type: 'listening', port: typeof address === 'object' ? address?.port : undefined })
}

function keyFromFile(path: string | undefined): string {
  return path === undefined ? '' : readFileSync(path, 'utf8').trim()
}

/** The first line is `{"key": "…"}`; the end of the input ends the server. */
async function keyFromStdin(): Promise<string> {
  const lines = createInterface({ input: process.stdin })
  lines.on('close', () => process.exit(0))
  const [line]: unknown[] = await once(lines, 'line')
  const parsed: unknown = JSON.parse(String(line))
  const key = typeof parsed === 'object' && parsed !== null && 'key' in parsed ? parsed.key : ''
  return typeof key === 'string' ? key : ''
}

try {
  await main()
} catch (error) {
  process.stderr.write(`demo-model: ${error instanceof Error ? error.message : 'failed'}\n`)
  process.exitCode = 64
}
