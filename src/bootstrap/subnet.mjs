/** Picks an address range for the private engine's bridge. */

/** Rarely used corners of the private ranges (RFC 1918), most unusual first. */
const CANDIDATES = [
  ...Array.from({ length: 16 }, (_, n) => `10.${213 + n}.${77 + n}.0`),
  ...Array.from({ length: 16 }, (_, n) => `192.168.${231 + n}.0`),
  ...Array.from({ length: 8 }, (_, n) => `172.${24 + n}.211.0`),
]

const PREFIX = 24

/**
 * The first candidate that no route of this machine touches: address and length of the bridge, such
 * as `10.213.77.1/24`; undefined when all are taken. `table` is the text of /proc/net/route.
 */
export function freeSubnet(table) {
  const routes = parseRoutes(table)
  const free = CANDIDATES.find((network) => !routes.some((route) => overlaps(route, network)))
  return free?.replace(/0$/, `1/${PREFIX}`)
}

/** Destination and mask of each route but the default one. */
export function parseRoutes(table) {
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length > 7)
    .map((fields) => ({ network: fromKernel(fields[1]), mask: fromKernel(fields[7]) }))
    .filter((route) => route.mask !== 0)
}

/** The kernel prints the address's bytes as a number of its own byte order: little-endian here. */
const fromKernel = (hex) => Buffer.from(hex, 'hex').readUInt32LE(0)

function overlaps(route, network) {
  const wide = Math.min(route.mask, MASK) >>> 0
  return (route.network & wide) >>> 0 === (toNumber(network) & wide) >>> 0
}

const MASK = (0xff_ff_ff_ff << (32 - PREFIX)) >>> 0

const toNumber = (address) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
