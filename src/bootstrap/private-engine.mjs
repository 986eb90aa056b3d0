/**
 * A Docker engine of our own, for root on a machine that has none running: own data, sockets,
 * containerd and bridge, below `.glovebox-engine/`. It stays until `npm run engine:stop`.
 */
import { spawn } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { ensureBridge, removeBridge } from './bridge.mjs'
import { emptyEngine, isSocket, ping } from './engine-api.mjs'
import { enginePaths } from './engine-paths.mjs'
import { unmountBelow } from './mounts.mjs'
import { endProcess, livePid, pidsWith } from './processes.mjs'
import { which } from './run.mjs'
import { BootstrapError, say, step } from './steps.mjs'

/** Milliseconds until a started engine must answer. */
const START_BOUND = 30_000
const STOP_BOUND = 15_000

/** Resolves with the socket's path when the engine answers. Throws with the end of its log. */
export async function startPrivateEngine(root) {
  const paths = enginePaths(root)
  const { containerd } = paths
  mkdirSync(paths.home, { recursive: true, mode: 0o755 })
  mkdirSync(containerd.state, { recursive: true, mode: 0o700 })
  if (claimStart(paths)) {
    step(`Starting an engine of our own in ${paths.home}`)
    await ensureBridge(paths.bridge)
    startContainerd(containerd)
    await until(() => isSocket(containerd.socket), containerd.log)
    startDockerd(paths)
  }
  await until(() => ping(paths.socket), paths.log)
  rmSync(paths.starting, { recursive: true, force: true })
  return paths.socket
}

/** Whether it is on us to start the engine: it does not run, and nobody else is starting it. */
function claimStart(paths) {
  if (livePid(paths.pidFile, `unix://${paths.socket}`) !== undefined) return false
  const since = statSync(paths.starting, { throwIfNoEntry: false })?.mtimeMs
  if (since !== undefined && Date.now() - since < START_BOUND) return false
  rmSync(paths.starting, { recursive: true, force: true })
  mkdirSync(paths.starting)
  return true
}

function startContainerd(paths) {
  if (livePid(paths.pidFile, paths.config) !== undefined) return
  rmSync(paths.socket, { force: true })
  const config = [
    'version = 2',
    `root = ${JSON.stringify(paths.root)}`,
    `state = ${JSON.stringify(paths.state)}`,
    'disabled_plugins = ["io.containerd.grpc.v1.cri"]',
    `[grpc]`,
    `address = ${JSON.stringify(paths.socket)}`,
  ]
  writeFileSync(paths.config, `${config.join('\n')}\n`)
  const pid = startDetached('containerd', ['--config', paths.config], paths.log)
  writeFileSync(paths.pidFile, String(pid))
}

function startDockerd(paths) {
  // An empty file of our own, or dockerd would also read the machine's /etc/docker/daemon.json.
  writeFileSync(paths.config, '{}\n')
  rmSync(paths.pidFile, { force: true })
  const options = {
    'config-file': paths.config,
    host: `unix://${paths.socket}`,
    'data-root': paths.data,
    'exec-root': paths.exec,
    pidfile: paths.pidFile,
    containerd: paths.containerd.socket,
    bridge: paths.bridge,
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  startDetached('dockerd', args, paths.log)
}

/** In its own session: it outlives us, and the terminal's Ctrl-C does not reach it. */
function startDetached(tool, args, log) {
  const out = openSync(log, 'a', 0o600)
  const child = spawn(which(tool) ?? tool, args, { detached: true, stdio: ['ignore', out, out] })
  // An error shows as an engine that does not answer, with the log's end.
  child.once('error', () => undefined)
  child.unref()
  closeSync(out)
  return child.pid
}

async function until(condition, log) {
  for (const end = Date.now() + START_BOUND; Date.now() < end; await sleep(100)) {
    if (await condition()) return
  }
  const end = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-10).join('\n  ')
  throw new BootstrapError(`The engine did not answer in time. Its last words:\n  ${end}`, 69)
}

/** Ends the engine that was started for this checkout, and what it left on the machine. */
export async function stopPrivateEngine(root) {
  const paths = enginePaths(root)
  const mark = `unix://${paths.socket}`
  const pid = livePid(paths.pidFile, mark)
  if (pid === undefined) {
    say('No private engine of this checkout is running.')
  } else {
    step('Stopping the private engine')
    await emptyEngine(paths.socket)
    await endProcess(pid, mark, STOP_BOUND)
  }
  for (const shim of pidsWith(paths.containerd.socket)) {
    await endProcess(shim, paths.containerd.socket, 0)
  }
  const containerd = livePid(paths.containerd.pidFile, paths.containerd.config)
  if (containerd !== undefined) await endProcess(containerd, paths.containerd.config, STOP_BOUND)
  unmountBelow([paths.home, paths.run])
  await removeBridge(paths.bridge)
  for (const path of [
    paths.socket,
    paths.pidFile,
    paths.containerd.pidFile,
    paths.exec,
    paths.starting,
  ]) {
    rmSync(path, { force: true, recursive: true })
  }
  if (pid !== undefined)
    say(`Its images are kept in ${paths.home}; remove the folder to free them.`)
}
