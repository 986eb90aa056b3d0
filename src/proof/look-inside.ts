/**
 * The program that looks around in the agent's container. It is sent there as text and run by
 * `node -e`: its functions use nothing but each other and what Node has built in.
 */

export type LookQuestions = {
  /** Paths of the host that must not be there. */
  hostPaths: string[]
  /** A host that no rule allows. */
  forbiddenHost: string
  /** An address of another network, to be dialled directly. */
  farAddress: string
}

/** The text of the program; it prints one line of JSON, the shape of `Look`, within 6 s. */
export function lookProgram(questions: LookQuestions): string {
  const tools = [readText, namesIn, statusField, codeOf, writing, soon, hashed]
  const eyes = [processes, routes, mounts, userName, lookUp, dial, throughProxy]
  const text = [...tools, ...eyes, lookInside].join('\n')
  return `${text}\n${lookInside.name}(${JSON.stringify(questions)})`
}

async function lookInside(questions: LookQuestions): Promise<void> {
  const { existsSync } = process.getBuiltinModule('node:fs')
  const look = {
    interfaces: namesIn('/sys/class/net'),
    routes: routes(),
    processes: processes(),
    user: { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 },
    userName: userName(),
    rootWrite: writing('/glovebox-look'),
    binWrite: writing('/usr/bin/glovebox-look'),
    hostName: readText('/etc/hostname').trim(),
    hostPathsFound: questions.hostPaths.filter((path) => existsSync(path)),
    mounts: mounts(),
    lookUp: await Promise.race([lookUp(questions.forbiddenHost), soon(3000)]),
    dial: await Promise.race([dial(questions.farAddress), soon(3000)]),
    throughProxy: await throughProxy(questions.forbiddenHost),
    environment: Object.fromEntries(
      Object.entries(process.env).map(([name, value]) => [name, hashed(value ?? '')]),
    ),
  }
  process.stdout.write(`${JSON.stringify(look)}\n`, () => process.exit(0))
}

function processes() {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), status: readText(`/proc/${pid}/status`) }))
    .filter(({ status }) => status !== '')
    .map(({ pid, status }) => ({
      pid,
      name: statusField(status, 'Name'),
      uid: Number(statusField(status, 'Uid')),
      capabilities: statusField(status, 'CapEff'),
      bounding: statusField(status, 'CapBnd'),
      noNewPrivs: statusField(status, 'NoNewPrivs'),
      seccomp: statusField(status, 'Seccomp'),
    }))
}

/** A field of proc_pid_status(5); of several words the first. */
function statusField(status: string, name: string): string {
  return new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1] ?? ''
}

/** Routes that lead anywhere but to the container itself. */
function routes(): string[] {
  const four = readText('/proc/net/route').split('\n').slice(1)
  const six = readText('/proc/net/ipv6_route').split('\n')
  return [...four, ...six.filter((line) => !/\slo$/.test(line))].filter(
    (line) => line.trim() !== '',
  )
}

/** Mounts of something that was there before: not the container's own fresh memory and kernel. */
function mounts(): string[] {
  return readText('/proc/self/mountinfo')
    .split('\n')
    .map((line) => line.split(' '))
    .filter((words) => !(words[3] === '/' && words[words.indexOf('-') + 1] === 'tmpfs'))
    .map((words) => words[4] ?? '')
    .filter((path) => path !== '' && !/^\/(?:proc|sys|dev)(?:\/|$)/.test(path))
}

function userName(): string {
  try {
    return process.getBuiltinModule('node:os').userInfo().username
  } catch {
    return ''
  }
}

function lookUp(host: string): Promise<string> {
  const dns = process.getBuiltinModule('node:dns')
  return new Promise((resolve) => {
    dns.lookup(host, (error) => resolve(error === null ? 'found' : codeOf(error)))
  })
}

function dial(address: string): Promise<string> {
  const net = process.getBuiltinModule('node:net')
  return new Promise((resolve) => {
    const socket = net.connect(443, address)
    socket.once('connect', () => resolve('connected'))
    socket.once('error', (error) => resolve(codeOf(error)))
  })
}

function throughProxy(host: string): Promise<{ status: number; reason: string }> {
  const http = process.getBuiltinModule('node:http')
  const { hostname, port } = new URL(process.env['HTTP_PROXY'] ?? 'http://127.0.0.1:3128')
  return new Promise((resolve) => {
    const request = http.request({ hostname, port, path: `http://${host}/`, headers: { host } })
    request.once('response', (response) => {
      response.resume()
      const reason = String(response.headers['x-egress-reason'] ?? '')
      resolve({ status: response.statusCode ?? 0, reason })
    })
    request.once('error', (error) => resolve({ status: 0, reason: codeOf(error) }))
    request.setTimeout(5000, () => request.destroy())
    request.end()
  })
}

function readText(path: string): string {
  try {
    return process.getBuiltinModule('node:fs').readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function namesIn(path: string): string[] {
  try {
    return process.getBuiltinModule('node:fs').readdirSync(path)
  } catch {
    return []
  }
}

/** Leaves nothing behind where it could write. */
function writing(path: string): string {
  const fs = process.getBuiltinModule('node:fs')
  try {
    fs.writeFileSync(path, '', { flag: 'wx' })
    fs.unlinkSync(path)
    return 'written'
  } catch (error) {
    return codeOf(error)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'error'
}

function soon(ms: number): Promise<string> {
  return new Promise((resolve) => setTimeout(resolve, ms, 'timeout').unref())
}

function hashed(value: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(value).digest('hex')
}
