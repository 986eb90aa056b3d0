/** How a question is answered when its turn was cancelled (ACP, session/cancel and elicitation). */
export const CANCELLED_ANSWERS: Readonly<Record<string, unknown>> = {
  'session/request_permission': { outcome: { outcome: 'cancelled' } },
  'elicitation/create': { action: 'cancel' },
}
