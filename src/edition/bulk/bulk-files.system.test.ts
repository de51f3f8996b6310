import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, expect, test } from 'vitest'
import { DigestSum } from '../../domain/stock-digest.ts'
import { hourMs, toInstant } from '../../domain/time.ts'
import { appendEdition, type EditionLog, openEditionLog } from '../write/edition-log.ts'
import { BulkFiles, type BulkLog } from './bulk-files.ts'
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
  const clock = () => {
    world.onClock?.()
    return now
  }
  const log = await openEditionLog(join(folder, 'editions'), { clock })
  closers.push(() => log.close())
  const held = new Map<number, string>()
  const seen: (BulkState | undefined)[] = []
  const show = (state: BulkState | undefined) => void seen.push(state)
  const open = (from: BulkLog = log) =>
    new BulkFiles({ folder: join(folder, 'bulk'), log: from, clock, records: 40, show, free: world.free })
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
  const world = {
    /** Called when the time is asked for. */
    onClock: undefined as (() => void) | undefined,
    /** Free bytes of the disk. */
    free: async () => Number.POSITIVE_INFINITY,
    log,
    held,
    seen,
    open,
    publish,
    all: () => readdirSync(join(folder, 'bulk')).sort(),
    names: () => world.all().filter((name) => name.endsWith('.ndjson.gz')),
    path: (name: string) => join(folder, 'bulk', name),
    pass: (ms: number) => {
      now += ms
    },
    now: () => now,
  }
  return world
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
  const files = open()
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
  const named = third.files.filter(({ format }) => format !== 'parquet')
  expect(names()).toEqual(named.map(bulkName).sort())
  expect(before.length).toBeGreaterThan(names().length)
})

test('beside each file of records are their heads, whose hashes are the digest of the edition', async () => {
  const world = await openWorld()
  const { seen, publish, open, path, log } = world
  const files = open()
  await publish(range(0, 100), 'first')
  await files.update()
  const sum = new DigestSum()
  const heads = seen.at(-1)!.files.filter(({ format }) => format === 'heads')
  expect(heads.map(({ part, rows }) => [part, rows])).toEqual([40, 40, 20].map((rows) => ['snapshot', rows]))
  const lines = linesOf(world, seen.at(-1)!)
  const text = heads.map((file) => gunzipSync(readFileSync(path(bulkName(file)))).toString()).join('')
  for (const [at, line] of text.trimEnd().split('\n').entries()) {
    const { hash, bytes, ...head } = JSON.parse(line)
    const record = JSON.parse(lines[at]!)
    expect(record).toMatchObject(head)
    expect(head.archiveReason).toBe(record.archiveReason)
    expect(bytes).toBe(Buffer.byteLength(lines[at]!))
    sum.add(Buffer.from(hash, 'hex'), head.archiveReason === undefined)
  }
  expect(sum.digest).toBe(log.newest!.checksum)
})

test('records that are not those of the digest get no files', async () => {
  const { publish, open, log, all } = await openWorld()
  await publish(range(0, 100), 'first')
  const other = Object.create(log, {
    firstSince: { value: () => ({ ...log.newest, checksum: 'other' }) },
    newest: { value: { ...log.newest, checksum: 'other' } },
    edition: { value: () => ({ ...log.newest, checksum: 'other' }) },
    lines: { value: (query: never) => log.lines(query) },
    stockId: { value: log.stockId },
  })
  await expect(open(other).update()).rejects.toThrow('not those of its digest')
  expect(all()).toEqual([])
})

test('Parquet that DuckDB reads in place is the edition too: a row for each record, and for each lot', async () => {
  const world = await openWorld()
  const { seen, publish, open, path, held } = world
  const files = open()
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
  await open().update()
  const made = seen.at(-1)!
  for (const file of made.files) utimesSync(path(bulkName(file)), 1, 1)
  await open().update()
  expect(seen.at(-1)).toEqual(made)
  const [file] = lineFiles(made)
  writeFileSync(path(bulkName(file!)), readFileSync(path(bulkName(file!))).subarray(0, 100))
  await open().update()
  expect(seen.at(-1)).toEqual(made)
  expect(appliedOf(world, made).size).toBe(50)
})

test('C164: a redaction withdraws all files at once, and the next edition brings those without the value', async () => {
  const world = await openWorld()
  const { seen, publish, open, names, path, now, pass } = world
  const files = open()
  await publish(range(0, 50), 'jane.doe')
  await files.update()
  expect(names()).toHaveLength(4)
  pass(1000)
  await files.noteRedaction(now())
  expect(seen.at(-1)).toBeUndefined()
  expect(names()).toEqual([])
  await files.update()
  expect(seen.at(-1)).toBeUndefined()
  // a process that starts now does not name them either
  const other = open()
  await other.noteRedaction(now())
  await other.update()
  expect(seen.at(-1)).toBeUndefined()
  await publish(range(0, 50), 'redacted')
  await files.update()
  expect(names()).toHaveLength(4)
  for (const name of names()) expect(gunzipSync(readFileSync(path(name))).toString()).not.toContain('jane')
  expect(seen.at(-1)!.base.edition).toBe(2)
})

test('C164: a redaction deletes files too of which no state is left', async () => {
  const world = await openWorld()
  const { publish, open, all, path, now } = world
  await publish(range(0, 50), 'jane.doe')
  await open().update()
  writeFileSync(path('state.json'), '{')
  await open().noteRedaction(now() + 1)
  expect(all()).toEqual([])
})

test('C164: a redaction while files get their names names none of them, and deletes them', async () => {
  const world = await openWorld()
  const { seen, publish, open, all, now } = world
  const files = open()
  await publish(range(0, 50), 'jane.doe')
  await files.update()
  await publish([3], 'jane.doe')
  let noting: Promise<void> | undefined
  let asked = 0
  // the second time of an update is the one that it gives to what is no longer named
  world.onClock = () => {
    if (++asked === 2) noting = files.noteRedaction(now() + 1)
  }
  const shown = seen.length
  await files.update()
  await noting
  expect(noting).toBeDefined()
  expect(seen.slice(shown)).toEqual([undefined])
  await files.update()
  expect(all()).toEqual([])
  expect(seen.slice(shown)).toEqual([undefined])
})

test('a process that finds what an earlier one made since the last redaction keeps all of it', async () => {
  const world = await openWorld()
  const { seen, publish, open, all, now, pass } = world
  await open().noteRedaction(now())
  const first = open()
  await first.noteRedaction(now())
  await publish(range(0, 50), 'first')
  await publish(range(0, 50), 'second')
  await first.update()
  pass(1000)
  await publish([3], 'third')
  await first.update()
  const before = all()
  const other = open()
  await other.noteRedaction(Date.UTC(2026, 0, 1, 22))
  await other.update()
  expect(all()).toEqual(before)
  expect(seen.at(-1)!.edition).toBe(3)
})

test('a full disk gets no part, and nothing stays there that no state names', async () => {
  const world = await openWorld()
  const { seen, publish, all, names, pass } = world
  let [left, asked] = [Number.POSITIVE_INFINITY, 0]
  world.free = async () => (++asked > left ? 1e6 : 1e12)
  const files = world.open()
  await publish(range(0, 100), 'first')
  await files.update()
  const first = seen.at(-1)!
  const before = all()
  pass(24 * hourMs)
  await publish(range(0, 100), 'second')
  ;[left, asked] = [2, 0]
  await expect(files.update()).rejects.toThrow('the disk has 1 MB left')
  expect(seen.at(-1)).toEqual(first)
  expect(all()).toEqual(before)
  left = Number.POSITIVE_INFINITY
  await files.update()
  expect(seen.at(-1)!.edition).toBe(2)
  // the first ones may still be loaded, until their place is needed
  expect(names()).toHaveLength(12)
  await publish([1], 'third')
  ;[left, asked] = [0, 0]
  await expect(files.update()).rejects.toThrow('300 MB are needed')
  expect(names()).toHaveLength(6)
})

test('tables that could not be made are made later, beside the same lines', async () => {
  const world = await openWorld()
  const { seen, publish } = world
  let asked = 0
  world.free = async () => (asked++ >= 3 ? 1e6 : 1e12)
  const files = world.open()
  await publish(range(0, 100), 'first')
  await expect(files.update()).rejects.toThrow('the disk')
  expect(seen.at(-1)).toMatchObject({ edition: 1, formats: ['ndjson'] })
  const lines = lineFiles(seen.at(-1)!)
  expect(lines).toHaveLength(3)
  expect(seen.at(-1)!.files).toHaveLength(6)
  asked = Number.NEGATIVE_INFINITY
  await files.update()
  expect(seen.at(-1)!.formats).toEqual(['ndjson', 'parquet'])
  expect(lineFiles(seen.at(-1)!)).toEqual(lines)
  expect(seen.at(-1)!.files.filter(({ table }) => table === 'lots')).toHaveLength(3)
})

test('only the owner can read what is made', async () => {
  const world = await openWorld()
  const { publish, open, all, path } = world
  await publish(range(0, 50), 'text')
  const before = process.umask(0)
  try {
    await open().update()
  } finally {
    process.umask(before)
  }
  for (const name of all()) expect([name, statSync(path(name)).mode & 0o777]).toEqual([name, 0o600])
})
