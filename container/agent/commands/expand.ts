/** What becomes of a prompt that begins with a slash. */
import type { PromptPiece } from '../session/attach.ts'
import type { TurnPorts } from '../session/events.ts'
import type { Answerer, Command } from './command.ts'

export type Expanded = {
  pieces: PromptPiece[]
  /** The agent answers by itself, and the model hears nothing. */
  answer: Answerer | undefined
}

type Asking = { ports: TurnPorts; signal: AbortSignal; consents: Consents }

/** Which texts of project commands the user agreed to, in this session; and a counter for entries. */
export type Consents = { agreed: Set<string>; questions: number }

/** A command that does not exist is text: paths and regular expressions begin with slashes too. */
export async function expandCommand(
  pieces: PromptPiece[],
  commands: Command[],
  asking: Asking,
): Promise<Expanded> {
  const [first, ...rest] = pieces
  const text = first?.type === 'text' ? first.text.trim() : ''
  const [, name, parameters = ''] = /^\/([a-z0-9_-]+)(?:\s+([\s\S]*))?$/i.exec(text) ?? []
  const command = commands.find((candidate) => candidate.name === name)
  if (command === undefined) return { pieces, answer: undefined }
  if (command.kind === 'built-in') return { pieces, answer: command.answer }
  if (!command.trusted && !(await agreed(command, asking)))
    return { pieces, answer: () => `/${command.name} was not run.` }
  const prompt = filled(command.prompt, parameters)
  return { pieces: [{ type: 'text', text: prompt }, ...rest], answer: undefined }
}

/** `$ARGUMENTS` and `$1` … `$9`; arguments without a place for them go to the end. */
export function filled(prompt: string, parameters: string): string {
  if (!/\$(ARGUMENTS|[1-9])/.test(prompt))
    return parameters === '' ? prompt : `${prompt}\n\n${parameters}`
  const words = parameters.split(/\s+/).filter((word) => word !== '')
  return prompt.replaceAll(/\$(ARGUMENTS|[1-9])/g, (_match, which: string) =>
    which === 'ARGUMENTS' ? parameters : (words[Number(which) - 1] ?? ''),
  )
}

/** A command the project brings along shows itself and asks, the first time it is used. */
async function agreed(
  command: Extract<Command, { kind: 'file' }>,
  { ports, signal, consents }: Asking,
): Promise<boolean> {
  if (consents.agreed.has(command.prompt)) return true
  consents.questions += 1
  const entry = {
    id: `glovebox-question-${consents.questions}`,
    title: `Use the project's command /${command.name}`,
    kind: 'other' as const,
    locations: [],
    content: [{ type: 'text' as const, text: `${command.file}:\n\n${command.prompt}` }],
    input: { command: command.name },
  }
  await ports.emit({ type: 'call', ...entry })
  const answer = await ports.ask({ ...entry, rule: `/${command.name}` }, signal)
  const text = answer.allowed ? 'Agreed.' : `Denied: ${answer.reason}.`
  const content = [{ type: 'text' as const, text }]
  const failed = !answer.allowed
  await ports.emit({ type: 'call-ended', id: entry.id, failed, content, raw: { text } })
  if (answer.allowed) consents.agreed.add(command.prompt)
  return answer.allowed
}
