/** Brings a session back in a new container. */
import { openedId } from '../acp/session-new.ts'
import { GloveboxError, sentenceOf } from '../errors.ts'
import { nameOf, type Choice, type Choices } from './choices.ts'
import type { Live } from './live.ts'

/** How long an agent may take to bring a session back, and to take a choice again, in ms. */
const REOPEN_BOUND = 60_000
const CHOICE_BOUND = 10_000

/** What is known of the session from before. */
export type Memory = {
  /** What the editor opened it with, without the session's id. */
  params: Record<string, unknown>
  /** The session's id, as the agent and as the editor knows it. */
  agentId: string
  editorId: string
  /** The editor opened it by `session/new`, and the agent has not answered a prompt. */
  unspoken: boolean
  /** No prompt reached the agent. */
  untouched: boolean
  /** Whether what the agent stores outlives its container. */
  keeps: boolean
  choices: Choices
}

/** Of a session that the editor is about to open by `session/new`. */
export function newMemory(
  params: Record<string, unknown>,
  keeps: boolean,
  choices: Choices,
): Memory {
  return { params, agentId: '', editorId: '', unspoken: true, untouched: true, keeps, choices }
}

export type Reopened = {
  agentId: string
  method: string
  /** What the user should know besides, as ends of a sentence. */
  but: string[]
}

/** Whether there is any hope of it. */
export function canReopen(live: Live, { keeps, untouched }: Memory): boolean {
  return untouched || (keeps && live.reopens !== undefined)
}

/**
 * Has the agent of a new container go on with the session: by `session/resume`, else by
 * `session/load`, whose replay goes nowhere; by `session/new` when nothing was said yet.
 * Errors: `session_ended` when it cannot.
 */
export async function reopen(live: Live, memory: Memory): Promise<Reopened> {
  const opened = await goOn(live, memory)
  if (opened.method === 'session/load') await live.turns.quiet()
  const lost = memory.choices.lost(opened.answer)
  const but = [...opened.but]
  for (const choice of lost) {
    // oxlint-disable-next-line no-await-in-loop -- one choice may depend on the one before
    const failed = await chooseAgain(live, opened.agentId, choice)
    if (failed) but.push(`${nameOf(choice)} could not be set again`)
  }
  return { agentId: opened.agentId, method: opened.method, but }
}

type Opened = Reopened & { answer: unknown }

async function goOn(live: Live, memory: Memory): Promise<Opened> {
  const { reopens } = live
  if (memory.untouched) return await begin(live, memory, [])
  if (!memory.keeps || reopens === undefined) throw cannot('the agent cannot bring sessions back')
  const { agentId, editorId, params } = memory
  live.relay.adopt(agentId, editorId)
  try {
    const asked = { ...params, sessionId: agentId }
    const answer = await ask(live, reopens, asked, REOPEN_BOUND)
    return { agentId, method: reopens, answer, but: [] }
  } catch (error) {
    // An agent that died in its first turn may have stored nothing.
    if (memory.unspoken) return await begin(live, memory, ['it begins anew'])
    throw cannot(sentenceOf(error))
  }
}

async function begin(live: Live, memory: Memory, but: string[]): Promise<Opened> {
  const method = 'session/new'
  const answer = await ask(live, method, memory.params, REOPEN_BOUND)
  const agentId = openedId(answer)
  if (agentId === undefined) throw cannot('the agent gave no session id')
  live.relay.adopt(agentId, memory.editorId)
  return { agentId, method, answer, but }
}

async function chooseAgain(live: Live, agentId: string, choice: Choice): Promise<boolean> {
  try {
    await ask(live, choice.method, { ...choice.params, sessionId: agentId }, CHOICE_BOUND)
    return false
  } catch {
    return true
  }
}

async function ask(live: Live, method: string, params: unknown, bound: number): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(cannot(`the agent did not answer ${method} in ${bound / 1000} s`))
  }, bound)
  try {
    return await Promise.race([live.relay.ask(method, params), late])
  } finally {
    clearTimeout(timer)
  }
}

function cannot(why: string): GloveboxError {
  return new GloveboxError(
    'session_ended',
    `The session could not be restored in a new container: ${why.replace(/\.$/, '')}.`,
    'Start a new session to go on.',
  )
}
