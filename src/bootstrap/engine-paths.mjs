import { createHash } from 'node:crypto'
import { join } from 'node:path'

/** Bytes in the path of a unix socket on Linux, less its closing zero (unix(7)). */
const SOCKET_PATH_MAX = 107

/**
 * Where the private engine of a checkout keeps everything. Pure. Sockets move to /run when the
 * checkout's own path is too long to name one; data never does.
 */
export function enginePaths(root) {
  const home = join(root, '.glovebox-engine')
  const id = createHash('sha256').update(home).digest('hex').slice(0, 8)
  const longest = join(home, 'exec/containerd/containerd.sock.ttrpc')
  const run = longest.length <= SOCKET_PATH_MAX ? home : `/run/glovebox-engine-${id}`
  return {
    home,
    run,
    /** Interface names have at most 15 characters (IFNAMSIZ). */
    bridge: `gb-${id}`,
    data: join(home, 'data'),
    exec: join(run, 'exec'),
    socket: join(run, 'docker.sock'),
    pidFile: join(run, 'dockerd.pid'),
    config: join(home, 'daemon.json'),
    /** There while somebody starts the engine. */
    starting: join(home, 'starting'),
    log: join(home, 'dockerd.log'),
    containerd: {
      config: join(home, 'containerd.toml'),
      root: join(home, 'containerd'),
      state: join(run, 'exec/containerd/state'),
      socket: join(run, 'exec/containerd/containerd.sock'),
      pidFile: join(run, 'containerd.pid'),
      log: join(home, 'containerd.log'),
    },
  }
}
