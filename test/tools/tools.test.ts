/**
 * What developers use, run inside a session's container: each reaches an allowed host, with and
 * without the variables that name a proxy where that differs, and none a forbidden one.
 * Needs the docker program, apt-get, npm and go: `npm run test:tools`.
 */
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { StartedContainer } from '../../src/docker/engine.ts'
import { lockEntry, lockImages, readLock } from '../../src/images/lock.ts'
import { statePaths } from '../../src/state.ts'
import type { Editor } from '../support/e2e/editor.ts'
import { World } from '../support/e2e/world.ts'
import { createAuthority } from '../support/egress/certificates.ts'
import { TOOLS } from '../support/tools/commands.ts'
import { TOOL_IMAGE, toolImage } from '../support/tools/tool-image.ts'

const ALLOWED = 'tools.test'
const FORBIDDEN = 'blocked.test'
const MODULES = [
  'undici7@npm:undici@7.30.2',
  'undici8@npm:undici@8.13.1',
  'ws@8.18.3',
  'https-proxy-agent@7.0.6',
]

const run = promisify(execFile)
let folder: string
let world: World
let editor: Editor
let agent: StartedContainer
let outside: string

function docker(...args: string[]): string {
  const env = { ...process.env, DOCKER_HOST: world.engine.info.uri }
  return execFileSync('docker', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Certificates and ssh keys; the client's share goes into the project. */
async function makeSecrets(): Promise<void> {
  using authority = createAuthority()
  const certificates = Object.fromEntries(
    [ALLOWED, FORBIDDEN].map((name) => [name, authority.issue(name)]),
  )
  for (const name of ['host', 'user']) {
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, `${name}-key`)])
  }
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  await mkdir(join(folder, 'srv'))
  const secrets = { certificates, hostKey: read('host-key'), userPublic: read('user-key.pub') }
  writeFileSync(join(folder, 'srv', 'secrets.json'), JSON.stringify(secrets))
  await world.write('ca.pem', authority.ca)
  await world.write('ssh-key', read('user-key'))
  await run('chmod', ['600', join(world.project, 'ssh-key')])
}

async function installModules(): Promise<void> {
  const modules = join(folder, 'modules')
  await mkdir(modules)
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', modules]
  await run('npm', ['install', ...flags, ...MODULES])
  await cp(join(modules, 'node_modules'), join(world.project, 'node_modules'), { recursive: true })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gb-tools-'))
  world = await World.open()
  const { uri } = world.engine.info
  const lock = await readLock(statePaths(world.env).lock)
  const base = lockEntry(lock, uri, 'agent-bundled')?.id ?? ''
  const build = join(folder, 'build')
  await mkdir(build)
  const [image] = await Promise.all([toolImage(uri, base, build), makeSecrets(), installModules()])
  await world.own()
  await lockImages(statePaths(world.env).lock, uri, {
    'agent-bundled': { name: TOOL_IMAGE, id: image },
  })
  const names = [ALLOWED, FORBIDDEN].flatMap((name) => ['--network-alias', name])
  const { network, subnet } = world.outside
  const put = ['--entrypoint', 'node', '-v', `${join(folder, 'srv')}:/srv/outside:ro`]
  outside = docker(
    'run',
    '-d',
    '--network',
    network,
    ...names,
    ...put,
    image,
    '/opt/outside/outside.mjs',
  ).trim()
  const open = { host: ALLOWED, allow_private: [subnet] }
  await world.configure({
    egress: {
      networks: [network],
      rules: [
        { id: 'web', ports: [443], protocol: 'tls', ...open },
        { id: 'plain', ports: [80], protocol: 'http', ...open },
        { id: 'ssh', ports: [22], protocol: 'tcp', ...open },
      ],
    },
  })
  editor = world.editor()
  await editor.open(world.project)
  const ours = await world.engine.list(`glovebox.project=${world.project}`)
  agent = world.engine.container(ours[0]?.id ?? '')
})

afterAll(async () => {
  await editor?.[Symbol.asyncDispose]()
  if (outside !== undefined) docker('rm', '-f', outside)
  await world?.[Symbol.asyncDispose]()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
})

const PROXY_NAMES = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'NODE_USE_ENV_PROXY',
  'npm_config_proxy',
  'npm_config_https_proxy',
]

/** Runs a shell line inside, in the project, with the test's certificate authority. */
async function inside(
  line: string,
  options: { proxy: boolean },
): Promise<{ code: number; text: string }> {
  const ca = join(world.project, 'ca.pem')
  const names = [
    'SSL_CERT_FILE',
    'NODE_EXTRA_CA_CERTS',
    'GIT_SSL_CAINFO',
    'CURL_CA_BUNDLE',
    'PIP_CERT',
    'npm_config_cafile',
  ]
  const set = names.map((name) => `${name}=${ca}`)
  const unset = options.proxy ? [] : PROXY_NAMES.flatMap((name) => ['-u', name])
  const script = `cd ${world.project} && rm -rf out && ${line}`
  const { exitCode, stdout, stderr } = await agent.exec([
    'env',
    ...unset,
    ...set,
    'timeout',
    '20',
    'sh',
    '-c',
    script,
  ])
  return { code: exitCode ?? -1, text: stdout + stderr }
}

describe('inside a session', () => {
  it.for(TOOLS)(
    '[G-EGRESS] %s reaches the allowed host and not the forbidden one',
    async ([, proxy, line]) => {
      const good = await inside(line(ALLOWED), { proxy })
      expect(good).toMatchObject({ code: 0, text: expect.stringContaining('hello') })
      const bad = await inside(line(FORBIDDEN), { proxy })
      expect(bad.code).not.toBe(0)
      expect(docker('logs', outside)).not.toContain(FORBIDDEN)
    },
  )

  it('the outside host was seen by all of them, and its other name by a control', async () => {
    const seen = docker('logs', outside)
    expect(seen).toContain(`GET https ${ALLOWED}/tiny-package`)
    expect(seen).toContain(`UPGRADE ${ALLOWED}/ws`)
    expect(seen).toMatch(/Accepted publickey for root/)
    await world.outside.control([
      'node',
      '-e',
      `fetch('http://${FORBIDDEN}/control').then((r) => r.text())`,
    ])
    expect(docker('logs', outside)).toContain(`GET http ${FORBIDDEN}/control`)
  })
})
