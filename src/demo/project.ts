/** The demo's small project: one module, one test that fails, other values each time. */
import { randomInt } from 'node:crypto'

export type DemoProject = {
  /** Relative path → text. */
  files: Record<string, string>
  /** The file with the fault. */
  source: string
}

/** `[0, max)`, whole numbers. */
export type Random = (max: number) => number

const THINGS = ['parcel', 'ticket', 'invoice', 'booking', 'delivery', 'repair'] as const
const UNITS = ['weight', 'seats', 'hours', 'nights', 'boxes', 'parts'] as const

/** The fault is a wrong operator or a wrong constant; two assertions leave one small fix for it. */
export function makeProject(random: Random = randomInt): DemoProject {
  const thing = pick(THINGS, random)
  const unit = pick(UNITS, random)
  const name = `${thing}Price`
  const fee = 100 + random(400)
  const wrongOperator = random(2) === 0
  const written = {
    operator: wrongOperator ? '-' : '+',
    fee: wrongOperator ? fee : fee + 1 + random(90),
  }
  const source = `src/${thing}.js`
  return {
    source,
    files: {
      'package.json': manifest(thing),
      [source]: moduleText(name, unit, written),
      [`test/${thing}.test.js`]: testText(thing, name, fee, random),
    },
  }
}

function manifest(thing: string): string {
  const fields = { name: `${thing}-prices`, private: true, type: 'module' }
  return `${JSON.stringify({ ...fields, scripts: { test: 'node --test' } }, undefined, 2)}\n`
}

function moduleText(
  name: string,
  unit: string,
  written: { operator: string; fee: number },
): string {
  return `const FEE = ${written.fee}

/** In cents. */
export function ${name}(${unit}, each) {
  return ${unit} * each ${written.operator} FEE
}
`
}

function testText(thing: string, name: string, fee: number, random: Random): string {
  const first = [2 + random(7), 100 + random(900)] as const
  const second = [11 + random(7), 100 + random(900)] as const
  const line = ([count, each]: readonly [number, number]) =>
    `  assert.equal(${name}(${count}, ${each}), ${count * each + fee})`
  return `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ${name} } from '../src/${thing}.js'

test('the price includes the fee', () => {
${line(first)}
${line(second)}
})
`
}

function pick<T>(list: readonly [T, ...T[]], random: Random): T {
  return list[random(list.length)] ?? list[0]
}
