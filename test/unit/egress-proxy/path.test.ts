import { expect, test } from 'vitest'

import { isCanonicalPath, matchesPath } from '../../../egress-proxy/path.ts'

test.for([
  '/',
  '/a',
  '/a/',
  '/a/b.c/..d/...',
  '/a%20b',
  '/v1/models',
  '/a;b=c/d',
  '/.git',
  '/%41',
  '/50%25',
  '/%e9',
  '/%c3%a9',
])('%s can be read one way only', (path) => expect(isCanonicalPath(path)).toBe(true))

test.for([
  '',
  'a',
  '//',
  '/a//b',
  '/.',
  '/..',
  '/a/../b',
  '/a/./b',
  '/a/%2e%2E/b',
  '/a/.%2e/b',
  '/a/..;/b',
  '/a/..;x=1/b',
  '/a/%2e%2e%3bx/b',
  '/a\\b',
  '/a/..\\b',
  '/a%5cb',
  '/a%2fb',
  '/a%2F..%2Fb',
  '/a%00',
  '/a%zz',
  '/a%2',
  '/a#b',
  '/a b',
  '/é',
  '/a/%c0%ae%c0%ae/b',
  '/a%C0%AFb',
  '/a%e0%80%afb',
  '/a%f0%80%80%afb',
  '/a/%252e%252e/b',
  '/a%252Fb',
  '/a%25255cb',
])('%j may be read in two ways', (path) => expect(isCanonicalPath(path)).toBe(false))

test('an encoded slash passes where it is asked for, but not around dot segments', () => {
  expect(isCanonicalPath('/@scope%2fname', { encodedSlash: true })).toBe(true)
  expect(isCanonicalPath('/a%2f..%2fb', { encodedSlash: true })).toBe(false)
})

test.for([
  ['/v1/x', '/v1/*', true],
  ['/v1/x/y', '/v1/*', false],
  ['/v1/x/y', '/v1/**', true],
  ['/v1x', '/v1/**', false],
  ['/a.b', '/a.b', true],
  ['/aXb', '/a.b', false],
  ['/v1/x', '/v', false],
] as const)('%s against %s: %s', ([path, pattern, fits]) =>
  expect(matchesPath(path, [pattern])).toBe(fits),
)
