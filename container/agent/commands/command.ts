/** Slash commands: two kinds, and where those of files come from. */
import { readdir, readFile, realpath } from 'node:fs/promises'
import path from 'node:path'

import { status } from './status.ts'
import type { SessionState } from './status.ts'

/** Answers a built-in command from the session's state. */
export type Answerer = (state: SessionState) => string

export type Command = {
  name: string
  description: string
  /** What stands for its arguments in a menu. */
  hint: string | undefined
} &
  /** Answered by the agent itself; never reaches the model. */
  (
    | { kind: 'built-in'; answer: Answerer }
    /** `prompt` is sent in its place; `trusted` when the user wrote it and not the project. */
    | { kind: 'file'; prompt: string; trusted: boolean; file: string }
  )

const BUILT_INS: Command[] = [
  {
    kind: 'built-in',
    name: 'status',
    answer: status,
    description: 'Show model, mode, cost and the rules of this session.',
    hint: undefined,
  },
]

/** Characters of one file. */
const LIMIT = 64_000

/** The built-in commands, then the user's, then the project's; the first of a name counts. */
export async function commandsFor(root: string, home: string | undefined): Promise<Command[]> {
  const users = home === undefined ? [] : await commandsIn(home, '.config/glovebox/commands', true)
  const projects = await Promise.all(
    ['.glovebox/commands', '.claude/commands'].map((folder) => commandsIn(root, folder, false)),
  )
  const all = [...BUILT_INS, ...users, ...projects.flat()]
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index)
}

async function commandsIn(base: string, folder: string, trusted: boolean): Promise<Command[]> {
  const names = await readdir(path.join(base, folder)).catch(() => [])
  const found = await Promise.all(
    names
      .filter((name) => /^[a-z0-9][a-z0-9_-]{0,63}\.md$/i.test(name))
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map((name) => commandFrom(base, path.join(folder, name), trusted)),
  )
  return found.filter((command) => command !== undefined)
}

/** `undefined` for what cannot be read, and for a link that leads elsewhere. */
async function commandFrom(
  base: string,
  relative: string,
  trusted: boolean,
): Promise<Command | undefined> {
  try {
    const file = await realpath(path.join(base, relative))
    if (!file.startsWith(`${await realpath(base)}/`)) return undefined
    const text = (await readFile(file, 'utf8')).slice(0, LIMIT)
    const name = path.basename(relative, '.md')
    return { kind: 'file', name, trusted, file: relative, ...parseCommand(text) }
  } catch {
    return undefined
  }
}

/** Markdown with an optional head of `key: value` lines between two lines of three dashes. */
export function parseCommand(text: string) {
  const [, head = '', body = text] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text) ?? []
  const field = (key: string) =>
    new RegExp(`^${key}:\\s*(.+?)\\s*$`, 'm').exec(head)?.[1]?.replaceAll(/^["']|["']$/g, '')
  const prompt = body.trim()
  return {
    prompt,
    description: field('description') ?? prompt.split('\n')[0]?.slice(0, 100) ?? '',
    hint: field('argument-hint'),
  }
}
