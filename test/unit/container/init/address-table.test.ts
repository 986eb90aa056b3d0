import { expect, test } from 'vitest'

import { createAddressTable } from '../../../../container/init/address-table.ts'

const exact = { ports: [443], exact: true }
const wild = { ports: [443], exact: false }
const LATER = 120_001

test('each name has an address of its own and keeps it', () => {
  const entryOf = createAddressTable()
  const addresses = ['a.test', 'b.test', 'a.test'].map((host) => entryOf(host, exact, 0)?.address)
  expect(addresses).toEqual(['127.77.0.1', '127.77.0.2', '127.77.0.1'])
})

test('addresses go on past 255', () => {
  const entryOf = createAddressTable()
  const entries = Array.from({ length: 600 }, (_, at) => entryOf(`h${at}.test`, wild, 0))
  expect(entries[255]?.address).toBe('127.77.1.0')
  expect(new Set(entries.map((entry) => entry?.address)).size).toBe(600)
})

test('past the bound a name gets nothing while every address may still be in use', () => {
  const entryOf = createAddressTable(2)
  entryOf('a.wild.test', wild, 0)
  entryOf('b.wild.test', wild, 0)
  expect(entryOf('c.wild.test', wild, LATER - 1)).toBeUndefined()
  expect(entryOf('a.wild.test', wild, LATER)?.address).toBe('127.77.0.1')
})

test('the name that was not asked for the longest makes room, and its address is not used anew', () => {
  const entryOf = createAddressTable(2)
  entryOf('a.wild.test', wild, 0)
  entryOf('b.wild.test', wild, 0)
  entryOf('a.wild.test', wild, 1)
  expect(entryOf('c.wild.test', wild, LATER)?.address).toBe('127.77.0.3')
  expect(entryOf('a.wild.test', wild, LATER + 1)?.address).toBe('127.77.0.1')
  expect(entryOf('b.wild.test', wild, LATER + 1)).toBeUndefined()
})

test('a rule’s own name, and one with a connection, are never dropped', () => {
  const entryOf = createAddressTable(2)
  entryOf('a.test', exact, 0)
  const busy = entryOf('b.wild.test', wild, 0)
  if (busy !== undefined) busy.connections = 1
  expect(entryOf('c.wild.test', wild, LATER)).toBeUndefined()
  if (busy !== undefined) busy.connections = 0
  expect(entryOf('c.wild.test', wild, LATER)).toBeDefined()
})

test('a name counts with its ports', () => {
  const entryOf = createAddressTable(3)
  expect(entryOf('a.test', { ports: [1, 2, 3, 4], exact: true }, 0)).toBeUndefined()
  expect(entryOf('b.test', { ports: [1, 2, 3], exact: true }, 0)).toBeDefined()
  expect(entryOf('c.test', exact, LATER)).toBeUndefined()
})

test('addresses start again after the last one, without those in use', () => {
  const entryOf = createAddressTable(2)
  entryOf('kept.test', exact, 0)
  const addresses = Array.from({ length: 65_534 }, (_, at) => {
    return entryOf(`h${at}.wild.test`, wild, (at + 1) * LATER)?.address
  })
  expect(addresses.slice(-2)).toEqual(['127.77.255.254', '127.77.0.2'])
})
