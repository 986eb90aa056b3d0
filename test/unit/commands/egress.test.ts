import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'

import { afterAll, expect, test } from 'vitest'

import { egressCommand } from '../../../src/commands/egress.ts'
import { scratchFolder } from '../../support/scratch.ts'

const scratch = await scratchFolder()
const folder = scratch.path
afterAll(() => scratch[Symbol.asyncDispose]())
mkdirSync(join(folder, 'glovebox'), { recursive: true })
writeFileSync(
  join(folder, 'glovebox', 'config.json'),
  JSON.stringify({ version: 1, egress: { presets: ['npm'] } }),
)

async function run(...argv: string[]) {
  const stdout = new PassThrough()
  const io = { env: { XDG_CONFIG_HOME: folder }, stdin: stdout, stdout, stderr: stdout }
  const code = await egressCommand([...argv, '--project', folder], io)
  stdout.end()
  return { code, text: await text(stdout) }
}

test('an allowed destination is told with its rule, its reason and its layer, and the code 0', async () => {
  const { code, text: said } = await run('explain', 'REGISTRY.npmjs.org.')
  expect(code).toBe(0)
  expect(said).toMatch(/^allowed {2}registry\.npmjs\.org:443\nrule .*preset npm.*\nwhy .*\nlayer /)
})

test('a denied destination is told with its code, and the code 1', async () => {
  const { code, text: said } = await run('explain', 'evil.test:80', 'GET', '/x', '--json')
  expect(code).toBe(1)
  expect(JSON.parse(said)).toMatchObject({
    allowed: false,
    canonical: 'evil.test:80',
    reason: 'host_not_allowed',
    layer: 'user',
  })
})

test('presets are listed', async () => {
  expect((await run('presets')).text).toContain('registry.npmjs.org:443 (tls): ')
})

test.for([
  ['explain'],
  ['allow', 'a.test'],
  ['explain', 'a.test', 'GET'],
  ['explain', 'a.test', 'get', '/'],
])('%j is refused with the usage', async (argv) => {
  await expect(run(...argv)).rejects.toThrow(/egress|method/)
})
