/** A turn's events as `session/update` notifications, in their order. */
import { randomUUID } from 'node:crypto'

import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk'

import type { TurnEvent } from '../session/events.ts'
import type { Location, Presentation } from '../tools/tool.ts'
import { visible } from '../visible.ts'
import type { ClientOffers } from './client-offers.ts'
import { configOptions } from './config-options.ts'
import { liveOutput } from './live-output.ts'
import type { LiveOutput } from './live-output.ts'
import { contentOf, plain, textContent } from './presenting.ts'
import { contentBlockOf } from './prompt-blocks.ts'

/** Resolves when the client's side took it. */
export type Send = (update: SessionUpdate) => Promise<void>

/** Characters of the end of an output that was too long to be shown live. */
const REST = 4_000

type Of<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>

export function sessionUpdates(
  send: Send,
  offers: ClientOffers,
): (event: TurnEvent) => Promise<void> {
  const live = new Map<string, LiveOutput>()
  return async (event) => {
    if (event.type === 'call-output') {
      const { id } = event
      if (!live.has(id)) live.set(id, liveOf(id, send, offers))
      live.get(id)?.add(event.output)
    } else if (event.type === 'call-ended') {
      const shown = live.get(event.id)?.finish()
      live.delete(event.id)
      await send(endedUpdate(event, offers, shown))
    } else {
      await send(updateFor(event, offers))
      if (event.type === 'mode') await send(optionsUpdate(event))
    }
  }
}

/** What of an output was shown while it came; `undefined` when nothing was. */
type Shown = { complete: boolean } | undefined

type Simple = Exclude<TurnEvent, { type: 'call-output' | 'call-ended' }>

function updateFor(event: Simple, offers: ClientOffers): SessionUpdate {
  if (event.type === 'user') return userUpdate(event)
  if (event.type === 'text') return chunk('agent_message_chunk', event.text, event.messageId)
  if (event.type === 'thinking') return chunk('agent_thought_chunk', event.text, event.messageId)
  if (event.type === 'notice') return noticeUpdate(event.text, offers)
  if (event.type === 'call') return callUpdate(event, offers)
  if (event.type === 'call-started') return startedUpdate(event)
  if (event.type === 'plan')
    return { sessionUpdate: 'plan', entries: event.entries.map(visibleEntry) }
  if (event.type === 'usage') return usageUpdate(event)
  if (event.type === 'mode')
    return { sessionUpdate: 'current_mode_update', currentModeId: event.mode }
  if (event.type === 'commands') return commandsUpdate(event)
  const updatedAt = new Date().toISOString()
  return { sessionUpdate: 'session_info_update', title: event.title, updatedAt }
}

function chunk(
  sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
  messageId: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text }, messageId }
}

/** The mode is an option too. */
function optionsUpdate({ choices }: Of<'mode'>): SessionUpdate {
  return { sessionUpdate: 'config_option_update', configOptions: configOptions(choices) }
}

function usageUpdate({ used, size, cost }: Of<'usage'>): SessionUpdate {
  const spent = cost === undefined ? {} : { cost: { amount: cost, currency: 'USD' } }
  return { sessionUpdate: 'usage_update', used, size, ...spent }
}

function commandsUpdate({ commands }: Of<'commands'>): SessionUpdate {
  const availableCommands = commands.map(({ name, description, hint }) => ({
    name,
    description: visible(description),
    ...(hint === undefined ? {} : { input: { hint: visible(hint) } }),
  }))
  return { sessionUpdate: 'available_commands_update', availableCommands }
}

function userUpdate({ piece, messageId }: Of<'user'>): SessionUpdate {
  return { sessionUpdate: 'user_message_chunk', content: contentBlockOf(piece), messageId }
}

/** The agent's own words begin with the product's name, so that nobody takes them for the model's. */
function noticeUpdate(text: string, offers: ClientOffers): SessionUpdate {
  const line = visible(`Glovebox: ${text}`)
  if (offers.notices) return { sessionUpdate: 'notice', severity: 'info', title: line }
  return chunk('agent_message_chunk', `${line}\n`, randomUUID())
}

function callUpdate(event: Of<'call'>, offers: ClientOffers): SessionUpdate {
  const terminal = terminalIn(event.content)
  const info = { terminal_info: { terminal_id: event.id, cwd: terminal?.cwd } }
  return {
    sessionUpdate: 'tool_call',
    toolCallId: event.id,
    title: event.title,
    kind: event.kind,
    status: 'pending',
    locations: event.locations.map(locationOf),
    content: contentOf(event.content, event.id, offers),
    rawInput: event.input,
    ...(offers.terminalCards && terminal !== undefined ? { _meta: info } : {}),
  }
}

function startedUpdate(event: Of<'call-started'>): SessionUpdate {
  const where = event.locations === undefined ? {} : { locations: event.locations.map(locationOf) }
  return callChange({ toolCallId: event.id, status: 'in_progress', ...where })
}

function liveOf(id: string, send: Send, offers: ClientOffers): LiveOutput {
  return liveOutput(({ fresh, soFar }) => {
    const output = offers.terminalCards
      ? { _meta: { terminal_output: { terminal_id: id, data: fresh } } }
      : { content: [textContent(plain(soFar))] }
    void send(callChange({ toolCallId: id, status: 'in_progress', ...output }))
  })
}

function endedUpdate(event: Of<'call-ended'>, offers: ClientOffers, shown: Shown): SessionUpdate {
  const terminal = terminalIn(event.content)
  const card = offers.terminalCards && terminal !== undefined
  return callChange({
    toolCallId: event.id,
    status: event.failed ? 'failed' : 'completed',
    content: contentOf(event.content, event.id, offers),
    rawOutput: event.raw,
    ...(card ? { _meta: exitCard(event.id, terminal, shown) } : {}),
  })
}

function exitCard(
  id: string,
  terminal: Extract<Presentation, { type: 'terminal' }>,
  shown: Shown,
): Record<string, unknown> {
  const { code = null, signal = null } = terminal.exit ?? {}
  const exit = { terminal_exit: { terminal_id: id, exit_code: code, signal } }
  if (shown?.complete === true || terminal.output === '') return exit
  // Nothing was shown live when a session is opened anew, and only a part when it was too long.
  const data = shown === undefined ? terminal.output : `\n…\n${terminal.output.slice(-REST)}`
  return { ...exit, terminal_output: { terminal_id: id, data } }
}

function callChange(change: ToolCallUpdate): SessionUpdate {
  return { sessionUpdate: 'tool_call_update', ...change }
}

function terminalIn(pieces: Presentation[]) {
  return pieces.find((piece) => piece.type === 'terminal')
}

function locationOf(location: Location) {
  return location.line === undefined
    ? { path: location.path }
    : { path: location.path, line: location.line }
}

function visibleEntry(entry: Of<'plan'>['entries'][number]) {
  return { ...entry, content: visible(entry.content) }
}
