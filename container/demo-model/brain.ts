/** Decides the next reply from the conversation alone; the server keeps no memory of it. */
import { lastTurn } from './conversation.ts'
import type { ToolAnswer } from './conversation.ts'
import type { Asked } from './dialect.ts'
import { directivesOf, followDirectives } from './directives.ts'
import type { Directives, StopReason } from './directives.ts'
import { fixTest } from './fix-test.ts'
import type { Story } from './fix-test.ts'
import { toCall } from './tools.ts'
import type { Call } from './tools.ts'

export type Reply = {
  text: string
  call: Call | undefined
  stop: StopReason | 'tool_use'
  /** Milliseconds between words, when the reply itself asks for a pace. */
  wordDelay: number | undefined
}

/** An HTTP status instead of a reply, as the user's prompt asked for. */
export type Fault = { status: number }

const INTRODUCTION =
  'I am the demo model that comes with Glovebox, a small program and not a language model. ' +
  'I can do one kind of work: ask me to make the failing test pass.'

/** The same request gives the same reply: a story is replayed over the answers its calls got. */
export function decide(request: Pick<Asked, 'messages' | 'tools'>): Reply | Fault {
  const turn = lastTurn(request.messages)
  const tools = request.tools ?? []
  const directives = directivesOf(turn.prompt)
  if (directives?.error !== undefined) return { status: directives.error }
  const story = storyFor(turn.prompt, directives, tools.length > 0)
  if (story === undefined) return ending(INTRODUCTION, directives)

  const step = replay(story, turn.answers)
  if (typeof step === 'string') return ending(step, directives)
  const call = toCall(step, tools)
  if (call !== undefined) return { text: step.say, call, stop: 'tool_use', wordDelay: undefined }
  return ending(
    `I would have to ${step.role} something, but no tool for it is offered.`,
    directives,
  )
}

/** Requests without tools, such as for a title, are not the task itself. */
function storyFor(
  prompt: string,
  directives: Directives | undefined,
  hasTools: boolean,
): Story | undefined {
  if (directives !== undefined) return followDirectives(directives)
  const wanted = /\bfailing tests?\b|\btests? pass\b|\bfix\b[^.]*\btests?\b/i.test(prompt)
  return wanted && hasTools ? fixTest() : undefined
}

function replay(story: Story, answers: ToolAnswer[]) {
  let state = story.next()
  for (const answer of answers) {
    if (state.done === true) break
    state = story.next(answer)
  }
  return state.value
}

function ending(text: string, directives: Directives | undefined): Reply {
  const stop = directives?.stop ?? 'end_turn'
  const wordDelay = (directives?.slowWords ?? 0) > 0 ? 100 : undefined
  return { text, call: undefined, stop, wordDelay }
}
