// Rows of CSV (RFC 4180), as every program and Excel read them.
import { type FlatColumn, textOf } from './flat-column.ts'

/** Begins a file: Excel takes one without it for one in the machine's old code page. */
export const byteOrderMark = '\uFEFF'

/** What Excel and others run as a formula when a cell begins with it, the full-width forms too. */
const formulaStart = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

/** The values of a row as texts, before they are quoted. */
export function cellsOf<T>(
  columns: readonly FlatColumn<T>[],
  row: T,
  { escapesFormulas = true }: { readonly escapesFormulas?: boolean } = {},
): string[] {
  return columns.map(({ of }) => {
    const value = of(row)
    const isRun = escapesFormulas && typeof value === 'string' && formulaStart.test(value)
    return isRun ? `'${value}` : textOf(value)
  })
}

/**
 * A line of RFC 4180. Every value is quoted, needed or not: readers differ in what must be (a lone line feed, a space
 * at the end), and some look only at the first rows to learn how a file is quoted.
 */
export const csvLine = (cells: readonly string[], delimiter = ','): string =>
  `${cells.map((cell) => (cell === '' ? '' : `"${cell.replaceAll('"', '""')}"`)).join(delimiter)}\r\n`
