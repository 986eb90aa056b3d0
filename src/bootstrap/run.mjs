import { spawn } from 'node:child_process'
import { accessSync, constants as access } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

import { BootstrapError } from './steps.mjs'

/** Some tools say what is wrong first (npm), others last (apt-get). */
const FIRST_LINES = 6
const LAST_LINES = 12

/**
 * Runs a tool without standard input and resolves with its stdout. Throws with the first and last
 * lines it printed when it fails.
 */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines = []
  let stdout = ''
  const keep = (text) => {
    const plain = stripVTControlCharacters(text).split('\n')
    lines.push(...plain.filter((line) => line.trim() !== '' && !/^\s+at /.test(line)))
    lines.splice(FIRST_LINES, lines.length - FIRST_LINES - LAST_LINES)
  }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
    keep(text)
  })
  child.stderr.setEncoding('utf8').on('data', keep)
  const code = await exitOf(child)
  if (code === 0) return stdout
  throw new BootstrapError(
    `\`${[command, ...args].join(' ')}\` failed (exit ${code}):\n  ${lines.join('\n  ')}`,
  )
}

/** The exit code of a child, 128 + n for a signal, 127 when it could not be started. */
export function exitOf(child) {
  return new Promise((resolve) => {
    child.once('error', () => resolve(127))
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}

/** The path of a tool, in PATH or where system tools are; undefined when it is not installed. */
export function which(tool) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders
    .map((folder) => join(folder, tool))
    .find((path) => {
      try {
        accessSync(path, access.X_OK)
        return true
      } catch {
        return false
      }
    })
}
