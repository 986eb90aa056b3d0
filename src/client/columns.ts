import { visibleLine } from './visible.ts'

/**
 * Rows of words in columns, each but the last as wide as its widest word; a word has at most `limit`
 * characters.
 */
export function columns(rows: string[][], limit?: number): string {
  const shown = rows.map((row) => row.map((word) => visibleLine(word, limit)))
  const widths = (shown[0] ?? []).map((_, column) =>
    Math.max(...shown.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: string[]) => row.map((word, column) => word.padEnd(widths[column] ?? 0))
  return shown.map((row) => `${line(row).join('  ').trimEnd()}\n`).join('')
}
