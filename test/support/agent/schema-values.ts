/** Values made from the SDK's JSON schema, and values that are nearly so; from a seed, for repetition. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

type Node = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Node>
  required?: string[]
  items?: Node
  anyOf?: Node[]
  oneOf?: Node[]
  allOf?: Node[]
  minimum?: number
}
const schema: {
  $defs: Record<string, Node & { 'x-method'?: string; 'x-side'?: string }>
} = require('@agentclientprotocol/sdk/schema/v1/schema.json')

/** The methods a client calls, with the name of their parameters in the schema. */
export const AGENT_METHODS: { method: string; definition: string }[] = Object.entries(schema.$defs)
  .filter(([name, node]) => name.endsWith('Request') && node['x-side'] === 'agent')
  .map(([definition, node]) => ({ method: node['x-method'] ?? '', definition }))

export type Random = () => number

/** Numbers in [0, 1) (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const ODD: unknown[] = [null, true, -1, 1e300, '', '\u202e\0\n', 'x'.repeat(5_000), [], {}, [[]]]

/** Parameters for a definition. One part in so many is replaced by something that does not fit. */
export function valueOf(definition: string, random: Random, oddOneIn = 12): unknown {
  return make(schema.$defs[definition] ?? {}, { random, oddOneIn }, 0)
}

type Making = { random: Random; oddOneIn: number }

function make(node: Node, making: Making, depth: number): unknown {
  if (depth > 0 && making.random() < 1 / making.oddOneIn) return pick(ODD, making.random)
  if (node.const !== undefined) return node.const
  if (node.enum !== undefined) return pick(node.enum, making.random)
  if (node.$ref !== undefined)
    return make(schema.$defs[node.$ref.split('/').at(-1) ?? ''] ?? {}, making, depth)
  return node.type === 'object' || node.properties !== undefined || node.type === undefined
    ? combined(node, making, depth)
    : plain(node, making, depth)
}

/** An object with the fields of one of its variants and of all it is composed of. */
function combined(node: Node, making: Making, depth: number): unknown {
  const parts = [
    ...(node.allOf ?? []),
    ...choice(node.anyOf, making),
    ...choice(node.oneOf, making),
  ]
  const values = parts.map((part) => make(part, making, depth))
  const simple = values.find((value) => typeof value !== 'object' || Array.isArray(value))
  if (node.properties === undefined && simple !== undefined) return simple
  return Object.assign({}, ...values, fieldsOf(node, making, depth))
}

function fieldsOf(node: Node, making: Making, depth: number): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const wanted = node.required?.includes(name) === true
    const chance = making.random()
    const isThere = wanted ? chance > 0.03 : depth < 6 && chance < 0.4
    if (isThere) fields[name] = make(child, making, depth + 1)
  }
  return fields
}

function plain(node: Node, making: Making, depth: number): unknown {
  const type = Array.isArray(node.type) ? pick(node.type, making.random) : node.type
  if (type === 'string') return pick(['a', 'file:///tmp/x', '/tmp', 'mode', 'ä'], making.random)
  if (type === 'integer' || type === 'number') return Math.floor(making.random() * 100)
  if (type === 'boolean') return making.random() < 0.5
  if (type === 'null') return null
  const length = depth > 6 ? 0 : Math.floor(making.random() * 3)
  return Array.from({ length }, () => make(node.items ?? {}, making, depth + 1))
}

function choice(nodes: Node[] | undefined, { random }: Making): Node[] {
  return nodes === undefined ? [] : [pick(nodes, random)]
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('nothing to choose from')
  return item
}
