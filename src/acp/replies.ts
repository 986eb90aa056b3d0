/** The few messages Glovebox writes itself, as bytes without the line feed. */
import { sentenceOf, GloveboxError, RPC } from '../errors.ts'
import type { JsonId } from './frame.ts'

/** An error answer with the sentence of `error`. `id` is JSON text or an id. */
export function errorReply(id: JsonId, error: unknown): Buffer {
  const code = error instanceof GloveboxError ? error.rpcCode : RPC.internal
  return json({ jsonrpc: '2.0', id, error: { code, message: sentenceOf(error) } })
}

/** An error answer whose id keeps the spelling of the request's sender. */
export function errorReplyRaw(rawId: string, code: number, message: string): Buffer {
  return Buffer.from(
    `{"jsonrpc":"2.0","id":${rawId},"error":{"code":${code},"message":${JSON.stringify(message)}}}`,
  )
}

/** A result whose id keeps the spelling of the request's sender. */
export function resultReplyRaw(rawId: string, result: unknown): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${rawId},"result":${JSON.stringify(result)}}`)
}

export function request(id: string, method: string, params: unknown): Buffer {
  return json({ jsonrpc: '2.0', id, method, params })
}

export function notification(method: string, params: unknown): Buffer {
  return json({ jsonrpc: '2.0', method, params })
}

/** A line of Glovebox's own in the conversation; every one begins with the product's name. */
export function notice(sessionId: string, text: string): Buffer {
  return notification('session/update', {
    sessionId,
    update: {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: `Glovebox: ${text}\n\n` },
    },
  })
}

function json(message: unknown): Buffer {
  return Buffer.from(JSON.stringify(message))
}
