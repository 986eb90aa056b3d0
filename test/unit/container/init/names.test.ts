import { expect, test } from 'vitest'

import { lookUp, parseNames } from '../../../../container/init/names.ts'

const names = {
  rules: [
    { host: 'allowed.test', ports: [443, 80] },
    { host: 'allowed.test', ports: [22, 443] },
    { host: '*.wild.test', ports: [443] },
    { host: 'exact.wild.test', ports: [8080] },
    { host: 'lost.test', ports: [80] },
  ],
  deny: [
    { host: 'secret.wild.test' },
    { host: '*.deep.wild.test' },
    { host: 'allowed.test', ports: [80] },
    { host: 'lost.test', ports: [80, 443] },
  ],
}

test.for([
  ['allowed.test', { ports: [443, 22], exact: true }],
  ['a.wild.test', { ports: [443], exact: false }],
  ['a.b.wild.test', { ports: [443], exact: false }],
  ['exact.wild.test', { ports: [443, 8080], exact: true }],
  ['wild.test', undefined],
  ['evilwild.test', undefined],
  ['a.allowed.test', undefined],
  ['allowed.test.evil', undefined],
  ['secret.wild.test', undefined],
  ['a.deep.wild.test', undefined],
  ['deep.wild.test', { ports: [443], exact: false }],
  ['lost.test', undefined],
  ['test', undefined],
] as const)('%s leads to %j', ([host, found]) => {
  expect(lookUp(names, host)).toEqual(found)
})

test('the proxy’s message is read with and without a deny list', () => {
  expect(parseNames(names)).toEqual(names)
  expect(parseNames({ rules: [] })).toEqual({ rules: [], deny: [] })
})

test.for([
  {},
  { rules: 'all' },
  { rules: [], deny: {} },
  { rules: [null] },
  { rules: [{ ports: [1] }] },
  { rules: [{ host: 1, ports: [1] }] },
  { rules: [{ host: 'a.test', ports: [0] }] },
  { rules: [{ host: 'a.test', ports: ['443'] }] },
  { rules: [{ host: 'a.test', ports: 443 }] },
])('%j is garbage', (message) => {
  expect(() => parseNames(message)).toThrow(TypeError)
})
