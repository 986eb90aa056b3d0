/** The two ways a turn reaches its client: updates and questions. */
import { setImmediate } from 'node:timers/promises'

import type { AgentContext } from '@agentclientprotocol/sdk'

import type { Answer, AskForm, Question, TurnPorts } from '../session/events.ts'
import type { ClientOffers } from './client-offers.ts'
import { answersFrom, formRequest } from './forms.ts'
import { answerFrom, noAnswer, permissionRequest } from './questions.ts'
import { sessionUpdates } from './updates.ts'
import type { Send } from './updates.ts'

export function turnPorts(
  sessionId: string,
  client: AgentContext,
  offers: ClientOffers,
  report: (error: unknown) => void,
): TurnPorts {
  const send: Send = async (update) => {
    // A client that went away ends the connection; the turn must not stumble over it first.
    await client.notify('session/update', { sessionId, update }).catch(report)
  }
  const ask = async (question: Question, signal: AbortSignal): Promise<Answer> => {
    if (signal.aborted) return noAnswer(true)
    const request = permissionRequest(sessionId, question, offers)
    try {
      const options = { cancellationSignal: signal, stopWaitingOnCancel: true }
      const response = await client.request('session/request_permission', request, options)
      // The SDK hands on a response at once, but a notification that came before it only after some
      // promises: a cancel that overtook the answer has to be heard first.
      await setImmediate()
      return signal.aborted ? noAnswer(true) : answerFrom(response)
    } catch (error) {
      if (!signal.aborted) report(error)
      return noAnswer(signal.aborted)
    }
  }
  const form: AskForm = async (callId, questions, signal) => {
    const request = formRequest(sessionId, callId, questions)
    try {
      const options = { cancellationSignal: signal, stopWaitingOnCancel: true }
      return answersFrom(await client.request('elicitation/create', request, options), questions)
    } catch (error) {
      if (!signal.aborted) report(error)
      return undefined
    }
  }
  return { emit: sessionUpdates(send, offers), ask, form: offers.forms ? form : undefined }
}
