// Every file that a sink writes is read back by programs that are not ours, and must contain what the API delivered:
// made-up records with the texts that break files, and records consolidated from real notices.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { lotColumns, lotsOf, tenderColumns } from '../../client/src/sinks/record/flat-tender.ts'
import { TenderClient } from '../../client/src/tender-client.ts'
import { recordOf } from '../../client/src/testing/sink-conformance.ts'
import type { TenderRecord } from '../../client/src/types.ts'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { readPath } from '../../src/sources/files.ts'
import { parseDocument } from '../../src/sources/parse-document.ts'
import { startOfTests } from '../api-world.ts'
import type { PlainRecord } from '../memory-editions.ts'
import { proofCount } from '../proof/proof-count.ts'
import { receiveNotices } from '../receive-notices.ts'
import { type CommandWorld, openCommandWorld } from '../tender-sync/command-world.ts'
import { openTestStore } from '../world.ts'
import {
  duckRows,
  hasProgram,
  jqRecords,
  parquetRows,
  pythonCsv,
  pythonNdjson,
  pythonSqlite,
  type Row,
} from './independent-programs.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const hasPython = hasProgram('python3')
const hasJq = hasProgram('jq')
if (!hasPython) console.log('skipped: Python as a reader (no python3)')
if (!hasJq) console.log('skipped: jq as a reader (no jq)')

/** Texts that have broken some file format, in every place where a publisher may write one. */
const nastyTexts: readonly string[] = [
  'bare\nline feed',
  '\nat the beginning',
  'at the end\n',
  'bare\rcarriage return',
  '\r',
  'both\r\nof them',
  'a "quoted" word',
  '"',
  '"\n"',
  '""',
  'a,b;c\td|e',
  ' spaces around ',
  '',
  'NUL \0 inside',
  'controls \u0001\u0008\u000b\u000c\u001b\u007f\u0085',
  '\uFEFFa byte-order mark',
  '=1+1',
  '+49 30 1234',
  '-1',
  '@SUM(A1)',
  '\uFF1D1+1',
  '\t=1+1',
  "'quoted already",
  'line separator \u2028 and paragraph separator \u2029',
  'emoji \u{1F3D7}\u{1F469}\u200D\u{1F4BB} and combining e\u0301',
  'lone surrogate \uD800 high',
  'lone surrogate \uDC00 low',
  'a swapped pair \uDC00\uD800',
  'very long '.repeat(20_000),
  'backslash \\ and \\n and \\" and \\u0041',
  'null',
  'NULL',
  'NaN',
  '\\N',
  '#not a comment',
  '2026-11-02',
  '0012',
  '1e5',
  'true',
]

const nastyRecords = (): PlainRecord[] =>
  nastyTexts.map((text, number) => {
    const record = recordOf(number)
    return {
      ...record,
      title: text,
      description: `${text}${text}`.slice(0, 300_000),
      tenderNumber: text,
      contractingAuthority: { name: text, street: text, city: text, phone: text, country: 'DE' },
      lots: record.lots.map((lot) => ({ ...lot, title: text, description: text })),
    } as unknown as PlainRecord
  })

/** Interval of the documents of the corpus that are used. */
async function realRecords(): Promise<PlainRecord[]> {
  const step = proofCount({ share: 6, full: 1 })
  await using store = await openTestStore('embedded')
  let number = 0
  const notices = []
  for (const folder of ['ted-eforms', 'ted-legacy', 'doffin-eforms', 'eforms-de', 'ocds'])
    for await (const { bytes, unreadable } of readPath(join(corpus, folder))) {
      if (unreadable || number++ % step !== 0) continue
      notices.push(...parseDocument(bytes).flatMap((part) => ('notice' in part ? [part.notice] : [])))
    }
  await receiveNotices(store, notices)
  await consolidate(store, { now: Date.parse('2026-01-25T12:00:00.000Z') })
  const rows = await store.db.selectFrom('tender').select('content').execute()
  return rows.map(({ content }) => JSON.parse(content) as PlainRecord)
}

/** A text as a reader can know it: with U+FFFD in place of a lone surrogate, which no encoding of text can hold. */
const wellFormed = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? part.toWellFormed() : part)),
  ) as T

/** DuckDB's binding and hyparquet remove a byte-order mark at the beginning of a text; the file has it (see Python). */
const withoutMark = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? part.replace(/^\uFEFF/, '') : part)),
  ) as T

const withoutCheckedAt = ({ checkedAt: _, ...record }: Row): Row => record
const byId = (rows: readonly Row[]): Map<unknown, Row> => new Map(rows.map((row) => [row.id, row]))

/** The cells of a row as they are in a CSV file. */
function cellsOf<T>(columns: readonly { readonly name: string; of(from: T): unknown }[], from: T): Row {
  return Object.fromEntries(
    columns.map(({ name, of }) => {
      const value = of(from)
      return [name, value === null ? '' : wellFormed(String(value))]
    }),
  )
}

/** Every text that a spreadsheet would run has a `'` before it, and nothing else differs. */
function withoutEscapes(row: Row, expected: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const text = String(expected[name])
      if (!/^[=+\-@\t\r\uFF1D]/.test(text) || /^-?\d+(?:\.\d+)?$/.test(String(value))) return [name, value]
      expect(value, name).toBe(`'${text}`)
      return [name, text]
    }),
  )
}

type Loaded = { readonly world: CommandWorld; readonly delivered: readonly TenderRecord[] }

async function load(records: readonly PlainRecord[]): Promise<Loaded> {
  const world = await openCommandWorld()
  world.api.editions.publish(startOfTests, records)
  const delivered: TenderRecord[] = []
  const client = new TenderClient({ baseUrl: world.api.origin, token: world.api.token })
  for await (const record of client.list({ archived: true, limit: 100 })) delivered.push(record)
  for (const sink of [
    'csv:$kept.csv --option formulas=keep --option lots=$lots.csv',
    'csv:$escaped.csv --option delimiter=;',
    'ndjson:$t.ndjson',
    'parquet:$t.parquet',
    'sqlite:$t.db',
  ]) {
    const { code, err } = await world.sync(`run ${world.url} --initial history --quiet --sink ${sink}`)
    expect(code, err).toBe(0)
  }
  return { world, delivered }
}

const inputs: readonly (readonly [name: string, isMissing: boolean, make: () => Promise<PlainRecord[]>])[] = [
  ['texts that break files', false, async () => nastyRecords()],
  ['real notices', !existsSync(corpus), realRecords],
]

for (const [name, isMissing, make] of inputs)
  describe.skipIf(isMissing)(`files with ${name}, read by independent programs`, () => {
    let loaded: Loaded
    beforeAll(async () => {
      loaded = await load(await make())
      console.log(`${name}: ${loaded.delivered.length} records`)
      return () => loaded.world[Symbol.asyncDispose]()
    }, 300_000)
    const path = (file: string): string => join(loaded.world.folder, file)
    const expectedRecords = (): Map<unknown, Row> =>
      byId(loaded.delivered.map((record) => wellFormed(withoutCheckedAt(record))))
    const expectRecords = (rows: readonly Row[]): void => {
      expect(rows).toHaveLength(loaded.delivered.length)
      const expected = expectedRecords()
      for (const row of rows) expect(wellFormed(withoutCheckedAt(row))).toEqual(expected.get(row.id))
    }
    const expectCells = (rows: readonly Row[], isEscaped = false, asShown = <T>(value: T): T => value): void => {
      expect(rows).toHaveLength(loaded.delivered.length)
      const expected = byId(loaded.delivered.map((record) => cellsOf(tenderColumns, record)))
      for (const row of rows) {
        const wanted = asShown(expected.get(row.id)!)
        expect(isEscaped ? withoutEscapes(row, wanted) : row).toEqual(wanted)
      }
    }
    const expectLots = (rows: readonly Row[], asShown = <T>(value: T): T => value): void => {
      const all = loaded.delivered.flatMap((record) => lotsOf(record).map((lot) => asShown(cellsOf(lotColumns, lot))))
      const key = (row: Row): string => `${row.tender_id} ${String(row.position).padStart(6)}`
      const sorted = (list: readonly Row[]) => [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1))
      expect(sorted(rows)).toEqual(sorted(all))
    }

    test.skipIf(!hasPython)('Python reads CSV', () => {
      expectCells(pythonCsv(path('kept.csv')))
      expectCells(pythonCsv(path('escaped.csv'), ';'), true)
      expectLots(pythonCsv(path('lots.csv')))
    })

    test('DuckDB reads CSV and detects its format', async () => {
      const read = (file: string) =>
        duckRows(`SELECT COLUMNS(c -> c NOT LIKE 'never') FROM read_csv('${path(file)}', all_varchar = true)`)
      const filled = (rows: readonly Row[]): Row[] =>
        rows.map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, value ?? ''])))
      expectCells(filled(await read('kept.csv')), false, withoutMark)
      expectCells(filled(await read('escaped.csv')), true, withoutMark)
      expectLots(filled(await read('lots.csv')), withoutMark)
      // With the types that it guesses too, the file is complete.
      const [{ n }] = (await duckRows(`SELECT count(*) n FROM '${path('kept.csv')}'`)) as [Row]
      expect(Number(n)).toBe(loaded.delivered.length)
    })

    test.skipIf(!hasJq)('jq reads NDJSON', () => expectRecords(jqRecords(path('t.ndjson'))))
    test.skipIf(!hasPython)('Python reads NDJSON', () => expectRecords(pythonNdjson(path('t.ndjson'))))
    test('DuckDB reads NDJSON', async () => {
      const rows = await duckRows(
        `SELECT id, title, description, len(lots) lots FROM read_ndjson('${path('t.ndjson')}', columns = ` +
          "{id: 'VARCHAR', title: 'VARCHAR', description: 'VARCHAR', lots: 'JSON[]'}, maximum_object_size = " +
          '16777216)',
      )
      expect(rows).toHaveLength(loaded.delivered.length)
      const expected = expectedRecords()
      for (const { id, title, description, lots } of rows) {
        const record = withoutMark(expected.get(id)) as TenderRecord
        expect({ title, description: description ?? undefined, lots: Number(lots) }).toEqual({
          title: record.title,
          description: record.description,
          lots: record.lots.length,
        })
      }
    })

    const expectTyped = (rows: readonly Row[]): void => {
      expect(rows).toHaveLength(loaded.delivered.length)
      const deliveredById = byId(loaded.delivered)
      for (const row of rows) {
        const record = deliveredById.get(row.id) as TenderRecord
        for (const { name: column, type, of } of tenderColumns) {
          const value = of(record)
          const found = row[column] ?? null
          const wanted = type === 'instant' && value !== null ? Date.parse(String(value)) : value
          const at =
            type !== 'instant' || found === null
              ? found
              : found instanceof Date
                ? found.getTime()
                : Date.parse(`${String(found).replace(' ', 'T')}Z`)
          expect(at, column).toEqual(typeof wanted === 'string' ? withoutMark(wellFormed(wanted)) : wanted)
        }
        expect(wellFormed(withoutCheckedAt(JSON.parse(String(row.record)) as Row))).toEqual(
          wellFormed(withoutCheckedAt(record)),
        )
      }
    }
    test('hyparquet reads Parquet', async () => expectTyped(await parquetRows(path('t.parquet'))))
    test('DuckDB reads Parquet, the record as JSON too', async () => {
      expectTyped(await duckRows(`SELECT * FROM '${path('t.parquet')}'`))
      const rows = await duckRows(
        `SELECT record ->> '$.title' title, id FROM '${path('t.parquet')}' WHERE json_valid(record)`,
      )
      expect(rows).toHaveLength(loaded.delivered.length)
      const expected = expectedRecords()
      for (const row of rows) expect(row.title).toBe(withoutMark(expected.get(row.id)!.title))
    })

    test.skipIf(!hasPython)('Python reads SQLite, and so do the JSON functions of SQLite', () => {
      expect(pythonSqlite(path('t.db'), 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
      const columns = tenderColumns.map(({ name: column }) => column)
      const rows = pythonSqlite(path('t.db'), `SELECT ${columns}, record FROM tender`)
      expect(rows).toHaveLength(loaded.delivered.length)
      const deliveredById = byId(loaded.delivered)
      for (const { record, ...row } of rows) {
        const wanted = deliveredById.get(row.id) as TenderRecord
        expect(row).toEqual(
          Object.fromEntries(
            tenderColumns.map(({ name: column, of }) => {
              const value = of(wanted)
              return [column, typeof value === 'boolean' ? Number(value) : wellFormed(value)]
            }),
          ),
        )
        expect(wellFormed(withoutCheckedAt(JSON.parse(String(record)) as Row))).toEqual(
          wellFormed(withoutCheckedAt(wanted)),
        )
      }
      const found = pythonSqlite(
        path('t.db'),
        "SELECT id, record ->> '$.title' title FROM tender WHERE json_valid(record)",
      )
      const expected = expectedRecords()
      expect(found).toHaveLength(loaded.delivered.length)
      // SQLite's own functions end a text at a NUL.
      for (const row of found) expect(row.title).toBe(String(expected.get(row.id)!.title).split('\0')[0])
    })

    test('tender-sync verify finds them equal to the stock', async () => {
      for (const sink of [
        'csv:$kept.csv --option formulas=keep --option lots=$lots.csv',
        'ndjson:$t.ndjson',
        'parquet:$t.parquet',
        'sqlite:$t.db',
      ]) {
        const { code, out, err } = await loaded.world.sync(`verify ${loaded.world.url} --sink ${sink}`)
        expect(code, out + err).toBe(0)
      }
    })
  })
