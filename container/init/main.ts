/**
 * PID 1 of an agent's container. Opens the control stream to the launcher, lets the agent's
 * traffic out through the proxy's socket, starts the agent, and ends it when whoever wants it is
 * gone. Prints nothing on stdout: that is the agent's.
 */
import { exitCodeOf, startAgent } from './agent.ts'
import { openControl, speak } from './control.ts'
import { EXIT, InitFault } from './fault.ts'
import { folderFacts } from './folders.ts'
import { watchHeartbeat } from './heartbeat.ts'
import { takeInput } from './input.ts'
import { type EndReason, endOnSignals, liveUntilEnd } from './lifetime.ts'
import { watchLimits } from './limits.ts'
import { listen } from './listeners.ts'
import { CONTROL_VERSION, type ToInit } from './messages.ts'
import { createNameService } from './name-service.ts'
import { readSettings } from './settings.ts'
import { createTurns } from './turns.ts'

/** Resolves with the exit code. */
async function live(end: AbortController): Promise<number> {
  const because = (reason: EndReason) => () => end.abort(reason)
  const settings = readSettings(process.argv.slice(2), process.env, process.cwd())
  const input = takeInput(process.stdin, because('input-ended'))
  endOnSignals(end)

  const stream = await openControl(settings.socket, end.signal)
  const beat = watchHeartbeat(because('heartbeat-lost'))
  const names = createNameService(settings.socket, (message) => control.send(message))
  const onMessage = (message: ToInit) => {
    switch (message.type) {
      case 'heartbeat':
        return beat()
      case 'names':
        return names.learn(message)
      case 'mark':
        return turns.mark(message)
      case 'reap':
        return turns.reap(message)
    }
  }
  const control = speak(stream, { onMessage, onLost: because('control-lost') })
  const turns = createTurns(control.send)
  process.on('SIGINT', turns.interrupt)
  control.send({ type: 'hello', version: CONTROL_VERSION, ...folderFacts(settings.folders) })

  const limits = watchLimits(settings.env['HOME'], (limit) =>
    control.send({ type: 'limit', limit }),
  )

  await listen(settings.ports, settings.socket)
  if (settings.dnsPort !== undefined) await names.listen(settings.dnsPort)
  end.signal.throwIfAborted()
  const agent = await startAgent(settings, input)
  control.send({ type: 'agent-started', pid: agent.pid })

  const outcome = await liveUntilEnd(agent, end.signal)
  limits.look()
  control.send({ type: 'agent-exited', ...outcome })
  await control.flush()
  return exitCodeOf(outcome)
}

function codeOfFailure(error: unknown, end: AbortController): number {
  // Ended before there was an agent: nobody is left to tell.
  if (end.signal.aborted && error === end.signal.reason) return EXIT.ok
  const sentence = error instanceof Error ? error.message : String(error)
  process.stderr.write(`glovebox-init: ${sentence}\n`)
  return error instanceof InitFault ? error.exitCode : EXIT.software
}

const end = new AbortController()
process.on('uncaughtException', (error) => process.exit(codeOfFailure(error, end)))
process.exit(await live(end).catch((error: unknown) => codeOfFailure(error, end)))
