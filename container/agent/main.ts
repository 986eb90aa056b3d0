/** The bundled agent: ACP on stdin and stdout until stdin ends or SIGTERM comes. */
import { Readable } from 'node:stream'

import { protocolOutput } from './protocol-output.ts'

const output = protocolOutput()
// Loaded after the guard stands, so that nothing they print while loading reaches stdout.
const { ndJsonStream, MessageTooLargeError } = await import('@agentclientprotocol/sdk')
const { serve } = await import('./acp/server.ts')
const { sessionStore, stateFolder } = await import('./journal/session-store.ts')
const { ProcessGroups } = await import('./tools/process-groups.ts')

await using groups = new ProcessGroups()
const input: ReadableStream<Uint8Array> = Readable.toWeb(process.stdin)
const { connection, sessions } = serve(ndJsonStream(output, input), {
  groups,
  store: sessionStore(stateFolder(process.env)),
  env: process.env,
  report,
})

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    groups.killAll()
    process.exit(0)
  })
// A client that is gone cannot be told anything.
process.stdout.on('error', () => connection.close())

await connection.closed
await Promise.all([sessions[Symbol.asyncDispose](), groups[Symbol.asyncDispose]()])
if (connection.signal.reason instanceof MessageTooLargeError) {
  process.stderr.write('glovebox: a message on stdin is larger than 32 MiB\n')
  process.exit(1)
}
process.exit(0)

/** To stderr, as one line: the launcher keeps it, no user sees it. */
function report(error: unknown): void {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`${JSON.stringify({ level: 'error', message })}\n`)
}
