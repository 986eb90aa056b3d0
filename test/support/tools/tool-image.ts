/**
 * The bundled agent's image with curl, pip, npm, a Go program and an ssh server on top. Built from this
 * machine's package mirror, its npm and its Go; cached by the engine.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, realpath, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const HERE = import.meta.dirname
export const TOOL_IMAGE = 'glovebox-test/tools:1'
const PACKAGES = ['curl', 'openssh-server', 'python3-pip']

/** Builds on `agent` (an image id) in `folder`, without a network. Returns the new image's id. */
export async function toolImage(engineUri: string, agent: string, folder: string): Promise<string> {
  const env = { ...process.env, DOCKER_HOST: engineUri, DOCKER_BUILDKIT: '0' }
  await Promise.all([debs(agent, folder, env), npm(folder), go(folder)])
  for (const name of ['Dockerfile', 'outside.mjs', 'make-packages.py']) {
    await cp(join(HERE, name), join(folder, name))
  }
  const options = [
    '--network',
    'none',
    '--build-arg',
    `AGENT=${agent}`,
    '--force-rm',
    '-q',
    '-t',
    TOOL_IMAGE,
  ]
  const { stdout } = await run('docker', ['build', ...options, folder], { env })
  return stdout.trim()
}

/** What the image lacks of the packages, by its own list of what is installed. */
async function debs(agent: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const read = ['--rm', '--network', 'none', '--entrypoint', 'cat', agent, '/var/lib/dpkg/status']
  const { stdout } = await run('docker', ['run', ...read], { env, maxBuffer: 1e7 })
  await writeFile(join(folder, 'status'), stdout)
  await mkdir(join(folder, 'debs', 'partial'), { recursive: true })
  const where = [`Dir::State::status=${folder}/status`, `Dir::Cache::archives=${folder}/debs`]
  const options = [...where, 'Debug::NoLocking=1', 'APT::Sandbox::User=root']
  const set = options.flatMap((option) => ['-o', option])
  const get = [...set, '-y', '--no-install-recommends', '--download-only', 'install', ...PACKAGES]
  await run('apt-get', get, { maxBuffer: 1e7 })
}

async function npm(folder: string): Promise<void> {
  const { stdout } = await run('sh', ['-c', 'command -v npm'])
  const program = await realpath(stdout.trim())
  await cp(dirname(dirname(program)), join(folder, 'npm'), { recursive: true, dereference: true })
}

async function go(folder: string): Promise<void> {
  const env = { ...process.env, CGO_ENABLED: '0', GOCACHE: join(folder, 'go-cache') }
  const source = join(HERE, 'go-fetch.go')
  await run('go', ['build', '-o', join(folder, 'go-fetch'), source], { env })
}
