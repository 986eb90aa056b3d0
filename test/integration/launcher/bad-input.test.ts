import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'

import { Editor, INITIALIZE, SOURCE } from '../../support/e2e/editor.ts'

let folder: string
let env: Record<string, string | undefined>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gb-input-'))
  mkdirSync(join(folder, 'project'))
  mkdirSync(join(folder, 'config', 'glovebox'), { recursive: true })
  env = {
    PATH: process.env['PATH'],
    HOME: join(folder, 'home'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    DOCKER_HOST: `unix://${join(folder, 'no-engine.sock')}`,
    ANTHROPIC_API_KEY: 'sk-test',
  }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const editor = (options: { args?: string[] } = {}): Editor =>
  new Editor({ env, cwd: folder, program: SOURCE, ...options })
const project = (): string => join(folder, 'project')
const run = (...args: string[]) =>
  spawnSync(process.execPath, [SOURCE, ...args], { env, encoding: 'utf8', timeout: 20_000 })

describe('the command line', () => {
  test.for<[string[], RegExp]>([
    [['nonsense'], /There is no command "nonsense"\. Use one of: acp/],
    [['acp', '--nonsense'], /Unknown option '--nonsense'\. Usage: glovebox acp/],
    [['acp', 'extra'], /Unexpected argument 'extra'/],
    [
      ['acp', '--agent', 'nobody'],
      /There is no agent called "nobody"\. Choose one of: bundled, claude, codex, gemini, opencode\./,
    ],
  ])('answers %j with one sentence and exit code 64', ([args, sentence]) => {
    const { status, stderr, stdout } = run(...args)
    expect(stderr).toMatch(sentence)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect({ status, stdout }).toEqual({ status: 64, stdout: '' })
  })

  it('tells its version and its commands', () => {
    expect(run('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(run('--help').stdout).toContain('glovebox COMMAND')
  })
})

describe('initialize', () => {
  it('is answered with no engine there, and says only what is true', async () => {
    await using client = editor()
    const answer = await client.ok('initialize', { ...INITIALIZE, protocolVersion: 65_535 })
    expect(answer).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'glovebox' },
      agentCapabilities: { loadSession: true, mcpCapabilities: { http: false, sse: false } },
      authMethods: [],
    })
    expect(client.stderr).toBe('')
  })

  it('must come first', async () => {
    await using client = editor()
    const { error } = await client.call('session/new', { cwd: project(), mcpServers: [] })
    expect(error).toEqual({ code: -32600, message: 'Call initialize before session/new.' })
  })
})

describe('what is no ACP on stdin', () => {
  it('gets one error each, and the connection lives', async () => {
    await using client = editor()
    client.raw('this is no JSON\n')
    client.raw('[{"jsonrpc":"2.0"}]\n')
    client.raw('{"jsonrpc":"2.0","id":true,"method":"x"}\n')
    client.raw('{"jsonrpc":"2.0","method":"unknown/notification"}\n')
    client.raw('{"jsonrpc":"2.0","id":"nobody-asked","result":{}}\n')
    await client.ok('initialize', INITIALIZE)
    expect(client.complaints.map(({ error }) => error?.code)).toEqual([-32700, -32600, -32600])
    expect(client.complaints[0]?.error?.message).toBe(
      'Glovebox got a line on stdin that is not JSON.',
    )
    expect(client.noise).toEqual([])
  })

  it('is refused when it is a line of 40 MB, under its own id, and the connection lives', async () => {
    await using client = editor()
    await client.ok('initialize', INITIALIZE)
    const head = Buffer.from('{"jsonrpc":"2.0","id":77,"method":"session/prompt","params":{"x":"')
    const answer = new Promise<string>((resolve) => {
      client.child.stdout?.on('data', (chunk: string) => {
        if (chunk.includes('"id":77')) resolve(chunk)
      })
    })
    client.raw(Buffer.concat([head, Buffer.alloc(40_000_000, 0x61), Buffer.from('"}}\n')]))
    expect(await answer).toMatch(/"code":-32600.*at most 32 MiB/)
    expect(await client.ok('initialize', INITIALIZE)).toBeDefined()
  })

  it('is refused when it names a method or session that is not there', async () => {
    await using client = editor()
    await client.ok('initialize', INITIALIZE)
    expect((await client.call('session/load', { sessionId: 'x' })).error?.code).toBe(-32602)
    expect((await client.call('session/fork', { sessionId: 'x' })).error?.code).toBe(-32002)
    expect((await client.call('nonsense', {})).error).toEqual({
      code: -32601,
      message: 'Glovebox does not offer nonsense.',
    })
    expect((await client.call('session/prompt', { sessionId: 'x', prompt: [] })).error).toEqual({
      code: -32002,
      message: 'There is no session "x" here.',
    })
  })
})

describe('session/new', () => {
  test.for<[string, () => unknown]>([
    ['is relative', () => 'project'],
    ['is missing', () => join(folder, 'missing')],
    ['is a file', () => join(folder, 'file')],
    ['is /', () => '/'],
    ['is a home directory', () => join(folder, 'home')],
    ['is a system directory', () => '/etc'],
    ['is a symlink to a system directory', () => join(folder, 'link')],
    ['is no text', () => 7],
    ['is absent', () => undefined],
  ])('refuses a cwd that %s with -32602 and a sentence', async ([, cwd]) => {
    mkdirSync(join(folder, 'home'))
    writeFileSync(join(folder, 'file'), '')
    symlinkSync('/etc', join(folder, 'link'))
    await using client = editor()
    await client.ok('initialize', INITIALIZE)
    const { error } = await client.call('session/new', { cwd: cwd(), mcpServers: [] })
    expect(error?.code).toBe(-32602)
    expect(error?.message).toMatch(/working directory|"cwd"/)
  })

  it('fails at once, with what to do, when the engine is not there', async () => {
    await using client = editor()
    await client.ok('initialize', INITIALIZE)
    const start = performance.now()
    const { error } = await client.call('session/new', { cwd: project(), mcpServers: [] })
    expect(error?.message).toMatch(/no-engine\.sock/)
    expect(error?.message).not.toMatch(/\n\s+at /)
    expect(performance.now() - start).toBeLessThan(5_000)
  })

  it('fails with -32000 and the variable to set when there is no key', async () => {
    env = { ...env, ANTHROPIC_API_KEY: undefined, OPENAI_API_KEY: undefined }
    await using client = editor()
    await client.ok('initialize', INITIALIZE)
    const { error } = await client.call('session/new', { cwd: project(), mcpServers: [] })
    expect(error?.code).toBe(-32000)
    expect(error?.message).toContain('ANTHROPIC_API_KEY')
  })

  it('says that the audit log cannot be written, and starts once it can, with no stack on stderr', async () => {
    writeFileSync(join(folder, 'state'), '')
    await using client = editor()
    await client.ok('initialize', INITIALIZE)
    const open = () => client.call('session/new', { cwd: project(), mcpServers: [] })
    expect((await open()).error?.message).toMatch(
      /^The audit log .*state\/glovebox\/audit cannot be written: .*make room or correct the permissions/,
    )
    rmSync(join(folder, 'state'))
    expect((await open()).error?.message).toMatch(/no-engine\.sock/)
    expect(client.stderr).toBe('')
  })

  it('names the file and the key of a configuration that is not valid', async () => {
    writeFileSync(join(folder, 'config', 'glovebox', 'config.json'), '{"version":1,"egres":{}}')
    await using client = editor()
    await client.ok('initialize', INITIALIZE)
    const { error } = await client.call('session/new', { cwd: project(), mcpServers: [] })
    expect(error?.message).toContain(join(folder, 'config', 'glovebox', 'config.json'))
    expect(error?.message).toContain('egres')
  })
})

describe('authenticate', () => {
  it('answers {} when there is a key, and -32000 with what to do when there is none', async () => {
    await using ready = editor()
    await ready.ok('initialize', INITIALIZE)
    expect(await ready.ok('authenticate', { methodId: 'any' })).toEqual({})
    env = { ...env, ANTHROPIC_API_KEY: undefined, OPENAI_API_KEY: undefined }
    await using bare = editor()
    await bare.ok('initialize', INITIALIZE)
    expect((await bare.call('authenticate', { methodId: 'any' })).error?.code).toBe(-32000)
  })
})

describe('the end', () => {
  test.for<[string, (client: Editor) => unknown]>([
    ['stdin ends', (client) => client.child.stdin?.end()],
    ['SIGTERM comes', (client) => client.child.kill('SIGTERM')],
    ['SIGHUP comes', (client) => client.child.kill('SIGHUP')],
  ])('is exit code 0 when %s', async ([, leave]) => {
    await using client = editor()
    await client.ok('initialize', INITIALIZE)
    leave(client)
    expect(await client.exited).toBe(0)
    expect(client.stderr).toBe('')
  })
})
