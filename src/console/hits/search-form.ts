// The form of a search: what somebody typed, and the filter that it describes.
import { isProcedureType } from '../../domain/codes.ts'
import {
  HitInputError,
  readAuthority,
  readContractNature,
  readCpv,
  readNuts,
  readProcedure,
  readStatus,
  readWord,
} from '../../hits/read-input.ts'
import {
  defaultStatus,
  defaultThreshold,
  hasAnchor,
  parseSearchFilter,
  type SearchFilter,
} from '../../hits/saved-search.ts'
import type { StoredProfile, StoredSearch } from '../../store/hits/searches.ts'
import { type Picked, pickedOf } from '../codes/code-picker.ts'
import { fieldOf } from '../frame/forms.ts'
import type { Language } from '../frame/languages.ts'
import {
  type CriteriaForm,
  CriteriaParser,
  criteriaSent,
  type FieldErrors,
  lineList,
  present,
  wordList,
} from './criteria.ts'
import { searchesTexts } from './searches-texts.ts'

/** As typed. */
export type SearchForm = CriteriaForm & {
  /** Separated by commas or spaces. */
  readonly allWords: string
  readonly procedures: readonly string[]
  readonly statuses: readonly string[]
  readonly minDays: string
  readonly notNuts: Picked
  readonly notAuthorities: string
  /** Empty: derived from the search. */
  readonly profile: string
  readonly threshold: string
  readonly deliversOpen: boolean
}

const picked = (codes: readonly string[] | undefined): Picked => ({ codes: codes ?? [], query: '' })

/** The form of a stored search, or an empty one. */
export function formOfSearch(search?: StoredSearch): SearchForm {
  const filter = search ? (JSON.parse(search.filter) as SearchFilter) : {}
  const { excluded } = filter
  return {
    name: search?.name ?? '',
    cpv: picked(filter.cpv),
    nuts: picked(filter.nuts),
    words: (filter.words ?? []).join(', '),
    authorities: (filter.authorities ?? []).join('\n'),
    natures: filter.contractNatures ?? [],
    allWords: (filter.allWords ?? []).join(', '),
    procedures: filter.procedures ?? [],
    statuses: filter.status ?? (search ? [] : defaultStatus),
    valueMin: filter.valueMin?.toString() ?? '',
    valueMax: filter.valueMax?.toString() ?? '',
    minDays: filter.minDaysToDeadline?.toString() ?? '',
    notCpv: picked(excluded?.cpv),
    notNuts: picked(excluded?.nuts),
    notWords: (excluded?.words ?? []).join(', '),
    notAuthorities: (excluded?.authorities ?? []).join('\n'),
    profile: search?.profileId ?? '',
    threshold: String(search?.threshold ?? defaultThreshold),
    deliversOpen: search === undefined,
  }
}

/** The query that prefills the form of a new search with this filter: the names are those of its fields. */
export function searchFormAddress(filter: SearchFilter, name: string): string {
  const query = new URLSearchParams({ name })
  const list = (field: string, items: readonly string[] = []) => {
    for (const item of items) query.append(field, item)
  }
  list('cpv', filter.cpv)
  list('nuts', filter.nuts)
  if (filter.words) query.set('words', filter.words.join(', '))
  if (filter.allWords) query.set('all-words', filter.allWords.join(', '))
  if (filter.authorities) query.set('authorities', filter.authorities.join('\n'))
  list('status', filter.status)
  if (filter.valueMin !== undefined) query.set('value-min', String(filter.valueMin))
  if (filter.valueMax !== undefined) query.set('value-max', String(filter.valueMax))
  return query.toString()
}

/**
 * The form of a new search as an address prefills it; an empty one without a query. Whoever saves what a page shows
 * expects those tenders among the hits.
 */
export const formOfAddress = (query: URLSearchParams): SearchForm =>
  query.size === 0 ? formOfSearch() : { ...formSent(query), threshold: String(defaultThreshold), deliversOpen: true }

/** What was sent. */
export const formSent = (form: URLSearchParams): SearchForm => ({
  ...criteriaSent(form),
  allWords: fieldOf(form, 'all-words'),
  procedures: form.getAll('procedure').filter(isProcedureType),
  statuses: form.getAll('status'),
  minDays: fieldOf(form, 'min-days'),
  notNuts: pickedOf(form, 'nuts', 'not-nuts'),
  notAuthorities: fieldOf(form, 'not-authorities'),
  profile: fieldOf(form, 'profile'),
  threshold: fieldOf(form, 'threshold'),
  deliversOpen: form.get('deliver-open') === 'yes',
})

/** What a form says besides the name. */
type ReadCriteria = {
  readonly filter: SearchFilter
  readonly profile: StoredProfile | undefined
  readonly threshold: number
}

export type ReadSearch =
  | ({ readonly kind: 'read'; readonly name: string } & ReadCriteria)
  /** `criteria`: where only the name is wrong. */
  | { readonly kind: 'wrong'; readonly errors: FieldErrors; readonly criteria?: ReadCriteria }

/** Fields of which one must be filled in. */
const anchorFields = ['cpv', 'nuts', 'words', 'all-words', 'authorities']

/** The search that a form says, or what is wrong with it. `profiles`: of the organization. */
export function readSearchForm(form: SearchForm, profiles: readonly StoredProfile[], language: Language): ReadSearch {
  const reader = new CriteriaParser(language)
  const texts = searchesTexts[language]
  const name = reader.name('name', form.name)
  const days = reader.whole('min-days', form.minDays, 0, 365)
  const threshold = reader.whole('threshold', form.threshold || String(defaultThreshold), 1, 100)
  const members = present({
    cpv: reader.list('cpv', form.cpv.codes, readCpv, 'cpv'),
    nuts: reader.list('nuts', form.nuts.codes, readNuts, 'nuts'),
    words: reader.list('words', wordList(form.words), readWord, 'word'),
    authorities: reader.list('authorities', lineList(form.authorities), readAuthority, 'authority'),
    allWords: reader.list('all-words', wordList(form.allWords), readWord, 'word'),
    status: reader.list('status', form.statuses, readStatus, 'status'),
    contractNatures: reader.list('nature', form.natures, readContractNature, 'nature'),
    procedures: reader.list('procedure', form.procedures, readProcedure, 'procedure'),
    ...reader.range('value-min', form.valueMin, 'value-max', form.valueMax),
    minDaysToDeadline: days,
    excluded: present({
      cpv: reader.list('not-cpv', form.notCpv.codes, readCpv, 'cpv'),
      nuts: reader.list('not-nuts', form.notNuts.codes, readNuts, 'nuts'),
      words: reader.list('not-words', wordList(form.notWords), readWord, 'word'),
      authorities: reader.list('not-authorities', lineList(form.notAuthorities), readAuthority, 'authority'),
    }),
  })
  const isFound = hasAnchor(members) || anchorFields.some((each) => reader.errors.has(each))
  if (!isFound) reader.errors.set('cpv', texts.nothingToFind)
  const profile = profiles.find(({ profileId }) => profileId === form.profile)
  if (form.profile !== '' && !profile) reader.errors.set('profile', texts.noSuchProfile)
  const { errors } = reader
  const isNameWrong = errors.has('name')
  if (errors.size > (isNameWrong ? 1 : 0)) return { kind: 'wrong', errors }
  try {
    const criteria = { filter: parseSearchFilter(members), profile, threshold: threshold ?? defaultThreshold }
    return isNameWrong ? { kind: 'wrong', errors, criteria } : { kind: 'read', name, ...criteria }
  } catch (error) {
    if (!(error instanceof HitInputError)) throw error
    return { kind: 'wrong', errors: new Map([['cpv', error.message]]) }
  }
}
