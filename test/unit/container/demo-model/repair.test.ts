import { expect, test } from 'vitest'

import { repairFunction, repairLiteral } from '../../../../container/demo-model/repair.ts'

const small = (result: string) => `const FEE = 40

export function total(count, price) {
  return ${result}
}
`

test('A wrong operator is exchanged', () => {
  const examples = [
    { args: [3, 10], expected: 70 },
    { args: [1, 1], expected: 41 },
  ]
  expect(repairFunction(small('count + price + FEE'), 'total', examples)).toEqual({
    oldText: '  return count + price + FEE',
    newText: '  return count * price + FEE',
    line: 4,
  })
})

test.for([55, 62])('The number is solved for the expected value, here a fee of %d', (fee) => {
  const examples = [{ args: [3, 10], expected: 30 + fee }]
  expect(repairFunction(small('count * price + FEE'), 'total', examples)).toEqual({
    oldText: 'const FEE = 40',
    newText: `const FEE = ${fee}`,
    line: 1,
  })
})

test('Examples that no single change satisfies give no edit', () => {
  const examples = [
    { args: [1, 1], expected: 100 },
    { args: [1, 1], expected: 200 },
  ]
  expect(repairFunction(small('count * price + FEE'), 'total', examples)).toBeUndefined()
})

test('The old text takes in lines before it until it is found only once in the file', () => {
  const twin = 'export function other(count, price) {\n  return count - price\n}\n'
  const source = `${twin}${twin.replace('other', 'total')}`
  const edit = repairFunction(source, 'total', [{ args: [5, 2], expected: 7 }])
  expect(edit?.oldText).toBe('export function total(count, price) {\n  return count - price')
  expect(edit?.newText).toBe('export function total(count, price) {\n  return count + price')
})

test('A literal that is there once is replaced by the expected one, one that is there twice is not', () => {
  expect(repairLiteral("const a = 'Helo'\n", "'Helo'", "'Hello'")?.newText).toBe(
    "const a = 'Hello'",
  )
  expect(repairLiteral("f('Helo', 'Helo')", "'Helo'", "'Hello'")).toBeUndefined()
})
