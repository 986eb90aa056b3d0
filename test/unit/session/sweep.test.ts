import { describe, expect, it } from 'vitest'

import type { Engine } from '../../../src/docker/engine.ts'
import { labels } from '../../../src/session/labels.ts'
import { launcherAlive, launcherId } from '../../../src/session/launcher-id.ts'
import { sweep } from '../../../src/session/sweep.ts'
import { VolumeRecords } from '../../../src/session/volume-records.ts'
import { scratchFolder } from '../../support/scratch.ts'

type Thing = { id: string; state: string; labels: Record<string, string> }

/** An engine that only lists and removes; one container cannot be removed. */
function engineWith(containers: Thing[], volumes: Thing[]): { engine: Engine; removed: string[] } {
  const removed: string[] = []
  const engine = {
    info: { uri: 'unix:///e' },
    list: () => Promise.resolve(containers.map((thing) => ({ ...thing, created: 0 }))),
    volumes: () =>
      Promise.resolve(volumes.map(({ id, labels: all }) => ({ name: id, labels: all }))),
    container: (id: string) => ({
      remove: () => {
        if (id === 'stuck') return Promise.reject(new Error('busy'))
        removed.push(id)
        return Promise.resolve()
      },
    }),
    removeVolume: (name: string) => {
      removed.push(name)
      return Promise.resolve(true)
    },
  }
  return { engine: engine as unknown as Engine, removed }
}

const of = (launcher: string): Record<string, string> => labels('agent', 's', launcher, '/p')

describe('sweep', () => {
  it('removes what dead launchers left, in every state, and nothing of living ones or of nobody', async () => {
    const { engine, removed } = engineWith(
      [
        { id: 'created', state: 'created', labels: of('dead') },
        { id: 'running', state: 'running', labels: of('dead') },
        { id: 'stuck', state: 'running', labels: of('dead') },
        { id: 'living', state: 'running', labels: of('alive') },
        { id: 'unlabelled', state: 'running', labels: { glovebox: '1' } },
      ],
      [
        { id: 'old-volume', state: '', labels: of('dead') },
        { id: 'used-volume', state: '', labels: of('alive') },
      ],
    )
    expect(await sweep(engine, undefined, (launcher) => launcher === 'alive')).toEqual({
      containers: ['created', 'running'],
      volumes: ['old-volume'],
    })
    expect(removed).toEqual(['created', 'running', 'old-volume'])
  })

  it('removes volumes without a label that a dead launcher had recorded, and keeps the living one’s', async () => {
    await using folder = await scratchFolder()
    const records = new VolumeRecords(folder.path)
    records.note('anonymous', 'unix:///e', 'dead')
    records.note('in-use', 'unix:///e', 'alive')
    records.note('elsewhere', 'unix:///other', 'dead')
    records.note('state', 'unix:///e')
    records.note('long-gone', 'unix:///e', 'dead')
    records.note('../outside', 'unix:///e', 'dead')
    const there = ['anonymous', 'in-use', 'elsewhere', 'state']
    const { engine, removed } = engineWith(
      [],
      there.map((id) => ({ id, state: '', labels: {} })),
    )
    await sweep(engine, records, (launcher) => launcher === 'alive')
    expect(removed).toEqual(['anonymous'])
    const left = records.all().map(({ name }) => name)
    expect(left.toSorted()).toEqual(['elsewhere', 'in-use', 'state'])
  })
})

describe('launcherAlive', () => {
  const [boot, namespace, , start] = launcherId().split('/')

  it('knows this process', () => {
    expect(launcherAlive(launcherId())).toBe(true)
  })

  it('is not fooled by a recycled pid', () => {
    expect(launcherAlive(`${boot}/${namespace}/${process.pid}/1`)).toBe(false)
  })

  it('knows a pid that is not there', () => {
    expect(launcherAlive(`${boot}/${namespace}/4194300/${start}`)).toBe(false)
  })

  it('takes a launcher before the last boot for dead', () => {
    expect(
      launcherAlive(`00000000-0000-0000-0000-000000000000/${namespace}/${process.pid}/${start}`),
    ).toBe(false)
  })

  it('does not judge a launcher of another pid namespace or host', () => {
    expect(launcherAlive(`${boot}/1/4194300/1`)).toBe(true)
    expect(launcherAlive('host:other/0/4194300/1')).toBe(true)
  })

  it('takes a label that is no launcher for dead', () => {
    expect(launcherAlive('nonsense')).toBe(false)
  })
})
