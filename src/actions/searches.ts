// Changes of saved searches. Each runs in the transaction of its caller, and leaves one entry of the audit log.
import { forgetSearch } from '../digests/forget-search.ts'
import { canonicalSearchFilter, type SearchFilter, searchFilterHash } from '../hits/saved-search.ts'
import { type Executor, inTransaction, type Store } from '../store/database/database.ts'
import { lockRecipients } from '../store/hits/digests.ts'
import { heldEditions, releaseDeliveries } from '../store/hits/hits.ts'
import { deleteSearch as deleteRows, type RemovedWith } from '../store/hits/removals.ts'
import {
  changeSearch,
  createSearch,
  lockSearch,
  renameSearch,
  type SearchCreation,
  type SearchTerms,
  type StoredSearch,
} from '../store/hits/searches.ts'
import { type Acting, record } from './acting.ts'

/** What a search looks for, and which hits are worth a message. */
export type SearchInput = {
  readonly filter: SearchFilter
  readonly profileId: string | null
  readonly threshold: number
}

/** As they are stored and compared. */
const searchTerms = ({ filter, profileId, threshold }: SearchInput): Omit<SearchTerms, 'isActive'> => ({
  filter: canonicalSearchFilter(filter),
  filterHash: searchFilterHash(filter),
  profileId,
  threshold,
})

export async function addSearch(
  trx: Executor,
  acting: Acting,
  wanted: SearchInput & { readonly organizationId: string; readonly name: string },
): Promise<SearchCreation> {
  const { organizationId, name, threshold } = wanted
  const search = { ...searchTerms(wanted), isActive: true, organizationId, name, createdBy: acting.actor }
  const creation = await createSearch({ db: trx }, search, acting)
  if (creation.kind === 'created')
    await record(trx, acting, { action: 'search.create', subject: name, organizationId, detail: { threshold } })
  return creation
}

/** `gone`: the search to be copied does not exist any more. */
export type SearchCopy = SearchCreation | { readonly kind: 'gone' }

/**
 * Creates another search of the organization with the same criteria. It makes hits of its own from the next edition on;
 * endpoints and digests that name the original do not receive them.
 */
export async function copySearch(trx: Executor, acting: Acting, searchNo: number, name: string): Promise<SearchCopy> {
  const original = await lockSearch(trx, searchNo)
  if (!original) return { kind: 'gone' }
  const { organizationId, filter, filterHash, profileId, threshold } = original
  const terms = { isActive: true, filter, filterHash, profileId, threshold }
  const creation = await createSearch({ db: trx }, { ...terms, organizationId, name, createdBy: acting.actor }, acting)
  const detail = { threshold, copyOf: original.name }
  if (creation.kind === 'created')
    await record(trx, acting, { action: 'search.create', subject: name, organizationId, detail })
  return creation
}

/** `unconfirmed`: the name that was typed is not its name. `gone`: it does not exist any more. */
export type Deletion<With = object> =
  | ({ readonly kind: 'deleted'; readonly name: string } & With)
  | { readonly kind: 'unconfirmed'; readonly name: string }
  | { readonly kind: 'gone' }

/**
 * Deletes a search forever, with its hits and all that waits to be sent about them. `confirmed` is its name, as typed
 * by whoever acts. The entry of the audit log stays.
 */
export async function deleteSearch(
  trx: Executor,
  acting: Acting,
  searchNo: number,
  confirmed: string,
): Promise<Deletion<RemovedWith>> {
  const search = await lockSearch(trx, searchNo)
  if (!search) return { kind: 'gone' }
  const { organizationId, name } = search
  if (confirmed !== name) return { kind: 'unconfirmed', name }
  const digests = await lockRecipients(trx, searchNo)
  const removed = await deleteRows(trx, search, acting.now)
  for (const digestId of digests) await forgetSearch(trx, digestId)
  await record(trx, acting, { action: 'search.delete', subject: name, organizationId, detail: removed })
  return { kind: 'deleted', name, ...removed }
}

/** `stale`: somebody changed the search since `seen` was read. */
export type SearchEdit =
  | {
      readonly kind: 'edited'
      readonly search: StoredSearch
      readonly isRenamed: boolean
      readonly hasNewTerms: boolean
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'nameTaken' }
  | { readonly kind: 'stale' }

/**
 * Gives a search a new version, another name, or both. `seen` is the version that whoever acts had before them; absent
 * members stay.
 */
export async function editSearch(
  trx: Executor,
  acting: Acting,
  change: {
    readonly seen: Pick<StoredSearch, 'searchNo' | 'version'>
    readonly name?: string
    readonly terms?: SearchInput
  },
): Promise<SearchEdit> {
  const before = await lockSearch(trx, change.seen.searchNo)
  if (before?.version !== change.seen.version) return { kind: 'stale' }
  const { searchNo, organizationId } = before
  const terms = change.terms && searchTerms(change.terms)
  const hasNewTerms =
    terms !== undefined && (['filter', 'profileId', 'threshold'] as const).some((each) => terms[each] !== before[each])
  const isRenamed = change.name !== undefined && change.name !== before.name
  if (!hasNewTerms && !isRenamed) return { kind: 'unchanged' }
  if (isRenamed && !(await renameSearch(trx, before, change.name!))) return { kind: 'nameTaken' }
  if (hasNewTerms) await changeSearch({ db: trx }, searchNo, terms, acting.now)
  const search = (await lockSearch(trx, searchNo))!
  await record(trx, acting, {
    action: 'search.edit',
    subject: search.name,
    organizationId,
    detail: { ...(isRenamed && { nameBefore: before.name }), version: search.version, threshold: search.threshold },
  })
  return { kind: 'edited', search, isRenamed, hasNewTerms }
}

/** `unchanged`: it was active, or paused, already. `gone`: there is no such search any more. */
export type Activation =
  | { readonly kind: 'changed'; readonly search: StoredSearch }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'gone' }

/** Pauses or resumes a search. */
export async function activateSearch(
  trx: Executor,
  acting: Acting,
  searchNo: number,
  isActive: boolean,
): Promise<Activation> {
  const before = await lockSearch(trx, searchNo)
  if (!before) return { kind: 'gone' }
  if (before.isActive === isActive) return { kind: 'unchanged' }
  const { organizationId, name } = before
  await changeSearch({ db: trx }, searchNo, { isActive }, acting.now)
  await record(trx, acting, { action: isActive ? 'search.resume' : 'search.pause', subject: name, organizationId })
  return { kind: 'changed', search: (await lockSearch(trx, searchNo))! }
}

/** Few enough that nothing waits long for the database. */
const releasedAtOnce = 500

/** An edition whose held deliveries are due now. */
export type Release = { readonly edition: number; readonly deliveries: number }

/**
 * Releases the deliveries that the cap holds: of one edition, or of all that are held. It takes several transactions,
 * so the entry of an edition comes first: a process that dies leaves it as well.
 */
export async function* releaseSearch(
  store: Pick<Store, 'db'>,
  acting: Acting & { readonly clock: () => number },
  { searchNo, organizationId, name }: Pick<StoredSearch, 'searchNo' | 'organizationId' | 'name'>,
  only?: number,
): AsyncGenerator<Release> {
  for (const { edition } of await heldEditions(store.db, searchNo)) {
    if (only !== undefined && edition !== only) continue
    const now = acting.clock()
    await record(
      store.db,
      { ...acting, now },
      { action: 'search.release', subject: name, organizationId, detail: { edition } },
    )
    let deliveries = 0
    for (let taken = releasedAtOnce; taken === releasedAtOnce; ) {
      const page = await inTransaction(store, (trx) =>
        releaseDeliveries(trx, { edition, searchNo, now }, releasedAtOnce),
      )
      deliveries += page.due
      taken = page.taken
    }
    yield { edition, deliveries }
  }
}
