// A table of one row, for the samples of portals that publish CSV.

/** Header line and row; cells are quoted where they must be. */
export function writeRow(row: { readonly [column: string]: string | number | undefined }, delimiter = ','): string {
  const cell = (value: string | number | undefined): string => {
    const text = value === undefined ? '' : String(value)
    return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return `${Object.keys(row).map(cell).join(delimiter)}\n${Object.values(row).map(cell).join(delimiter)}\n`
}
