import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'

import { commandLines } from '../support/e2e/command-lines.ts'
import { INITIALIZE, type Editor, type Message } from '../support/e2e/editor.ts'
import { useAgent } from '../support/e2e/other-agent.ts'
import { launcherWith } from '../support/e2e/own-profile.ts'
import { World } from '../support/e2e/world.ts'

/** After a cancel the prompt is answered within this, in ms … */
const ANSWER_BOUND = 8_500
/** … and what the turn started is dead within this, when the agent answers and when it does not. */
const REAP_BOUND = 3_000
const DEAD_BOUND = 11_500

let world: World

beforeAll(async () => {
  world = await World.open()
  await useAgent(world, 'turns.mjs')
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const running = (): Promise<string> => commandLines(world)

type Turn = { answer: Message; answeredAfter: number; since: () => number; heard: Message[] }

/** Begins a turn, waits for `started` inside, cancels, and takes the answer. */
async function cancelledTurn(editor: Editor, lines: string[], started: string[]): Promise<Turn> {
  const session = await editor.open(world.project)
  const before = editor.updates.length
  const prompt = editor.prompt(session, lines.join('\n'))
  await editor.until(() => editor.text.includes('[begun]'), 'the turn begins')
  for (const needle of started) await expect.poll(running).toContain(needle)
  const start = performance.now()
  editor.notify('session/cancel', { sessionId: session })
  const answer = await prompt
  const answeredAfter = performance.now() - start
  const heard = editor.updates.slice(before).map(({ update }) => update as Message)
  return { answer, answeredAfter, since: () => performance.now() - start, heard }
}

const next = (editor: Editor): Promise<Message> => editor.prompt('sess_1', 'end')

describe('an agent that answers a cancel at once', () => {
  it('[G-CANCEL] [G-AUDIT] leaves no daemon behind, though it is deaf to INT and TERM and on its own', async () => {
    await using editor = world.editor()
    const lines = ['daemon 6001', 'child 6002']
    const { answer, answeredAfter, since } = await cancelledTurn(editor, lines, ['6001', '6002'])
    expect(answer).toEqual({ stopReason: 'cancelled' })
    expect(answeredAfter).toBeLessThan(1_000)
    await expect.poll(running, { timeout: REAP_BOUND }).not.toMatch(/sleep 600[12]/)
    expect(since()).toBeLessThan(REAP_BOUND)
    expect(await next(editor)).toEqual({ stopReason: 'end_turn' })
    const reaped = (await world.audit()).find(({ step }) => step === 'reaped')
    expect(JSON.stringify(reaped?.['processes'])).toContain('sleep 6001')
  })

  it('[G-CANCEL] leaves nothing that starts itself anew all the time', async () => {
    await using editor = world.editor()
    const again = `trap '' INT TERM; sh -c "$R" & sleep 0.001`
    const line = `sh export R='${again}'; setsid sh -c "$R" 6003 &`
    const { since } = await cancelledTurn(editor, [line], ['$R'])
    await expect.poll(running, { timeout: REAP_BOUND }).not.toContain('$R')
    expect(since()).toBeLessThan(REAP_BOUND)
    expect(await next(editor)).toEqual({ stopReason: 'end_turn' })
  })

  it('[G-CANCEL] keeps what ran before the turn, and the helpers its profile declares', async () => {
    const program = await launcherWith(world.folder, {
      helpers: ['sleep 6005', '*language-server*'],
    })
    await using editor = world.editor({ program })
    const session = await editor.open(world.project)
    await editor.prompt(session, 'daemon 6004\nend')
    await expect.poll(running).toContain('sleep 6004')
    const server = 'sh exec sh -c "sleep 6006; true" language-server --stdio'
    const prompt = editor.prompt(session, `daemon 6005\n${server}\nchild 6007`)
    for (const needle of ['6004', '6005', '6006', '6007'])
      await expect.poll(running).toContain(`sleep ${needle}`)
    editor.notify('session/cancel', { sessionId: session })
    expect(await prompt).toEqual({ stopReason: 'cancelled' })
    await expect.poll(running, { timeout: REAP_BOUND }).not.toContain('sleep 6007')
    await editor.prompt(session, 'end')
    const left = await running()
    for (const needle of ['6004', '6005', '6006']) expect(left).toContain(`sleep ${needle}`)
  })

  it('closes the tool calls it left open with a line each, and shows nothing that comes late', async () => {
    await using editor = world.editor()
    const lines = ['on-cancel-late', 'call a $ sleep 60', 'call b Read notes', 'done b']
    const { heard } = await cancelledTurn(editor, lines, [])
    expect(heard.slice(4, 6)).toEqual([
      { sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'failed' },
      {
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: 'Glovebox: $ sleep 60 cancelled.\n\n' },
      },
    ])
    await editor.until(() => JSON.stringify(editor.updates).includes('current_mode'), 'the mode')
    expect(await next(editor)).toEqual({ stopReason: 'end_turn' })
    expect(editor.text).not.toContain('late words')
  })

  it('says that the turn was cancelled when no tool call was open', async () => {
    await using editor = world.editor()
    await cancelledTurn(editor, [], [])
    expect(editor.text).toBe('[begun]Glovebox: the turn was cancelled.\n\n')
  })
})

describe('an agent that does not do its part', () => {
  test.for(['on-cancel-error', 'on-cancel-die'])(
    '[G-CANCEL] (%s) still has its prompt end cancelled',
    async (how) => {
      await using editor = world.editor()
      const { answer } = await cancelledTurn(editor, [how], [])
      expect(answer).toEqual({ stopReason: 'cancelled' })
    },
  )

  it('[G-CANCEL] by ignoring the cancel loses the turn’s processes first, then its life', async () => {
    await using editor = world.editor()
    const prompt = cancelledTurn(editor, ['on-cancel-deaf', 'daemon 6008'], ['6008'])
    await editor.until(() => editor.text.includes('[begun]'), 'the turn begins')
    const { answer, answeredAfter, since } = await prompt
    expect(answer).toEqual({ stopReason: 'cancelled' })
    expect(answeredAfter).toBeLessThan(ANSWER_BOUND)
    await expect.poll(running, { timeout: DEAD_BOUND - since() }).toBe('no container')
    expect(since()).toBeLessThan(DEAD_BOUND)
    const { error } = await editor.call('session/prompt', { sessionId: 'sess_1', prompt: [] })
    expect(error?.message).toContain('Start a new session')
  })

  it('[G-CANCEL] by being stopped goes with its container, in the times its profile sets', async () => {
    const cancel = { grace1_ms: 500, grace2_ms: 500, grace3_ms: 500 }
    const program = await launcherWith(world.folder, { cancel })
    await using editor = world.editor({ program })
    const { answer, answeredAfter, since } = await cancelledTurn(
      editor,
      ['sh sleep 0.3; kill -STOP $PPID; S=6014; exec sleep $S'],
      ['sleep 6014'],
    )
    expect(answer).toEqual({ stopReason: 'cancelled' })
    expect(answeredAfter).toBeGreaterThan(900)
    expect(answeredAfter).toBeLessThan(2_000)
    await expect.poll(running, { timeout: 3_000 }).toBe('no container')
    expect(since()).toBeLessThan(4_500)
  })

  it('[G-CANCEL] cannot stop, kill or look into init', async () => {
    await using editor = world.editor()
    // ptrace(PTRACE_ATTACH, 1) is system call 101 on x86-64 and 117 on arm64.
    const trace = `perl -e 'print syscall(${process.arch === 'x64' ? 101 : 117}, 16, 1, 0, 0)'`
    const attack = `sh kill -STOP 1; kill -KILL 1; echo "trace $(${trace})"; cat /proc/1/environ; echo done`
    const session = await editor.open(world.project)
    const prompt = editor.prompt(session, `${attack}\ndaemon 6009`)
    await editor.until(() => editor.text.includes('done'), 'the attack ran')
    expect(editor.text).toContain('trace -1')
    expect(editor.text).toContain('Permission denied')
    editor.notify('session/cancel', { sessionId: session })
    expect(await prompt).toEqual({ stopReason: 'cancelled' })
    await expect.poll(running, { timeout: REAP_BOUND }).not.toContain('sleep 6009')
    expect(await next(editor)).toEqual({ stopReason: 'end_turn' })
  })
})

describe('a cancel', () => {
  it('[G-CANCEL] while nothing runs changes nothing', async () => {
    await using editor = world.editor()
    const session = await editor.open(world.project)
    await editor.prompt(session, 'daemon 6010\nend')
    editor.notify('session/cancel', { sessionId: session })
    expect(await next(editor)).toEqual({ stopReason: 'end_turn' })
    expect(await running()).toContain('sleep 6010')
    expect(editor.text).not.toContain('cancelled')
  })

  it('[G-CANCEL] while the container starts changes nothing: the session opens and works', async () => {
    await using editor = world.editor()
    await editor.ok('initialize', INITIALIZE)
    const opening = editor.ok('session/new', { cwd: world.project, mcpServers: [] })
    editor.notify('session/cancel', { sessionId: 'sess_1' })
    editor.notify('$/cancel_request', { requestId: 1 })
    expect(await opening).toMatchObject({ sessionId: 'sess_1' })
    expect(await next(editor)).toEqual({ stopReason: 'end_turn' })
  })

  it('[G-CANCEL] right behind its prompt ends it, and the next prompt works', async () => {
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const prompt = editor.prompt(session, 'on-cancel-deaf')
    editor.notify('session/cancel', { sessionId: session })
    expect(await prompt).toEqual({ stopReason: 'cancelled' })
    expect(await next(editor)).toEqual({ stopReason: 'end_turn' })
    expect(editor.text).toContain('Glovebox: the turn was cancelled.')
  })

  it('[G-CANCEL] sent twice answers once, and a prompt sent at once after it is not touched', async () => {
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const prompt = editor.prompt(session, 'daemon 6011\ncall a Build')
    await editor.until(() => editor.text.includes('[begun]'), 'the turn begins')
    editor.notify('session/cancel', { sessionId: session })
    editor.notify('session/cancel', { sessionId: session })
    const after = next(editor)
    expect(await prompt).toEqual({ stopReason: 'cancelled' })
    expect(await after).toEqual({ stopReason: 'end_turn' })
    expect(editor.text.split('Build cancelled.')).toHaveLength(2)
    expect(await running()).not.toContain('sleep 6011')
  })

  it('[G-CANCEL] answers open questions as cancelled, and those that come after it', async () => {
    await using editor = world.editor({ onQuestion: () => undefined })
    const session = await editor.open(world.project)
    const prompt = editor.prompt(session, 'ask\nform\non-cancel-wait')
    await editor.until(() => editor.questions.length === 2, 'both questions')
    editor.notify('session/cancel', { sessionId: session })
    expect(await prompt).toEqual({ stopReason: 'cancelled' })
    expect(editor.text).toContain('answered q {"outcome":{"outcome":"cancelled"}}')
    expect(editor.text).toContain('answered f {"action":"cancel"}')
    const second = editor.prompt(session, 'on-cancel-ask')
    await editor.until(() => editor.text.split('[begun]').length === 3, 'the second turn')
    editor.notify('session/cancel', { sessionId: session })
    expect(await second).toEqual({ stopReason: 'cancelled' })
    expect(editor.questions).toHaveLength(2)
  })

  it('[G-CANCEL] by $/cancel_request on the prompt is the same', async () => {
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const prompt = editor.prompt(session, 'daemon 6012')
    await editor.until(() => editor.text.includes('[begun]'), 'the turn begins')
    // The editor's ids count from 0: initialize, session/new, session/prompt.
    editor.notify('$/cancel_request', { requestId: 2 })
    expect(await prompt).toEqual({ stopReason: 'cancelled' })
    await expect.poll(running, { timeout: REAP_BOUND }).not.toContain('sleep 6012')
  })

  it('[G-CANCEL] of one session leaves the turn of another alone', async () => {
    await using editor = world.editor()
    const first = await editor.open(world.project)
    const opened = await editor.ok('session/new', { cwd: world.project, mcpServers: [] })
    const second = String(opened['sessionId'])
    const doomed = editor.prompt(first, 'daemon 6013')
    const other = editor.call('session/prompt', {
      sessionId: second,
      prompt: [{ type: 'text', text: 'sh sleep 4; echo survived' }],
    })
    await editor.until(() => editor.text.split('[begun]').length === 3, 'both turns')
    editor.notify('session/cancel', { sessionId: first })
    expect(await doomed).toEqual({ stopReason: 'cancelled' })
    await editor.until(() => editor.text.includes('survived'), 'the other turn goes on')
    editor.notify('session/cancel', { sessionId: second })
    expect((await other).result).toEqual({ stopReason: 'cancelled' })
  })
})
