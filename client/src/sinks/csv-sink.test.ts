import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recordOf, type SeenRecord, sinkConformance } from '../testing/sink-conformance.ts'
import type { TenderRecord } from '../types.ts'
import { type CsvSinkOptions, csvSink } from './csv-sink.ts'

/** Rows by column name; a separate parser, so that the writer is not checked against itself. */
function parseCsv(text: string, delimiter = ','): Record<string, string>[] {
  const rows: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  expect(text.startsWith('\uFEFF')).toBe(true)
  for (let at = 1; at < text.length; at++) {
    const letter = text[at]!
    if (isQuoted) {
      if (letter !== '"') cell += letter
      else if (text[at + 1] === '"') cell += text[++at]
      else isQuoted = false
    } else if (letter === '"') isQuoted = true
    else if (letter === delimiter || letter === '\r') {
      rows.at(-1)!.push(cell)
      cell = ''
      if (letter === '\r') {
        expect(text[++at]).toBe('\n')
        rows.push([])
      }
    } else cell += letter
  }
  expect(rows.pop()).toEqual([])
  const [head, ...body] = rows
  return body.map((row) => {
    expect(row).toHaveLength(head!.length)
    return Object.fromEntries(row.map((value, index) => [head![index]!, value]))
  })
}

describe('the CSV sink', () => {
  const cases = sinkConformance(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tender-csv-'))
    const file = join(folder, 'tenders.csv')
    return {
      open: () => csvSink({ file }),
      seen: async () =>
        new Map(
          (existsSync(file) ? parseCsv(readFileSync(file, 'utf8')) : []).map((row): [string, SeenRecord] => [
            row.id!,
            {
              state: row.archive_reason === 'merged' ? 'merged' : row.archive_reason ? 'closed' : 'open',
              lastModified: row.last_modified!,
              title: row.title!,
              ...(row.merged_into && { mergedInto: row.merged_into }),
            },
          ]),
        ),
      close: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
  for (const { name, run } of cases) it(name, run)

  async function written(options: Omit<CsvSinkOptions, 'file'>, records: readonly TenderRecord[]) {
    const folder = mkdtempSync(join(tmpdir(), 'tender-csv-'))
    const file = join(folder, 'tenders.csv')
    const lotsFile = options.lotsFile && join(folder, options.lotsFile)
    const sink = await csvSink({ ...options, file, ...(lotsFile && { lotsFile }) })
    await sink.begin({ kind: 'first', filterHash: 'f1', resumed: false, keepArchived: false })
    await sink.upsert(records)
    await sink.commit({ schema: 1, filterHash: 'f1' }, 'run')
    await sink.end()
    const texts = { tenders: readFileSync(file, 'utf8'), lots: lotsFile ? readFileSync(lotsFile, 'utf8') : '' }
    rmSync(folder, { recursive: true })
    return texts
  }

  it('writes every value unchanged, over lines, quotes and delimiters', async () => {
    const [row] = parseCsv((await written({ delimiter: ';' }, [recordOf(3)])).tenders, ';')
    expect(row).toMatchObject({
      description: recordOf(3).description,
      contract_value: '4002',
      contract_estimated: 'false',
      cpv_codes: '45000000 45210000 45000000',
      is_framework: '',
      lot_count: '2',
      submission_date: recordOf(3).submissionDate,
    })
  })

  it('lists the lots of all tenders in a second file', async () => {
    const { lots } = await written({ lotsFile: 'lots.csv' }, [recordOf(1), recordOf(2)])
    expect(parseCsv(lots).map((row) => `${row.tender_id} ${row.position} ${row.lot_id} ${row.contract_value}`)).toEqual(
      [
        `${recordOf(1).id} 0 LOT-0001 `,
        `${recordOf(1).id} 1 LOT-0002 7`,
        `${recordOf(2).id} 0 LOT-0001 `,
        `${recordOf(2).id} 1 LOT-0002 7`,
      ],
    )
  })

  it('keeps Excel from running a title as a formula, unless told otherwise', async () => {
    const titles = ['=HYPERLINK("https://evil.example")', '+1', '-1', '@SUM(A1)', 'plain = fine']
    const records = titles.map((title, index) => recordOf(index, 0, { title }))
    const escaped = parseCsv((await written({}, records)).tenders).map(({ title }) => title)
    expect(escaped).toEqual([...titles.slice(0, 4).map((title) => `'${title}`), titles[4]])
    const raw = parseCsv((await written({ escapesFormulas: false }, records)).tenders).map(({ title }) => title)
    expect(raw).toEqual(titles)
  })
})
