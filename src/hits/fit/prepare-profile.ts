// A profile prepared for comparison: numbers in place of texts.
import { buyersOf } from '../../domain/buyers.ts'
import { toNutsCode } from '../../domain/nuts.ts'
import type { TenderOrganization, TenderRecord } from '../../domain/tender.ts'
import { spellingsOf } from '../../domain/words.ts'
import { type PastAuthorities, pastAuthorities } from '../authorities.ts'
import type { CompanyProfile } from '../company-profile.ts'
import type { FitModel } from './fit-model.ts'
import { termsOfToken } from './fit-terms.ts'
import type { TermCounter, TermCounters, TermVector } from './term-counter.ts'

/** What the score compares tenders with. */
export type ProfileToFit = {
  /** Null: derived from a search. */
  readonly profileId: string | null
  readonly profile: CompanyProfile
  /** The records of the past wins that the stock holds, or their JSON. */
  readonly wins: readonly WonRecord[]
}
type WonRecord = TenderRecord | string

/** A word of the profile, found as searches find it, or a term of the past wins. */
type ProfileTerm = { readonly name: string; readonly numbers: readonly number[]; readonly weight: number }

/** A past win as it is compared. */
export type PreparedWin = {
  readonly pieces: TermVector
  readonly titles: TermVector
  readonly authority: TermVector
  /** The heaviest words, of which keywords are chosen. */
  readonly words: TermVector
  readonly codes: readonly string[]
  readonly regions: readonly string[]
  readonly value: number | undefined
  readonly buyers: readonly TenderOrganization[]
}

export type PreparedProfile = {
  readonly profileId: string | null
  /** Codes of eight digits, of the profile and its past wins. */
  readonly cpv: readonly string[]
  readonly nuts: readonly string[]
  /** The regions that the profile names: all regions inside them count. */
  readonly namedNuts: ReadonlySet<string>
  /** The words of the profile itself, then terms of past wins. */
  readonly terms: readonly ProfileTerm[]
  /** Number of words of the profile itself. */
  readonly ownWords: number
  /** Whether the profile itself says by codes or words what the company does. */
  readonly namesTrade: boolean
  /** Sum of weighed matches at which the keywords give .63 of their points. */
  readonly kappa: number
  readonly wins: readonly PreparedWin[]
  /** Mean of log10 of the values won, in euros. */
  readonly meanValue: number | undefined
  readonly valueMin: number | undefined
  readonly valueMax: number | undefined
  readonly pastAuthorities: PastAuthorities
  readonly countries: readonly string[] | undefined
  readonly contractNatures: readonly string[] | undefined
  readonly excludedCpv: readonly string[] | undefined
  readonly excludedWords: readonly string[] | undefined
}

/** Maximum terms of past wins among the keywords. */
const maxTerms = 30
/** Maximum terms of one past win that may become keywords. */
const maxTermsOfWin = 80
/** Maximum pieces of words of one past win, and of its titles, in the likeness to it. */
const maxPieces = 200
const maxPiecesOfTitles = 80
/** Maximum number of past wins that are compared. */
const maxWins = 50
/** Minimum information of a keyword: a term in more than 15 % of the texts of a language distinguishes nothing. */
const minInformation = -Math.log(0.15)
/** Weight of a word that a person wrote, relative to 1 for a term of past wins. */
const weightOfOwnWord = 4
const minKappa = 12

/** Prepares profiles one after the other; a record that several of them won is read once. */
export function openPreparer(readers: TermCounters, model: FitModel): (profile: ProfileToFit) => PreparedProfile {
  const known = new Map<WonRecord, PreparedWin>()
  const winOf = (won: WonRecord): PreparedWin => {
    const win =
      known.get(won) ?? preparedWin(typeof won === 'string' ? (JSON.parse(won) as TenderRecord) : won, readers)
    known.set(won, win)
    return win
  }
  return (profile) => prepareProfile(profile, profile.wins.slice(0, maxWins).map(winOf), readers.words, model)
}

function preparedWin(record: TenderRecord, readers: TermCounters): PreparedWin {
  readers.read(record)
  return {
    pieces: readers.pieces.heaviest(maxPieces),
    titles: readers.titles.heaviest(maxPiecesOfTitles),
    authority: readers.authority.heaviest(maxTermsOfWin),
    words: readers.words.heaviest(maxTermsOfWin),
    codes: codesOf(record),
    regions: regionsOf(record),
    value: euroValueOf(record),
    buyers: buyersOf(record),
  }
}

function prepareProfile(
  { profileId, profile }: ProfileToFit,
  wins: readonly PreparedWin[],
  reader: TermCounter,
  model: FitModel,
): PreparedProfile {
  const own = (profile.words ?? []).map((word) => ownWord(word, reader, model))
  const terms = [...own, ...keywordsOf(wins, reader)]
  const heaviest = terms.map(({ weight }) => weight).sort((a, b) => b - a)
  const values = wins.map(({ value }) => value).filter((value) => value !== undefined)
  return {
    profileId,
    cpv: [...new Set([...(profile.cpv ?? []), ...wins.flatMap(({ codes }) => codes)])],
    nuts: [...new Set([...(profile.nuts ?? []), ...wins.flatMap(({ regions }) => regions)])],
    namedNuts: new Set(profile.nuts),
    terms,
    ownWords: own.length,
    namesTrade: own.length > 0 || (profile.cpv ?? []).length > 0,
    kappa: Math.max(minKappa, heaviest.slice(0, 6).reduce((sum, weight) => sum + weight, 0) / 2),
    wins,
    meanValue:
      values.length === 0 ? undefined : values.reduce((sum, value) => sum + Math.log10(value), 0) / values.length,
    valueMin: profile.valueMin,
    valueMax: profile.valueMax,
    pastAuthorities: pastAuthorities(
      profile.pastAuthorities ?? [],
      wins.flatMap(({ buyers }) => buyers),
    ),
    countries: profile.countries,
    contractNatures: profile.contractNatures,
    excludedCpv: profile.excludedCpv,
    excludedWords: profile.excludedWords,
  }
}

/** The terms that weigh most in all past wins together. */
function keywordsOf(wins: readonly PreparedWin[], reader: TermCounter): ProfileTerm[] {
  /** By the number of a term. */
  const sums = new Map<number, number>()
  for (const { words } of wins)
    words.numbers.forEach((number, index) => {
      sums.set(number, (sums.get(number) ?? 0) + words.weights[index]!)
    })
  return [...sums]
    .filter(([number]) => reader.informationOf(number) > minInformation)
    .map(([number, weight]) => ({ number, weight, name: reader.nameOf(number) }))
    .sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))
    .slice(0, maxTerms)
    .map(({ number, name }) => ({ name, numbers: [number], weight: reader.informationOf(number) }))
}

function ownWord(word: string, reader: TermCounter, model: FitModel): ProfileTerm {
  const spellings = spellingsOf(word)
  const [term] = termsOfToken(spellings[0]!)
  return {
    name: word,
    numbers: spellings.map((spelling) => reader.numberOf(`=${spelling}`)),
    weight: weightOfOwnWord * model.words.weightOf(term ?? spellings[0]!),
  }
}

/** Codes of the tender and its lots, well-formed ones, each once. */
export const codesOf = (record: TenderRecord): string[] => [
  ...new Set(
    [...record.cpvCodes, ...record.lots.flatMap((lot) => lot.cpvCodes)].filter((code) => /^\d{8}$/.test(code)),
  ),
]

export const regionsOf = (record: TenderRecord): string[] => [
  ...new Set(record.nutsCodes.map(toNutsCode).filter((code) => code !== undefined)),
]

/** In euros; undefined where none is known. */
export const euroValueOf = ({ contractAmount }: TenderRecord): number | undefined =>
  contractAmount !== null && contractAmount.currency === 'EUR' && contractAmount.value >= 1
    ? contractAmount.value
    : undefined
