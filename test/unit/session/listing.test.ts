import { describe, expect, it } from 'vitest'

import type { Engine } from '../../../src/docker/engine.ts'
import { labels } from '../../../src/session/labels.ts'
import { findSession, listSessions } from '../../../src/session/listing.ts'

const engine = {
  list: () =>
    Promise.resolve([
      { id: 'c2', state: 'running', created: 20, labels: of('aabb-2', 'b/1/22/3') },
      { id: 'c1', state: 'running', created: 10, labels: of('aacc-1', 'b/1/11/3') },
      { id: 'c3', state: 'created', created: 30, labels: { glovebox: '1' } },
    ]),
} as unknown as Engine

function of(session: string, launcher: string): Record<string, string> {
  return labels('agent', session, launcher, '/p', 'claude')
}

describe('the sessions of an engine', () => {
  it('are read from the labels, the oldest first, and what has none is not one', async () => {
    const found = await listSessions(engine, (launcher) => launcher === 'b/1/11/3')
    expect(found.map(({ session, launcher }) => [session, launcher])).toEqual([
      ['aacc-1', { pid: 11, alive: true }],
      ['aabb-2', { pid: 22, alive: false }],
    ])
    expect(found[0]).toMatchObject({ agent: 'claude', project: '/p', since: 10_000 })
  })

  it.for([
    ['aab', 'aabb-2'],
    ['AACC', 'aacc-1'],
    ['aabb-2', 'aabb-2'],
  ] as const)('are found by the start of their id: %s', async ([start, id]) => {
    expect(findSession(await listSessions(engine), start).session).toBe(id)
  })

  it.for([
    ['aa', 'Several sessions have an id that begins with "aa": aacc-1, aabb-2.'],
    ['zz', 'No running session has an id that begins with "zz".'],
    ['', 'Several sessions have an id that begins with ""'],
  ] as const)('are not guessed: %j', async ([start, sentence]) => {
    const sessions = await listSessions(engine)
    expect(() => findSession(sessions, start)).toThrow(sentence)
  })
})
