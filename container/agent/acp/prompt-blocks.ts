/** A prompt's content blocks as what the session takes; what it does not take is an error. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import type { ContentBlock, EmbeddedResourceResource } from '@agentclientprotocol/sdk'

import { fault } from '../errors.ts'
import { labelledBlock } from '../session/attach.ts'
import type { PromptPiece } from '../session/attach.ts'

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** @throws AgentFault when there is nothing to do, or a block of a kind that was not offered. */
export function promptPieces(blocks: ContentBlock[]): PromptPiece[] {
  const pieces = blocks.map(pieceOf)
  if (pieces.every((piece) => piece.type === 'text' && piece.text.trim() === ''))
    throw fault.promptEmpty()
  return pieces
}

function pieceOf(block: ContentBlock): PromptPiece {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if (block.type === 'resource_link') return linkPiece(block)
  if (block.type === 'resource') return resourcePiece(block.resource)
  if (block.type === 'image') return imagePiece(block)
  throw fault.promptUnsupported('audio')
}

/** The way back, for telling a client what its user once sent. */
export function contentBlockOf(piece: PromptPiece): ContentBlock {
  if (piece.type !== 'file') return piece
  return { type: 'resource_link', name: piece.name, uri: piece.uri }
}

function imagePiece({ mimeType, data }: { mimeType: string; data: string }): PromptPiece {
  if (IMAGES.includes(mimeType)) return { type: 'image', mimeType, data }
  throw fault.promptUnsupported(`an image of type ${JSON.stringify(mimeType)}`)
}

function resourcePiece(resource: EmbeddedResourceResource): PromptPiece {
  if ('text' in resource) return { type: 'text', text: labelledBlock(resource.uri, resource.text) }
  throw fault.promptUnsupported('a resource that is not text')
}

function linkPiece(link: { name: string; uri: string }): PromptPiece {
  const { name, uri } = link
  const file = filePathOf(uri)
  if (file === undefined) return { type: 'text', text: `${name} (${uri})` }
  return { type: 'file', path: file, name, uri }
}

function filePathOf(uri: string): string | undefined {
  if (path.isAbsolute(uri)) return uri
  if (!uri.startsWith('file:')) return undefined
  try {
    return fileURLToPath(uri)
  } catch {
    return undefined
  }
}
