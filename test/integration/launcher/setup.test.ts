import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'

import { Editor, INITIALIZE, SOURCE } from '../../support/e2e/editor.ts'

let folder: string
let env: Record<string, string | undefined>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gb-setup-'))
  mkdirSync(join(folder, 'project'))
  env = {
    PATH: process.env['PATH'],
    HOME: join(folder, 'home'),
    TERM: 'xterm',
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    DOCKER_HOST: `unix://${join(folder, 'no-engine.sock')}`,
  }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const TERMINAL = {
  ...INITIALIZE,
  clientCapabilities: { ...INITIALIZE.clientCapabilities, auth: { terminal: true } },
}

/** Runs the program on a terminal of its own and types an answer to each question. */
async function onTerminal(words: string, answers: [string, string][]) {
  const child = spawn('script', ['-qfec', `${process.execPath} ${SOURCE} ${words}`, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let screen = ''
  const left = [...answers]
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString()
    const [question, answer] = left[0] ?? []
    if (question === undefined || !screen.includes(question)) return
    left.shift()
    child.stdin.write(`${answer}\r`)
  })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  return { code, screen }
}

describe('glovebox setup', () => {
  test.for(['setup', 'acp setup', 'acp --agent claude setup'])(
    '[auth.program] started as `%s` asks for a provider and its key, which it does not show',
    async (words) => {
      const { code, screen } = await onTerminal(words, [
        ['Number:', '1'],
        ['API key:', 'sk-typed-by-hand'],
      ])
      expect(code).toBe(0)
      expect(screen).not.toContain('sk-typed-by-hand')
      const file = join(folder, 'config', 'glovebox', 'keys', 'anthropic')
      expect(readFileSync(file, 'utf8')).toBe('sk-typed-by-hand\n')
    },
  )

  it('says what to do where there is no terminal', () => {
    const { status, stderr } = spawnSync(process.execPath, [SOURCE, 'setup'], {
      env,
      encoding: 'utf8',
    })
    expect(status).toBe(64)
    expect(stderr).toMatch(
      /^glovebox: glovebox setup asks questions and needs a terminal\. Without one, set /,
    )
  })
})

describe('a connection that began without a key', () => {
  it('[auth.terminal] [auth.afterlogin] offers the set-up, and uses its key in the next session/new without a new initialize', async () => {
    await using editor = new Editor({ env, cwd: folder, program: SOURCE })
    const { authMethods } = await editor.ok('initialize', TERMINAL)
    expect(authMethods).toMatchObject([{ id: 'glovebox-setup', type: 'terminal' }])
    const request = { cwd: join(folder, 'project'), mcpServers: [] }
    expect((await editor.call('session/new', request)).error?.code).toBe(-32000)
    await onTerminal('setup', [
      ['Number:', '2'],
      ['API key:', 'sk-typed'],
    ])
    // The key is there now: what fails next is the engine.
    expect((await editor.call('session/new', request)).error?.message).toContain('no-engine.sock')
    await using again = new Editor({ env, cwd: folder, program: SOURCE })
    expect((await again.ok('initialize', TERMINAL))['authMethods']).toEqual([])
  })
})
