import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'

import { lockImages, lockEntry, readLock } from '../../src/images/lock.ts'
import { statePaths } from '../../src/state.ts'
import { INITIALIZE, choose, type Editor } from '../support/e2e/editor.ts'
import { EngineGate } from '../support/e2e/engine-gate.ts'
import { World } from '../support/e2e/world.ts'
import {
  isNothing,
  leftAfter,
  leftOf as launcherLeft,
  NOTHING,
  type Left,
} from '../support/faults/left.ts'

/** Everything of a killed launcher is to be gone after this long, in ms. */
const BOUND = 5_000

let world: World

beforeAll(async () => {
  world = await World.open()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const leftOf = (pid: number): Promise<Left> => launcherLeft(world.engine, [pid])

const goneWithin = async (
  pid: number,
  bound: number,
  gone: (left: Left) => boolean,
): Promise<Left> => (await leftAfter(world.engine, [pid], bound, gone)).left

/** Brings a launcher to a moment of its life. */
type Moment = (editor: Editor) => Promise<void>

const opened: Moment = async (editor) => {
  await editor.open(world.project)
}
const prompting =
  (text: string, seen: (editor: Editor) => boolean): Moment =>
  async (editor) => {
    const session = await editor.open(world.project)
    void editor.call('session/prompt', { sessionId: session, prompt: [{ type: 'text', text }] })
    await editor.until(() => seen(editor), text)
  }
const running = (editor: Editor): boolean => JSON.stringify(editor.updates).includes('in_progress')

const MOMENTS: Record<string, Moment> = {
  'with an open session': opened,
  streaming: prompting('demo: slow 2000', (editor) => editor.text.includes('word-3')),
  'with a question open': prompting(
    'demo: write asked.txt x',
    (editor) => editor.questions.length > 0,
  ),
  'with a command running': prompting('demo: run sleep 600', running),
  cancelling: async (editor) => {
    await prompting('demo: run sleep 600', running)(editor)
    editor.notify('session/cancel', { sessionId: editor.updates[0]?.['sessionId'] })
  },
}

const rounds = Object.keys(MOMENTS).flatMap((name) =>
  [1, 2].map((round): [string, number] => [name, round]),
)

describe('after kill -9 of the launcher', () => {
  test.for(rounds)('[G-REAP] %s, nothing is left within 5 s (round %i)', async ([name]) => {
    const silent = name === 'with a question open'
    const editor = world.editor({ onQuestion: silent ? () => undefined : choose('allow_once') })
    await MOMENTS[name]?.(editor)
    const pid = editor.child.pid ?? 0
    expect((await leftOf(pid)).running).toBe(2)
    editor.child.kill('SIGKILL')
    expect(await goneWithin(pid, BOUND, isNothing)).toEqual(NOTHING)
  })
})

const REQUESTS: Record<string, (request: string, bytes: Buffer) => boolean> = {
  'before the agent’s container is created': (request, bytes) =>
    request.includes('/containers/create') && bytes.includes('"glovebox.role":"agent"'),
  'while its streams are attached': (request) => request.includes('/attach?'),
  'between its creation and its start': (request) => /\/containers\/\w+\/start/.test(request),
}
const strikes = Object.keys(REQUESTS).flatMap((name) =>
  [1, 2].map((round): [string, number] => [name, round]),
)

describe('after kill -9 of the launcher in the middle of a start', () => {
  test.for(strikes)(
    '[G-REAP] %s, nothing runs, and the next launcher removes the rest (round %i)',
    async ([name]) => {
      await using gate = await EngineGate.open(world.engine.info.uri)
      await lockFor(gate.uri)
      const env = { ...world.env, DOCKER_HOST: gate.uri }
      const editor = world.editor({ env })
      const pid = editor.child.pid ?? 0
      let agentExists = false
      const struck = new Promise<void>((resolve) => {
        gate.watch = (request, bytes) => {
          const due =
            REQUESTS[name]?.(request, bytes) === true &&
            (agentExists || request.includes('/create'))
          if (request.includes('/containers/create') && bytes.includes('"glovebox.role":"agent"'))
            agentExists = true
          if (!due) return false
          editor.child.kill('SIGKILL')
          resolve()
          return true
        }
      })
      await editor.ok('initialize', INITIALIZE)
      void editor.call('session/new', { cwd: world.project, mcpServers: [] })
      await struck
      expect((await goneWithin(pid, BOUND, ({ running: count }) => count === 0)).running).toBe(0)
      await using next = world.editor()
      await next.open(world.project)
      expect(await goneWithin(pid, BOUND, isNothing)).toEqual(NOTHING)
    },
  )
})

describe('after the editor left', () => {
  it('[G-REAP] by closing stdin, the launcher ends with 0 and nothing is left', async () => {
    const editor = world.editor()
    await opened(editor)
    const pid = editor.child.pid ?? 0
    editor.child.stdin?.end()
    expect(await editor.exited).toBe(0)
    expect(await goneWithin(pid, 1_000, isNothing)).toEqual(NOTHING)
  })

  it('[G-REAP] by SIGTERM in the middle of a command, the same', async () => {
    const editor = world.editor()
    await MOMENTS['with a command running']?.(editor)
    const pid = editor.child.pid ?? 0
    editor.child.kill('SIGTERM')
    expect(await editor.exited).toBe(0)
    expect(await goneWithin(pid, 1_000, isNothing)).toEqual(NOTHING)
  })

  it('[G-REAP] while the first session is still starting, the same', async () => {
    const editor = world.editor()
    await editor.ok('initialize', INITIALIZE)
    void editor.call('session/new', { cwd: world.project, mcpServers: [] })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const pid = editor.child.pid ?? 0
    editor.child.stdin?.end()
    expect(await editor.exited).toBe(0)
    expect(await goneWithin(pid, 1_000, isNothing)).toEqual(NOTHING)
  })
})

/** The lock names images by engine address; the gate is another address of the same engine. */
async function lockFor(uri: string): Promise<void> {
  const path = statePaths(world.env).lock
  const lock = await readLock(path)
  for (const role of ['agent-bundled', 'egress-proxy']) {
    const entry = lockEntry(lock, world.engine.info.uri, role)
    if (entry !== undefined) await lockImages(path, uri, { [role]: entry })
  }
}
