/** Runs one command in a running container and collects what it printed. */
import type { Readable } from 'node:stream'

import type Dockerode from 'dockerode'

import { BOUND, engineCall } from './call.ts'
import { demultiplex } from './multiplex.ts'

const MAX_OUTPUT = 1024 * 1024

export type ExecResult = { exitCode: number; stdout: string; stderr: string }

/** Output past 1 MiB a stream is read and dropped. Bounded to 60 s. */
export async function exec(container: Dockerode.Container, command: string[]): Promise<ExecResult> {
  return await engineCall(
    `run ${command[0] ?? 'a command'} in the container`,
    BOUND.exec,
    async (abortSignal) => {
      const created = await container.exec({
        Cmd: command,
        AttachStdout: true,
        AttachStderr: true,
        abortSignal,
      })
      const stream = await created.start({ abortSignal })
      abortSignal.addEventListener('abort', () => stream.destroy())
      const { stdout, stderr, done } = demultiplex(stream)
      const [out, err] = await Promise.all([capped(stdout), capped(stderr)])
      const error = await done
      if (error !== undefined) throw error
      const { ExitCode: exitCode } = await created.inspect({ abortSignal })
      if (exitCode === null) throw new Error('it still runs after its output ended')
      return { exitCode, stdout: out, stderr: err }
    },
  )
}

async function capped(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (size < MAX_OUTPUT) chunks.push(chunk.subarray(0, MAX_OUTPUT - size))
    size += chunk.length
  }
  return Buffer.concat(chunks).toString('utf8')
}
