/** A permission question to the client, and what counts as a yes. */
import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk'

import type { Answer, Question } from '../session/events.ts'
import { oneLine } from '../visible.ts'
import type { ClientOffers } from './client-offers.ts'
import { contentOf, HIDDEN_WARNING, needsWarning, textContent } from './presenting.ts'

const OPTIONS: PermissionOption[] = [
  { optionId: 'allow-once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'allow-always', name: 'Allow for this session', kind: 'allow_always' },
  { optionId: 'reject-once', name: 'Deny', kind: 'reject_once' },
  { optionId: 'reject-always', name: 'Deny for this session', kind: 'reject_always' },
]

export function permissionRequest(
  sessionId: string,
  question: Question,
  offers: ClientOffers,
): RequestPermissionRequest {
  const { id, title, kind, locations, content, input, rule } = question
  const warning = needsWarning(title, content) ? [textContent(HIDDEN_WARNING)] : []
  const scope = textContent(`“For this session” means: ${oneLine(rule)}`)
  return {
    sessionId,
    toolCall: {
      toolCallId: id,
      title,
      kind,
      status: 'pending',
      locations,
      content: [...warning, ...contentOf(content, id, offers), scope],
      rawInput: input,
    },
    options: OPTIONS,
  }
}

/** Fails closed: only an option that allows, by its own id, is a yes. */
export function answerFrom(response: RequestPermissionResponse): Answer {
  const { outcome } = response
  if (outcome.outcome !== 'selected') return no('the question was cancelled')
  switch (outcome.optionId) {
    case 'allow-once':
      return { allowed: true, session: false }
    case 'allow-always':
      return { allowed: true, session: true }
    case 'reject-once':
      return no('the user said no')
    case 'reject-always':
      return { allowed: false, session: true, reason: 'the user said no, for this session' }
    default:
      return no('the answer was none of the options')
  }
}

/** The answer when there is none. */
export function noAnswer(cancelled: boolean): Answer {
  return no(cancelled ? 'the user cancelled the turn' : 'the question could not be answered')
}

function no(reason: string): Answer {
  return { allowed: false, session: false, reason }
}
