import { expect, test } from 'vitest'

import { rulesNaming } from '../../../src/bootstrap/bridge.mjs'

const LISTING = [
  '-P FORWARD ACCEPT',
  '-N DOCKER',
  '-A FORWARD -j DOCKER-USER',
  '-A FORWARD -o gb-0f9ed154 -j DOCKER',
  '-A FORWARD -i gb-0f9ed154 ! -o gb-0f9ed154 -j ACCEPT',
  '-A FORWARD -o gb-0f9ed1545 -j DOCKER',
  '-A FORWARD -o docker0 -j DOCKER',
  '',
].join('\n')

test('Only rules that name exactly our bridge are removed.', () => {
  expect(rulesNaming(LISTING, 'gb-0f9ed154')).toEqual([
    ['FORWARD', '-o', 'gb-0f9ed154', '-j', 'DOCKER'],
    ['FORWARD', '-i', 'gb-0f9ed154', '!', '-o', 'gb-0f9ed154', '-j', 'ACCEPT'],
  ])
})

test('A machine without such rules has nothing to remove.', () => {
  expect(rulesNaming('', 'gb-0f9ed154')).toEqual([])
})
