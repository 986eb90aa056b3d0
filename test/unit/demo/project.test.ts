import { expect, test } from 'vitest'

import { repairFunction } from '../../../container/demo-model/repair.ts'
import { valueOf } from '../../../container/demo-model/source.ts'
import { makeProject } from '../../../src/demo/project.ts'

/** The calls in a generated test, with the values they must give. */
function examplesOf(files: Record<string, string>) {
  const text = Object.entries(files).find(([name]) => name.startsWith('test/'))?.[1] ?? ''
  const calls = [...text.matchAll(/(\w+)\((\d+), (\d+)\), (\d+)\)/g)]
  const name = calls[0]?.[1] ?? ''
  const examples = calls.map(([, , a, b, expected]) => ({
    args: [Number(a), Number(b)],
    expected: Number(expected),
  }))
  return { name, examples }
}

test('Every project fails each of its assertions, and one small edit makes all of them hold', () => {
  for (let round = 0; round < 200; round += 1) {
    const { files, source } = makeProject()
    const text = files[source] ?? ''
    const { name, examples } = examplesOf(files)
    expect(examples).toHaveLength(2)
    for (const { args, expected } of examples) expect(valueOf(text, name, args)).not.toBe(expected)
    const edit = repairFunction(text, name, examples)
    const fixed = text.replace(edit?.oldText ?? '', edit?.newText ?? '')
    for (const { args, expected } of examples) expect(valueOf(fixed, name, args)).toBe(expected)
  }
})

test('Both kinds of fault occur, and two runs differ', () => {
  const sources = Array.from({ length: 50 }, () => {
    const { files, source } = makeProject()
    return files[source] ?? ''
  })
  expect(sources.some((text) => text.includes(' - FEE'))).toBe(true)
  expect(sources.some((text) => text.includes(' + FEE'))).toBe(true)
  expect(new Set(sources).size).toBeGreaterThan(40)
})
