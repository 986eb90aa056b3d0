import { RequestError } from '@agentclientprotocol/sdk'

import { sentenceOf } from '../errors.ts'
import { visibleLine } from './visible.ts'

/** The sentence of an agent's error answer, or of any other error, safe to show. */
export function faultSentence(error: unknown): string {
  if (!(error instanceof RequestError)) return visibleLine(sentenceOf(error), 1000)
  const details = detailsOf(error.data)
  return visibleLine(details === undefined ? error.message : `${error.message}: ${details}`, 1000)
}

/** Where agents put the text of an internal error. */
function detailsOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('details' in data)) return undefined
  return typeof data.details === 'string' ? data.details : undefined
}
