// The form of a company profile: what somebody typed, and the profile that it describes.
import { type CompanyProfile, parseCompanyProfile } from '../../hits/company-profile.ts'
import {
  HitInputError,
  readAuthority,
  readContractNature,
  readCountry,
  readCpv,
  readNuts,
  readTenderId,
  readWord,
} from '../../hits/read-input.ts'
import type { StoredProfile } from '../../store/hits/searches.ts'
import type { Picked } from '../codes/code-picker.ts'
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
import { profilesTexts } from './profiles-texts.ts'

/** As typed. */
export type ProfileForm = CriteriaForm & {
  readonly countries: string
  /** Ids of tenders. */
  readonly wins: readonly string[]
  /** Name of a company whose wins are looked up. */
  readonly winner: string
}

/** The form of a stored profile, or an empty one. */
export function formOfProfile(stored?: StoredProfile): ProfileForm {
  const profile = stored ? (JSON.parse(stored.content) as CompanyProfile) : {}
  const picked = (codes: readonly string[] | undefined): Picked => ({ codes: codes ?? [], query: '' })
  return {
    name: stored?.name ?? '',
    cpv: picked(profile.cpv),
    nuts: picked(profile.nuts),
    words: (profile.words ?? []).join(', '),
    valueMin: profile.valueMin?.toString() ?? '',
    valueMax: profile.valueMax?.toString() ?? '',
    countries: (profile.countries ?? []).join(', '),
    natures: profile.contractNatures ?? [],
    authorities: (profile.pastAuthorities ?? []).join('\n'),
    wins: profile.pastWins ?? [],
    winner: '',
    notWords: (profile.excludedWords ?? []).join(', '),
    notCpv: picked(profile.excludedCpv),
  }
}

/** What was sent. */
export const profileSent = (form: URLSearchParams): ProfileForm => ({
  ...criteriaSent(form),
  countries: fieldOf(form, 'countries'),
  wins: [...new Set(form.getAll('wins').flatMap(wordList))],
  winner: fieldOf(form, 'winner'),
})

export type ReadProfile =
  | { readonly kind: 'read'; readonly name: string; readonly profile: CompanyProfile }
  | { readonly kind: 'wrong'; readonly errors: FieldErrors }

/** The profile that a form says, or what is wrong with it. */
export function readProfileForm(form: ProfileForm, language: Language): ReadProfile {
  const reader = new CriteriaParser(language)
  const name = reader.name('name', form.name)
  const members = present({
    cpv: reader.list('cpv', form.cpv.codes, readCpv, 'cpv'),
    nuts: reader.list('nuts', form.nuts.codes, readNuts, 'nuts'),
    words: reader.list('words', wordList(form.words), readWord, 'word'),
    ...reader.range('value-min', form.valueMin, 'value-max', form.valueMax),
    countries: reader.list('countries', wordList(form.countries), readCountry, 'country'),
    contractNatures: reader.list('nature', form.natures, readContractNature, 'nature'),
    pastAuthorities: reader.list('authorities', lineList(form.authorities), readAuthority, 'authority'),
    pastWins: reader.list('wins', form.wins, readTenderId, 'tender'),
    excludedWords: reader.list('not-words', wordList(form.notWords), readWord, 'word'),
    excludedCpv: reader.list('not-cpv', form.notCpv.codes, readCpv, 'cpv'),
  })
  const { errors } = reader
  const isComparable = ['cpv', 'words', 'pastWins'].some((each) => each in members)
  if (!isComparable && !['cpv', 'words', 'wins'].some((each) => errors.has(each)))
    errors.set('cpv', profilesTexts[language].needed)
  if (errors.size > 0) return { kind: 'wrong', errors }
  try {
    return { kind: 'read', name, profile: parseCompanyProfile(members) }
  } catch (error) {
    if (!(error instanceof HitInputError)) throw error
    return { kind: 'wrong', errors: new Map([['cpv', error.message]]) }
  }
}
