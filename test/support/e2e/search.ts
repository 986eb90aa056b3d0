/** Looks for a text in every place of a container where a secret could be. */
import { readdirSync, readFileSync, readlinkSync, openSync, readSync, closeSync } from 'node:fs'

import type { Engine } from '../../../src/docker/engine.ts'

export type Found = { inspect: boolean; environment: boolean; files: boolean; memory: boolean }

/**
 * Searches the engine's description, and, inside, as the agent's own user: environments and command
 * lines, every readable file, and the memory of every process. As root on the engine's host, the
 * memory and environment of all processes of the container, PID 1 included.
 */
export async function search(engine: Engine, id: string, needle: string): Promise<Found> {
  const container = engine.container(id)
  const inspect = JSON.stringify(await container.inspect()).includes(needle)
  const { stdout, stderr } = await container.exec(['node', '-e', INSIDE, reversed(needle)])
  if (!stdout.startsWith('{')) throw new Error(`the search did not run: ${stdout}${stderr}`)
  const inside = JSON.parse(stdout) as Omit<Found, 'inspect'>
  const outside = process.getuid?.() === 0 ? await fromHost(engine, id, needle) : NOTHING
  return {
    inspect,
    environment: inside.environment || outside.environment,
    files: inside.files,
    memory: inside.memory || outside.memory,
  }
}

const NOTHING = { environment: false, memory: false }

/** The searching process itself must not hold the needle, so it travels backwards. */
const reversed = (text: string): string => Array.from(text).toReversed().join('')

const INSIDE = `
const fs = require('node:fs'), path = require('node:path')
const backwards = Buffer.from(process.argv[1])
const found = { environment: false, files: false, memory: false }
const matches = (bytes, at) => {
  for (let n = 0; n < backwards.length; n += 1)
    if (bytes[at + n] !== backwards[backwards.length - 1 - n]) return false
  return true
}
const has = (bytes) => {
  const first = backwards[backwards.length - 1]
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1))
    if (matches(bytes, at)) return true
  return false
}
const attempt = (work) => { try { return work() } catch { return undefined } }
for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid)) {
  for (const file of ['environ', 'cmdline'])
    if (has(attempt(() => fs.readFileSync('/proc/' + pid + '/' + file)) ?? Buffer.alloc(0))) found.environment = true
  attempt(() => {
    const fd = fs.openSync('/proc/' + pid + '/mem', 'r')
    for (const line of fs.readFileSync('/proc/' + pid + '/maps', 'utf8').split('\\n')) {
      const range = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line)
      if (!range) continue
      const start = parseInt(range[1], 16), size = Math.min(parseInt(range[2], 16) - start, 64 << 20)
      const bytes = Buffer.alloc(size)
      if (attempt(() => fs.readSync(fd, bytes, 0, size, start)) && has(bytes)) found.memory = true
    }
    fs.closeSync(fd)
  })
}
const walk = (folder) => {
  for (const entry of attempt(() => fs.readdirSync(folder, { withFileTypes: true })) ?? []) {
    const full = path.join(folder, entry.name)
    if (['/proc', '/sys', '/dev', '/usr/local/bin/node', '/opt/agent'].includes(full)) continue
    if (entry.isDirectory()) walk(full)
    else if (entry.isFile() && has(attempt(() => fs.readFileSync(full)) ?? Buffer.alloc(0))) found.files = true
  }
}
walk('/')
console.log(JSON.stringify(found))
`

async function fromHost(engine: Engine, id: string, needle: string): Promise<typeof NOTHING> {
  const { State } = await engine.container(id).inspect()
  const namespace = readlinkSync(`/proc/${State.Pid}/ns/pid`)
  const pids = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && sameNamespace(name, namespace),
  )
  return {
    environment: pids.some((pid) =>
      attempt(() => readFileSync(`/proc/${pid}/environ`).includes(needle)),
    ),
    memory: pids.some((pid) => attempt(() => memoryHas(pid, needle))),
  }
}

function sameNamespace(pid: string, namespace: string): boolean {
  return attempt(() => readlinkSync(`/proc/${pid}/ns/pid`) === namespace)
}

function memoryHas(pid: string, needle: string): boolean {
  const fd = openSync(`/proc/${pid}/mem`, 'r')
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8')
      .split('\n')
      .some((line) => attempt(() => rangeHas(fd, line, needle)))
  } finally {
    closeSync(fd)
  }
}

function rangeHas(fd: number, line: string, needle: string): boolean {
  const range = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line)
  if (range === null) return false
  const start = Number.parseInt(range[1] ?? '', 16)
  const size = Math.min(Number.parseInt(range[2] ?? '', 16) - start, 64 * 1024 * 1024)
  const bytes = Buffer.alloc(size)
  readSync(fd, bytes, 0, size, start)
  return bytes.includes(needle)
}

function attempt(work: () => boolean): boolean {
  try {
    return work()
  } catch {
    return false
  }
}
