import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import { bind } from '../../../src/docker/mounts.ts'
import { bench, run, testEngines } from '../../support/engine/engines.ts'

describe.for(await testEngines())('On %s', ([, uri]) => {
  test('signals reach the process, and exec runs beside it', async () => {
    await using b = await bench(uri)
    const script =
      'trap "echo INT" INT; trap "echo TERM; exit 9" TERM; echo up; while :; do sleep 0.1; done'
    const { container, streams } = await run(b, b.proxy(['sh', '-c', script]))
    streams.stderr.resume()
    const all = text(streams.stdout)
    await sleep(700)
    expect(await container.exec(['sh', '-c', 'id -u; echo no >&2; exit 3'])).toEqual({
      exitCode: 3,
      stdout: '65532\n',
      stderr: 'no\n',
    })
    await container.kill('SIGINT')
    await sleep(300)
    await container.kill('SIGTERM')
    expect(await all).toBe('up\nINT\nTERM\n')
    await container.kill('SIGKILL')
  })

  test('a missing mount source is refused and not made', async () => {
    await using b = await bench(uri)
    const gone = join(b.project, 'gone')
    const proxy = await b.engine.create(b.proxy(['cat']))
    const mounts = [bind(gone, gone, false)]
    await expect(b.engine.create(b.agent(['cat'], proxy.id, { mounts }))).rejects.toMatchObject({
      code: 'engine_failed',
      message: expect.stringContaining('does not exist'),
    })
    expect(existsSync(gone)).toBe(false)
  })
})
