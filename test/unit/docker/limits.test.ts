import { expect, test } from 'vitest'

import { ownHardLimits, parseHardLimits } from '../../../src/docker/limits.ts'

const table = (nofile: string, nproc: string): string =>
  [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    `Max processes             100                  ${nproc.padEnd(21)}processes `,
    `Max open files            1024                 ${nofile.padEnd(21)}files     `,
  ].join('\n')

test('the hard limits are read from the table of proc', () => {
  expect(parseHardLimits(table('524288', '63000'))).toEqual({ nofile: 524_288, nproc: 63_000 })
})

test('an unlimited value is no limit', () => {
  expect(parseHardLimits(table('524288', 'unlimited'))).toEqual({ nofile: 524_288 })
})

test.for(['', 'no table', 'Max open files'])('nothing is read from %j', (text) => {
  expect(parseHardLimits(text)).toEqual({})
})

test('a system without proc gives no limits', () => {
  expect(ownHardLimits('/does/not/exist')).toEqual({})
})
