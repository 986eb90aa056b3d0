/** Token counts, read off a provider's answer as it passes. */
import { valuesOf } from './headers.ts'
import type { Observer } from './relay.ts'

type Usage = { input_tokens?: number; output_tokens?: number }

/** Longest piece that is looked at; longer ones pass unread. */
const MAX_PIECE = 1024 * 1024

/**
 * Watches one answer: server-sent events line by line, a JSON document whole. Keeps at most 1 MiB
 * and never delays a byte.
 */
export function createUsageObserver(): Observer {
  let events = false
  let wanted = false
  let rest = ''
  let skipping = false
  let usage: Usage | undefined
  const decoder = new TextDecoder()
  const look = (text: string) => {
    usage = mergeUsage(usage, usageIn(text))
  }
  return {
    start(status, headers) {
      const type = valuesOf(headers, 'content-type')[0]?.toLowerCase() ?? ''
      events = type.startsWith('text/event-stream')
      wanted = status < 300 && (events || type.startsWith('application/json'))
    },
    chunk(chunk) {
      if (!wanted) return
      const text = decoder.decode(chunk, { stream: true })
      const lines = events ? (rest + text).split('\n') : [rest + text]
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (!skipping && line.startsWith('data:')) look(line.slice(5))
        skipping = false
      }
      if (rest.length <= MAX_PIECE) return
      rest = ''
      skipping = true
    },
    end() {
      if (wanted && !skipping && rest !== '') look(events ? rest.replace(/^data:/, '') : rest)
      return usage
    },
  }
}

/** The counts in one JSON text of a provider's format; undefined when it has none. */
function usageIn(text: string): Usage | undefined {
  if (!text.includes('"usage')) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  // Gemini streams an array where it is not asked for events.
  if (Array.isArray(value)) value = value.at(-1)
  const gemini = at(value, 'usageMetadata')
  if (gemini !== undefined) return readGemini(gemini)
  const places = [value, at(value, 'message'), at(value, 'response')]
  const found = places.map((place) => at(place, 'usage')).find((usage) => usage !== undefined)
  return found === undefined ? undefined : read(found)
}

function at(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const found: unknown = Reflect.get(value, key)
  return typeof found === 'object' && found !== null ? found : undefined
}

function read(usage: unknown): Usage {
  const input = count(usage, 'input_tokens') ?? count(usage, 'prompt_tokens')
  const output = count(usage, 'output_tokens') ?? count(usage, 'completion_tokens')
  return {
    ...(input === undefined ? {} : { input_tokens: input }),
    ...(output === undefined ? {} : { output_tokens: output }),
  }
}

/** Google counts a model's thoughts, and the prompt of tools it runs itself, apart. */
function readGemini(usage: unknown): Usage {
  const sum = (...keys: string[]): number | undefined => {
    const counts = keys.map((key) => count(usage, key))
    if (counts.every((one) => one === undefined)) return undefined
    return counts.reduce<number>((total, one) => total + (one ?? 0), 0)
  }
  const input = sum('promptTokenCount', 'toolUsePromptTokenCount')
  const output = sum('candidatesTokenCount', 'thoughtsTokenCount')
  return {
    ...(input === undefined ? {} : { input_tokens: input }),
    ...(output === undefined ? {} : { output_tokens: output }),
  }
}

function count(usage: unknown, key: string): number | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined
  const value: unknown = Reflect.get(usage, key)
  return Number.isSafeInteger(value) && typeof value === 'number' && value >= 0 ? value : undefined
}

/** Later counts of an answer replace earlier ones: providers send running totals. */
function mergeUsage(known: Usage | undefined, found: Usage | undefined): Usage | undefined {
  if (found === undefined) return known
  return { ...known, ...found }
}
