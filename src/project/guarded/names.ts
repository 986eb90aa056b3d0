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

/** A star stands for a dot at the start, too. */
function matchesOne(text: string, glob: string): boolean {
  return matchesGlob(text, glob) || (/^\*[^*/]/.test(glob) && matchesGlob(`_${text}`, glob))
}

/** What a path of the project is; `path` is relative and has no slash at its start. Pure. */
export function kindOf(path: string, patterns: Patterns): Kind | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const matches = (glob: string): boolean => matchesOne(glob.includes('/') ? path : name, glob)
  if (patterns.protect.some(matches)) return 'protected'
  const masked = patterns.mask.some(matches)
  return masked && ![...EXAMPLES, ...patterns.unmask].some(matches) ? 'secret' : undefined
}
