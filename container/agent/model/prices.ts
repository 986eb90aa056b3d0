/** What providers ask, in US dollars per million tokens; a model not in the table costs nothing known. */
import type { Usage } from './model.ts'

type Price = { input: number; cacheRead: number; cacheWrite: number; output: number }

// Public list prices of 2026-11; the longest matching beginning of a name decides.
const PRICES: [beginning: string, price: Price][] = [
  ['claude-opus-4-5', anthropic(5, 25)],
  ['claude-opus-4', anthropic(15, 75)],
  ['claude-sonnet-4', anthropic(3, 15)],
  ['claude-haiku-4', anthropic(1, 5)],
  ['gpt-5-nano', openAi(0.05, 0.4, 0.005)],
  ['gpt-5-mini', openAi(0.25, 2, 0.025)],
  ['gpt-5', openAi(1.25, 10, 0.125)],
  ['gpt-4.1', openAi(2, 8, 0.5)],
  ['gpt-4o', openAi(2.5, 10, 1.25)],
]

/** US dollars; `undefined` when the model's price is not known. */
export function costOf(model: string, usage: Usage): number | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1)
  const price = PRICES.find(([beginning]) => name.startsWith(beginning))?.[1]
  if (price === undefined) return undefined
  const dollars =
    usage.input * price.input +
    usage.cacheRead * price.cacheRead +
    usage.cacheWrite * price.cacheWrite +
    usage.output * price.output
  return dollars / 1_000_000
}

/** Anthropic: reading the cache costs a tenth, writing it a quarter more than plain input. */
function anthropic(input: number, output: number): Price {
  return { input, cacheRead: input / 10, cacheWrite: input * 1.25, output }
}

function openAi(input: number, output: number, cacheRead: number): Price {
  return { input, cacheRead, cacheWrite: input, output }
}
