/** How many tokens a model takes; the longest matching beginning of its name decides. */

const WINDOWS: [beginning: string, tokens: number][] = [
  ['claude-', 200_000],
  ['gpt-5', 400_000],
  ['gpt-4.1', 1_047_576],
  ['gpt-4o', 128_000],
  ['o3', 200_000],
  ['o4', 200_000],
]

/** Careful for what is not in the table: local servers are often started with no more. */
const UNKNOWN = 32_768

export function contextWindowOf(model: string): number {
  const name = model.slice(model.lastIndexOf('/') + 1)
  return WINDOWS.find(([beginning]) => name.startsWith(beginning))?.[1] ?? UNKNOWN
}
