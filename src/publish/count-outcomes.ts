// Counts what editions published, once for each entry: what records say against themselves, how tenders end, and how
// far the names of winners reach. The operator's alarms are judged by it (ingest/outcome-rates.ts).
import { createHash } from 'node:crypto'
import {
  nameKey,
  type OutcomeRow,
  outcomeFigures,
  outcomeOf,
  winnerHash,
  winnersOf,
} from '../domain/published-outcome.ts'
import type { TenderRecord } from '../domain/tender.ts'
import { dayMs } from '../domain/time.ts'
import { inTransaction, type Store } from '../store/database/database.ts'
import { entriesAfter, newestEdition, type StoredEntry } from '../store/editions/editions.ts'
import {
  addOutcomes,
  addWinners,
  editionsAfterRules,
  forgetOutcomes,
  moveOutcomeMark,
  takeOutcomeMark,
  type WinnerRow,
} from '../store/stock/published-outcomes.ts'

/** How many entries are read at a time, and how long one call may take, so that a first load delays nothing. */
const entriesAtOnce = 500
const mostMs = 5000
/** Older news are a backfill: how those tenders ended says nothing about the source of today. */
const newsMs = 60 * dayMs
/** How long counts are kept. */
const keptMs = 60 * dayMs

const dayOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10)

/** The first eight hex digits that a text is hashed to, as an integer of the database. */
const numberOf = (text: string): number => createHash('sha256').update(text).digest().readInt32BE()

/**
 * Counts entries that are not counted yet, for some seconds; the next call continues. A stock that was never counted
 * begins with its newest edition. Returns how many.
 */
export async function countOutcomes(store: Store, { now }: { readonly now: number }): Promise<number> {
  const startedAt = performance.now()
  let counted = 0
  for (;;) {
    const added = await inTransaction(store, async (trx) => {
      const newest = await newestEdition(trx)
      if (!newest) return 0
      const first = newest.lastModified - newest.changes
      const mark = await takeOutcomeMark(trx)
      // an edition that was lost is not counted again
      const after = mark === undefined || mark > newest.lastModified ? first : mark
      const entries = await entriesAfter(trx, after, newest.lastModified, entriesAtOnce)
      await moveOutcomeMark(trx, entries.at(-1)?.lastModified ?? after)
      if (entries.length === 0) return 0
      const corrected = await editionsAfterRules(
        trx,
        entries.map(({ edition }) => edition),
      )
      const { outcomes, winners } = tally(entries, { now, corrected })
      await addOutcomes(trx, outcomes)
      await addWinners(trx, winners, dayOf(now))
      return entries.length
    })
    counted += added
    if (added < entriesAtOnce || performance.now() - startedAt > mostMs) break
  }
  if (counted > 0) await forgetOutcomes(store.db, dayOf(now - keptMs))
  return counted
}

/** What a page of entries adds. `corrected`: editions whose ends follow from changed rules. */
function tally(
  entries: readonly StoredEntry[],
  { now, corrected }: { readonly now: number; readonly corrected: ReadonlySet<number> },
): { readonly outcomes: OutcomeRow[]; readonly winners: WinnerRow[] } {
  const day = dayOf(now)
  const bySource = new Map<string, Record<string, number>>()
  const winners: WinnerRow[] = []
  for (const { edition, body, sources } of entries) {
    const record = JSON.parse(body) as TenderRecord
    const publishedAt = Date.parse(record.publicationDate ?? '')
    const outcome = outcomeOf(record, now - publishedAt < newsMs && !corrected.has(edition))
    const buyer = numberOf(nameKey(record.contractingAuthority?.name ?? ''))
    const trade = numberOf((record.cpvCodes[0] ?? record.lots[0]?.cpvCodes[0] ?? '').slice(0, 3))
    const names = [...winnersOf(record).keys()]
    for (const sourceId of JSON.parse(sources) as string[]) {
      const sums = bySource.get(sourceId) ?? Object.fromEntries(outcomeFigures.map((name) => [name, 0]))
      bySource.set(sourceId, sums)
      for (const name of outcomeFigures) sums[name]! += Number(outcome[name])
      for (const name of names) winners.push({ sourceId, winner: winnerHash(name), tenderId: record.id, buyer, trade })
    }
  }
  const outcomes = [...bySource].map(([sourceId, sums]) => ({ sourceId, day, ...sums }) as OutcomeRow)
  return { outcomes, winners }
}
