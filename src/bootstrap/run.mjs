import { spawn } from 'node:child_process'
import { accessSync, constants as access } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { BootstrapError } from './steps.mjs'

const LAST_LINES = 15

/**
 * Runs a tool without standard input and resolves with its stdout. Throws with the last lines it
 * printed when it fails.
 */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines = []
  let stdout = ''
  const keep = (text) => {
    lines.push(...text.split('\n').filter((line) => line.trim() !== ''))
    lines.splice(0, lines.length - LAST_LINES)
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
