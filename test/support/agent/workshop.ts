/** What outlives the agents of a test: a project, a model, and a home with stored sessions. */
import path from 'node:path'

import { startAgent } from './agent-process.ts'
import type { AgentOptions, AgentProcess } from './agent-process.ts'
import { newProject } from './project.ts'
import type { Project } from './project.ts'
import { scriptedModel } from './scripted-model.ts'
import type { ScriptedModel } from './scripted-model.ts'

/** A project, a model and a home that outlive the agents of a test. */
export async function workshop(files: Record<string, string> = {}) {
  const stack = new AsyncDisposableStack()
  const project = stack.use(await newProject(files))
  const home = stack.use(await newProject())
  const model = stack.use(await scriptedModel())
  const start = (options: AgentOptions = {}) => startAgent({ model, home: home.root, ...options })
  const folder = path.join(home.root, '.local/state/glovebox-agent')
  return { project, model, start, folder, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** A session with one turn: a thought, a text, a call that read, an edit, a plan, a last word. */
export async function storedSession(
  agent: AgentProcess,
  { model, project }: { model: ScriptedModel; project: Project },
): Promise<string> {
  model.reply(
    {
      thinking: 'Hm.',
      text: 'Let me see.',
      calls: [
        { id: 'r', name: 'read_file', input: { path: 'a.txt' } },
        { id: 'e', name: 'edit_file', input: { path: 'a.txt', old_text: 'x', new_text: 'y' } },
        { id: 'p', name: 'update_plan', input: { entries: [{ content: 'A', status: 'pending' }] } },
      ],
    },
    { text: 'Done.' },
  )
  const sessionId = await agent.session(project.root, 'accept-edits')
  await agent.prompt(sessionId, 'Change x')
  return sessionId
}

export function load(agent: AgentProcess, sessionId: string, cwd: string) {
  return agent.agent.request('session/load', { sessionId, cwd, mcpServers: [] })
}
