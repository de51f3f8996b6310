// Writes a backup: one state of the whole stock, in parts that are read back to verify them, while the service runs.
import type { KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { sql } from 'kysely'
import { type Instant, toInstant } from '../../domain/time.ts'
import { OperatorError } from '../../platform/errors.ts'
import { printOfKey } from '../../platform/sealing.ts'
import { type Executor, inSnapshot, type Store } from '../database/database.ts'
import { nowMs } from '../database/database-clock.ts'
import { newestEdition, stockIdOf } from '../editions/editions.ts'
import { type BackupStorage, manifestName, sumsName } from './backup-storage.ts'
import { HeldConnection, keepBeforeImages, type TablePage } from './before-images.ts'
import { type BackupPart, type Manifest, manifestText, readManifest, sealRows, sha256, sumsOf } from './manifest.ts'
import {
  countRows,
  type Key,
  nextLimit,
  readPage,
  readSequences,
  readTables,
  type SequenceState,
  type Table,
  writeValuesAlike,
} from './table-copy.ts'

const pack = promisify(zstdCompress)
/** Maximum characters of a part's rows before compression. */
const partLength = 8 * 1024 * 1024

/** Tables whose rows are keys: whoever has a backup and not the secret key must not have them. */
const keyTables: readonly string[] = ['cursor_key', 'redaction_key']

export type BackupOptions = {
  readonly version: string
  /** The secret key of the stock: it seals the stock's own keys, and authenticates the manifest. */
  readonly key: KeyObject
  readonly randomBytes: (count: number) => Uint8Array
  /** Where raw documents are kept outside the database; null: they are in it. */
  readonly documentsOutside: string | null
  /** Number of rows in durable parts. `totalRows` may differ slightly from the final number. */
  readonly onProgress?: (progress: {
    readonly rows: number
    readonly totalRows: number
    readonly table: string
  }) => void
  /** Ends the backup after the current part. */
  readonly signal?: AbortSignal
}

/** Stocks that are being backed up. */
const running = new WeakSet<Store['db']>()

/**
 * Backs up the current state into an unused folder or bucket, while the service runs. When it returns, everything is
 * durable and was verified. Throws OperatorError if the place cannot be used.
 */
export async function backUpStock(store: Store, storage: BackupStorage, options: BackupOptions): Promise<Manifest> {
  if (running.has(store.db))
    throw new OperatorError('backup-running', 'A backup of this stock is already running; wait until it ends.')
  running.add(store.db)
  try {
    await storage.clear()
    return await readingAtOnce(store, (state) => writeBackup(storage, state, { ...options, engine: store.engine }))
  } finally {
    running.delete(store.db)
  }
}

type CutFacts = Pick<Manifest, 'takenAt' | 'stockId' | 'edition' | 'migrations'> & {
  readonly sequences: readonly SequenceState[]
}

/** One state of a stock. */
type StockState = {
  readonly facts: CutFacts
  readonly tables: readonly Table[]
  readonly totalRows: number
  /** Table by table. */
  readonly pages: () => AsyncGenerator<TablePage>
  readonly longestHoldMs: () => number | null
}

/** A server keeps the state in one transaction; the embedded engine, with its one connection, uses a log of changes. */
async function readingAtOnce<Result>(store: Store, work: (state: StockState) => Promise<Result>): Promise<Result> {
  if (store.engine === 'server')
    return inSnapshot(store, async (trx) => {
      await writeValuesAlike(trx)
      const tables = await backedUpTables(trx)
      let totalRows = 0
      for (const { name } of tables) if (!keyTables.includes(name)) totalRows += await countRows(trx, name)
      const facts = await readFacts(trx)
      return work({ facts, tables, totalRows, pages: () => snapshotPages(trx, tables), longestHoldMs: () => null })
    })
  const held = new HeldConnection(store)
  const tables = await held.run(backedUpTables)
  let totalRows = 0
  const counted = tables.filter(({ name }) => !keyTables.includes(name))
  await held.runEach(counted, async (trx, { name }) => (totalRows += await countRows(trx, name)))
  const images = await keepBeforeImages(held, tables, readFacts)
  try {
    return await work({ ...images, tables, totalRows, longestHoldMs: () => Math.ceil(held.longestMs) })
  } finally {
    await images.remove()
  }
}

/** Tables without a log are not backed up: they are derived, and filled again. */
const backedUpTables = async (db: Executor) => (await readTables(db)).filter(({ isUnlogged }) => !isUnlogged)

async function* snapshotPages(trx: Executor, tables: readonly Table[]): AsyncGenerator<TablePage> {
  for (const table of tables) {
    let after: Key | undefined
    for (let limit = 1; ; ) {
      const page = await readPage(trx, table, { after, limit })
      if (page === undefined) break
      yield { table, page }
      after = page.last
      limit = nextLimit(limit, page)
    }
  }
}

async function readFacts(trx: Executor): Promise<CutFacts> {
  const { rows: clock } = await sql<{ now: number }>`
    select ${nowMs} as now`.execute(trx)
  const { rows: applied } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(trx)
  const newest = await newestEdition(trx)
  return {
    takenAt: toInstant(clock[0]!.now),
    stockId: await stockIdOf(trx),
    edition: newest
      ? { edition: newest.edition, records: newest.records, publishedAt: toInstant(newest.publishedAt) }
      : null,
    migrations: applied.map(({ name }) => name),
    sequences: await readSequences(trx),
  }
}

async function writeBackup(
  storage: BackupStorage,
  { facts, tables, totalRows, pages, longestHoldMs }: StockState,
  options: BackupOptions & { readonly engine: Store['engine'] },
): Promise<Manifest> {
  const { version, engine, documentsOutside, onProgress, signal, key } = options
  const startedAt = performance.now()
  const parts: BackupPart[] = []
  const keyRows: { [table: string]: string } = {}
  const described = new Map(tables.map(({ name }) => [name, { name, rows: 0, sum: 0n }]))
  let rows = 0
  let [table, lines, length, waiting] = ['', [] as string[], 0, 0]
  const flush = async () => {
    if (waiting === 0) return
    if (signal?.aborted)
      throw new OperatorError('stopped', 'The backup was stopped; what was written of it is no backup.')
    parts.push(await putPart(storage, parts.length + 1, { table, rows: waiting, lines }))
    rows += waiting
    onProgress?.({ rows, totalRows: Math.max(rows, totalRows), table })
    ;[lines, length, waiting] = [[], 0, 0]
  }
  for await (const { table: of, page } of pages()) {
    if (of.name !== table) await flush()
    table = of.name
    const sums = described.get(table)!
    sums.rows += page.rows
    sums.sum += page.sum
    if (keyTables.includes(table)) {
      keyRows[table] = keyRows[table] === undefined ? page.lines : `${keyRows[table]}\n${page.lines}`
      continue
    }
    lines.push(page.lines)
    length += page.lines.length
    waiting += page.rows
    if (length >= partLength) await flush()
  }
  await flush()
  await putVerified(storage, sumsName, Buffer.from(sumsOf(parts)))
  const finishedAt: Instant = toInstant(Date.parse(facts.takenAt) + Math.ceil(performance.now() - startedAt))
  const manifest: Manifest = {
    format: 'tenderstock-backup',
    formatVersion: 2,
    version,
    engine,
    takenAt: facts.takenAt,
    finishedAt,
    stockId: facts.stockId,
    edition: facts.edition,
    migrations: facts.migrations,
    tables: [...described.values()].map(({ sum, ...each }) => ({ ...each, checksum: String(sum) })),
    sequences: facts.sequences,
    parts,
    sealed: { tables: keyTables, rows: sealRows(keyRows, facts, options) },
    keyPrint: printOfKey(key),
    rows,
    bytes: parts.reduce((total, { bytes }) => total + bytes, 0),
    documentsOutside,
    longestHoldMs: longestHoldMs(),
  }
  await putVerified(storage, manifestName, Buffer.from(manifestText(manifest, key)))
  return readManifest(storage, key)
}

async function putPart(
  storage: BackupStorage,
  number: number,
  { table, rows, lines }: { readonly table: string; readonly rows: number; readonly lines: readonly string[] },
): Promise<BackupPart> {
  const bytes = await pack(Buffer.from(lines.join('\n')))
  const name = `${String(number).padStart(6, '0')}-${table}.ndjson.zst`
  return { name, table, rows, bytes: bytes.length, sha256: await putVerified(storage, name, bytes) }
}

/** Stores a part and reads it back to compare. Returns its SHA-256. */
async function putVerified(storage: BackupStorage, name: string, bytes: Buffer): Promise<string> {
  const sum = sha256(bytes)
  await storage.put(name, bytes)
  const found = await storage.get(name)
  if (found === undefined || sha256(found) !== sum)
    throw new OperatorError(
      'backup-not-kept',
      `${storage.name} did not keep ${name} as it was written; use another location.`,
    )
  return sum
}
