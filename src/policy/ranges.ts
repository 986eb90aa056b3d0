/** Intersections of hosts, address ranges and path patterns. Pure. */
import { BlockList, isIPv4 } from 'node:net'

/** The hosts that both patterns stand for, as one pattern; undefined when there are none. */
export function intersectHosts(one: string, other: string): string | undefined {
  if (covers(one, other)) return other
  return covers(other, one) ? one : undefined
}

/** Whether every host of `inner` is one of `outer`. */
export function covers(outer: string, inner: string): boolean {
  if (outer === inner) return true
  if (!outer.startsWith('*.')) return false
  const name = inner.startsWith('*.') ? inner.slice(2) : inner
  // `*.a.test` does not stand for `a.test` itself, and `*.a.test` covers `*.b.a.test`.
  return name.endsWith(outer.slice(1)) && name.length > outer.length - 1
}

/** The addresses in both lists of ranges. */
export function intersectRanges(one: string[] = [], other: string[] = []): string[] {
  const both = one.flatMap((a) => other.flatMap((b) => narrower(a, b) ?? []))
  return [...new Set(both)]
}

/** Two ranges are either one inside the other, or apart. */
function narrower(one: string, other: string): string | undefined {
  if (contains(other, one)) return one
  return contains(one, other) ? other : undefined
}

function contains(outer: string, inner: string): boolean {
  const [address = '', bits = ''] = outer.split('/')
  const [innerAddress = '', innerBits = ''] = inner.split('/')
  if (isIPv4(address) !== isIPv4(innerAddress) || Number(innerBits) < Number(bits)) return false
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(address, Number(bits), family)
  return list.check(innerAddress, family)
}

/**
 * Patterns for the paths in both lists; absent: all paths. Empty also where two patterns overlap in
 * a way that no pattern can say (`/a*` and `/*b`): what cannot be said is not allowed.
 */
export function intersectPaths(
  one: string[] | undefined,
  other: string[] | undefined,
): string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const pairs = one.flatMap((a) => other.map((b) => narrowerPath(a, b)))
  if (pairs.includes('unclear')) return []
  return [...new Set(pairs.filter((path) => path !== 'apart'))]
}

/** Patterns begin with a slash, so neither word can be one. */
function narrowerPath(one: string, other: string): string {
  if (coversPath(one, other)) return other
  if (coversPath(other, one)) return one
  return areApart(one, other) ? 'apart' : 'unclear'
}

function coversPath(outer: string, inner: string): boolean {
  if (outer === inner) return true
  if (!inner.includes('*')) return glob(outer).test(inner)
  const prefix = outer.slice(0, -2)
  return outer.endsWith('**') && !prefix.includes('*') && inner.startsWith(prefix)
}

/** Whether their texts before the first star, or after the last, exclude each other. */
function areApart(one: string, other: string): boolean {
  if (!one.includes('*') || !other.includes('*')) return true
  const [a, b, y, z] = [beforeStar(one), beforeStar(other), afterStar(one), afterStar(other)]
  return !(a.startsWith(b) || b.startsWith(a)) || !(y.endsWith(z) || z.endsWith(y))
}

const beforeStar = (text: string) => text.slice(0, text.indexOf('*'))
const afterStar = (text: string) => text.slice(text.lastIndexOf('*') + 1)

/** As the proxy reads a pattern: `*` is any part of a segment, `**` anything. */
function glob(pattern: string): RegExp {
  const parts = pattern.split(/(\*\*|\*)/).map((part) => {
    if (part === '**') return '.*'
    return part === '*' ? '[^/]*' : part.replaceAll(/[^\w\s/-]/g, String.raw`\$&`)
  })
  return new RegExp(`^${parts.join('')}$`, 's')
}
