// Which messages about hits each endpoint of a stock must have: a plain loop over its editions, read with SQL from
// outside.
import { isDeepStrictEqual } from 'node:util'
import type { TenderRecord } from '../../src/domain/tender.ts'
import type { CompanyProfile } from '../../src/hits/company-profile.ts'
import { profileOfSearch } from '../../src/hits/company-profile.ts'
import { fitOf } from '../../src/hits/fit/fit.ts'
import { readFitModel } from '../../src/hits/fit/fit-model.ts'
import { hitId, messageId } from '../../src/hits/hit-id.ts'
import { matchOf } from '../../src/hits/plain-match.ts'
import type { SearchFilter } from '../../src/hits/saved-search.ts'
import { queryOnce } from './copies.ts'

/** What a message says about its hit. */
export type OfferedHit = {
  readonly kind: string
  /** What happened to the tender; empty in a message about a new hit. */
  readonly changes: readonly string[]
  readonly hitId: string
  readonly searchId: string
  readonly version: number
  readonly tenderId: string
  readonly edition: number
  readonly fitScore: number
  /** JSON of the record as of the edition, without checkedAt. */
  readonly record: string
}

type Edition = { readonly edition: number; readonly at: string }
type Entry = { readonly edition: number; readonly id: string; readonly body: string }
type Versioned = { readonly version: number; readonly fromEdition: number }
type SearchVersion = Versioned & {
  readonly searchId: string
  readonly isActive: boolean
  readonly filter: string
  readonly profileId: string | null
  readonly threshold: number
}
type ProfileVersion = Versioned & { readonly profileId: string; readonly content: string }
type Endpoint = {
  readonly endpointId: string
  readonly fromEdition: number
  readonly kinds: string
  readonly searches: string | null
}
/** `at` distinguishes its message from earlier ones. */
type Offer = OfferedHit & { readonly at: 'new' | number }
type KnownTender = { readonly hit: OfferedHit; state: HitState }
/** What a hit last heard of its tender, or of the one into which that was merged. */
type HitState = {
  readonly mergedInto: string | undefined
  readonly hasEnded: boolean
  readonly deadline: string | undefined
  readonly value: readonly unknown[] | undefined
}

/** By endpoint id: the messages by their webhook-id. */
export type ExpectedMessages = ReadonlyMap<string, ReadonlyMap<string, OfferedHit>>

/** Of all editions that are published now. No profile may name past wins: their records are not read. */
export async function expectedMessages(url: string): Promise<ExpectedMessages> {
  const [{ stockId }] = (await queryOnce<{ stockId: string }>(
    url,
    `select value as "stockId" from setting where name = 'stock-id'`,
  )) as [{ stockId: string }]
  const editions = await queryOnce<Edition>(
    url,
    'select edition, published_at::text as at from edition order by edition',
  )
  const entries = await queryOnce<Entry>(
    url,
    'select edition, tender_id as id, body from edition_entry order by last_modified',
  )
  const searches = await queryOnce<SearchVersion>(
    url,
    `select s.search_id as "searchId", v.version, v.from_edition as "fromEdition", v.is_active as "isActive", v.filter,
       v.profile_id as "profileId", v.threshold
     from saved_search s join saved_search_version v using (search_no) order by v.version`,
  )
  const profiles = await queryOnce<ProfileVersion>(
    url,
    'select profile_id as "profileId", version, from_edition as "fromEdition", content from company_profile_version order by version',
  )
  const endpoints = await queryOnce<Endpoint>(
    url,
    'select endpoint_id as "endpointId", from_edition as "fromEdition", kinds, searches from webhook_endpoint',
  )
  const entriesOf = Map.groupBy(entries, ({ edition }) => edition)
  const offers: Offer[] = []
  /** Tenders with a hit, by search. */
  const known = new Map<string, Map<string, KnownTender>>()
  for (const { edition, at } of editions) {
    const changed = (entriesOf.get(edition) ?? []).map(({ body }) => ({
      body,
      record: JSON.parse(body) as TenderRecord,
    }))
    const changedOf = new Map(changed.map((each) => [each.record.id, each]))
    for (const tenders of known.values())
      for (const [id, tender] of tenders) {
        const own = changedOf.get(id)
        const mergedInto = own ? own.record.mergedInto : tender.state.mergedInto
        // the survivor tells, unless it has a hit of its own
        const survivor = mergedInto === undefined || tenders.has(mergedInto) ? undefined : changedOf.get(mergedInto)
        const entry = own ?? survivor
        if (!entry) continue
        const told = mergedInto === undefined ? own : survivor
        const before = tender.state
        const state = told ? stateOf(told.record, mergedInto) : { ...before, mergedInto, hasEnded: false }
        tender.state = state
        const changes = changesOf(before, state)
        if (changes.length === 0) continue
        const at = Date.parse(entry.record.lastModified)
        offers.push({ ...tender.hit, kind: 'search.hit.changed', changes, edition, record: entry.body, at })
      }
    for (const search of newestOf(searches, edition, ({ searchId }) => searchId)) {
      if (!search.isActive) continue
      const { searchId, version } = search
      const tenders = known.get(searchId) ?? new Map<string, KnownTender>()
      known.set(searchId, tenders)
      const scoreOf = scorerOf(
        search,
        newestOf(profiles, edition, ({ profileId }) => profileId),
      )
      for (const { body, record } of changed) {
        const fitScore = record.archiveReason === undefined ? scoreOf(record, Number(at)) : 0
        if (fitScore < Math.max(1, search.threshold) || tenders.has(record.id)) continue
        // a tender that was merged into this one has the hit
        if ([...tenders.values()].some(({ state: { mergedInto } }) => mergedInto === record.id)) continue
        const identity = { stockId, searchId, tenderId: record.id }
        const hit: OfferedHit = {
          kind: 'search.hit',
          changes: [],
          hitId: hitId(identity),
          searchId,
          version,
          tenderId: record.id,
          edition,
          fitScore,
          record: body,
        }
        tenders.set(record.id, { hit, state: stateOf(record, undefined) })
        offers.push({ ...hit, at: 'new' })
      }
    }
  }
  return new Map(
    endpoints.map(({ endpointId, fromEdition, kinds, searches: only }) => {
      const asked = offers.filter(
        ({ edition, kind, searchId }) =>
          edition >= fromEdition &&
          (JSON.parse(kinds) as string[]).includes(kind) &&
          (only === null || (JSON.parse(only) as string[]).includes(searchId)),
      )
      return [endpointId, new Map(asked.map(({ at, ...hit }) => [messageId({ stockId, ...hit }, endpointId, at), hit]))]
    }),
  )
}

function stateOf(record: TenderRecord, mergedInto: string | undefined): HitState {
  const { archiveReason, submissionDate, participationDate, contractAmount } = record
  return {
    mergedInto,
    hasEnded: archiveReason !== undefined && archiveReason !== 'merged',
    deadline: [submissionDate, participationDate].filter((each) => each !== undefined).sort()[0],
    value: contractAmount ? [contractAmount.value, contractAmount.currency] : undefined,
  }
}

/** The changes that docs/hits/concepts.md says are reported. */
function changesOf(before: HitState, after: HitState): string[] {
  return [
    ...(after.hasEnded && !before.hasEnded ? ['closed'] : []),
    ...(after.mergedInto !== undefined && after.mergedInto !== before.mergedInto ? ['merged'] : []),
    ...(after.deadline === before.deadline ? [] : ['deadline']),
    ...(isDeepStrictEqual(after.value, before.value) ? [] : ['value']),
  ]
}

/** The newest version of each thing that applies to the edition. `versions` are in their order. */
function newestOf<Version extends Versioned>(
  versions: readonly Version[],
  edition: number,
  idOf: (version: Version) => string,
): Iterable<Version> {
  return new Map(
    versions.filter(({ fromEdition }) => fromEdition <= edition).map((version) => [idOf(version), version]),
  ).values()
}

const model = readFitModel()

/** The score of a record that the search matches; 0 for any other. */
function scorerOf(
  search: SearchVersion,
  profiles: Iterable<ProfileVersion>,
): (record: TenderRecord, at: number) => number {
  const filter = JSON.parse(search.filter) as SearchFilter
  const own = [...profiles].find(({ profileId }) => profileId === search.profileId)
  const profile = own ? (JSON.parse(own.content) as CompanyProfile) : profileOfSearch(filter)
  const toFit = { profileId: search.profileId, profile, wins: [] }
  return (record, at) => (matchOf(filter, record, at) === undefined ? 0 : fitOf(toFit, record, model).fitScore)
}
