import { describe, expect, it, test } from 'vitest'

import type { Editor, Message } from '../support/e2e/editor.ts'
import { launcherWith } from '../support/e2e/own-profile.ts'
import { World } from '../support/e2e/world.ts'

const GOES_ON = 'The session goes on in a new container'
/** Signals the agent of the container it runs in; `[.]` keeps the shell from finding itself. */
const toAgent = (signal: string): string[] => [
  'sh',
  '-c',
  `for p in /proc/[0-9]*; do grep -q 'opt/glovebox/agent[.]mjs' $p/cmdline && kill -${signal} \${p#/proc/}; done`,
]

/** The newest container of a role. */
async function newest(world: World, role: 'agent' | 'proxy') {
  const session = (await world.audit()).findLast(({ type }) => type === 'container.start')
  const agents = await world.engine.list(`glovebox.project=${world.project}`)
  const agent = agents.find(({ id }) => id === session?.['container'])
  const launcher = agent?.labels['glovebox.launcher']
  const proxies = await world.engine.list(`glovebox.launcher=${launcher}`)
  const proxy = proxies.find(({ labels }) => labels['glovebox.role'] === 'proxy')
  const found = role === 'agent' ? agent : proxy
  if (found === undefined) throw new Error('no container runs')
  return world.engine.container(found.id)
}

/**
 * A session with a first turn behind it, in a mode that does not ask before edits, which streams. The
 * model takes an interrupted prompt and the next for one, so the words are few.
 */
async function streaming(world: World, editor: Editor) {
  const session = await editor.open(world.project)
  await editor.prompt(session, 'demo: write first.txt kept')
  await editor.ok('session/set_mode', { sessionId: session, modeId: 'accept-edits' })
  const prompt = editor.call('session/prompt', {
    sessionId: session,
    prompt: [{ type: 'text', text: 'demo: slow 20' }],
  })
  await editor.until(() => editor.text.includes('word-3'), 'the answer streams')
  return { session, prompt }
}

/** The next prompt works, in the mode that was chosen, and says once what happened. */
async function goesOn(world: World, editor: Editor, session: string): Promise<void> {
  const [updates, questions] = [editor.updates.length, editor.questions.length]
  expect(await editor.prompt(session, 'demo: write second.txt more')).toMatchObject({
    stopReason: 'end_turn',
  })
  expect(await world.read('second.txt')).toBe('more\n')
  const heard = JSON.stringify(editor.updates.slice(updates))
  expect(heard.split(GOES_ON)).toHaveLength(2)
  expect(heard).not.toContain('first.txt')
  expect(editor.questions).toHaveLength(questions)
}

/** What a later launcher replays of it. */
async function history(world: World, session: string): Promise<string> {
  await using editor = world.editor()
  await editor.ok('initialize', {})
  await editor.ok('session/load', { sessionId: session, cwd: world.project, mcpServers: [] })
  return JSON.stringify(editor.updates)
}

describe('a container that ends in the middle of a prompt', () => {
  test.for(['its agent is killed', 'it is removed', 'its proxy is removed'])(
    '[G-CANCEL] (%s) fails the prompt, and the next goes on with the conversation',
    async (how) => {
      await using world = await World.open()
      const editor = world.editor()
      const { session, prompt } = await streaming(world, editor)
      const container = await newest(world, how === 'its proxy is removed' ? 'proxy' : 'agent')
      if (how === 'its agent is killed')
        await container.exec(toAgent('KILL')).catch(() => undefined)
      else await container.remove()
      expect((await prompt).error?.message).toContain('Send the prompt again')
      await goesOn(world, editor, session)
      await editor[Symbol.asyncDispose]()
      const told = await history(world, session)
      expect(told).toContain('first.txt')
      expect(told).toContain('second.txt')
    },
  )

  it('leaves the one it had no more than a moment, and is on record', async () => {
    await using world = await World.open()
    await using editor = world.editor()
    const { session, prompt } = await streaming(world, editor)
    await (await newest(world, 'agent')).remove()
    await prompt
    await goesOn(world, editor, session)
    expect(await world.engine.list(`glovebox.project=${world.project}`)).toHaveLength(1)
    const types = (await world.audit()).map(({ type }) => type)
    expect(types.filter((type) => type === 'container.start')).toHaveLength(2)
    expect(types).toContain('container.end')
    expect(types).toContain('session.restore')
  })
})

describe('an agent that is stopped', () => {
  it('[G-CANCEL] goes with its container on a cancel, and the prompt sent meanwhile goes on', async () => {
    await using world = await World.open()
    const cancel = { grace1_ms: 500, grace2_ms: 500, grace3_ms: 500 }
    const program = await launcherWith(world.folder, { cancel })
    await using editor = world.editor({ program })
    const { session, prompt } = await streaming(world, editor)
    await (await newest(world, 'agent')).exec(toAgent('STOP'))
    editor.notify('session/cancel', { sessionId: session })
    expect((await prompt).result).toEqual({ stopReason: 'cancelled' })
    await goesOn(world, editor, session)
  })
})

describe('a session that cannot come back', () => {
  it('with "state": "ephemeral" says so', async () => {
    await using world = await World.open({ config: { state: 'ephemeral' } })
    await using editor = world.editor()
    const { session, prompt } = await streaming(world, editor)
    await (await newest(world, 'agent')).remove()
    expect((await prompt).error?.message).toContain('Start a new session')
    const again = await editor.call('session/prompt', {
      sessionId: session,
      prompt: [] as Message[],
    })
    expect(again.error?.message).toContain('Start a new session')
  })

  it('begins in a new container when nothing was said yet', async () => {
    await using world = await World.open({ config: { state: 'ephemeral' } })
    await using editor = world.editor()
    const session = await editor.open(world.project)
    await (await newest(world, 'agent')).remove()
    await expect
      .poll(async () => (await world.audit()).map(({ type }) => type))
      .toContain('container.end')
    expect(await editor.prompt(session, 'demo: write a.txt 1')).toMatchObject({
      stopReason: 'end_turn',
    })
    expect(editor.text).toContain(GOES_ON)
  })
})
