import { describe, expect, it } from 'vitest'

import { limitLines } from '../../../src/session/line-budget.ts'

describe('limitLines', () => {
  it('lets a burst pass, leaves the rest out, and tells how much when time has passed', () => {
    const lines: string[] = []
    let time = 0
    const log = limitLines((line) => lines.push(line), {
      burst: 2,
      interval: 1_000,
      now: () => time,
    })
    for (const line of ['a', 'b', 'c', 'd', 'e']) log(line)
    expect(lines).toEqual(['a', 'b'])
    time = 1_000
    log('f')
    expect(lines).toEqual(['a', 'b', '(3 lines left out)', 'f'])
  })
})
