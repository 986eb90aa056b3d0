/** One place where a made container is not what was asked for. */
export type Difference = {
  /** In the engine's own name, such as `HostConfig.CapAdd`. */
  field: string
  asked: string
  found: string
  /** `difference`: the container is not what was asked. `limit-not-enforced`: a limit is missing. */
  kind: 'difference' | 'limit-not-enforced'
}

export function difference(
  field: string,
  asked: unknown,
  found: unknown,
  kind: Difference['kind'] = 'difference',
): Difference {
  return { field, asked: shown(asked), found: shown(found), kind }
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
