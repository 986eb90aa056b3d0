import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { ROOT } from '../support/e2e/editor.ts'

describe('the corpus of attacks on egress proxies', () => {
  it('[G-EGRESS] is withstood: every case, with a control that the same bytes do arrive elsewhere', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'test', 'corpus', 'run.ts')],
      { encoding: 'utf8', timeout: 240_000 },
    )
    const failures = stdout.split('\n').filter((line) => /fail/i.test(line))
    expect({ status, failures: failures.slice(0, 10), stderr }).toMatchObject({ status: 0 })
    expect(stdout).toMatch(/^0 not run\n4[67]\d passed, 0 failed$/m)
  }, 300_000)
})
