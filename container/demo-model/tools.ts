/** Maps what the model wants to do to the tools that this request offers, whatever they are called. */
import type { MessagesRequest } from './conversation.ts'

/** One thing to do, in no agent's own words. `say` is what the model tells the user before it. */
export type Step = { say: string } & (
  | { role: 'list'; path: string }
  | { role: 'read'; path: string }
  | { role: 'run'; command: string; why: string }
  | { role: 'edit'; path: string; oldText: string; newText: string }
  | { role: 'write'; path: string; text: string }
)

export type Call = { name: string; input: Record<string, string> }
type Tool = NonNullable<MessagesRequest['tools']>[number]

const NAMES = {
  list: ['list_files', 'LS', 'list_directory'],
  read: ['read_file', 'Read', 'read', 'view'],
  run: ['run_command', 'Bash', 'bash', 'run_shell_command', 'shell', 'exec_command'],
  edit: ['edit_file', 'Edit', 'edit', 'replace'],
  write: ['write_file', 'Write', 'write'],
} as const

const FIELDS: Record<string, readonly string[]> = {
  path: ['path', 'file_path', 'filePath', 'absolute_path', 'dir', 'directory', 'dir_path'],
  command: ['command', 'cmd', 'script'],
  oldText: ['old_text', 'old_string', 'oldText', 'oldString', 'old_str', 'old'],
  newText: ['new_text', 'new_string', 'newText', 'newString', 'new_str', 'new'],
  text: ['content', 'text', 'contents', 'file_text'],
  why: ['description', 'reason', 'explanation'],
}

/** The call for a step, or `undefined` when no tool offered can do it. */
export function toCall(step: Step, tools: Tool[]): Call | undefined {
  const tool = toolFor(step.role, tools)
  if (tool !== undefined) return { name: tool.name, input: inputFor(step, tool) }
  const command = asCommand(step)
  if (command === undefined) return undefined
  return toCall({ say: step.say, role: 'run', command, why: step.say }, tools)
}

function toolFor(role: Step['role'], tools: Tool[]): Tool | undefined {
  for (const name of NAMES[role]) {
    const found = tools.find((tool) => tool.name === name)
    if (found !== undefined) return found
  }
  return undefined
}

/** Reading can be done with a command where there is no tool for it; writing is never. */
function asCommand(step: Step): string | undefined {
  if (step.role === 'list') return `ls -a ${quoted(step.path)}`
  if (step.role === 'read') return `cat ${quoted(step.path)}`
  return undefined
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

function inputFor(step: Step, tool: Tool): Record<string, string> {
  const required = tool.input_schema?.required ?? []
  const input: Record<string, string> = {}
  for (const [ours, value] of Object.entries(step)) {
    const name = fieldFor(ours, Object.keys(tool.input_schema?.properties ?? {}))
    if (name !== undefined) input[name] = value
  }
  for (const name of required) input[name] ??= step.say
  return input
}

/** The tool's own name of one of our fields; our first choice where it does not say its fields. */
function fieldFor(ours: string, properties: string[]): string | undefined {
  const names = FIELDS[ours] ?? []
  return properties.length === 0 ? names[0] : names.find((name) => properties.includes(name))
}
