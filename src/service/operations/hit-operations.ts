// The commands about profiles, saved searches and hits.
import { addProfile, copyProfile, deleteProfile, editProfile } from '../../actions/profiles.ts'
import {
  activateSearch,
  addSearch,
  copySearch,
  deleteSearch,
  editSearch,
  releaseSearch,
  type SearchInput,
} from '../../actions/searches.ts'
import { clauseLine } from '../../hits/clause-reason.ts'
import { type CompanyProfile, parseCompanyProfile } from '../../hits/company-profile.ts'
import { explainMatch } from '../../hits/explain-match.ts'
import { HitInputError } from '../../hits/read-input.ts'
import { defaultStatus, defaultThreshold, parseSearchFilter, type SearchFilter } from '../../hits/saved-search.ts'
import { deliverOpen, previewSearch } from '../../hits/search-stock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { inTransaction, type Store } from '../../store/database/database.ts'
import { stockIdOf } from '../../store/editions/editions.ts'
import { heldEditions, listHits } from '../../store/hits/hits.ts'
import {
  findProfile,
  findProfileById,
  findSearches,
  listProfiles,
  listSearches,
  maxSearches,
  type StoredProfile,
  type StoredSearch,
} from '../../store/hits/searches.ts'
import type { ControlRequest } from '../control/control-socket.ts'
import { actingOf, type Operation, type Operations, type ServiceContext } from '../control/operation-context.ts'
import { organizationNamed } from '../control/organization-named.ts'
import type { Emit, EventOf } from '../events/command-event.ts'
import { lazyMatcher } from '../hits/hit-rounds.ts'

/** What these commands need of the context they run in. */
export type HitContext = Pick<ServiceContext, 'store' | 'clock' | 'random' | 'by'>

type Options = ControlRequest['options']

/** Option to member of a search or profile. */
const listMembers = {
  cpv: 'cpv',
  nuts: 'nuts',
  word: 'words',
  'all-words': 'allWords',
  nature: 'contractNatures',
  authority: 'authorities',
  procedure: 'procedures',
  status: 'status',
  country: 'countries',
  'past-authority': 'pastAuthorities',
  'past-win': 'pastWins',
} as const
const numberMembers = { 'value-min': 'valueMin', 'value-max': 'valueMax', 'min-days': 'minDaysToDeadline' } as const
/** In `excluded` of a search, and at the top level of a profile. */
const exclusions = {
  'exclude-cpv': ['cpv', 'excludedCpv'],
  'exclude-nuts': ['nuts', undefined],
  'exclude-word': ['words', 'excludedWords'],
  'exclude-authority': ['authorities', undefined],
} as const

type Members = { readonly [name: string]: unknown }

/** `before` with what the options replace and clear. */
function membersOf(options: Options, before: Members, kind: 'search' | 'profile'): Members {
  const members: Record<string, unknown> = { ...before }
  const excluded: Record<string, unknown> = { ...(before['excluded'] as object | undefined) }
  const set = (option: string, value: unknown): void => {
    const exclusion = exclusions[option as keyof typeof exclusions]
    const member =
      listMembers[option as keyof typeof listMembers] ?? numberMembers[option as keyof typeof numberMembers]
    if (exclusion && kind === 'search') excluded[exclusion[0]] = value
    else if (exclusion?.[1] !== undefined) members[exclusion[1]] = value
    else if (member !== undefined) members[member] = value
    else
      throw new HitInputError(
        'invalid-option',
        `--clear does not know "${option}"; use ${[listMembers, numberMembers, exclusions].flatMap(Object.keys).join(', ')}.`,
      )
  }
  for (const option of clearedOf(options)) if (option !== 'profile' || kind === 'profile') set(option, undefined)
  for (const option of [listMembers, numberMembers, exclusions].flatMap((each) => Object.keys(each)))
    if (options[option] !== undefined) set(option, options[option])
  if (kind === 'search') members['excluded'] = excluded
  return members
}

const clearedOf = (options: Options): readonly string[] =>
  listOf(options['clear']).map((option) => option.replace(/^--/, ''))
const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

export const createProfileNow: Operation<HitContext> = async (context, { options }, emit) => {
  const { store } = context
  const { organizationId, name: owner } = await organizationNamed(store, String(options['organization']))
  const wanted = {
    organizationId,
    name: nameOf(options),
    profile: parseCompanyProfile(membersOf(options, {}, 'profile')),
  }
  const outcome = await inTransaction(store, (trx) => addProfile(trx, actingOf(context), wanted))
  if (outcome.kind === 'nameTaken')
    throw new OperatorError(
      'already-exists',
      `"${owner}" already has a profile "${wanted.name}"; choose another name, or use profile edit.`,
    )
  emit(profileEvent(outcome.profile))
  return 0
}

export const editProfileNow: Operation<HitContext> = async (context, { options, operands }, emit) => {
  const { store } = context
  const seen = await profileNamed(store, String(options['organization']), operands[0]!)
  const before = JSON.parse(seen.content) as CompanyProfile
  const profile = parseCompanyProfile(membersOf(options, before, 'profile'))
  const outcome = await inTransaction(store, (trx) => editProfile(trx, actingOf(context), { seen, profile }))
  if (outcome.kind === 'stale') throw changedElsewhere()
  if (outcome.kind !== 'edited') throw nothingToChange()
  emit(profileEvent(outcome.profile))
  return 0
}

export const renameProfile: Operation<HitContext> = async (context, { options, operands }, emit) => {
  const { store } = context
  const seen = await profileNamed(store, String(options['organization']), operands[0]!)
  const name = nameOf(options)
  const outcome = await inTransaction(store, (trx) => editProfile(trx, actingOf(context), { seen, name }))
  if (outcome.kind === 'stale') throw changedElsewhere()
  if (outcome.kind === 'nameTaken') throw nameTaken('profile', name)
  if (outcome.kind !== 'edited') throw nothingToChange()
  emit(profileEvent(outcome.profile))
  return 0
}

export const copyProfileNow: Operation<HitContext> = async (context, { options, operands }, emit) => {
  const { store } = context
  const { profileId } = await profileNamed(store, String(options['organization']), operands[0]!)
  const name = nameOf(options)
  const outcome = await inTransaction(store, (trx) => copyProfile(trx, actingOf(context), profileId, name))
  if (outcome.kind === 'gone') throw changedElsewhere()
  if (outcome.kind === 'nameTaken') throw nameTaken('profile', name)
  emit(profileEvent(outcome.profile))
  return 0
}

export const deleteProfileNow: Operation<HitContext> = async (context, { options, operands }, emit) => {
  const { store } = context
  const { profileId } = await profileNamed(store, String(options['organization']), operands[0]!)
  const confirmed = String(options['confirm'])
  const outcome = await inTransaction(store, (trx) => deleteProfile(trx, actingOf(context), profileId, confirmed))
  if (outcome.kind === 'gone') throw changedElsewhere()
  if (outcome.kind === 'unconfirmed') throw unconfirmed('profile', outcome.name)
  if (outcome.kind === 'inUse')
    throw new OperatorError(
      'profile-in-use',
      `Searches use this profile: ${outcome.searches.map((name) => `"${name}"`).join(', ')}. Give them ` +
        'another one first: tenderstock search edit NAME --profile OTHER, or --clear profile.',
    )
  emit({ event: 'profileDeleted', id: profileId, name: outcome.name })
  return 0
}

export const listProfilesNow: Operation<HitContext> = async ({ store }, { options }, emit) => {
  const { organizationId, name } = await organizationNamed(store, String(options['organization']))
  const profiles = await listProfiles(store.db, organizationId)
  if (profiles.length === 0) emit({ event: 'none', message: `"${name}" has no profile yet.` })
  for (const profile of profiles) emit(profileEvent(profile))
  return 0
}

export const showProfile: Operation<HitContext> = async ({ store }, { options, operands }, emit) => {
  emit(profileEvent(await profileNamed(store, String(options['organization']), operands[0]!)))
  return 0
}

export const createSearchNow: Operation<HitContext> = async (context, { options }, emit) => {
  const { store } = context
  const { organizationId, name: owner } = await organizationNamed(store, String(options['organization']))
  const name = nameOf(options)
  const terms = {
    filter: parseSearchFilter(membersOf(options, { status: defaultStatus }, 'search')),
    profileId: await profileIdOf(store, organizationId, options['profile']),
    threshold: Number(options['threshold'] ?? defaultThreshold),
  }
  if (options['preview'] === true) return preview(context, terms, emit)
  const outcome = await inTransaction(store, (trx) =>
    addSearch(trx, actingOf(context), { ...terms, organizationId, name }),
  )
  if (outcome.kind === 'nameTaken')
    throw new OperatorError(
      'already-exists',
      `"${owner}" already has a search "${name}"; choose another name, or use search edit.`,
    )
  if (outcome.kind === 'tooMany') throw tooManySearches()
  emit(await searchEvent(store, outcome.search))
  await deliverNow(context, outcome.search, options, emit)
  return 0
}

export const editSearchNow: Operation<HitContext> = async (context, { options, operands }, emit) => {
  const { store } = context
  const seen = await searchNamed(store, operands[0]!, options)
  const before = JSON.parse(seen.filter) as SearchFilter
  const keepsProfile = options['profile'] === undefined && !clearedOf(options).includes('profile')
  const terms = {
    filter: parseSearchFilter(membersOf(options, before, 'search')),
    profileId: keepsProfile ? seen.profileId : await profileIdOf(store, seen.organizationId, options['profile']),
    threshold: Number(options['threshold'] ?? seen.threshold),
  }
  if (options['preview'] === true) return preview(context, terms, emit)
  const outcome = await inTransaction(store, (trx) => editSearch(trx, actingOf(context), { seen, terms }))
  if (outcome.kind === 'stale') throw changedElsewhere()
  if (outcome.kind !== 'edited') throw nothingToChange()
  emit(await searchEvent(store, outcome.search))
  return 0
}

export const renameSearch: Operation<HitContext> = async (context, { options, operands }, emit) => {
  const { store } = context
  const seen = await searchNamed(store, operands[0]!, options)
  const name = nameOf(options)
  const outcome = await inTransaction(store, (trx) => editSearch(trx, actingOf(context), { seen, name }))
  if (outcome.kind === 'stale') throw changedElsewhere()
  if (outcome.kind === 'nameTaken') throw nameTaken('search', name)
  if (outcome.kind !== 'edited') throw nothingToChange()
  emit(await searchEvent(store, outcome.search))
  return 0
}

export const copySearchNow: Operation<HitContext> = async (context, { options, operands }, emit) => {
  const { store } = context
  const { searchNo } = await searchNamed(store, operands[0]!, options)
  const name = nameOf(options)
  const outcome = await inTransaction(store, (trx) => copySearch(trx, actingOf(context), searchNo, name))
  if (outcome.kind === 'gone') throw changedElsewhere()
  if (outcome.kind === 'nameTaken') throw nameTaken('search', name)
  if (outcome.kind === 'tooMany') throw tooManySearches()
  emit(await searchEvent(store, outcome.search))
  return 0
}

export const deleteSearchNow: Operation<HitContext> = async (context, { options, operands }, emit) => {
  const { store } = context
  const { searchNo, searchId } = await searchNamed(store, operands[0]!, options)
  const confirmed = String(options['confirm'])
  const outcome = await inTransaction(store, (trx) => deleteSearch(trx, actingOf(context), searchNo, confirmed))
  if (outcome.kind === 'gone') throw changedElsewhere()
  if (outcome.kind === 'unconfirmed') throw unconfirmed('search', outcome.name)
  const { name, hits, messages } = outcome
  emit({ event: 'searchDeleted', id: searchId, name, hits, messages })
  return 0
}

/** `search pause|resume SEARCH`. */
export async function activateSearchNow(
  context: HitContext,
  { options, operands }: ControlRequest,
  isActive: boolean,
  emit: Emit,
): Promise<number> {
  const { store } = context
  const { searchNo, name } = await searchNamed(store, operands[0]!, options)
  const outcome = await inTransaction(store, (trx) => activateSearch(trx, actingOf(context), searchNo, isActive))
  if (outcome.kind === 'gone') throw changedElsewhere()
  if (outcome.kind === 'unchanged')
    throw new OperatorError('nothing-to-do', `The search "${name}" is already ${isActive ? 'active' : 'paused'}.`)
  emit(await searchEvent(store, outcome.search))
  await deliverNow(context, outcome.search, options, emit)
  return 0
}

export const listSearchesNow: Operation<HitContext> = async ({ store }, { options }, emit) => {
  const { organizationId, name } = await organizationNamed(store, String(options['organization']))
  const searches = await listSearches(store.db, organizationId)
  if (searches.length === 0)
    emit({
      event: 'none',
      message: `"${name}" has no search yet: tenderstock search create --organization '${name}' --name NAME --cpv CODE`,
    })
  for (const search of searches) emit(await searchEvent(store, search))
  return 0
}

export const showSearch: Operation<HitContext> = async ({ store }, { options, operands }, emit) => {
  emit(await searchEvent(store, await searchNamed(store, operands[0]!, options)))
  return 0
}

export const listHitsNow: Operation<HitContext> = async ({ store }, { options }, emit) => {
  const search =
    options['search'] === undefined ? undefined : await searchNamed(store, String(options['search']), options)
  const organizationId =
    search || options['organization'] === undefined
      ? search?.organizationId
      : (await organizationNamed(store, String(options['organization']))).organizationId
  const hits = await listHits(store.db, { organizationId, searchNo: search?.searchNo }, Number(options['limit'] ?? 50))
  if (hits.length === 0) emit({ event: 'none', message: 'There is no hit yet.' })
  for (const { tenderId, ...hit } of hits) emit({ event: 'hit', ...hit, tender: tenderId })
  return 0
}

export const releaseHits: Operation<HitContext> = async (context, { options, operands }, emit) => {
  const { store, clock } = context
  const search = await searchNamed(store, operands[0]!, options)
  const only = options['edition'] === undefined ? undefined : Number(options['edition'])
  let editions = 0
  for await (const released of releaseSearch(store, { ...actingOf(context), clock }, search, only)) {
    emit({ event: 'hitsReleased', search: search.name, ...released })
    editions += 1
  }
  if (editions === 0)
    throw new OperatorError('nothing-to-do', `No deliveries of "${search.name}" are held; nothing was released.`)
  return 0
}

/** `explain ID --search NAME`. */
export const explainSearch: Operation<HitContext> = async ({ store, clock }, { options, operands }, emit) => {
  const search = await searchNamed(store, String(options['search']), options)
  const explained = await explainMatch(store, search, operands[0]!.toLowerCase(), clock())
  if (!explained)
    throw new OperatorError(
      'no-record',
      `There is no published record "${operands[0]}"; pass an id as the API shows it.`,
    )
  const { clauses, reasons: _, ...rest } = explained
  emit({
    event: 'matchExplained',
    id: operands[0]!.toLowerCase(),
    search: search.name,
    ...rest,
    clauses: clauses.map(({ clause, holds, reason }) => ({ clause, holds, text: clauseLine(reason) })),
  })
  return 0
}

const nameOf = (options: Options): string => {
  const name = String(options['name']).trim()
  if (name.length > 200) throw new HitInputError('invalid-name', 'A name has at most 200 characters; shorten it.')
  return name
}

const nothingToChange = () => new OperatorError('nothing-to-change', 'Nothing to change: it already has these values.')

const nameTaken = (kind: 'profile' | 'search', name: string) =>
  new OperatorError('already-exists', `The organization already has a ${kind} "${name}"; choose another name.`)

const tooManySearches = () =>
  new OperatorError(
    'limit-reached',
    `The organization has ${maxSearches} searches, the maximum; edit one of them, or delete one: tenderstock search delete NAME`,
  )

const unconfirmed = (kind: 'profile' | 'search', name: string) =>
  new OperatorError(
    'confirmation-needed',
    `Nothing was deleted: to delete the ${kind} "${name}", pass --confirm '${name}'.`,
  )

const changedElsewhere = () =>
  new OperatorError(
    'changed-meanwhile',
    'Somebody changed it while this command ran; look at it, and run the command again.',
  )

async function preview(
  { store, clock }: HitContext,
  { filter, profileId, threshold }: SearchInput,
  emit: Emit,
): Promise<number> {
  const matcher = lazyMatcher()
  try {
    const { open, lastDays } = await previewSearch(store, { filter, profileId, matcher, now: clock() })
    emit({ event: 'searchPreview', filter, threshold, open, lastDays })
    return 0
  } finally {
    await matcher.close()
  }
}

async function deliverNow(
  { store, clock }: HitContext,
  search: StoredSearch,
  options: Options,
  emit: Emit,
): Promise<void> {
  if (options['deliver-open'] === undefined) return
  const matcher = lazyMatcher()
  try {
    const [limit, stockId] = [Number(options['deliver-open']), await stockIdOf(store.db)]
    const hits = await deliverOpen(store, { search, limit, matcher, now: clock(), stockId })
    emit({ event: 'openDelivered', search: search.name, hits })
  } finally {
    await matcher.close()
  }
}

async function profileNamed(store: Store, organization: string, name: string): Promise<StoredProfile> {
  const { organizationId, name: owner } = await organizationNamed(store, organization)
  const profile = await findProfile(store.db, organizationId, name)
  if (profile) return profile
  throw new OperatorError(
    'no-profile',
    `"${owner}" has no profile "${name}"; \`tenderstock profile list --organization '${owner}'\` shows them.`,
  )
}

async function profileIdOf(store: Store, organizationId: string, name: unknown): Promise<string | null> {
  return name === undefined ? null : (await profileNamed(store, organizationId, String(name))).profileId
}

async function searchNamed(store: Store, name: string, options: Options): Promise<StoredSearch> {
  const owner =
    options['organization'] === undefined ? undefined : await organizationNamed(store, String(options['organization']))
  const found = (await findSearches(store.db, name)).filter(
    ({ organizationId }) => owner === undefined || organizationId === owner.organizationId,
  )
  if (found.length > 1)
    throw new OperatorError(
      'search-unclear',
      `Several organizations have a search "${name}"; pass --organization NAME.`,
    )
  const [search] = found
  if (search) return search
  throw new OperatorError(
    'no-search',
    `There is no search "${name}"; \`tenderstock search list --organization NAME\` shows those of an organization.`,
  )
}

const profileEvent = ({ content, ...profile }: StoredProfile): EventOf<'profile'> => ({
  event: 'profile',
  ...profile,
  profile: JSON.parse(content) as CompanyProfile,
})

async function searchEvent(store: Store, search: StoredSearch): Promise<EventOf<'search'>> {
  const { filter, filterHash: _hash, searchNo, isActive, ...rest } = search
  const profile = rest.profileId === null ? undefined : await findProfileById(store.db, rest.profileId)
  return {
    event: 'search',
    ...rest,
    profile: profile?.name ?? null,
    state: isActive ? 'active' : 'paused',
    filter: JSON.parse(filter) as SearchFilter,
    held: await heldEditions(store.db, searchNo),
  }
}

export const operations = {
  'profile create': createProfileNow,
  'profile edit': editProfileNow,
  'profile rename': renameProfile,
  'profile copy': copyProfileNow,
  'profile delete': deleteProfileNow,
  'profile list': listProfilesNow,
  'profile show': showProfile,
  'search create': createSearchNow,
  'search edit': editSearchNow,
  'search rename': renameSearch,
  'search copy': copySearchNow,
  'search delete': deleteSearchNow,
  'search list': listSearchesNow,
  'search show': showSearch,
  'hit list': listHitsNow,
  'hit release': releaseHits,
  'search pause': (context, request, emit) => activateSearchNow(context, request, false, emit),
  'search resume': (context, request, emit) => activateSearchNow(context, request, true, emit),
} satisfies Operations
