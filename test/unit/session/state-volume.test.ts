import { describe, expect, it } from 'vitest'

import { LABEL } from '../../../src/session/labels.ts'
import { stateMount, stateVolumeName } from '../../../src/session/state-volume.ts'

const owner = { agent: 'bundled', project: '/home/me/project', uid: 1000 }

describe('stateVolumeName', () => {
  it('is the same for the same project, agent and user, and for no other', () => {
    const names = [
      owner,
      { ...owner, agent: 'claude' },
      { ...owner, project: '/home/me/project2' },
      { ...owner, uid: 1001 },
    ].map(stateVolumeName)
    expect(new Set(names).size).toBe(4)
    expect(stateVolumeName({ ...owner })).toBe(names[0])
  })

  it('is a name that every engine takes, whatever the path holds', () => {
    const project = '/tmp/a b:c,d"é\n/' + 'x'.repeat(4_000)
    expect(stateVolumeName({ ...owner, project })).toMatch(/^glovebox-state-bundled-[0-9a-f]{32}$/)
  })
})

describe('stateMount', () => {
  it('carries our label and no launcher, so that no sweep takes it', () => {
    const mount = stateMount(owner, '/var/lib/agent')
    expect(mount).toMatchObject({ Type: 'volume', Target: '/var/lib/agent', ReadOnly: false })
    expect(mount.VolumeOptions?.Labels[LABEL.any]).toBe('1')
    expect(mount.VolumeOptions?.Labels[LABEL.launcher]).toBeUndefined()
  })
})
