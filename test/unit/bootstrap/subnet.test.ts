import { expect, test } from 'vitest'

import { freeSubnet, parseRoutes } from '../../../src/bootstrap/subnet.mjs'

const HEADER = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT'

/** As in /proc/net/route: the kernel prints an address in the machine's own byte order. */
const kernel = (address: string) =>
  Buffer.from(address.split('.').map(Number).toReversed()).toString('hex').toUpperCase()

const route = (network: string, mask: string): string =>
  `eth0\t${kernel(network)}\t00000000\t0001\t0\t0\t0\t${kernel(mask)}\t0\t0\t0`

const table = (...lines: string[]): string => [HEADER, ...lines, ''].join('\n')

test('A machine with only a default route gives the first range.', () => {
  expect(freeSubnet(table(route('0.0.0.0', '0.0.0.0')))).toBe('10.213.77.1/24')
})

test.for([
  ['the same range', '10.213.77.0', '255.255.255.0'],
  ['a part of it', '10.213.77.128', '255.255.255.128'],
  ['a larger range around it', '10.213.0.0', '255.255.0.0'],
  ['one address of it', '10.213.77.9', '255.255.255.255'],
])('A range is passed over when a route names %s.', ([, network = '', mask = '']) => {
  expect(freeSubnet(table(route(network, mask)))).toBe('10.214.78.1/24')
})

test('Where all of 10.0.0.0/8 is routed, a range of another private block is taken.', () => {
  expect(freeSubnet(table(route('10.0.0.0', '255.0.0.0')))).toBe('192.168.231.1/24')
})

test('Where every private block is routed, there is none.', () => {
  const all = [
    route('10.0.0.0', '255.0.0.0'),
    route('172.16.0.0', '255.240.0.0'),
    route('192.168.0.0', '255.255.0.0'),
  ]
  expect(freeSubnet(table(...all))).toBeUndefined()
})

test('A neighbouring range does not count.', () => {
  const routes = table(route('10.213.76.0', '255.255.255.0'), route('10.213.78.0', '255.255.255.0'))
  expect(freeSubnet(routes)).toBe('10.213.77.1/24')
})

test('The default route and an empty table are no routes.', () => {
  expect(parseRoutes(table(route('0.0.0.0', '0.0.0.0')))).toEqual([])
  expect(parseRoutes('')).toEqual([])
})
