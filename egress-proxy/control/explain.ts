type Issue = { path: readonly PropertyKey[]; message: string }

/** One sentence for the first faults of a configuration: keys and expectations, never a value. */
export function explain(issues: readonly Issue[]): string {
  return issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.length === 0 ? 'the message' : path.join('.')}: ${message}`)
    .join('; ')
}
