// What a database needs that is older than the editions that clients have seen, so that they end with equal copies
// again: another epoch, whose editions have numbers and stamps above all that can have been seen before.
import { sql } from 'kysely'
import { minuteMs } from '../../domain/time.ts'
import { arrayText } from '../database/array-text.ts'
import { jumpSerial } from '../database/change-signal.ts'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import { getSetting, setSetting } from '../database/settings.ts'
import { beginCursorEpoch, type CursorKeyOptions } from './cursor-keys.ts'
import { type EditionRow, newestEdition, stockIdOf } from './editions.ts'
import { inStockTransaction } from './publication.ts'

const epochsName = 'epochs'
const historyName = 'history'
const idsAtOnce = 1000

/** Begins when editions were lost, or may have been: with the first one that is published then. */
export type Epoch = {
  /** The newest edition that the database had when it began. */
  readonly edition: number
  /** The number of its first edition: above all that can have been published before (P1). */
  readonly first: number
  /** All its stamps are above this one (P5). */
  readonly at: number
  /**
   * The lost editions whose changes it publishes again, as `lostName` names them; null: it publishes everything again.
   */
  readonly lost: readonly string[] | null
}

/** Its digest tells it from another edition of the same number. */
export const lostName = ({ edition, checksum }: { readonly edition: number; readonly checksum: string }): string =>
  `${edition} ${checksum}`

/** Their numbers must not reach those of an epoch, and nobody publishes more than one in a minute. */
const numberStep = 1000
const keptEpochs = 100
/**
 * One state may be restored again, after editions of the first attempt were seen. So the numbers of an epoch that
 * publishes everything again come from the time, and rise with it even where they are ahead of it. It passes faster
 * than anybody publishes.
 */
const numberMs = 10_000
const numbersSince = Date.UTC(2020, 0, 1)

/** The epochs of this stock after its first one, the newest last. */
export async function epochsOf(db: Executor): Promise<readonly Epoch[]> {
  return JSON.parse((await getSetting(db, epochsName)) ?? '[]') as Epoch[]
}

/** The newest edition as the next one has to follow it. */
export type PreviousEdition = EditionRow & {
  /** Number of the next edition. */
  readonly next: number
  /** The next edition begins an epoch: until its stamps are behind the clock, it has to wait. */
  readonly beginsAt: number | undefined
}

/** With a W that is no lower than any lastModified that clients may have seen (P5). */
export async function previousEdition(db: Executor): Promise<PreviousEdition | undefined> {
  const newest = await newestEdition(db)
  const epoch = (await epochsOf(db)).at(-1)
  return newest && followedBy(newest, epoch)
}

function followedBy(newest: EditionRow, epoch: Epoch | undefined): PreviousEdition {
  return {
    ...newest,
    lastModified: Math.max(newest.lastModified, epoch?.at ?? Number.NEGATIVE_INFINITY),
    next: Math.max(newest.edition + 1, epoch?.first ?? 0),
    beginsAt: epoch?.edition === newest.edition ? epoch.at : undefined,
  }
}

/**
 * The server and its timeline: a standby that is promoted, or a server that is restored, continues on another one. The
 * control file knows the new timeline before the first checkpoint only as the end of recovery.
 */
const historySql = sql`(
  select s.system_identifier || ' ' || greatest(c.timeline_id, r.min_recovery_end_timeline)
  from pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r)`

/**
 * Whether another server, or this one before its promotion, published the newest edition: then that may have published
 * later ones, too, which did not reach this one.
 */
async function isOtherHistory(db: Executor): Promise<boolean> {
  const { rows } = await sql<{ isOther: boolean }>`
    select value <> ${historySql} as "isOther" from setting where name = ${historyName}`.execute(db)
  return rows[0]?.isOther ?? false
}

/** Call it in the transaction that adds an edition. */
export async function noteHistory(trx: Executor): Promise<void> {
  await sql`
    insert into setting (name, value) values (${historyName}, ${historySql})
    on conflict (name) do update set value = excluded.value`.execute(trx)
}

/** The newest edition as `continueHistory` would have the next one follow it. */
export async function previewHistory(db: Executor, now: number): Promise<PreviousEdition | undefined> {
  const previous = await previousEdition(db)
  if (!previous || !(await isOtherHistory(db))) return previous
  const epochs = await epochsOf(db)
  return followedBy((await newestEdition(db))!, nextEpoch(epochs, previous, { now, at: now, lost: [] }).at(-1))
}

/** The number that the next edition will have, for people who decide about it. */
export async function nextEditionNumber(store: Pick<Store, 'db' | 'engine'>, now: number): Promise<number> {
  return inTransaction(store, async (trx) => (await previewHistory(trx, now))?.next ?? 1)
}

/** Begins an epoch if another server published the newest edition. Call it under the lease of the publication. */
export async function continueHistory(trx: Executor, now: number): Promise<void> {
  const newest = await newestEdition(trx)
  if (newest && (await isOtherHistory(trx))) await addEpoch(trx, newest, { now, at: now, lost: [] })
}

type Begun = Pick<Epoch, 'at' | 'lost'> & {
  readonly now: number
  /** A number that was certainly used. */
  readonly used?: number
}

async function addEpoch(trx: Executor, newest: EditionRow, begun: Begun): Promise<Epoch> {
  const seen = await highestSeen(trx)
  const above = {
    ...begun,
    used: Math.max(begun.used ?? 0, seen.edition),
    at: Math.max(begun.at, seen.lastModified),
  }
  const epochs = nextEpoch(await epochsOf(trx), newest, above)
  await setSetting(trx, epochsName, JSON.stringify(epochs.slice(-keptEpochs)))
  await noteHistory(trx)
  // a node that saw what was lost must not take a later serial for one that it knows
  await jumpSerial(trx, 'edition')
  return epochs.at(-1)!
}

/** The highest number and stamp that witnesses hold; a stock that is restored may not have their table yet. */
async function highestSeen(trx: Executor): Promise<{ readonly edition: number; readonly lastModified: number }> {
  const { rows: tables } = await sql`select from pg_tables where tablename = 'edition_witness'`.execute(trx)
  if (tables.length === 0) return { edition: 0, lastModified: Number.MIN_SAFE_INTEGER }
  const { rows } = await sql<{ edition: number; lastModified: number }>`
    select coalesce(max(edition), 0) as edition, coalesce(max(last_modified), ${Number.MIN_SAFE_INTEGER}) as "lastModified"
    from edition_witness where stock_id = ${await stockIdOf(trx)}`.execute(trx)
  return rows[0]!
}

/** An epoch without an edition is continued by the next one. */
function nextEpoch(epochs: readonly Epoch[], newest: EditionRow, { now, at, lost, used = 0 }: Begun): readonly Epoch[] {
  const unused = epochs.at(-1)?.edition === newest.edition ? epochs.at(-1) : undefined
  const known = Math.max(newest.edition, used)
  const passedMs = Math.max(0, now - newest.publishedAt)
  const stepsIn = (ms: number) => Math.ceil(ms / numberMs)
  const first =
    lost === null
      ? Math.max(known + 2 * numberStep + stepsIn(passedMs), stepsIn(now - numbersSince))
      : (Math.floor((known + passedMs / minuteMs) / numberStep) + 2) * numberStep + 1
  const epoch: Epoch = {
    edition: newest.edition,
    first: Math.max(first, unused?.first ?? 0),
    at: Math.max(at, newest.lastModified, epochs.at(-1)?.at ?? Number.NEGATIVE_INFINITY),
    lost: lost === null || unused?.lost === null ? null : [...(unused?.lost ?? []), ...lost],
  }
  return [...(unused ? epochs.slice(0, -1) : epochs), epoch]
}

/**
 * The epoch that gave up the newest edition of a log and publishes again what it changed; undefined when there is none.
 * `common`: the newest edition that the log and the database both hold.
 */
export function epochWithout(
  epochs: readonly Epoch[],
  common: number,
  newest: { readonly edition: number; readonly checksum: string; readonly lastModified: number },
): Epoch | undefined {
  return epochs.find(({ edition, first, at, lost }) => {
    if (newest.edition >= first) return false
    return lost === null ? common <= edition && newest.lastModified <= at : lost.includes(lostName(newest))
  })
}

export type LostEditions = {
  /** The largest lastModified before them. */
  readonly after: number
  /** Their names (`lostName`). */
  readonly names: readonly string[]
  /** The newest of them, and the newest edition before them. */
  readonly newest: { readonly edition: number; readonly checksum: string; readonly lastModified: number }
  readonly common: number
  /** Records that they changed; some may come more than once. */
  readonly ids: Iterable<string>
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Prepares the database to continue without these editions: later ones have numbers and stamps above theirs, and the
 * next one publishes again, as it is here, every record that they changed or that has a stamp like theirs here. Does
 * nothing if that was done before. Returns how many records that is, and how many more are not published here.
 */
export async function forgoEditions(
  store: Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>,
  { after, names, newest, common, ids, now }: LostEditions,
): Promise<{ readonly changed: number; readonly unknown: number }> {
  const { lastModified, edition: used } = newest
  const prepared = await inStockTransaction(store, async (trx) => {
    if (epochWithout(await epochsOf(trx), common, newest)) return { changed: 0, unknown: 0 }
    const held = await newestEdition(trx)
    if (!held) return { changed: 0, unknown: 0 }
    await addEpoch(trx, held, { now, at: lastModified, lost: names, used })
    const lost = new Set(ids)
    const alike = await sql<{ id: string }>`
      select tender_id as id from published_tender where last_modified > ${after} and last_modified <= ${lastModified}`.execute(
      trx,
    )
    for (const { id } of alike.rows) lost.add(id)
    const waiting = [...lost]
    let changed = 0
    for (let from = 0; from < waiting.length; from += idsAtOnce) {
      const { rows } = await sql<{ count: number }>`
        with lost as (
          update published_tender set content_hash = ''
          where tender_id = any (${arrayText(waiting.slice(from, from + idsAtOnce))}::text[])
          returning tender_id
        ), noted as (
          insert into tender_change (tender_id) select tender_id from lost on conflict do nothing
        )
        select count(*)::integer as count from lost`.execute(trx)
      changed += rows[0]!.count
    }
    return { changed, unknown: waiting.length - changed }
  })
  return prepared!
}

/**
 * Prepares a database that was restored from a backup while nobody knows what was served since: the next edition
 * publishes every record again, with stamps above `now`, which is above every stamp that anybody has seen (none is
 * ahead of the clock), and with a number that nobody has seen. Cursors of the lost editions have expired. Returns the
 * number of records.
 */
export async function beginEpoch(
  trx: Executor,
  options: CursorKeyOptions,
): Promise<{ readonly edition: number; readonly records: number }> {
  const newest = await newestEdition(trx)
  if (!newest) return { edition: 0, records: 0 }
  const { edition } = newest
  await addEpoch(trx, newest, { now: options.now, at: options.now, lost: null })
  // what an unfinished publication replaced is restored from there when it is undone
  await sql`update replaced_entry set content_hash = '' where superseded_by > ${edition}::integer`.execute(trx)
  await sql`update published_tender set content_hash = ''`.execute(trx)
  const { rows } = await sql<{ count: number }>`
    with noted as (insert into tender_change select tender_id from published_tender on conflict do nothing)
    select count(*) as count from published_tender`.execute(trx)
  await beginCursorEpoch(trx, edition, options)
  return { edition, records: rows[0]!.count }
}
