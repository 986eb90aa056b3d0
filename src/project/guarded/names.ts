/** What of a project is a secret, and what of it the host runs by itself. */
import { matchesGlob } from 'node:path'

/** Files that are never shown to an agent unless git tracks them. A name, or a path of the project. */
export const MASKED = [
  '.env',
  '.env.*',
  '*.env',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  '*.key',
  '*.p12',
  '*.pfx',
  '.netrc',
  '.git-credentials',
  '.pypirc',
]

/** Files of examples: what they hold is meant to be read. */
const EXAMPLES = ['*.example', '*.sample', '*.template', '*.dist', '*.pub']

/** Read by editors, shells, hooks and agents of the host without anybody asking. */
export const PROTECTED = [
  '.vscode',
  '.idea',
  '.zed',
  '.fleet',
  '.cursor',
  '.devcontainer',
  '.devcontainer.json',
  '.envrc',
  '.husky',
  '.claude',
  '.gemini',
  '.codex',
  '.mcp.json',
  '.glovebox.json',
]

export type Patterns = {
  mask: readonly string[]
  unmask: readonly string[]
  protect: readonly string[]
}

export type Kind = 'secret' | 'protected'

type Matcher = (path: string, name: string) => boolean

const WILD = /[*?[\]{}()!+@\\]/

/**
 * Of one pattern. Plain names, `name*` and `*name` are most of all patterns and are compared as they
 * are: a walk asks this for every file. A star stands for a dot at the start, too.
 */
function matcherOf(glob: string): Matcher {
  if (glob.includes('/')) return (path) => matchesGlob(path, glob)
  const [start = '', end = '', more] = glob.split('*')
  if (more === undefined && !WILD.test(start + end) && (start === '') !== (end === '')) {
    return (_path, name) =>
      name.startsWith(start) && name.endsWith(end) && name.length >= start.length + end.length
  }
  const dotted = /^\*[^*]/.test(glob)
  return (_path, name) => matchesGlob(name, glob) || (dotted && matchesGlob(`_${name}`, glob))
}

export type Judge = (path: string) => Kind | undefined

/** What a path of the project is; `path` is relative and has no slash at its start. Pure. */
export function judgeOf({ protect, mask, unmask }: Patterns): Judge {
  const isProtected = anyOf(protect)
  const isMasked = anyOf(mask)
  const isShown = anyOf([...EXAMPLES, ...unmask])
  return (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (isProtected(path, name)) return 'protected'
    return isMasked(path, name) && !isShown(path, name) ? 'secret' : undefined
  }
}

function anyOf(globs: readonly string[]): Matcher {
  const plain = new Set(globs.filter((glob) => !glob.includes('/') && !WILD.test(glob)))
  const others = globs.filter((glob) => !plain.has(glob)).map(matcherOf)
  return (path, name) => plain.has(name) || others.some((matches) => matches(path, name))
}
