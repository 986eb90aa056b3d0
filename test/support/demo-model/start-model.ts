/** The demo model on a free port of loopback: in this process, or as the program that images run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

import { z } from 'zod'

import { createModelServer } from '../../../container/demo-model/server.ts'

export const KEY = 'sk-test-0123456789'

const Listening = z.object({ type: z.literal('listening'), port: z.number() })

/** The server alone, on a real socket. */
export async function startModel() {
  const logs: unknown[] = []
  const log = (line: unknown) => logs.push(line)
  const server = createModelServer({ key: KEY, wordDelay: 0, log })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    logs,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** The program, its key given on standard input; disposal ends its input, and it exits by itself. */
export async function spawnModel() {
  const argv = ['container/demo-model/main.ts', '--host', '127.0.0.1', '--port', '0']
  const child = spawn(process.execPath, [...argv, '--key-stdin', '--word-delay', '0'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const logs: unknown[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => logs.push(JSON.parse(line)))
  child.stdin.write(`${JSON.stringify({ key: KEY })}\n`)
  await once(lines, 'line')
  const { port } = Listening.parse(logs.shift())
  return {
    url: `http://127.0.0.1:${port}`,
    logs,
    exited,
    endInput: () => child.stdin.end(),
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exited
    },
  }
}
