import { spawn } from 'node:child_process'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { lockEntry, readLock } from '../../src/images/lock.ts'
import { LABEL, labels } from '../../src/session/labels.ts'
import { statePaths } from '../../src/state.ts'
import { bareContainer } from '../support/e2e/bare-container.ts'
import { PROGRAM, type Message } from '../support/e2e/editor.ts'
import { useAgent } from '../support/e2e/other-agent.ts'
import { World } from '../support/e2e/world.ts'
import { isNothing, leftAfter, NOTHING } from '../support/faults/left.ts'

let world: World

beforeAll(async () => {
  world = await World.open()
  await useAgent(world, 'turns.mjs')
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

async function glovebox(
  ...args: string[]
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: world.env })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out, err }
}

async function listed(): Promise<Message[]> {
  const { sessions } = JSON.parse((await glovebox('ps', '--json')).out) as { sessions: Message[] }
  return sessions.filter(({ project }) => project === world.project)
}

describe('glovebox ps and stop', () => {
  it('[G-REAP] lists a session with its figures, and ends it: its open prompt says who did it', async () => {
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const prompt = editor.call('session/prompt', {
      sessionId: session,
      prompt: [{ type: 'text', text: 'child 6100' }],
    })
    await editor.until(() => editor.text.includes('[begun]'), 'the turn begins')
    const [one] = await listed()
    expect(one).toMatchObject({ agent: 'bundled', state: 'running' })
    expect(one?.['launcher']).toEqual({ pid: editor.child.pid, alive: true })
    expect(one?.['memory_bytes']).toBeGreaterThan(1024 * 1024)
    expect(one?.['pids']).toBeGreaterThan(3)
    expect(Math.abs(Date.now() - Date.parse(String(one?.['since'])))).toBeLessThan(60_000)
    expect((await glovebox('ps')).out).toContain(world.project)

    const id = String(one?.['session'])
    const begun = performance.now()
    const stopped = await glovebox('stop', id.slice(0, 8))
    expect(stopped).toMatchObject({ code: 0, err: '' })
    expect(stopped.out).toContain(`${id.slice(0, 8)}  stopped`)
    expect(performance.now() - begun).toBeLessThan(8_000)
    expect((await prompt).error?.message).toMatch(
      /^\S+ stopped this session with `glovebox stop`\./,
    )
    expect(await listed()).toEqual([])
    expect((await leftAfter(world.engine, [editor.child.pid ?? 0], 5_000)).left).toEqual(NOTHING)
    // The launcher goes on: the editor can open another session.
    const again = await editor.call('session/new', { cwd: world.project, mcpServers: [] })
    expect(again.error).toBeUndefined()
  })

  it.for([
    [['stop'], 'stop needs a session or --all'],
    [['stop', 'x', '--all'], 'not both'],
    [['stop', 'zzzz'], 'No running session has an id that begins with "zzzz"'],
    [['gc', '--state-unused-for', 'long'], 'takes a number of days, not "long"'],
    [['ps', 'x'], 'Unexpected argument'],
  ] as const)('answer %j with one sentence', async ([args, sentence]) => {
    const { code, out, err } = await glovebox(...args)
    expect(code).not.toBe(0)
    expect(out).toBe('')
    expect(err).toContain(sentence)
    expect(err.trim().split('\n')).toHaveLength(1)
  })
})

describe('glovebox gc', () => {
  it('[G-REAP] removes what a dead launcher left and old files, and nothing of a living one', async () => {
    await using editor = world.editor()
    await editor.open(world.project)
    const dead = 'gone/1/4194301/1'
    const image = lockEntry(
      await readLock(statePaths(world.env).lock),
      world.engine.info.uri,
      'agent-bundled',
    )
    const created = await world.engine.create(
      bareContainer({
        image: image?.id ?? '',
        user: '1000:1000',
        labels: labels('agent', 'left', dead, world.project),
        memory: 100 * 1024 * 1024,
        pids: 100,
        cpus: 1,
      }),
    )
    const { log } = statePaths(world.env)
    const old = join(log, '2020-01-01.jsonl')
    await mkdir(log, { recursive: true })
    await writeFile(old, '{}\n')
    await utimes(old, 1_600_000_000, 1_600_000_000)

    const { code, out } = await glovebox('gc', '--json')
    expect(code).toBe(0)
    const { removed } = JSON.parse(out) as { removed: Record<string, string[]> }
    // Any launcher that starts on this engine may have been quicker.
    const all = (await world.engine.list(LABEL.any)).map(({ id }) => id)
    expect(all).not.toContain(created.id)
    expect(removed['files']).toEqual([old])
    expect(await readdir(log)).not.toContain('2020-01-01.jsonl')
    const own = await leftAfter(world.engine, [editor.child.pid ?? 0], 0, isNothing)
    expect(own.left.running).toBe(2)
    expect(removed['networks']).toEqual([])
    expect(removed['state_volumes']).toEqual([])
  })
})
