import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'

import { LABEL } from '../../src/session/labels.ts'
import { launcherAlive, launcherId } from '../../src/session/launcher-id.ts'
import { INITIALIZE, PROGRAM, type Answer, type Editor } from '../support/e2e/editor.ts'
import { useAgent } from '../support/e2e/other-agent.ts'
import { World } from '../support/e2e/world.ts'
import { livesOnHost } from '../support/faults/host-processes.ts'
import { killRound, randomFrom } from '../support/faults/kill-rounds.ts'
import { isNothing, leftAfter, leftOf, NOTHING, nothingRuns } from '../support/faults/left.ts'

/** Nothing of a session is left after this long, in ms. */
const BOUND = 5_000
/** A launcher that is asked to end has ended after this long. */
const LAUNCHER_BOUND = 3_000

let world: World

beforeAll(async () => {
  world = await World.open({ config: { limits: { pids: 128, tmp_mb: 16 } } })
  await useAgent(world, 'turns.mjs')
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** What the turn does when the fault comes. Each starts a process that can be seen on the host. */
const AGENTS = {
  polite: 'sh exec sleep 6400',
  'deaf to the end of its input and to SIGTERM': 'deaf\nsh exec sleep 6400',
  'with a child that holds its output': 'hold 6400',
  'with a deaf daemon': 'daemon 6400',
  'with a fork bomb': 'sh sleep 6400 & bomb() { bomb | bomb & }; bomb',
  'that filled /tmp': 'sh head -c 90000000 /dev/zero > /tmp/x; exec sleep 6400',
} as const

type Fault = (editor: Editor) => void
const FAULTS: Record<string, Fault> = {
  'the end of its input': (editor) => void editor.child.stdin?.end(),
  SIGTERM: (editor) => void editor.child.kill('SIGTERM'),
  SIGHUP: (editor) => void editor.child.kill('SIGHUP'),
  'SIGKILL of the launcher': (editor) => void editor.child.kill('SIGKILL'),
  'SIGKILL of its process group': (editor) =>
    void process.kill(-(editor.child.pid ?? 0), 'SIGKILL'),
}

const cases = Object.keys(AGENTS).flatMap((agent) =>
  Object.keys(FAULTS).map((fault) => [agent, fault] as const),
)

/** Begins a turn; its answer is a promise in an object, so that it is not waited for here. */
async function inTurn(editor: Editor, text: string): Promise<{ answer: Promise<Answer> }> {
  const sessionId = await editor.open(world.project)
  const answer = editor.call('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
  await editor.until(() => editor.text.includes('[begun]'), 'the turn begins')
  await expect.poll(() => livesOnHost('sleep 6400'), { timeout: 10_000 }).toBe(true)
  return { answer }
}

describe('[G-REAP] nothing is left', () => {
  test.for(cases)('of an agent %s after %s', async ([agent, fault]) => {
    const editor = world.editor({ detached: true })
    await inTurn(editor, AGENTS[agent as keyof typeof AGENTS])
    const pid = editor.child.pid ?? 0
    expect((await leftOf(world.engine, [pid])).running).toBe(2)
    const begun = performance.now()
    FAULTS[fault]?.(editor)
    expect(await editor.exited).toBe(fault.startsWith('SIGKILL') ? 'SIGKILL' : 0)
    expect(performance.now() - begun).toBeLessThan(LAUNCHER_BOUND)
    expect((await leftAfter(world.engine, [pid], BOUND)).left).toEqual(NOTHING)
    expect(livesOnHost('sleep 6400')).toBe(false)
    expect(performance.now() - begun).toBeLessThan(BOUND)
  })

  it('after SIGKILL of the editor that started the launcher', async () => {
    const script = `
      const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(PROGRAM)}, 'acp'],
        { stdio: ['pipe', 'pipe', 'ignore'] })
      const send = (id, method, params) =>
        child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\\n')
      send(0, 'initialize', ${JSON.stringify(INITIALIZE)})
      send(1, 'session/new', ${JSON.stringify({ cwd: world.project, mcpServers: [] })})
      child.stdout.on('data', (text) => String(text).includes('"id":1') && console.log(child.pid))
    `
    const editor = spawn(process.execPath, ['-e', script], { env: world.env })
    const pid = await new Promise<number>((resolve) =>
      editor.stdout.once('data', (text: Buffer) => resolve(Number(text.toString()))),
    )
    const id = launcherId(pid)
    expect((await leftOf(world.engine, [pid])).running).toBe(2)
    editor.kill('SIGKILL')
    const { left } = await leftAfter(world.engine, [pid], BOUND)
    expect(left).toEqual(NOTHING)
    await expect.poll(() => launcherAlive(id), { timeout: BOUND }).toBe(false)
  })

  it('of an editor that reads nothing, within 3 s of SIGTERM', async () => {
    const editor = world.editor()
    const sessionId = await editor.open(world.project)
    void editor.call('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'flood' }] })
    await editor.until(() => editor.text.includes('xxx'), 'the flood')
    editor.child.stdout?.pause()
    await sleep(1_000)
    const pid = editor.child.pid ?? 0
    const begun = performance.now()
    editor.child.kill('SIGTERM')
    await editor.exited
    expect(performance.now() - begun).toBeLessThan(LAUNCHER_BOUND)
    const { left } = await leftAfter(world.engine, [pid], BOUND)
    expect(left).toEqual(NOTHING)
  })
})

describe('the user is told', () => {
  it('[G-EGRESS] that the proxy died: the session ends, and the next one works', async () => {
    await using editor = world.editor()
    const { answer } = await inTurn(editor, AGENTS.polite)
    const begun = performance.now()
    for (const id of await own(editor, 'proxy')) await world.engine.container(id).remove()
    const { error } = await answer
    expect(error?.message).toMatch(/egress proxy of this session ended|container ended/)
    expect(performance.now() - begun).toBeLessThan(BOUND)
    await expect.poll(() => own(editor, 'agent'), { timeout: BOUND }).toEqual([])
    const { error: none } = await editor.call('session/new', { cwd: world.project, mcpServers: [] })
    expect(none).toBeUndefined()
  })

  it('that its container was removed from outside', async () => {
    await using editor = world.editor()
    const { answer } = await inTurn(editor, AGENTS.polite)
    for (const id of await own(editor, 'agent')) await world.engine.container(id).remove()
    const { error } = await answer
    expect(error?.message).toMatch(/killed from outside|connection .* broke/)
    expect(error?.message).not.toContain('memory')
    await expect.poll(() => own(editor, 'proxy'), { timeout: BOUND }).toEqual([])
  })

  it('[G-REAP] that the session ended while its launcher was stopped for longer than the heartbeats bear', async () => {
    await using editor = world.editor()
    const { answer } = await inTurn(editor, AGENTS.polite)
    const pid = editor.child.pid ?? 0
    editor.child.kill('SIGSTOP')
    const { left } = await leftAfter(world.engine, [pid], 15_000, nothingRuns)
    expect(left.running).toBe(0)
    editor.child.kill('SIGCONT')
    const { error } = await answer
    expect(error?.message).toContain('Start a new session')
    const { error: none } = await editor.call('session/new', { cwd: world.project, mcpServers: [] })
    expect(none).toBeUndefined()
  })
})

describe('a machine that sleeps', () => {
  it('keeps its sessions: everything stood still for 13 s, and the turn goes on', async () => {
    await using editor = world.editor()
    const sessionId = await editor.open(world.project)
    const ids = [...(await own(editor, 'agent')), ...(await own(editor, 'proxy'))]
    editor.child.kill('SIGSTOP')
    for (const id of ids) await world.outside.api('POST', `/containers/${id}/pause`)
    await sleep(13_000)
    for (const id of ids) await world.outside.api('POST', `/containers/${id}/unpause`)
    editor.child.kill('SIGCONT')
    await sleep(3_000)
    expect(await editor.prompt(sessionId, 'end')).toEqual({ stopReason: 'end_turn' })
  })
})

describe('many at once', () => {
  it('[G-REAP] leave nothing in 10 rounds with a kill at a random moment, and a living launcher is not touched', async () => {
    await using living = world.editor()
    const session = await living.open(world.project)
    const random = randomFrom(7)
    const rounds = await Promise.all(
      Array.from({ length: 2 }, async () => {
        const done = []
        for (let n = 0; n < 5; n += 1) done.push(await killRound(world, random, BOUND))
        return done
      }),
    )
    const pids = rounds.flat().map(({ pid }) => pid)
    expect(rounds.flat().filter(({ running }) => running > 0)).toEqual([])
    await using next = world.editor()
    await next.open(world.project)
    const { left } = await leftAfter(world.engine, pids, BOUND, isNothing)
    expect(left).toEqual(NOTHING)
    expect(await living.prompt(session, 'end')).toEqual({ stopReason: 'end_turn' })
  })

  it('20 sessions started together all open, and each answers', async () => {
    await using editor = world.editor()
    await editor.ok('initialize', INITIALIZE)
    const begun = performance.now()
    const sessions = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { sessionId } = await editor.ok(
          'session/new',
          { cwd: world.project, mcpServers: [] },
          120_000,
        )
        return String(sessionId)
      }),
    )
    expect(performance.now() - begun).toBeLessThan(90_000)
    expect(new Set(sessions).size).toBe(20)
    const asked = performance.now()
    const answers = await Promise.all(sessions.map((id) => editor.prompt(id, 'end')))
    expect(answers.every(({ stopReason }) => stopReason === 'end_turn')).toBe(true)
    expect(performance.now() - asked).toBeLessThan(10_000)
    expect(editor.text).toMatch(/waited [\d.]+ s for others that were starting/)
  })
})

/** Ids of this editor's containers. */
async function own(editor: Editor, role: 'agent' | 'proxy'): Promise<string[]> {
  const all = await world.engine.list(`${LABEL.role}=${role}`)
  const pid = String(editor.child.pid)
  return all
    .filter(({ labels }) => labels[LABEL.launcher]?.split('/')[2] === pid)
    .map(({ id }) => id)
}
