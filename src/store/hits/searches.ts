// Company profiles and saved searches, each stored by version: the criteria in an edition never change once it is
// published.
import { type Selectable, sql } from 'kysely'
import { arrayText } from '../database/array-text.ts'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import type { Circumstances } from '../people/organizations.ts'
import type { Database } from '../schema/schema.ts'

/** Maximum number of searches of one organization. */
export const maxSearches = 100

/** The criteria of a search. `filter` is its canonical JSON. */
export type SearchTerms = {
  readonly isActive: boolean
  readonly filter: string
  readonly filterHash: string
  readonly profileId: string | null
  readonly threshold: number
}

/** A search with its newest version. */
export type StoredSearch = SearchTerms & {
  readonly searchNo: number
  readonly searchId: string
  readonly organizationId: string
  readonly name: string
  readonly createdAt: number
  readonly version: number
  /** The first edition to which the newest version applies. */
  readonly fromEdition: number
}

/** A profile with its newest version. `content` is its canonical JSON. */
export type StoredProfile = Pick<StoredSearch, 'organizationId' | 'name' | 'createdAt' | 'version' | 'fromEdition'> & {
  readonly profileId: string
  readonly content: string
}

/**
 * Returns the edition from which a change applies: the one after the newest. No edition can become visible before the
 * transaction ends, so what is written here applies to every edition that is published after it, and to none before.
 */
async function nextEdition(trx: Executor): Promise<number> {
  await sql`select from change_signal where topic = 'edition' for share`.execute(trx)
  const { rows } = await sql<{ next: number }>`select coalesce(max(edition), 0) + 1 as next from edition`.execute(trx)
  return rows[0]!.next
}

export type SearchCreation =
  | { readonly kind: 'created'; readonly search: StoredSearch }
  | { readonly kind: 'nameTaken' }
  | { readonly kind: 'tooMany' }

/** Creates a search; it applies from the next edition on. */
export function createSearch(
  store: Pick<Store, 'db'>,
  wanted: SearchTerms & { readonly organizationId: string; readonly name: string; readonly createdBy: string },
  { now, random }: Circumstances,
): Promise<SearchCreation> {
  const { organizationId, name } = wanted
  return inTransaction(store, async (trx) => {
    // creations of one organization wait for each other on its row
    await trx
      .selectFrom('organization')
      .select('name')
      .where('organization_id', '=', organizationId)
      .forUpdate()
      .execute()
    const { count } = await trx
      .selectFrom('saved_search')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow()
    if (Number(count) >= maxSearches) return { kind: 'tooMany' }
    const row = await trx
      .insertInto('saved_search')
      .values({
        search_id: random.uuid(),
        organization_id: organizationId,
        name,
        created_at: now,
        created_by: wanted.createdBy,
      })
      .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doNothing())
      .returning('search_no')
      .executeTakeFirst()
    if (!row) return { kind: 'nameTaken' }
    await insertSearchVersion(trx, row.search_no, 1, wanted, now)
    return { kind: 'created', search: (await findSearch(trx, organizationId, name))! }
  })
}

/** Adds a version of a search; it applies from the next edition on. False if there is no such search. */
export function changeSearch(
  store: Pick<Store, 'db'>,
  searchNo: number,
  change: Partial<SearchTerms>,
  now: number,
): Promise<boolean> {
  return inTransaction(store, async (trx) => {
    const { rows } = await sql`select from saved_search where search_no = ${searchNo}::integer for update`.execute(trx)
    if (rows.length === 0) return false
    const newest = await trx
      .selectFrom('saved_search_version')
      .selectAll()
      .where('search_no', '=', searchNo)
      .orderBy('version', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    const { version, ...before } = termsOf(newest)
    await insertSearchVersion(trx, searchNo, version + 1, { ...before, ...change }, now)
    return true
  })
}

/** Renames a search. False if the organization already has a search of this name. */
export async function renameSearch(
  trx: Executor,
  { searchNo, organizationId }: Pick<StoredSearch, 'searchNo' | 'organizationId'>,
  name: string,
): Promise<boolean> {
  await sql`select from organization where organization_id = ${organizationId} for update`.execute(trx)
  const { numAffectedRows } = await sql`
    update saved_search set name = ${name} where search_no = ${searchNo}::integer and not exists (
      select from saved_search where organization_id = ${organizationId} and name = ${name}
        and search_no <> ${searchNo}::integer)`.execute(trx)
  return numAffectedRows === 1n
}

async function insertSearchVersion(
  trx: Executor,
  searchNo: number,
  version: number,
  terms: SearchTerms,
  now: number,
): Promise<void> {
  await trx
    .insertInto('saved_search_version')
    .values({
      search_no: searchNo,
      version,
      from_edition: await nextEdition(trx),
      is_active: terms.isActive,
      filter: terms.filter,
      filter_hash: terms.filterHash,
      profile_id: terms.profileId,
      threshold: terms.threshold,
      created_at: now,
    })
    .execute()
}

const termsOf = (row: Selectable<Database['saved_search_version']>) => ({
  version: row.version,
  isActive: row.is_active,
  filter: row.filter,
  filterHash: row.filter_hash,
  profileId: row.profile_id,
  threshold: row.threshold,
})

const searchColumns = sql`s.search_no as "searchNo", s.search_id as "searchId", s.organization_id as "organizationId", s.name,
  s.created_at as "createdAt", v.version, v.from_edition as "fromEdition", v.is_active as "isActive", v.filter,
  v.filter_hash as "filterHash", v.profile_id as "profileId", v.threshold`

/** The newest version of the search `s` that applies to `edition`. */
const searchVersionOf = (edition: number) => sql`
  cross join lateral (select * from saved_search_version where search_no = s.search_no and from_edition <= ${edition}::integer
    order by version desc limit 1) v`

/** Number above every edition. */
const anyEdition = 2 ** 31 - 1

/** The search with its newest version. In a transaction, others that change it wait. */
export async function lockSearch(trx: Executor, searchNo: number): Promise<StoredSearch | undefined> {
  await sql`select from saved_search where search_no = ${searchNo}::integer for update`.execute(trx)
  const { rows } = await sql<StoredSearch>`
    select ${searchColumns} from saved_search s ${searchVersionOf(anyEdition)}
    where s.search_no = ${searchNo}::integer`.execute(trx)
  return rows[0]
}

/** The searches of an organization, by name. */
export async function listSearches(db: Executor, organizationId: string): Promise<StoredSearch[]> {
  const { rows } = await sql<StoredSearch>`
    select ${searchColumns} from saved_search s ${searchVersionOf(anyEdition)}
    where s.organization_id = ${organizationId} order by s.name`.execute(db)
  return rows
}

/** Maximum number of recent hits that are counted: more would take a page too long. */
export const maxRecentHits = 500

/** A search with its results. */
export type SearchOverview = StoredSearch & {
  /** Hits of the editions since a moment, at most `maxRecentHits`. */
  readonly recentHits: number
  /** Editions whose deliveries are held, because they made too many hits. */
  readonly heldEditions: number
  /** Hits of these editions. */
  readonly heldHits: number
}

/** A search as a list of hits names it. */
export type SearchName = Pick<SearchOverview, 'searchNo' | 'searchId' | 'name' | 'heldEditions'>

/** The searches of an organization, by name; takes half the time of their overviews. */
export async function searchNames(db: Executor, organizationId: string): Promise<SearchName[]> {
  const { rows } = await sql<SearchName>`
    select search_no as "searchNo", search_id as "searchId", name,
      (select count(*)::integer from search_edition e where e.search_no = s.search_no and e.state = 'held') as "heldEditions"
    from saved_search s where organization_id = ${organizationId} order by name`.execute(db)
  return rows
}

/**
 * The searches of an organization, by name, with the hits of editions that were published at `since` or later; without
 * it they are not counted, and are 0.
 */
export async function searchOverviews(db: Executor, organizationId: string, since?: number): Promise<SearchOverview[]> {
  const recent =
    since === undefined
      ? sql`0`
      : sql`(select count(*)::integer from (select from hit h where h.search_no = s.search_no
          and h.digest_edition >= (select min(edition) from edition where published_at >= ${since})
          limit ${maxRecentHits}) recent)`
  const { rows } = await sql<SearchOverview>`
    select ${searchColumns}, ${recent} as "recentHits",
      held.editions as "heldEditions", held.hits as "heldHits"
    from saved_search s ${searchVersionOf(anyEdition)}
    cross join lateral (select count(*)::integer as editions, coalesce(sum(hits), 0)::integer as hits
      from search_edition e where e.search_no = s.search_no and e.state = 'held') held
    where s.organization_id = ${organizationId} order by s.name`.execute(db)
  return rows
}

/** A version of a search as its page lists it. */
export type SearchVersion = Pick<
  StoredSearch,
  'version' | 'fromEdition' | 'isActive' | 'filter' | 'profileId' | 'threshold'
> & {
  readonly createdAt: number
}

/** The newest `limit` versions, the newest first. */
export async function searchVersions(db: Executor, searchNo: number, limit: number): Promise<SearchVersion[]> {
  const { rows } = await sql<SearchVersion>`
    select version, from_edition as "fromEdition", is_active as "isActive", filter, profile_id as "profileId", threshold,
      created_at as "createdAt"
    from saved_search_version where search_no = ${searchNo}::integer order by version desc limit ${limit}::integer`.execute(
    db,
  )
  return rows
}

/** The searches with this name or id, of all organizations. */
export async function findSearches(db: Executor, nameOrId: string): Promise<StoredSearch[]> {
  const { rows } = await sql<StoredSearch>`
    select ${searchColumns} from saved_search s ${searchVersionOf(anyEdition)}
    where s.name = ${nameOrId} or s.search_id = ${nameOrId}`.execute(db)
  return rows
}

/** The search of an organization with this name or id. */
export async function findSearch(
  db: Executor,
  organizationId: string,
  nameOrId: string,
): Promise<StoredSearch | undefined> {
  const { rows } = await sql<StoredSearch>`
    select ${searchColumns} from saved_search s ${searchVersionOf(anyEdition)}
    where s.organization_id = ${organizationId} and (s.name = ${nameOrId} or s.search_id = ${nameOrId})`.execute(db)
  return rows[0]
}

/**
 * Returns the next `limit` searches after `afterNo`, each in the version that applies to `edition`; `lastNo` is null
 * after the last.
 */
export async function searchesFor(
  db: Executor,
  edition: number,
  afterNo: number,
  limit: number,
): Promise<{ readonly searches: readonly StoredSearch[]; readonly lastNo: number | null }> {
  const { rows } = await sql<StoredSearch>`
    select ${searchColumns} from saved_search s ${searchVersionOf(edition)}
    where s.search_no > ${afterNo}::integer order by s.search_no limit ${limit}::integer`.execute(db)
  return { searches: rows.filter(({ isActive }) => isActive), lastNo: rows.at(-1)?.searchNo ?? null }
}

/**
 * A number that grows with every version that begins to apply, and with every removal: the same number means the same
 * searches and profiles.
 */
export async function criteriaSerial(db: Executor, edition: number): Promise<number> {
  const { rows } = await sql<{ serial: number }>`
    select ((select count(*) from saved_search_version where from_edition <= ${edition}::integer)
      + (select count(*) from company_profile_version where from_edition <= ${edition}::integer)
      + (select coalesce(sum(versions + 1), 0) from removal))::integer as serial`.execute(db)
  return rows[0]!.serial
}

export type ProfileCreation =
  | { readonly kind: 'created'; readonly profile: StoredProfile }
  | { readonly kind: 'nameTaken' }

/** Creates a profile; it applies from the next edition on. */
export function createProfile(
  store: Pick<Store, 'db'>,
  wanted: { readonly organizationId: string; readonly name: string; readonly content: string },
  { now, random }: Circumstances,
): Promise<ProfileCreation> {
  const { organizationId, name, content } = wanted
  return inTransaction(store, async (trx) => {
    const row = await trx
      .insertInto('company_profile')
      .values({ profile_id: random.uuid(), organization_id: organizationId, name, created_at: now })
      .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doNothing())
      .returning('profile_id')
      .executeTakeFirst()
    if (!row) return { kind: 'nameTaken' }
    await insertProfileVersion(trx, row.profile_id, 1, content, now)
    return { kind: 'created', profile: (await findProfile(trx, organizationId, name))! }
  })
}

/** Adds a version of a profile; it applies from the next edition on. False if there is no such profile. */
export function changeProfile(
  store: Pick<Store, 'db'>,
  profileId: string,
  content: string,
  now: number,
): Promise<boolean> {
  return inTransaction(store, async (trx) => {
    const { rows } = await sql`select from company_profile where profile_id = ${profileId} for update`.execute(trx)
    if (rows.length === 0) return false
    const { version } = await trx
      .selectFrom('company_profile_version')
      .select('version')
      .where('profile_id', '=', profileId)
      .orderBy('version', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    await insertProfileVersion(trx, profileId, version + 1, content, now)
    return true
  })
}

async function insertProfileVersion(
  trx: Executor,
  profileId: string,
  version: number,
  content: string,
  now: number,
): Promise<void> {
  await trx
    .insertInto('company_profile_version')
    .values({ profile_id: profileId, version, from_edition: await nextEdition(trx), content, created_at: now })
    .execute()
}

const profileColumns = sql`p.profile_id as "profileId", p.organization_id as "organizationId", p.name, p.created_at as "createdAt",
  v.version, v.from_edition as "fromEdition", v.content`

const profileVersionOf = (edition: number) => sql`
  cross join lateral (select * from company_profile_version where profile_id = p.profile_id and from_edition <= ${edition}::integer
    order by version desc limit 1) v`

/** Renames a profile. False if the organization already has a profile of this name. */
export async function renameProfile(
  trx: Executor,
  { profileId, organizationId }: Pick<StoredProfile, 'profileId' | 'organizationId'>,
  name: string,
): Promise<boolean> {
  await sql`select from organization where organization_id = ${organizationId} for update`.execute(trx)
  const { numAffectedRows } = await sql`
    update company_profile set name = ${name} where profile_id = ${profileId} and not exists (
      select from company_profile where organization_id = ${organizationId} and name = ${name}
        and profile_id <> ${profileId})`.execute(trx)
  return numAffectedRows === 1n
}

/** The profiles of an organization, by name. */
export async function listProfiles(db: Executor, organizationId: string): Promise<StoredProfile[]> {
  const { rows } = await sql<StoredProfile>`
    select ${profileColumns} from company_profile p ${profileVersionOf(anyEdition)}
    where p.organization_id = ${organizationId} order by p.name`.execute(db)
  return rows
}

/** The profile of an organization with this name or id. */
export async function findProfile(
  db: Executor,
  organizationId: string,
  nameOrId: string,
): Promise<StoredProfile | undefined> {
  const { rows } = await sql<StoredProfile>`
    select ${profileColumns} from company_profile p ${profileVersionOf(anyEdition)}
    where p.organization_id = ${organizationId} and (p.name = ${nameOrId} or p.profile_id = ${nameOrId})`.execute(db)
  return rows[0]
}

/** The profile with its newest version. In a transaction, others that change it wait. */
export async function lockProfile(trx: Executor, profileId: string): Promise<StoredProfile | undefined> {
  await sql`select from company_profile where profile_id = ${profileId} for update`.execute(trx)
  return findProfileById(trx, profileId)
}

export async function findProfileById(db: Executor, profileId: string): Promise<StoredProfile | undefined> {
  const { rows } = await sql<StoredProfile>`
    select ${profileColumns} from company_profile p ${profileVersionOf(anyEdition)}
    where p.profile_id = ${profileId}`.execute(db)
  return rows[0]
}

/** Returns the next `limit` profiles after `afterId`, each in the version that applies to `edition`. */
export async function profilesFor(
  db: Executor,
  edition: number,
  afterId: string,
  limit: number,
): Promise<StoredProfile[]> {
  const { rows } = await sql<StoredProfile>`
    select ${profileColumns} from company_profile p ${profileVersionOf(edition)}
    where p.profile_id > ${afterId} order by p.profile_id limit ${limit}::integer`.execute(db)
  return rows
}

/** The newest entries of these tenders, as JSON; those that were never published are left out. */
export async function publishedBodies(db: Executor, tenderIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ tenderId: string; body: string }>`
    select p.tender_id as "tenderId", e.body from published_tender p
    join edition_entry e on e.last_modified = p.last_modified
    where p.tender_id = any (${arrayText(tenderIds)}::text[])`.execute(db)
  return new Map(rows.map(({ tenderId, body }) => [tenderId, body]))
}
