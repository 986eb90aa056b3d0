/** A command line like ours, whose `acp` is the scripted agent. */
import { runCommand } from '../../../src/commands/run.ts'
import { serveScriptedAgent } from './scripted-agent.ts'

const [name, ...argv] = process.argv.slice(2)
if (name === 'acp') serveScriptedAgent()
else {
  const { env, stdin, stdout, stderr } = process
  process.exit(await runCommand(argv, { env, stdin, stdout, stderr }))
}
