// From the stock through publication into the edition log: what a reader sees is what was published, whatever happens
// in between.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contentHash } from '../src/consolidate/canonical.ts'
import type { TenderContent } from '../src/domain/tender.ts'
import { hourMs } from '../src/domain/time.ts'
import { wholePage } from '../src/edition/format/pieces.ts'
import { catchUp, type EditionLog, type EditionLogOptions, openEditionLog } from '../src/edition/write/edition-log.ts'
import { OlderDatabaseError } from '../src/edition/write/take-over.ts'
import { publish } from '../src/publish/publish.ts'
import type { Store } from '../src/store/database/database.ts'
import { newestEdition } from '../src/store/editions/editions.ts'
import { upsertTenders } from '../src/store/stock/tenders.ts'
import { digestByPython, hasPython } from './state-digest.ts'
import { randomOf } from './testing/generate/random.ts'
import { generateTender } from './testing/generate/stock.ts'
import { engines, openTestStore } from './world.ts'

if (!hasPython) console.log('skipped: digests of editions against those of another program (no python3)')

const start = Date.UTC(2026, 0, 1)
const stock = { seed: 7, count: 0, now: start, size: 'small' } as const

async function put(store: Store, tenders: readonly TenderContent[]): Promise<void> {
  for (let from = 0; from < tenders.length; from += 500) {
    const rows = tenders.slice(from, from + 500).map((tender) => {
      const content = JSON.stringify(tender)
      return {
        tenderId: tender.id,
        foundingKey: tender.id,
        content,
        contentHash: contentHash(content),
        archiveReason: tender.archiveReason ?? null,
        nextTransitionMs: null,
        mergedInto: null,
        sources: '["ted"]',
      }
    })
    await upsertTenders(store.db, rows)
  }
}

/** Without merges: their survivors need not be in such a small stock. */
function tenderOf(number: number, version: number): TenderContent {
  const { mergedInto, ...tender } = generateTender(stock, number, version)
  return mergedInto === undefined ? tender : { ...tender, status: 'closed', archiveReason: 'expired' }
}

const numbered = (from: number, to: number, version = 0): TenderContent[] =>
  Array.from({ length: to - from }, (_, index) => tenderOf(from + index, version))

const cut = (store: Store, edition: number) => publish(store, { now: start + edition * hourMs, minIntervalMs: hourMs })

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'published-editions-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function openLog(folder: string, options: EditionLogOptions): Promise<EditionLog> {
  const log = await openEditionLog(folder, options)
  onTestFinished(() => log.close())
  return log
}

/** Everything that a client reads of an edition, over all its pages. */
function crawl(
  log: EditionLog,
  edition: number,
  from?: { lastModified: number; id: string },
): { id: string; lastModified: string; checkedAt: string }[] {
  const found: { id: string; lastModified: string; checkedAt: string }[] = []
  for (let after = from; ; ) {
    const { positions, next } = log.list({ filter: { archived: true }, edition, limit: 7, ...(after && { after }) })
    found.push(...JSON.parse(wholePage(log.pageBody(positions, edition, 'identity'), null).toString()).data)
    if (next === null) return found
    after = next
  }
}

/** The same from the tables. */
async function publishedIn(store: Store, edition: number): Promise<unknown[]> {
  const { rows } = await sql<{ body: string }>`
    select body from edition_entry left join replaced_entry using (last_modified)
    where edition <= ${edition} and (superseded_by is null or superseded_by > ${edition}) order by last_modified`.execute(
    store.db,
  )
  return rows.map(({ body }) => JSON.parse(body))
}

const backedUp = [
  'published_tender',
  'tender_change',
  'tender',
  'edition',
  'edition_entry',
  'replaced_entry',
  'change_signal',
  'setting',
] as const

/** All rows that publication knows. */
async function dumpTables(store: Store): Promise<ReadonlyMap<string, string>> {
  const dump = new Map<string, string>()
  for (const table of backedUp) {
    const { rows } = await sql<{ rows: string }>`
      select coalesce(json_agg(t), '[]')::text as rows from ${sql.table(table)} t`.execute(store.db)
    dump.set(table, rows[0]!.rows)
  }
  return dump
}

async function restoreTables(store: Store, dump: ReadonlyMap<string, string>): Promise<void> {
  for (const table of backedUp) await sql`delete from ${sql.table(table)}`.execute(store.db)
  for (const [table, rows] of [...dump].reverse())
    await sql`insert into ${sql.table(table)}
      select * from json_populate_recordset(null::${sql.table(table)}, ${rows}::json)`.execute(store.db)
}

const withoutCheck = (records: readonly { checkedAt: string }[]) => records.map(({ checkedAt: _, ...record }) => record)

describe.each(engines)('published editions (%s)', (engine) => {
  test('C3 C12 C23 C24 C25 R2 each edition is read as it was published, by an updated log and by a new one', async () => {
    await using store = await openTestStore(engine)
    const clock = () => start + 8 * hourMs
    const log = await openLog(newFolder(), { clock })
    expect(await catchUp(log, store)).toBe(0)
    const random = randomOf(11)
    const published: unknown[][] = []
    let last = new Map<string, string>()
    for (let edition = 1; edition <= 8; edition++) {
      await put(store, numbered(edition * 10, edition * 10 + random.integer(1, 10)))
      for (let change = 0; change < 5; change++) {
        const number = random.integer(10, edition * 10)
        await put(store, numbered(number, number + 1, edition))
      }
      await cut(store, edition)
      expect(await catchUp(log, store)).toBe(1)
      const records = crawl(log, edition)
      published.push(records)
      expect(new Set(records.map(({ id }) => id)).size).toBe(records.length)
      const now = new Map(records.map((record) => [record.id, JSON.stringify({ ...record, checkedAt: '' })]))
      for (const [id, text] of last) {
        const before = JSON.parse(text)
        const after = JSON.parse(now.get(id)!)
        if (JSON.stringify({ ...before, lastModified: '' }) === JSON.stringify({ ...after, lastModified: '' }))
          expect(after.lastModified).toBe(before.lastModified)
        else expect(after.lastModified > before.lastModified).toBe(true)
      }
      last = now
    }
    expect(await catchUp(log, store)).toBe(0)
    const late = await openLog(newFolder(), { clock })
    expect(await catchUp(late, store)).toBe(8)
    for (let edition = 1; edition <= 8; edition++)
      for (const reader of [log, late]) {
        expect(crawl(reader, edition)).toEqual(published[edition - 1])
        expect(withoutCheck(crawl(reader, edition))).toEqual(await publishedIn(store, edition))
      }
  })

  test.skipIf(!hasPython)(
    'D58: each edition has the digest of its records, as an independent program computes it',
    async () => {
      await using store = await openTestStore(engine)
      for (let edition = 1; edition <= 4; edition++) {
        await put(store, numbered(edition * 3, edition * 3 + 20, edition))
        await cut(store, edition)
        expect((await newestEdition(store.db))?.checksum).toBe(await digestByPython(store))
      }
      const before = await newestEdition(store.db)
      await store.db.insertInto('source_check').values({ source_id: 'ted', checked_at: start }).execute()
      expect(await cut(store, 5)).toMatchObject({ edition: 5, changes: 0 })
      expect((await newestEdition(store.db))?.checksum).toBe(before!.checksum)
    },
  )

  test('C6 R1 while a large edition is loaded, readers see the previous one, then all of it', async () => {
    await using store = await openTestStore(engine)
    await put(store, numbered(0, 3))
    await cut(store, 1)
    const log = await openLog(newFolder(), { clock: () => start })
    await catchUp(log, store)
    await put(store, numbered(0, 1500, 1))
    await cut(store, 2)
    const taking = catchUp(log, store)
    const seen = new Map<number, Set<number>>()
    let isDone = false
    const done = taking.finally(() => {
      isDone = true
    })
    while (!isDone) {
      const { edition } = log.newest!
      seen.set(edition, (seen.get(edition) ?? new Set()).add(crawl(log, edition).length))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await done
    expect(crawl(log, 2)).toHaveLength(1500)
    expect(crawl(log, 1)).toHaveLength(3)
    expect([...seen.get(1)!]).toEqual([3])
    expect([...(seen.get(2) ?? [1500])]).toEqual([1500])
  })

  test('entries that were removed after 25 hours leave the newest edition complete; older ones are not offered', async () => {
    await using store = await openTestStore(engine)
    for (let edition = 1; edition <= 40; edition++) {
      await put(store, numbered(edition % 5, (edition % 5) + 3, edition % 7))
      await cut(store, edition)
    }
    const clock = () => start + 40 * hourMs
    const log = await openLog(newFolder(), { clock })
    await catchUp(log, store)
    expect(withoutCheck(crawl(log, 40))).toEqual(await publishedIn(store, 40))
    for (let edition = 15; edition <= 40; edition++) {
      expect(log.edition(edition)?.edition).toBe(edition)
      expect(withoutCheck(crawl(log, edition))).toEqual(await publishedIn(store, edition))
    }
    for (let edition = 1; edition < 14; edition++) expect(log.edition(edition)).toBeUndefined()
    // R5: the newest records, up to the lastModified of the edition that is gone
    const { last_modified: w } = await store.db
      .selectFrom('edition')
      .select('last_modified')
      .where('edition', '=', 10)
      .executeTakeFirstOrThrow()
    const newest = crawl(log, 40).filter(({ lastModified }) => Date.parse(lastModified) <= w)
    expect(crawl(log, 10)).toEqual(newest)
  })

  test('a log full of superseded entries is replaced by a copy without them', async () => {
    await using store = await openTestStore(engine)
    await put(store, numbered(0, 20))
    await cut(store, 1)
    let now = start
    const folder = newFolder()
    const log = await openLog(folder, { clock: () => now, toleratedEntries: 30 })
    await catchUp(log, store)
    const runs: {
      readonly edition: number
      readonly after: { lastModified: number; id: string }
      readonly rest: unknown[]
    }[] = []
    for (let edition = 2; edition <= 45; edition++) {
      now = start + edition * hourMs
      // A client may stop after any page and continue with the same edition a day later.
      const first = log.list({ filter: { archived: true }, edition: edition - 1, limit: 7 })
      runs.push({ edition: edition - 1, after: first.next!, rest: crawl(log, edition - 1).slice(7) })
      await put(store, numbered(edition % 10, (edition % 10) + 6, edition))
      await cut(store, edition)
      await catchUp(log, store)
      expect(withoutCheck(crawl(log, edition))).toEqual(await publishedIn(store, edition))
      const oldest = Math.max(1, edition - 25)
      expect(log.edition(oldest)?.edition).toBe(oldest)
      expect(withoutCheck(crawl(log, oldest))).toEqual(await publishedIn(store, oldest))
      for (const run of runs.filter((run) => run.edition >= oldest))
        expect(crawl(log, run.edition, run.after)).toEqual(run.rest)
    }
    await log.idle()
    const [generation, ...others] = readdirSync(folder).filter((name) => name.startsWith('generation-'))
    expect(others).toEqual([])
    expect(generation).not.toBe('generation-1')
  })

  test('P5 a database that lacks editions of the log changes nothing until an operator agrees; then clients reach equal copies', async () => {
    await using store = await openTestStore(engine)
    const folder = newFolder()
    const warnings: string[] = []
    const clock = () => start + 9 * hourMs
    const log = await openLog(folder, { clock, onWarning: (warning) => warnings.push(warning) })
    await put(store, numbered(0, 10))
    await cut(store, 1)
    await catchUp(log, store)
    const backup = await dumpTables(store)
    await put(store, numbered(4, 14, 1))
    await cut(store, 2)
    await put(store, numbered(8, 12, 2))
    await cut(store, 3)
    await catchUp(log, store)
    const seen = crawl(log, 3)
    await restoreTables(store, backup)
    const refusal = /is older than the edition log in .+ edition 3 .+--accept-older-database/
    for (const reader of [log]) {
      await expect(catchUp(reader, store)).rejects.toThrow(OlderDatabaseError)
      expect(reader.olderDatabase).toMatch(refusal)
      expect(crawl(reader, 3)).toEqual(seen)
    }
    await log.close()
    const again = await openLog(folder, { clock, onWarning: (warning) => warnings.push(warning) })
    await expect(catchUp(again, store)).rejects.toThrow(refusal)
    expect(crawl(again, 3)).toEqual(seen)
    expect(warnings).toEqual([])
    await catchUp(again, store, { isOlderAccepted: true })
    expect(again.newest).toMatchObject({ edition: 1, records: 10 })
    expect(again.olderDatabase).toBeUndefined()
    const aside = readdirSync(folder).filter((name) => name.startsWith('set-aside-edition-3-'))
    expect(aside).toHaveLength(1)
    expect(readFileSync(join(folder, aside[0]!), 'utf8').match(/\n/g)).toHaveLength(10 + 4)
    // 4 to 9 are here in an older version, 10 to 13 are not here
    expect(warnings).toEqual([expect.stringContaining(aside[0]!)])
    expect(warnings[0]).toMatch(/publishes again 6 records .+ 4 records are not in the database/)
    // the portals deliver the same again, except for one record
    await put(store, numbered(4, 13, 1))
    await cut(store, 4)
    await catchUp(again, store)
    const { edition } = again.newest!
    expect(again.newest).toMatchObject({ edition: 2001, records: 13 })
    const copy = new Map(seen.map((record) => [record.id, JSON.stringify({ ...record, checkedAt: '' })]))
    const since = Math.max(...seen.map(({ lastModified }) => Date.parse(lastModified)))
    expect(again.newest!.lastModified).toBeGreaterThan(since)
    const delta = crawl(again, edition).filter(({ lastModified }) => Date.parse(lastModified) >= since)
    for (const record of delta) copy.set(record.id, JSON.stringify({ ...record, checkedAt: '' }))
    copy.delete(tenderOf(13, 1).id)
    expect(copy).toEqual(
      new Map(crawl(again, edition).map((each) => [each.id, JSON.stringify({ ...each, checkedAt: '' })])),
    )
    // it was accepted once and for all
    await again.close()
    const last = await openLog(folder, { clock })
    expect(await catchUp(last, store)).toBe(0)
  })

  test('another history, another stock and an empty database are distinguished, and none of them deletes the log', async () => {
    await using store = await openTestStore(engine)
    await using other = await openTestStore(engine)
    await using empty = await openTestStore(engine)
    const folder = newFolder()
    const log = await openLog(folder, { clock: () => start })
    await put(store, numbered(0, 5))
    await cut(store, 1)
    const backup = await dumpTables(store)
    await put(store, numbered(3, 7, 1))
    await cut(store, 2)
    await catchUp(log, store)
    const whole = crawl(log, 2)
    await restoreTables(store, backup)
    await put(store, numbered(3, 8, 2))
    await cut(store, 4)
    await cut(store, 5)
    await put(other, numbered(0, 5))
    for (const edition of [1, 2, 3]) {
      await put(other, numbered(0, 5, edition))
      await cut(other, edition)
    }
    await expect(catchUp(log, store)).rejects.toThrow('the editions up to 1 in common')
    await expect(catchUp(log, other)).rejects.toThrow('it holds another stock')
    await expect(catchUp(log, empty)).rejects.toThrow('it holds no edition')
    expect(crawl(log, 2)).toEqual(whole)
    expect(readdirSync(folder).filter((name) => name.startsWith('generation-'))).toHaveLength(1)
  })

  test('a record that both files lost is refused, then served again after a reload', async () => {
    await using store = await openTestStore(engine)
    await put(store, numbered(0, 30))
    await cut(store, 1)
    const folder = newFolder()
    const log = await openLog(folder, { clock: () => start })
    await catchUp(log, store)
    const whole = crawl(log, 1)
    await log.close()
    const generation = join(folder, readdirSync(folder).find((name) => name.startsWith('generation-'))!)
    for (const name of ['plain.bin', 'gzip.bin']) {
      const bytes = readFileSync(join(generation, name))
      bytes.fill(0, 200, bytes.length - 200)
      writeFileSync(join(generation, name), bytes)
    }
    const damaged = await openLog(folder, { clock: () => start })
    expect(() => crawl(damaged, 1)).toThrow('damaged')
    expect(damaged.isDamaged).toBe(true)
    await catchUp(damaged, store)
    expect(damaged.isDamaged).toBe(false)
    expect(crawl(damaged, 1)).toEqual(whole)
  })
})
