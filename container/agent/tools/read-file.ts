import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'

import { z } from 'zod'

import { resolvePath } from './place.ts'
import type { Place, ResolvedPath } from './place.ts'
import { fileFailure } from './read-text.ts'
import { defineTool, ToolFailure } from './tool.ts'
import type { ToolResult } from './tool.ts'

const MAX_LINES = 2_000
/** Characters of one result, and of one line of it. */
const MAX_TEXT = 200_000
const MAX_LINE = 2_000

const Input = z.strictObject({
  path: z.string().min(1).describe('The file; absolute, or relative to the project folder.'),
  offset: z.int().min(1).optional().describe('The first line to read, counted from 1.'),
  limit: z.int().min(1).max(MAX_LINES).optional().describe('How many lines to read at most.'),
})
type Input = z.infer<typeof Input>

export const readFileTool = defineTool({
  name: 'read_file',
  kind: 'read',
  readOnly: true,
  description:
    'Reads a text file or an image. Each line comes with its number and a tab before it. ' +
    `At most ${MAX_LINES} lines at a time; use offset and limit for the rest.`,
  input: Input,
  plan: async (input, place) => {
    const target = await resolvePath(place, input.path)
    const line = input.offset === undefined ? {} : { line: input.offset }
    return {
      title: `Read ${target.shown}`,
      kind: 'read',
      locations: [{ path: target.absolute, ...line }],
      need: { access: 'read', path: target.real },
      prepare: async () => ({ preview: [], run: () => read(input, target, place) }),
    }
  },
})

async function read(input: Input, target: ResolvedPath, place: Place): Promise<ToolResult> {
  const from = input.offset ?? 1
  try {
    const mimeType = await imageTypeOf(target)
    if (mimeType !== undefined) return await readImage(target, mimeType)
    const page = await pageOf(target.real, from, input.limit ?? MAX_LINES)
    await place.versions.note(target.real)
    return { text: textOf(page, from, target.shown), failed: false, raw: rawOf(page, from) }
  } catch (error) {
    throw fileFailure(error, target.shown)
  }
}

type Page = { lines: string[]; total: number; more: boolean }

/** Reads on to the end only to count while the file is small enough for that to be quick. */
async function pageOf(real: string, from: number, limit: number): Promise<Page> {
  const input = createReadStream(real, { encoding: 'utf8' })
  const lines: string[] = []
  let total = 0
  let size = 0
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      total += 1
      if (total < from) continue
      if (lines.length === limit || size > MAX_TEXT) return { lines, total: total - 1, more: true }
      const kept = line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}… (line cut)` : line
      lines.push(kept)
      size += kept.length
    }
  } finally {
    input.destroy()
  }
  return { lines, total, more: false }
}

function textOf(page: Page, from: number, shown: string): string {
  if (page.total === 0) return `${shown} is empty.`
  if (page.lines.length === 0)
    throw new ToolFailure(`${shown} has only ${page.total} lines; line ${from} is past its end.`)
  const numbered = page.lines.map((line, index) => `${from + index}\t${line}`).join('\n')
  const next = from + page.lines.length
  return page.more ? `${numbered}\n(More follows: read on with offset ${next}.)` : numbered
}

function rawOf(page: Page, from: number) {
  return { firstLine: from, lines: page.lines.length, more: page.more }
}

const SIGNATURES: [mimeType: string, beginning: RegExp][] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
]
/** Bytes; providers refuse larger ones. */
const MAX_IMAGE = 3_500_000

/** The type of a picture; `undefined` for text. What is neither is a failure. */
async function imageTypeOf(target: ResolvedPath): Promise<string | undefined> {
  await using file = await open(target.real)
  const { bytesRead, buffer } = await file.read(Buffer.alloc(8192), 0, 8192, 0)
  const bytes = buffer.subarray(0, bytesRead)
  const beginning = bytes.subarray(0, 16).toString('latin1')
  const mimeType = SIGNATURES.find(([, signature]) => signature.test(beginning))?.[0]
  if (mimeType === undefined && bytes.includes(0))
    throw new ToolFailure(`${target.shown} is a binary file.`)
  return mimeType
}

async function readImage(target: ResolvedPath, mimeType: string): Promise<ToolResult> {
  const bytes = await readFile(target.real)
  if (bytes.length > MAX_IMAGE)
    throw new ToolFailure(`${target.shown} is too large for an image (${bytes.length} bytes).`)
  const image = { type: 'image' as const, mimeType, data: bytes.toString('base64') }
  const text = `${target.shown} is an image (${mimeType}, ${bytes.length} bytes).`
  return { text, failed: false, images: [image], raw: { mimeType, bytes: bytes.length } }
}
