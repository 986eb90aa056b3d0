import { expect, test } from 'vitest'

import { matches } from '../../../src/bootstrap/modules.mjs'

const lock = {
  packages: {
    '': { version: '1.0.0' },
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/for-macos': { version: '2.0.0', integrity: 'sha512-m', optional: true },
  },
}
const a = { version: '1.0.0', integrity: 'sha512-a' }

test.for([
  ['what the lock file says', { 'node_modules/a': a }, true],
  ['nothing', {}, false],
  ['another version', { 'node_modules/a': { ...a, version: '1.0.1' } }, false],
  ['another content', { 'node_modules/a': { ...a, integrity: 'sha512-b' } }, false],
  ['one package too many', { 'node_modules/a': a, 'node_modules/b': a }, false],
] as const)('An installation of %s is told.', ([, packages, expected]) => {
  expect(matches(lock, { packages })).toBe(expected)
})
