import { expect, test } from 'vitest'

import { mountsBelow } from '../../../src/bootstrap/mounts.mjs'

const TABLE = [
  'proc /proc proc rw 0 0',
  '/dev/vda /srv/a/.glovebox-engine/data ext4 rw 0 0',
  'overlay /srv/a/.glovebox-engine/data/overlay2/x/merged overlay rw 0 0',
  '/dev/vda /srv/a/.glovebox-engine2 ext4 rw 0 0',
  '/dev/vda /srv/with\\040blank/.glovebox-engine/data ext4 rw 0 0',
  '',
].join('\n')

test('Mounts below a folder come innermost first, and a folder of a longer name is not below it.', () => {
  expect(mountsBelow(TABLE, ['/srv/a/.glovebox-engine'])).toEqual([
    '/srv/a/.glovebox-engine/data/overlay2/x/merged',
    '/srv/a/.glovebox-engine/data',
  ])
})

test('A blank in a path, which the kernel writes as an octal escape, is understood.', () => {
  expect(mountsBelow(TABLE, ['/srv/with blank'])).toEqual(['/srv/with blank/.glovebox-engine/data'])
})
