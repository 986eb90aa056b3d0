/** Random numbers from a seed, so that a failure can be run again. */
export type Random = {
  /** An integer from 0 to `below` - 1. */
  next: (below: number) => number
  pick: <T>(from: readonly T[]) => T
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (below: number) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
  return {
    next,
    pick(from) {
      const found = from[next(from.length)]
      if (found === undefined) throw new RangeError('nothing to pick from')
      return found
    },
  }
}
