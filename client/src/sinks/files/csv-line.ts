// Rows of CSV (RFC 4180), as every program and Excel read them.
import { type FlatColumn, textOf } from '../record/flat-column.ts'

/** Begins a file: Excel reads a file without it as one in the machine's old code page. */
export const byteOrderMark = '\uFEFF'

/**
 * Characters that make Excel and others run a cell as a formula if it begins with one, including the full-width forms.
 */
const formulaStart = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

/** Returns the values of a row as texts, before they are quoted. */
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
 * A line of RFC 4180. Every value is quoted, needed or not: programs differ in what must be quoted (a lone line feed, a
 * space at the end), and some examine only the first rows to learn how a file is quoted.
 */
export const csvLine = (cells: readonly string[], delimiter = ','): string =>
  `${cells.map((cell) => (cell === '' ? '' : `"${cell.replaceAll('"', '""')}"`)).join(delimiter)}\r\n`
