/** Which names exist inside: those of the proxy's rules. The proxy itself judges again. */

export type Names = {
  rules: { host: string; ports: number[] }[]
  /** Wins over every rule; all ports when none are named. */
  deny: { host: string; ports?: number[] }[]
}

export type Found = {
  ports: number[]
  /** Whether a rule has this very name, not only a suffix of it. */
  exact: boolean
}

/** What may be connected to under a name in lower case; undefined when there is nothing. */
export function lookUp(names: Names, host: string): Found | undefined {
  const rules = names.rules.filter((rule) => matches(rule.host, host))
  const denied = names.deny.filter((entry) => matches(entry.host, host))
  const open = (port: number) =>
    denied.every(({ ports }) => ports !== undefined && !ports.includes(port))
  const ports = [...new Set(rules.flatMap((rule) => rule.ports))].filter(open)
  if (ports.length === 0) return undefined
  return { ports, exact: rules.some((rule) => rule.host === host) }
}

/** `*.suffix` stands for names of any depth below the suffix, not for the suffix itself. */
function matches(pattern: string, host: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
}

/** The proxy's message. Throws a TypeError on garbage. */
export function parseNames(message: object): Names {
  const rules: unknown = Reflect.get(message, 'rules')
  const deny: unknown = Reflect.get(message, 'deny') ?? []
  if (!Array.isArray(rules) || !Array.isArray(deny)) throw new TypeError('names are lists')
  return {
    rules: rules.map((rule: unknown) => ({ host: hostIn(rule), ports: portsIn(rule) ?? [] })),
    deny: deny.map((entry: unknown) => {
      const ports = portsIn(entry)
      return { host: hostIn(entry), ...(ports === undefined ? {} : { ports }) }
    }),
  }
}

function hostIn(entry: unknown): string {
  const host: unknown = Reflect.get(Object(entry), 'host')
  if (typeof host !== 'string') throw new TypeError('a rule names a host')
  return host
}

function portsIn(entry: unknown): number[] | undefined {
  const ports: unknown = Reflect.get(Object(entry), 'ports')
  if (ports === undefined) return undefined
  if (Array.isArray(ports) && ports.every(isPort)) return ports
  throw new TypeError('ports are a list of numbers from 1 to 65535')
}

const isPort = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536
