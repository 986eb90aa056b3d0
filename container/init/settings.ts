import { EXIT, InitFault } from './fault.ts'

export type Settings = {
  /** The proxy's unix socket. */
  socket: string
  /** The loopback ports of the HTTP proxy and of the model gateway. */
  ports: number[]
  /** The resolver's port of 127.0.0.1; undefined for none. */
  dnsPort: number | undefined
  /** The agent's command line, with tini before it unless it was switched off. */
  command: [string, ...string[]]
  /** The agent's working directory, in the spelling the container was given. */
  cwd: string
  /** The folders to tell the launcher of, as a JSON array. */
  folders: string | undefined
  /** The agent's environment. */
  env: NodeJS.ProcessEnv
}

const SOCKET = '/run/glovebox/egress.sock'
const PORTS = [3128, 3129]
const DNS_PORT = 53
const TINI = '/usr/bin/tini'
const OWN_PREFIX = 'GLOVEBOX_INIT_'

/**
 * Reads what the container was created with. `GLOVEBOX_INIT_SOCKET`, `GLOVEBOX_INIT_PORTS` (comma
 * separated), `GLOVEBOX_INIT_DNS_PORT` (empty: no resolver) and `GLOVEBOX_INIT_TINI` (empty: none)
 * replace the fixed places, for tests. The agent never sees them, nor `GLOVEBOX_INIT_FOLDERS`.
 */
export function readSettings(argv: string[], env: NodeJS.ProcessEnv, cwd: string): Settings {
  const [program, ...args] = argv
  if (program === undefined) {
    throw new InitFault(EXIT.usage, 'No agent command was given: name it after init.mjs.')
  }
  const tini = env['GLOVEBOX_INIT_TINI'] ?? TINI
  return {
    socket: env['GLOVEBOX_INIT_SOCKET'] ?? SOCKET,
    ports: readPorts('GLOVEBOX_INIT_PORTS', env) ?? PORTS,
    dnsPort: readDnsPort(env),
    // -s: tini is not PID 1, so it must ask to be the one who reaps the agent's orphans.
    command: tini === '' ? [program, ...args] : [tini, '-s', '--', program, ...args],
    cwd: env['PWD']?.startsWith('/') === true ? env['PWD'] : cwd,
    folders: env['GLOVEBOX_INIT_FOLDERS'],
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith(OWN_PREFIX))),
  }
}

function readDnsPort(env: NodeJS.ProcessEnv): number | undefined {
  const name = 'GLOVEBOX_INIT_DNS_PORT'
  return env[name] === '' ? undefined : (readPorts(name, env)?.[0] ?? DNS_PORT)
}

function readPorts(name: string, env: NodeJS.ProcessEnv): number[] | undefined {
  const text = env[name]
  if (text === undefined) return undefined
  const ports = text.split(',').map(Number)
  if (ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536)) return ports
  throw new InitFault(EXIT.usage, `${name} is not a list of ports: ${text}`)
}
