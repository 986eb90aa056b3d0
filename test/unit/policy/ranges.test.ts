import { expect, test } from 'vitest'

import { intersectHosts, intersectPaths, intersectRanges } from '../../../src/policy/ranges.ts'

test.for([
  ['a.test', 'a.test', 'a.test'],
  ['a.test', 'b.test', undefined],
  ['*.x.test', 'a.x.test', 'a.x.test'],
  ['*.x.test', 'a.b.x.test', 'a.b.x.test'],
  ['*.x.test', 'x.test', undefined],
  ['*.x.test', 'evilx.test', undefined],
  ['*.x.test', '*.x.test', '*.x.test'],
  ['*.x.test', '*.a.x.test', '*.a.x.test'],
  ['*.x.test', '*.ax.test', undefined],
  ['*.a.x.test', '*.b.x.test', undefined],
] as const)('the hosts of %s and %s are those of %s', ([one, other, both]) => {
  expect(intersectHosts(one, other)).toBe(both)
  expect(intersectHosts(other, one)).toBe(both)
})

test.for([
  [['10.0.0.0/8'], ['10.1.0.0/16'], ['10.1.0.0/16']],
  [['10.0.0.0/8'], ['192.168.0.0/16'], []],
  [['10.1.2.3/8'], ['10.0.0.0/16', '10.9.0.0/16'], ['10.0.0.0/16', '10.9.0.0/16']],
  [['fd00::/8'], ['fd12::/16', '10.0.0.0/8'], ['fd12::/16']],
  [['::/0'], ['0.0.0.0/0'], []],
  [['10.0.0.0/8', '10.0.0.0/8'], ['10.0.0.0/8'], ['10.0.0.0/8']],
] as const)('the addresses in %j and %j are those in %j', ([one, other, both]) => {
  expect(intersectRanges([...one], [...other])).toEqual(both)
  expect(intersectRanges([...other], [...one])).toEqual(both)
})

test('a layer that opens no private range leaves none', () => {
  expect(intersectRanges(undefined, ['10.0.0.0/8'])).toEqual([])
})

test.for([
  [['/a/**'], ['/a/b'], ['/a/b']],
  [['/a/*'], ['/a/b', '/a/b/c'], ['/a/b']],
  [['/**'], ['/a/*', '/b'], ['/a/*', '/b']],
  [['/a/**'], ['/a/*/c'], ['/a/*/c']],
  [['/a/**'], ['/b/**'], []],
  [['/a/*.js'], ['/a/*.css'], []],
  [['/a'], ['/b'], []],
  [['/a.b+(c)/*'], ['/a.b+(c)/d', '/aXb+(c)/d'], ['/a.b+(c)/d']],
  // Overlapping in a way that no pattern can say: nothing, rather than something else.
  [['/a/*', '/c'], ['/*/b', '/c'], []],
] as const)('the paths of %j and %j are those of %j', ([one, other, both]) => {
  expect(intersectPaths([...one], [...other])).toEqual(both)
  expect(intersectPaths([...other], [...one])).toEqual(both)
})

test('no list of paths means all paths', () => {
  expect(intersectPaths(undefined, ['/a'])).toEqual(['/a'])
  expect(intersectPaths(undefined, undefined)).toBeUndefined()
})
