// Digests: who receives the hits of a search by mail, and how far each of them is.
import { sql } from 'kysely'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import { withoutRedacted } from '../received/redactions.ts'
import { isClosed, representedId } from './closed-hits.ts'

/** Maximum number of people who receive digests of one search. */
export const maxDigests = 100

export type Digest = {
  readonly digestId: string
  /** Null, like `search`: the search was deleted, and there is nothing to send. */
  readonly searchNo: number | null
  /** Names of the search and its organization. */
  readonly search: string | null
  readonly organizationId: string
  readonly organization: string
  /** A mail address. */
  readonly person: string
  readonly rhythm: 'atOnce' | 'daily' | 'weekly'
  readonly hour: number
  readonly zone: string
  /** The newest edition whose hits are in a digest. */
  readonly lastEdition: number
  /** State of its rhythm (digests/digest-schedule.ts DigestState). */
  readonly madeDay: number
  readonly madeAt: number | null
  readonly dueAt: number
}

/** What decides when it is due. */
export type DigestTiming = Pick<Digest, 'rhythm' | 'hour' | 'zone' | 'madeDay' | 'dueAt'>

const digestColumns = sql`g.digest_id as "digestId", g.search_no as "searchNo", s.name as search,
  o.organization_id as "organizationId", o.name as organization, g.person,
  g.rhythm, g.hour, g.zone, g.last_edition as "lastEdition", g.made_day as "madeDay", g.made_at as "madeAt", g.due_at as "dueAt"`
const digestTables = sql`digest g left join saved_search s using (search_no)
  join organization o on o.organization_id = coalesce(s.organization_id, g.organization_id)`

/** A new digest. It begins with the hits of the first edition that is not matched completely. */
export function createDigest(
  store: Pick<Store, 'db'>,
  wanted: DigestTiming & Pick<Digest, 'digestId' | 'person'> & { readonly searchNo: number },
  now: number,
): Promise<'created' | 'exists' | 'tooMany'> {
  const { digestId, searchNo, person, rhythm, hour, zone, madeDay, dueAt } = wanted
  return inTransaction(store, async (trx) => {
    // simultaneous creations are counted one after the other
    await sql`select from saved_search where search_no = ${searchNo}::integer for update`.execute(trx)
    const { rows } = await sql<{ count: number; isThere: boolean }>`
      select count(*)::integer as count, coalesce(bool_or(lower(person) = lower(${person})), false) as "isThere"
      from digest where search_no = ${searchNo}::integer`.execute(trx)
    if (rows[0]!.isThere) return 'exists'
    if (rows[0]!.count >= maxDigests) return 'tooMany'
    await sql`
      insert into digest (digest_id, search_no, person, rhythm, hour, zone, last_edition, made_day, due_at, created_at)
      select ${digestId}, ${searchNo}::integer, ${person}, ${rhythm}, ${hour}::smallint, ${zone}, edition,
        ${madeDay}::integer, ${dueAt}, ${now} from hit_mark`.execute(trx)
    return 'created'
  })
}

/** By its id; undefined when there is none. In a transaction, others that change it wait. */
export async function lockDigest(trx: Executor, digestId: string): Promise<Digest | undefined> {
  const { rows } = await sql<Digest>`
    select ${digestColumns} from ${digestTables} where g.digest_id = ${digestId} for update of g`.execute(trx)
  return rows[0]
}

/** Changes the rhythm, hour or zone, but not which hits it has reached. */
export async function changeTiming(
  trx: Executor,
  digestId: string,
  { rhythm, hour, zone, dueAt }: Omit<DigestTiming, 'madeDay'>,
): Promise<void> {
  await sql`
    update digest set rhythm = ${rhythm}, hour = ${hour}::smallint, zone = ${zone}, due_at = ${dueAt}
    where digest_id = ${digestId}`.execute(trx)
}

/** Removes the digest and its mails. False when there is no such digest. */
export async function removeDigest(db: Executor, digestId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from digest where digest_id = ${digestId}`.execute(db)
  return numAffectedRows === 1n
}

/** A digest with the outcome of its mails. */
export type ListedDigest = Digest & {
  readonly mailsSent: number
  readonly mailsDue: number
  readonly mailsGivenUp: number
  /** Error of the newest mail that failed and is due or given up; null: there is none. */
  readonly lastError: string | null
}

/** Of one organization or of all, by search and person. */
export async function listDigests(db: Executor, organizationId?: string): Promise<ListedDigest[]> {
  const { rows } = await sql<ListedDigest>`
    select ${digestColumns}, mails.* from ${digestTables}
    cross join lateral (
      select (count(*) filter (where state = 'sent'))::integer as "mailsSent",
        (count(*) filter (where state = 'due'))::integer as "mailsDue",
        (count(*) filter (where state = 'given-up'))::integer as "mailsGivenUp",
        (array_agg(last_error order by created_at desc) filter (where state <> 'sent' and last_error is not null))[1] as "lastError"
      from mail m where m.digest_id = g.digest_id
    ) mails
    where ${organizationId ?? null}::text is null or o.organization_id = ${organizationId ?? null}
    order by s.name, g.person, g.digest_id`.execute(db)
  return rows
}

/** A due digest of a search, locked, and the newest edition that is matched completely. */
export type DueDigest = Digest & { readonly searchNo: number; readonly search: string; readonly edition: number }

/**
 * Locks the digest that has been due longest; those locked by other processes are skipped. Immediate digests wait until
 * there is another edition. Undefined when none is due.
 */
export async function lockDueDigest(trx: Executor, now: number): Promise<DueDigest | undefined> {
  const { rows } = await sql<DueDigest>`
    select ${digestColumns}, k.edition from ${digestTables} cross join hit_mark k
    where g.search_no is not null and g.due_at <= ${now} and (g.rhythm <> 'atOnce' or g.last_edition < k.edition)
    order by g.due_at, g.digest_id limit 1 for update of g skip locked`.execute(trx)
  return rows[0]
}

/** A hit as a digest lists it. */
type DigestHit = {
  readonly isClosed: boolean
  /** Its deadline is within the next days. */
  readonly isUrgent: boolean
  /** JSON of the newest published record; null when there is none. */
  readonly body: string | null
}

export type DigestHits = {
  readonly count: number
  /** SHA-256 over the ids of all of them, hexadecimal digits. */
  readonly hash: string
  readonly best: readonly DigestHit[]
}

/** Editions with `after` < edition <= `upTo`. `urgentMs`: a deadline is urgent when it is nearer than this. */
type DigestSpan = {
  readonly searchNo: number
  readonly after: number
  readonly upTo: number
  readonly now: number
  readonly urgentMs: number
}

/**
 * The hits of a span of editions: the urgent ones first, then the best, and those already closed last; at most `limit`.
 */
export async function digestHits(trx: Executor, span: DigestSpan, limit: number): Promise<DigestHits> {
  const { searchNo, after, upTo, now, urgentMs } = span
  const isInSpan = sql`h.search_no = ${searchNo}::integer and h.digest_edition > ${after}::integer
    and h.digest_edition <= ${upTo}::integer`
  const { rows: sums } = await sql<{ count: number; hash: string | null }>`
    select count(*)::integer as count,
      encode(sha256(convert_to(string_agg(h.hit_id, ' ' order by h.hit_id collate "C"), 'UTF8')), 'hex') as hash
    from hit h where ${isInSpan}`.execute(trx)
  const { count, hash } = sums[0]!
  if (hash === null) return { count: 0, hash: '', best: [] }
  const { rows: best } = await sql<DigestHit>`
    with h as materialized (
      select *, not is_closed and coalesce(deadline_ms between ${now} and ${now + urgentMs}, false) as is_urgent from (
        select h.*, ${isClosed} as is_closed from hit h where ${isInSpan}
      ) h
      order by is_closed, is_urgent desc, fit_score desc, hit_id limit ${limit}::integer
    )
    select h.is_closed as "isClosed", h.is_urgent as "isUrgent", e.body
    from h
    left join published_tender p on p.tender_id = ${representedId}
    left join edition_entry e on e.last_modified = p.last_modified
    order by h.is_closed, h.is_urgent desc, h.fit_score desc, h.hit_id`.execute(trx)
  return { count, hash, best: await withoutRedacted(trx, best) }
}

/** Call it in the transaction that queues the mail. */
export async function moveDigest(
  trx: Executor,
  {
    digestId,
    lastEdition,
    madeDay,
    madeAt,
    dueAt,
  }: Pick<Digest, 'digestId' | 'lastEdition' | 'madeDay' | 'madeAt' | 'dueAt'>,
): Promise<void> {
  await sql`
    update digest set last_edition = ${lastEdition}::integer, made_day = ${madeDay}::integer, made_at = ${madeAt}::bigint,
      due_at = ${dueAt}
    where digest_id = ${digestId}`.execute(trx)
}

/** Postpones a digest to `dueAt`, so that others go first. */
export async function postponeDigest(db: Executor, digestId: string, dueAt: number): Promise<void> {
  await sql`update digest set due_at = ${dueAt} where digest_id = ${digestId}`.execute(db)
}
