import { z } from 'zod'

const Schema = z.looseObject({
  type: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  enum: z.array(z.unknown()).optional(),
})

/** Some value that a JSON schema allows, for agents that ask for data beside the task itself. */
export function valueFor(schema: unknown): unknown {
  const { data = {} } = Schema.safeParse(schema)
  if (data.enum !== undefined) return data.enum[0]
  switch ((data.type ?? '').toLowerCase()) {
    case 'object': {
      const entries = Object.entries(data.properties ?? {})
      return Object.fromEntries(entries.map(([name, inner]) => [name, valueFor(inner)]))
    }
    case 'array':
      return []
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    default:
      return 'demo'
  }
}
