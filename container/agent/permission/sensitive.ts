/** Files that hold secrets by their name alone; nothing reads or writes them without a rule. */
import path from 'node:path'

const FILES = [
  '.env',
  '.env.*',
  '.envrc',
  '*.pem',
  '*.p12',
  '*.pfx',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  '.netrc',
  '.pgpass',
  '.git-credentials',
]
const FOLDERS = ['.ssh', '.aws', '.gnupg']
/** What `.env.*` catches and is meant to be read. */
const HARMLESS = /^\.env\.(example|sample|template|dist)$/i

/** Excludes for ripgrep, to stand after every other glob: the last one that matches counts there. */
export const SENSITIVE_GLOBS = [...FILES, ...FOLDERS.map((name) => `${name}/**`)].map(
  (glob) => `!${glob}`,
)

const PATTERNS = FILES.map(
  (glob) => new RegExp(`^${glob.replaceAll('.', String.raw`\.`).replaceAll('*', '.*')}$`, 'i'),
)

/** @param real an absolute path without symbolic links. */
export function isSensitive(real: string): boolean {
  const name = path.basename(real)
  if (PATTERNS.some((pattern) => pattern.test(name)) && !HARMLESS.test(name)) return true
  if (real.split(path.sep).some((part) => FOLDERS.includes(part.toLowerCase()))) return true
  return /^\/proc\/[^/]+\/(environ|mem|maps|task\/.*)$/.test(real)
}
