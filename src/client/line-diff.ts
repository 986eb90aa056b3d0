/** A line diff for showing, not for applying. */

export type DiffLine = { sign: ' ' | '-' | '+'; text: string; line: number }

const CONTEXT = 2
/** Above this many cells the middle is shown as all removed, then all added. */
const MAX_CELLS = 1_000_000

/** Changed lines with two lines around them; `line` counts from 1 in the text the line is of. */
export function diffLines(oldText: string, newText: string): DiffLine[] {
  const before = linesOf(oldText)
  const after = linesOf(newText)
  const head = commonHead(before, after)
  const tail = commonTail(before, after, head)
  const oldMiddle = before.slice(head, before.length - tail)
  const newMiddle = after.slice(head, after.length - tail)
  const middle = matched(oldMiddle, newMiddle, head)
  return [
    ...unchanged(after, Math.max(0, head - CONTEXT), head),
    ...middle,
    ...unchanged(after, after.length - tail, Math.min(after.length - tail + CONTEXT, after.length)),
  ]
}

function linesOf(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

function commonHead(before: string[], after: string[]): number {
  let count = 0
  while (count < before.length && count < after.length && before[count] === after[count]) count += 1
  return count
}

function commonTail(before: string[], after: string[], head: number): number {
  const most = Math.min(before.length, after.length) - head
  let count = 0
  while (count < most && before.at(-1 - count) === after.at(-1 - count)) count += 1
  return count
}

function unchanged(lines: string[], from: number, to: number): DiffLine[] {
  return lines.slice(from, to).map((text, index) => ({ sign: ' ', text, line: from + index + 1 }))
}

/** Follows the longest common subsequence; `offset` lines come before both middles. */
function matched(before: string[], after: string[], offset: number): DiffLine[] {
  const longest = before.length * after.length > MAX_CELLS ? [] : table(before, after)
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const sign = signAt(before, after, i, j, longest)
    const [text = '', line] = sign === '-' ? [before[i], i] : [after[j], j]
    lines.push({ sign, text, line: offset + line + 1 })
    if (sign !== '+') i += 1
    if (sign !== '-') j += 1
  }
  return lines
}

function signAt(
  before: string[],
  after: string[],
  i: number,
  j: number,
  longest: Uint32Array[],
): DiffLine['sign'] {
  if (i === before.length) return '+'
  if (j === after.length || longest.length === 0) return '-'
  if (before[i] === after[j]) return ' '
  return (longest[i + 1]?.[j] ?? 0) >= (longest[i]?.[j + 1] ?? 0) ? '-' : '+'
}

/** `cell[i][j]`: the length of what the rests from line i and line j have in common. */
function table(before: string[], after: string[]): Uint32Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const [row, next] = [rows[i], rows[i + 1]]
      if (row === undefined || next === undefined) continue
      row[j] =
        before[i] === after[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return rows
}
