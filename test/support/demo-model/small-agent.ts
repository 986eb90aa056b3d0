/** The least agent there can be: posts, runs the tools asked for, posts their results, to the end. */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'

import { z } from 'zod'

import { readEvents } from './read-events.ts'
import { KEY } from './start-model.ts'

export type ToolNames = 'glovebox' | 'claude'
type Used = { name: string; input: Record<string, string> }

const schema = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
})

export const TOOLS = {
  glovebox: [
    { name: 'list_files', input_schema: schema('path') },
    { name: 'read_file', input_schema: schema('path') },
    { name: 'edit_file', input_schema: schema('path', 'old_text', 'new_text') },
    { name: 'write_file', input_schema: schema('path', 'content') },
    { name: 'run_command', input_schema: schema('command') },
  ],
  claude: [
    { name: 'Read', input_schema: schema('file_path') },
    { name: 'Edit', input_schema: schema('file_path', 'old_string', 'new_string') },
    { name: 'Write', input_schema: schema('file_path', 'content') },
    { name: 'Bash', input_schema: schema('command', 'description') },
  ],
}

type Result = { content: string; is_error?: boolean }
/** Answers a call before it runs; `undefined` lets it run. */
type Gate = (used: Used) => Result | undefined

/** Returns the model's last words and the calls it made. */
export async function runTask(
  url: string,
  folder: string,
  names: ToolNames,
  prompt: string,
  gate: Gate = () => undefined,
) {
  const messages: unknown[] = [{ role: 'user', content: prompt }]
  const used: Used[] = []
  for (let turn = 0; turn < 20; turn += 1) {
    const { content, stopReason } = await ask(url, messages, TOOLS[names])
    messages.push({ role: 'assistant', content })
    const calls = content.filter((block) => block.type === 'tool_use')
    if (calls.length === 0)
      return { text: content.map((block) => block.text ?? '').join(''), used, stopReason }
    const results = []
    for (const { id, name = '', input = {} } of calls) {
      used.push({ name, input })
      const result = gate({ name, input }) ?? (await runTool(folder, name, input))
      results.push({ type: 'tool_result', tool_use_id: id, ...result })
    }
    messages.push({ role: 'user', content: results })
  }
  throw new Error('The model did not come to an end.')
}

const Content = z.array(
  z.object({
    type: z.string(),
    id: z.string().optional(),
    text: z.string().optional(),
    name: z.string().optional(),
    input: z.record(z.string(), z.string()).optional(),
  }),
)

async function ask(url: string, messages: unknown[], tools: unknown[]) {
  const body = { model: 'glovebox-demo', max_tokens: 4096, stream: true, messages, tools }
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': KEY },
    body: JSON.stringify(body),
  })
  const { content, stopReason } = await readEvents(response)
  return { content: Content.parse(content), stopReason }
}

async function runTool(folder: string, name: string, input: Record<string, string>) {
  const path = resolve(folder, input['path'] ?? input['file_path'] ?? '.')
  switch (name) {
    case 'read_file':
      return { content: await readFile(path, 'utf8') }
    case 'Read':
      return { content: numbered(await readFile(path, 'utf8')) }
    case 'edit_file':
    case 'Edit': {
      const text = (word: string) => input[`${word}_text`] ?? input[`${word}_string`] ?? ''
      return edit(path, text('old'), text('new'))
    }
    case 'write_file':
    case 'Write':
      await writeFile(path, input['content'] ?? '')
      return { content: 'Written.' }
    default:
      return run(folder, input['command'] ?? 'ls')
  }
}

/** As Claude Code shows files, with the note it adds. */
function numbered(text: string): string {
  const lines = text.split('\n').map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
  return `${lines.join('\n')}\n<system-reminder>\nBe careful.\n</system-reminder>`
}

async function edit(path: string, oldText: string, newText: string): Promise<Result> {
  const before = await readFile(path, 'utf8')
  if (before.split(oldText).length !== 2) return { content: 'Not found once.', is_error: true }
  await writeFile(
    path,
    before.replace(oldText, () => newText),
  )
  return { content: 'Edited.' }
}

function run(cwd: string, command: string): Promise<Result> {
  // NODE_TEST_CONTEXT would make an inner `node --test` report to the outer runner.
  const env = { PATH: `${resolve(process.execPath, '..')}:/usr/bin:/bin` }
  return new Promise((done) => {
    execFile('/bin/sh', ['-c', command], { cwd, env }, (error, stdout, stderr) =>
      done({ content: `${stdout}${stderr}`, ...(error === null ? {} : { is_error: true }) }),
    )
  })
}
