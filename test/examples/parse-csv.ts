// Reads CSV as RFC 4180 writes it, without any tolerance: what a spreadsheet must be able to load.

/** Rows by the names of the header line. Throws on anything that is not RFC 4180. */
export function parseCsv(text: string): Record<string, string>[] {
  const rows: string[][] = [[]]
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|$)/y
  const body = text.replace(/^\uFEFF/, '')
  while (field.lastIndex < body.length) {
    const from = field.lastIndex
    const match = field.exec(body)
    if (!match) throw new Error(`not CSV at ${from}: ${JSON.stringify(body.slice(from, from + 40))}`)
    const value = match[1]!
    rows.at(-1)!.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (match[2] === '\r\n') rows.push([])
  }
  if (rows.at(-1)!.length > 0) throw new Error('the last line has no end')
  const [names, ...records] = rows.slice(0, -1)
  return records.map((values) => {
    if (values.length !== names!.length) throw new Error(`a line of ${values.length} values, not ${names!.length}`)
    return Object.fromEntries(names!.map((name, index) => [name, values[index]!]))
  })
}
