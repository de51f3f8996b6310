// Digests: who receives the hits of which search by mail, and how far each of them is. A person has one row for each
// search, and all of them have the same rhythm: one mail brings what is new in all.
import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { arrayText } from '../database/array-text.ts'
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
  /** Of weekly ones. */
  readonly weekday: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday'
  readonly hour: number
  readonly zone: string
  readonly language: 'en' | 'de'
  /** The newest edition whose hits are in a digest. */
  readonly lastEdition: number
  /** State of its rhythm (digests/digest-schedule.ts DigestState). */
  readonly madeDay: number
  readonly madeAt: number | null
  readonly dueAt: number
  /** When the mails to the person ended because the server knows no such recipient; null: they go on. */
  readonly endedAt: number | null
}

/** What a person decides about all of their digests. */
type DigestTermsStored = Pick<Digest, 'rhythm' | 'weekday' | 'hour' | 'zone' | 'language'>
/** With what decides when the next one is due. */
type DigestTiming = DigestTermsStored & Pick<Digest, 'madeDay' | 'dueAt'>

// programs of an older version write no language: their mails are English
const digestColumns = sql`g.digest_id as "digestId", g.search_no as "searchNo", s.name as search,
  o.organization_id as "organizationId", o.name as organization, g.person,
  g.rhythm, coalesce(g.weekday, 'monday') as weekday, g.hour, g.zone, case when g.language = 'de' then 'de' else 'en' end as language,
  g.last_edition as "lastEdition", g.made_day as "madeDay", g.made_at as "madeAt", g.due_at as "dueAt",
  g.ended_at as "endedAt"`
const digestTables = sql`digest g left join saved_search s using (search_no)
  join organization o on o.organization_id = coalesce(s.organization_id, g.organization_id)`

/**
 * A new digest. It begins with the hits of the first edition that is not matched completely. A person who has others
 * keeps the terms of those, and whether they ended.
 */
export function createDigest(
  store: Pick<Store, 'db'>,
  wanted: DigestTiming & Pick<Digest, 'digestId' | 'person'> & { readonly searchNo: number },
  now: number,
): Promise<'created' | 'exists' | 'tooMany'> {
  const { digestId, searchNo, person } = wanted
  return inTransaction(store, async (trx) => {
    // simultaneous creations are counted one after the other
    await sql`select from saved_search where search_no = ${searchNo}::integer for update`.execute(trx)
    const { rows } = await sql<{ count: number; isThere: boolean }>`
      select count(*)::integer as count, coalesce(bool_or(lower(person) = lower(${person})), false) as "isThere"
      from digest where search_no = ${searchNo}::integer`.execute(trx)
    if (rows[0]!.isThere) return 'exists'
    if (rows[0]!.count >= maxDigests) return 'tooMany'
    const others = await lockPerson(trx, person)
    const { rhythm, weekday, hour, zone, language, madeDay, dueAt } = others[0] ?? wanted
    const { madeAt = null, endedAt = null } = others[0] ?? {}
    await sql`
      insert into digest (digest_id, search_no, person, rhythm, weekday, hour, zone, language, last_edition, made_day, made_at,
        due_at, created_at, ended_at)
      select ${digestId}, ${searchNo}::integer, ${person}, ${rhythm}, ${weekday}, ${hour}::smallint, ${zone}, ${language},
        edition, ${madeDay}::integer, ${madeAt}::bigint, ${dueAt}, ${now}, ${endedAt}::bigint from hit_mark`.execute(
      trx,
    )
    return 'created'
  })
}

/** All digests of a person. */
export async function digestsOf(db: Executor, person: string): Promise<Digest[]> {
  const { rows } = await sql<Digest>`
    select ${digestColumns} from ${digestTables} where lower(g.person) = lower(${person}) order by g.digest_id`.execute(
    db,
  )
  return rows
}

/** The ids of the digests of a search; others that change any digest of its people wait. */
export async function lockRecipients(trx: Executor, searchNo: number): Promise<string[]> {
  const people = sql`any (select lower(person) from digest where search_no = ${searchNo}::integer)`
  const all = await lockDigestsOf(trx, people)
  return all.filter((each) => each.searchNo === searchNo).map(({ digestId }) => digestId)
}

/** Holds all digests of a person until the end of the transaction. */
export const lockPerson = (trx: Executor, person: string): Promise<Digest[]> =>
  lockDigestsOf(trx, sql`lower(${person})`)

/** All digests of a person, in the order in which everybody locks them: two who change them never deadlock. */
async function lockDigestsOf(trx: Executor, lowerPerson: RawBuilder<unknown>): Promise<Digest[]> {
  const { rows } = await sql<Digest>`
    select ${digestColumns} from ${digestTables} where lower(g.person) = ${lowerPerson}
    order by g.digest_id for update of g`.execute(trx)
  return rows
}

/**
 * By its id; undefined when there is none. In a transaction, others that change any digest of the same person wait.
 */
export async function lockDigest(trx: Executor, digestId: string): Promise<Digest | undefined> {
  const all = await lockDigestsOf(trx, sql`(select lower(person) from digest where digest_id = ${digestId})`)
  return all.find((each) => each.digestId === digestId)
}

/** Whether a person receives hits of searches of other organizations too. */
export async function hasOtherDigests(
  db: Executor,
  { person, organizationId }: Pick<Digest, 'person' | 'organizationId'>,
): Promise<boolean> {
  const { rows } = await sql`
    select from ${digestTables} where lower(g.person) = lower(${person}) and o.organization_id <> ${organizationId}
    limit 1`.execute(db)
  return rows.length > 0
}

/** Changes the terms of all digests of a person, but not which hits they have reached. */
export async function changeTerms(
  trx: Executor,
  person: string,
  { rhythm, weekday, hour, zone, language, dueAt }: DigestTermsStored & Pick<Digest, 'dueAt'>,
): Promise<void> {
  await sql`
    update digest set rhythm = ${rhythm}, weekday = ${weekday}, hour = ${hour}::smallint, zone = ${zone}, language = ${language},
      due_at = ${dueAt}
    where lower(person) = lower(${person})`.execute(trx)
}

/** Ends the mails to a person, whom the server does not know; their positions stay. */
export async function endDigests(trx: Executor, person: string, now: number): Promise<void> {
  await sql`update digest set ended_at = ${now} where lower(person) = lower(${person})`.execute(trx)
}

/** Starts the mails to a person again: with those that were given up because there was no such recipient. */
export async function startDigests(
  trx: Executor,
  person: string,
  { dueAt, now }: { readonly dueAt: number; readonly now: number },
): Promise<void> {
  await sql`
    update mail set state = 'due', attempts = 0, refusals = null, gone = null, last_error = null, due_at = ${now}, ended_at = null
    where state = 'given-up' and gone > 0 and digest_id in (
      select digest_id from digest where lower(person) = lower(${person}))`.execute(trx)
  await sql`update digest set ended_at = null, due_at = ${dueAt} where lower(person) = lower(${person})`.execute(trx)
}

/**
 * Removes the digest. Mails that bring hits of other searches too stay; the last digest of a person goes with all.
 * False when there is no such digest.
 */
export async function removeDigest(trx: Executor, digestId: string): Promise<boolean> {
  const digest = await lockDigest(trx, digestId)
  if (!digest) return false
  await sql`
    update mail set digest_id = o.digest_id from (
      select digest_id from digest where lower(person) = lower(${digest.person}) and digest_id <> ${digestId}
      order by digest_id limit 1) o
    where mail.digest_id = ${digestId}`.execute(trx)
  await sql`delete from digest where digest_id = ${digestId}`.execute(trx)
  return true
}

/** Stands for a mail address in links: as long as an id, and not the address itself. */
export const recipientHash = (person: string): string =>
  createHash('sha256').update(person.toLowerCase()).digest('hex').slice(0, 36)

/** Removes all digests of a person with all mails, and returns what they were. */
export async function removeRecipient(trx: Executor, hash: string): Promise<Digest[]> {
  const person = sql`(
    select lower(person) from digest where left(encode(sha256(convert_to(lower(person), 'UTF8')), 'hex'), 36) = ${hash}
    limit 1)`
  const all = await lockDigestsOf(trx, person)
  await sql`delete from digest where digest_id = any(${all.map(({ digestId }) => digestId)}::text[])`.execute(trx)
  return all
}

/** Which digests of the person of a digest still have a search. */
export async function liveDigests(db: Executor, digestId: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select digest_id as id from digest where search_no is not null
      and lower(person) = (select lower(person) from digest where digest_id = ${digestId})`.execute(db)
  return new Set(rows.map(({ id }) => id))
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
        (array_agg(last_error order by m.created_at desc) filter (where state <> 'sent' and last_error is not null))[1] as "lastError"
      from mail m join digest d using (digest_id) where lower(d.person) = lower(g.person)
    ) mails
    where ${organizationId ?? null}::text is null or o.organization_id = ${organizationId ?? null}
    order by s.name, g.person, g.digest_id`.execute(db)
  return rows
}

/** The digests of a person that are due, locked, and the newest edition that is matched completely. */
export type DueDigests = {
  /** All of the person: at least one, by id. */
  readonly all: readonly Digest[]
  /** The one that is due first: its terms become those of all. */
  readonly first: Digest
  readonly edition: number
}

/**
 * Locks the digests of the person who has waited longest; those locked by other processes are skipped. Immediate
 * digests wait until there is another edition. Undefined when none is due.
 */
export async function lockDueDigests(trx: Executor, now: number): Promise<DueDigests | undefined> {
  // the first one stands for all of its person: whoever has it locked makes the mail
  const { rows } = await sql<{ who: string; edition: number }>`
    select lower(g.person) as who, k.edition from digest g cross join hit_mark k
    where g.digest_id in (
      select min(d.digest_id) from digest d
      where lower(d.person) in (
        select lower(person) from digest
        where search_no is not null and ended_at is null and due_at <= ${now} and (rhythm <> 'atOnce' or last_edition < k.edition))
      group by lower(d.person))
    order by g.due_at, g.digest_id limit 1 for update of g skip locked`.execute(trx)
  const found = rows[0]
  if (!found) return undefined
  const all = await lockDigestsOf(trx, sql`${found.who}`)
  const withSearch = all.filter(({ searchNo }) => searchNo !== null)
  const first = withSearch.reduce<Digest | undefined>(
    (one, other) => (one && one.dueAt <= other.dueAt ? one : other),
    undefined,
  )
  return first && { all, first, edition: found.edition }
}

/** A tender that one or more searches found. */
type DigestTender = {
  readonly tenderId: string
  readonly isClosed: boolean
  /** JSON array, by search: `searchNo`, and `matched` and `reasons` of its hit. */
  readonly matches: string
  /** JSON of the newest published record; null when there is none. */
  readonly body: string | null
}

export type DigestHits = {
  /** Number of tenders. */
  readonly count: number
  /** SHA-256 over the ids of all hits, hexadecimal digits. */
  readonly hash: string
  readonly tenders: readonly DigestTender[]
}

/** The hits of some searches, of editions with `after` < edition <= `upTo`. */
type DigestSpan = {
  readonly searches: readonly { readonly searchNo: number; readonly after: number }[]
  readonly upTo: number
}

const foundIn = ({ searches, upTo }: DigestSpan) => sql`(
  select h.*, ${representedId} as shown_id
  from (
    select h.*, ${isClosed} as is_closed
    from unnest(${arrayText(searches.map(({ searchNo }) => searchNo))}::integer[],
      ${arrayText(searches.map(({ after }) => after))}::integer[]) as s (search_no, after)
    join hit h on h.search_no = s.search_no and h.digest_edition > s.after and h.digest_edition <= ${upTo}::integer
    offset 0
  ) h)`
/** The order of tenders: by deadline, those without one then, and those already closed last. */
const tenderOrder = sql`bool_and(is_closed), min(deadline_ms) nulls last, shown_id`
/** Maximum number of rows of `digestRest`. */
const maxRestKinds = 1000

/** How many of the tenders after the first `offset` which searches found, the most frequent first. */
export async function digestRest(
  trx: Executor,
  span: DigestSpan,
  offset: number,
): Promise<{ readonly searchNos: readonly number[]; readonly count: number }[]> {
  const { rows } = await sql<{ searchNos: string; count: number }>`
    select "searchNos", count(*)::integer as count from (
      select array_to_json(array_agg(distinct search_no order by search_no))::text as "searchNos"
      from ${foundIn(span)} h group by shown_id order by ${tenderOrder} offset ${offset}::integer
    ) t group by "searchNos" order by count desc, "searchNos" limit ${maxRestKinds}::integer`.execute(trx)
  return rows.map(({ searchNos, count }) => ({ searchNos: JSON.parse(searchNos) as number[], count }))
}

/** In their order: `limit` tenders after the first `offset`. */
export async function digestHits(
  trx: Executor,
  span: DigestSpan,
  { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
): Promise<DigestHits> {
  const found = foundIn(span)
  const { rows: sums } = await sql<{ count: number; hash: string | null }>`
    select count(distinct shown_id)::integer as count,
      encode(sha256(convert_to(string_agg(hit_id, ' ' order by hit_id collate "C"), 'UTF8')), 'hex') as hash
    from ${found} h`.execute(trx)
  const { count, hash } = sums[0]!
  if (hash === null) return { count: 0, hash: '', tenders: [] }
  const { rows: tenders } = await sql<DigestTender>`
    with shown as materialized (
      select shown_id, bool_and(is_closed) as is_closed, min(deadline_ms) as deadline_ms,
        json_agg(json_build_object('searchNo', search_no, 'matched', matched, 'reasons', reasons) order by search_no)::text as matches
      from ${found} h group by shown_id
      order by ${tenderOrder}
      limit ${limit}::integer offset ${offset}::integer
    )
    select h.shown_id as "tenderId", h.is_closed as "isClosed", h.matches, e.body
    from shown h
    left join published_tender p on p.tender_id = h.shown_id
    left join edition_entry e on e.last_modified = p.last_modified
    order by h.is_closed, h.deadline_ms nulls last, h.shown_id`.execute(trx)
  return { count, hash, tenders: await withoutRedacted(trx, tenders) }
}

/**
 * Moves digests of one person together, with the terms of the first. Call it in the transaction that queues the mail.
 */
export async function moveDigests(
  trx: Executor,
  digestIds: readonly string[],
  moved: Pick<Digest, 'lastEdition' | 'madeDay' | 'madeAt' | 'dueAt'> & DigestTermsStored,
): Promise<void> {
  const { lastEdition, madeDay, madeAt, dueAt, rhythm, weekday, hour, zone, language } = moved
  await sql`
    update digest set last_edition = greatest(last_edition, ${lastEdition}::integer), made_day = ${madeDay}::integer,
      made_at = ${madeAt}::bigint, due_at = ${dueAt}, rhythm = ${rhythm}, weekday = ${weekday}, hour = ${hour}::smallint,
      zone = ${zone}, language = ${language}
    where digest_id = any(${arrayText(digestIds)}::text[])`.execute(trx)
}

/** Postpones digests to `dueAt`, so that others go first. */
export async function postponeDigests(db: Executor, digestIds: readonly string[], dueAt: number): Promise<void> {
  await sql`
    with these as materialized (
      select digest_id from digest where digest_id = any(${arrayText(digestIds)}::text[]) order by digest_id for update
    )
    update digest set due_at = ${dueAt} where digest_id in (select digest_id from these)`.execute(db)
}
