import { expect, test } from 'vitest'

import { runTask } from '../../support/demo-model/small-agent.ts'
import type { ToolNames } from '../../support/demo-model/small-agent.ts'
import { startModel } from '../../support/demo-model/start-model.ts'
import { writeProject } from '../../support/demo-model/write-project.ts'

const PROMPT = 'Please make the failing test pass.'

const denyEdits = ({ name }: { name: string }) =>
  name === 'edit_file' ? { content: 'The user denied this edit.', is_error: true } : undefined

function shop(returns: string, assertions: string[]) {
  const body = assertions.map((line) => `  ${line}`).join('\n')
  return {
    'package.json': '{\n  "type": "module",\n  "scripts": { "test": "node --test" }\n}\n',
    'src/order.js': `const SHIPPING = 450

export function orderTotal(quantity, price) {
  return ${returns}
}
`,
    'test/order.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderTotal } from '../src/order.js'

test('an order costs its items and the shipping', () => {
${body}
})
`,
  }
}

test.for<ToolNames>(['glovebox', 'claude'])(
  'A wrong operator is found from the output and fixed, with the tool names of %s',
  async (names) => {
    await using model = await startModel()
    await using project = await writeProject(
      shop('quantity * price - SHIPPING', [
        'assert.equal(orderTotal(3, 250), 1200)',
        'assert.equal(orderTotal(2, 100), 650)',
      ]),
    )
    const { text, stopReason } = await runTask(model.url, project.folder, names, PROMPT)
    expect(await project.read('src/order.js')).toContain('return quantity * price + SHIPPING\n')
    expect(text).toContain('expected 1200 and got 300')
    expect(text).toContain('1 of 1 tests pass')
    expect(stopReason).toBe('end_turn')
  },
)

test('A wrong constant becomes the number that the output calls for, not the one in the test file', async () => {
  await using model = await startModel()
  const files = shop('quantity * price + SHIPPING', [
    "assert.equal(orderTotal(3, 250), Number(process.env['WANT'] ?? 1370))",
  ])
  await using project = await writeProject(files)
  await runTask(model.url, project.folder, 'glovebox', PROMPT)
  expect(await project.read('src/order.js')).toContain('const SHIPPING = 620\n')
})

test('A denied edit ends the work politely and leaves the file as it was', async () => {
  await using model = await startModel()
  const files = shop('quantity * price - SHIPPING', ['assert.equal(orderTotal(3, 250), 1200)'])
  await using project = await writeProject(files)
  const done = await runTask(model.url, project.folder, 'glovebox', PROMPT, denyEdits)
  expect(done.text).toMatch(
    /^I was not allowed to edit .*order\.js \(The user denied this edit\.\)/,
  )
  expect(done.used.at(-1)?.name).toBe('edit_file')
  expect(await project.read('src/order.js')).toBe(files['src/order.js'])
})

test('A fix that does not help is tried once more, and then the model says so', async () => {
  await using model = await startModel()
  // Two failing calls that no single small change can satisfy, seen one after the other.
  const files = shop('quantity * price + SHIPPING', [
    'const [one, two] = [1201, 9999]',
    'assert.equal(orderTotal(3, 250), one)',
    'assert.equal(orderTotal(3, 250), two)',
  ])
  await using project = await writeProject(files)
  const { text, used } = await runTask(model.url, project.folder, 'glovebox', PROMPT)
  expect(used.filter(({ name }) => name === 'edit_file')).toHaveLength(2)
  expect(text).toContain('The tests still fail (expected 1201')
  expect(text).toContain('I tried 2 times')
})

test('Tests that pass already are left alone', async () => {
  await using model = await startModel()
  const files = shop('quantity * price + SHIPPING', ['assert.equal(orderTotal(1, 50), 500)'])
  await using project = await writeProject(files)
  const { text, used } = await runTask(model.url, project.folder, 'glovebox', PROMPT)
  expect(text).toBe('All 1 tests pass already; I changed nothing.')
  expect(used.map(({ name }) => name)).toEqual(['list_files', 'read_file', 'run_command'])
})

test('Directives run a command and write a file with the tools that are offered', async () => {
  await using model = await startModel()
  await using project = await writeProject({})
  const prompt = 'demo: write note.txt seen by the test\ndemo: run cat note.txt'
  const { text, used } = await runTask(model.url, project.folder, 'claude', prompt)
  expect(used.map(({ name }) => name)).toEqual(['Write', 'Bash'])
  expect(text).toContain('I did run `cat note.txt`. The answer: seen by the test')
})
