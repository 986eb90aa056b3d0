import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { describe, expect, test } from 'vitest'

import { type Bench, bench, testEngines } from '../../support/engine/engines.ts'

const LAUNCHER = new URL('../../support/engine/launcher-like.ts', import.meta.url).pathname

/** Starts a process that makes both containers, and kills it at the named point. */
async function killedAt(b: Bench, until: string): Promise<void> {
  const order = {
    uri: b.engine.info.uri,
    proxy: b.proxy(['cat']),
    agent: b.agent(['cat'], 'set by the launcher'),
    until,
  }
  const launcher = spawn(process.execPath, [LAUNCHER, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [first] = await once(launcher.stdout, 'data')
  expect(String(first)).toBe('ready\n')
  launcher.kill('SIGKILL')
  await once(launcher, 'exit')
}

describe.for(await testEngines())('On %s', ([, uri]) => {
  test('a killed launcher leaves no container and no volume within 5 seconds', async () => {
    await using b = await bench(uri)
    const before = await b.engine.list(b.label)
    expect(before).toEqual([])
    await killedAt(b, 'started')
    await expect.poll(() => b.engine.list(b.label), { timeout: 5000 }).toEqual([])
    expect(await b.engine.volumes(b.label)).toEqual([])
  })

  test.for(['created', 'attached'])(
    'a launcher killed when its agent is %s leaves nothing running, and what is left is listed',
    async (until) => {
      await using b = await bench(uri)
      await killedAt(b, until)
      const running = async () =>
        (await b.engine.list(b.label)).filter((one) => one.state === 'running')
      await expect.poll(running, { timeout: 5000 }).toEqual([])
      const left = await b.engine.list(b.label)
      expect(left.map((one) => one.labels)).toEqual(left.map(() => labelsOf(b)))
      await Promise.all(left.map((one) => b.engine.container(one.id).remove()))
      await expect.poll(() => b.engine.list(b.label), { timeout: 5000 }).toEqual([])
      expect(await b.engine.volumes(b.label)).toEqual([])
    },
  )
})

function labelsOf(b: Bench): Record<string, string> {
  const [name = '', value = ''] = b.label.split('=')
  return { [name]: value }
}
