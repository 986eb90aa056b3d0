import type { Server } from 'node:net'

import { TTL } from './dns-message.ts'
import type { Found } from './names.ts'

/** Addresses of 127.77.0.0/16, which is loopback as all of 127.0.0.0/8 (RFC 1122, 3.2.1.3). */
const ADDRESSES = 65_534
/** Ports of all names together. */
const MAX_PORTS = 2_048
/** Milliseconds after which nobody may still keep an address: two times what the answer says. */
const KEPT = 2 * TTL * 1_000

/** A name with an address of its own. */
export type Entry = Found & {
  readonly host: string
  readonly address: string
  /** What listens there, by port. */
  readonly servers: Map<number, Server>
  connections: number
  /** When the name was last asked for, in milliseconds. */
  asked: number
  opening: Promise<void> | undefined
}

/** Finds or makes the entry of a name at a time in milliseconds; undefined when there is no room. */
export type AddressTable = (host: string, found: Found, now: number) => Entry | undefined

/**
 * Which name has which address. Names that only a wildcard allows are dropped when room is needed,
 * the one not asked for the longest first, and only when no client can still know the address.
 */
export function createAddressTable(maxPorts = MAX_PORTS): AddressTable {
  // In the order of their last question.
  const entries = new Map<string, Entry>()
  const taken = new Set<string>()
  let ports = 0
  let last = 0

  const drop = (entry: Entry) => {
    for (const server of entry.servers.values()) server.close()
    entries.delete(entry.host)
    taken.delete(entry.address)
    ports -= entry.ports.length
  }
  const hasRoom = (needed: number, now: number) => {
    for (const entry of entries.values()) {
      if (ports + needed <= maxPorts) break
      if (isDroppable(entry, now)) drop(entry)
    }
    return ports + needed <= maxPorts
  }
  const add = (host: string, found: Found): Entry => {
    do last = (last % ADDRESSES) + 1
    while (taken.has(addressAt(last)))
    const address = addressAt(last)
    taken.add(address)
    ports += found.ports.length
    return {
      ...found,
      host,
      address,
      servers: new Map(),
      connections: 0,
      asked: 0,
      opening: undefined,
    }
  }
  return (host, found, now) => {
    const known = entries.get(host)
    if (known === undefined && !hasRoom(found.ports.length, now)) return undefined
    const entry = known ?? add(host, found)
    entry.asked = now
    entries.delete(host)
    entries.set(host, entry)
    return entry
  }
}

function isDroppable({ exact, opening, connections, asked }: Entry, now: number): boolean {
  return !exact && opening === undefined && connections === 0 && now - asked > KEPT
}

const addressAt = (at: number): string => `127.77.${at >> 8}.${at & 255}`
