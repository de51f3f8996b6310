import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, expect, test } from 'vitest'
import { hourMs, toInstant } from '../../domain/time.ts'
import { appendEdition, type EditionLog, openEditionLog } from '../write/edition-log.ts'
import { BulkFiles } from './bulk-files.ts'
import { type BulkState, bulkName, linkLifeMs } from './bulk-state.ts'

const start = Date.UTC(2026, 0, 1, 22)
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const idOf = (number: number): string => `00000000-0000-8000-8000-${number.toString(16).padStart(12, '0')}`

/** A log of hourly editions, of records by their numbers, and the files that are made of it. */
async function openWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'bulk-files-'))
  closers.push(() => rmSync(folder, { recursive: true, force: true }))
  let now = start
  const clock = () => now
  const log = await openEditionLog(join(folder, 'editions'), { clock })
  closers.push(() => log.close())
  const held = new Map<number, string>()
  const seen: (BulkState | undefined)[] = []
  const open = () =>
    BulkFiles.open({ folder: join(folder, 'bulk'), log, clock, records: 40, show: (state) => seen.push(state) })
  let edition = 0
  /** Publishes these numbers, an hour later. */
  const publish = async (numbers: readonly number[], text: string) => {
    edition++
    now += hourMs
    const entries = numbers.map((number, index) => {
      const lastModified = now - numbers.length + index
      const isArchived = number % 5 === 0
      const body = JSON.stringify({
        id: idOf(number),
        status: isArchived ? 'closed' : 'open',
        ...(isArchived && { archiveReason: 'expired' }),
        lastModified: toInstant(lastModified),
        title: `${text} ${number}`,
        contractAmount: null,
        cpvCodes: [],
        nutsCodes: [],
        lots: [{ lotId: 'LOT-1', status: 'open', title: 'Lot', cpvCodes: [] }],
        originalSources: [],
      })
      held.set(number, `${text} ${number}`)
      return { lastModified, body, sources: '["ted"]' }
    })
    const info = { edition, lastModified: now - 1, publishedAt: now, records: held.size, changes: numbers.length }
    await appendEdition(log, { ...info, checks: {} }, entries)
  }
  return {
    log,
    held,
    seen,
    open,
    publish,
    names: () =>
      readdirSync(join(folder, 'bulk'))
        .filter((name) => name.endsWith('.ndjson.gz'))
        .sort(),
    path: (name: string) => join(folder, 'bulk', name),
    pass: (ms: number) => {
      now += ms
    },
    now: clock,
  }
}
type World = Awaited<ReturnType<typeof openWorld>>

const lineFiles = ({ files }: BulkState) => files.filter(({ format }) => format === 'ndjson')

const linesOf = ({ path }: World, state: BulkState): string[] =>
  lineFiles(state).flatMap((file) => {
    const lines = gunzipSync(readFileSync(path(bulkName(file))))
      .toString()
      .split('\n')
    expect(lines.pop()).toBe('')
    expect(lines).toHaveLength(file.rows)
    return lines
  })

/** What is left when the files are applied in their order. */
function appliedOf(world: World, state: BulkState): Map<string, string> {
  const applied = new Map<string, string>()
  let before = ''
  for (const line of linesOf(world, state)) {
    const { id, lastModified } = JSON.parse(line) as { id: string; lastModified: string }
    expect(`${lastModified} ${id}` > before).toBe(true)
    before = `${lastModified} ${id}`
    applied.set(id, line)
  }
  return applied
}

/** Every record of the newest edition, as the API delivers it. */
function deliveredOf(log: EditionLog, numbers: Iterable<number>): Map<string, string> {
  const delivered = new Map<string, string>()
  for (const number of numbers)
    delivered.set(idOf(number), log.record(log.find(idOf(number))!, 'identity').bytes.toString())
  return delivered
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

test('C162: the files are exactly the newest edition, byte for byte as the API delivers its records', async () => {
  const world = await openWorld()
  const { log, held, seen, publish, open, names, pass } = world
  const files = await open()
  await files.update()
  expect(seen).toEqual([])
  await publish(range(0, 100), 'first')
  await files.update()
  const first = seen.at(-1)!
  expect(first).toMatchObject({ edition: 1, records: 100, base: { edition: 1 } })
  expect(lineFiles(first).map(({ part, rows }) => [part, rows])).toEqual([
    ['snapshot', 40],
    ['snapshot', 40],
    ['snapshot', 20],
  ])
  expect(appliedOf(world, first)).toEqual(deliveredOf(log, held.keys()))
  // within the day only the delta is new, the next day everything
  await publish([...range(90, 110), 3, 5], 'second')
  await files.update()
  const second = seen.at(-1)!
  expect(second.edition).toBe(2)
  expect(second.base.edition).toBe(2)
  await publish([3, 200], 'third')
  await files.update()
  const third = seen.at(-1)!
  expect(third.files.filter(({ part }) => part === 'snapshot')).toEqual(second.files)
  expect(lineFiles(third).flatMap(({ part, rows }) => (part === 'delta' ? [rows] : []))).toEqual([2])
  expect(third).toMatchObject({ edition: 3, lastModified: log.newest!.lastModified })
  // checkedAt of what did not change is that of the snapshot
  const titles = (of: ReadonlyMap<string, string>) => [...of].map(([id, line]) => [id, JSON.parse(line).title]).sort()
  expect(titles(appliedOf(world, third))).toEqual(titles(deliveredOf(log, held.keys())))
  // old files stay until their last link has ended
  const before = names()
  pass(linkLifeMs + 1)
  await files.update()
  expect(names()).toEqual(lineFiles(third).map(bulkName).sort())
  expect(before.length).toBeGreaterThan(names().length)
})

test('Parquet that DuckDB reads in place is the edition too: a row for each record, and for each lot', async () => {
  const world = await openWorld()
  const { seen, publish, open, path, held } = world
  const files = await open()
  await publish([1, 2], 'first')
  await publish(range(0, 100), 'second')
  await publish([3, 200], 'third')
  await files.update()
  const state = seen.at(-1)!
  const tables = (table: string) => state.files.filter((file) => file.format === 'parquet' && file.table === table)
  expect(tables('tenders').map(({ part, rows }) => [part, rows])).toEqual([
    ['snapshot', 40],
    ['snapshot', 40],
    ['snapshot', 20],
    ['delta', 2],
  ])
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const list = (table: string) => tables(table).map((file) => `'${path(bulkName(file))}'`)
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
  const newest = `select id, title from read_parquet([${list('tenders')}])
    qualify row_number() over (partition by id order by last_modified desc) = 1 order by id`
  expect(await read(newest)).toEqual([...held].map(([number, title]) => ({ id: idOf(number), title })).sort(byId))
  expect(
    await read(`select tender_id, lot_id from read_parquet([${list('lots')}]) order by tender_id limit 1`),
  ).toEqual([{ tender_id: idOf(0), lot_id: 'LOT-1' }])
  connection.disconnectSync()
})

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)

test('another process goes on with what it finds, and makes again what is cut off', async () => {
  const world = await openWorld()
  const { seen, publish, open, path } = world
  await publish(range(0, 50), 'text')
  await (await open()).update()
  const made = seen.at(-1)!
  for (const file of made.files) utimesSync(path(bulkName(file)), 1, 1)
  await (await open()).update()
  expect(seen.at(-1)).toEqual(made)
  const [file] = lineFiles(made)
  writeFileSync(path(bulkName(file!)), readFileSync(path(bulkName(file!))).subarray(0, 100))
  await (await open()).update()
  expect(seen.at(-1)).toEqual(made)
  expect(appliedOf(world, made).size).toBe(50)
})

test('C164: a redaction withdraws all files at once, and the next edition brings those without the value', async () => {
  const world = await openWorld()
  const { seen, publish, open, names, path, now, pass } = world
  const files = await open()
  await publish(range(0, 50), 'jane.doe')
  await files.update()
  expect(names()).toHaveLength(2)
  pass(1000)
  await files.noteRedaction(now())
  expect(seen.at(-1)).toBeUndefined()
  expect(names()).toEqual([])
  await files.update()
  expect(seen.at(-1)).toBeUndefined()
  // a process that starts now does not name them either
  const other = await open()
  await other.noteRedaction(now())
  await other.update()
  expect(seen.at(-1)).toBeUndefined()
  await publish(range(0, 50), 'redacted')
  await files.update()
  expect(names()).toHaveLength(2)
  for (const name of names()) expect(gunzipSync(readFileSync(path(name))).toString()).not.toContain('jane')
  expect(seen.at(-1)!.base.edition).toBe(2)
  await files.clear()
  expect(seen.at(-1)).toBeUndefined()
})
