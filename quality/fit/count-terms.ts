// Counts what the fit score needs from many records: how rare terms and codes are. Counts only, no text.
import type { TenderRecord } from '../../src/domain/tender.ts'
import { tokensOf } from '../../src/domain/words.ts'
import type { StoredCounts, StoredTerms } from '../../src/hits/fit/fit-model.ts'
import { piecesOfToken, termsOfToken } from '../../src/hits/fit/fit-terms.ts'
import { authorityForFit, textsForFit, type WeighedText } from '../../src/hits/fit/fit-texts.ts'

/** Minimum number of records with a term; rarer ones count as unlisted. */
const minCount = 3
/** The same for pieces of words, of which there are many. */
const minPieces = 10
/** Number that is added to the records of a language: a share of a few records is not meaningful. */
const smoothing = 20

const tenths = (share: number): number => Math.round(-10 * Math.log(share))

export function countTerms(records: readonly TenderRecord[]): StoredCounts {
  const byCpv = new Map<string, number>()
  let words = 0
  for (const record of records) {
    for (const { text } of textsForFit(record)) words += tokensOf(text).length
    const codes = [...record.cpvCodes, ...record.lots.flatMap((lot) => lot.cpvCodes)]
    const prefixes = codes.flatMap((code) => [2, 3, 4, 5, 6, 7, 8].map((digits) => code.slice(0, digits)))
    for (const prefix of new Set(prefixes)) byCpv.set(prefix, (byCpv.get(prefix) ?? 0) + 1)
  }
  const cpv = [...byCpv]
    .filter(([, count]) => count >= minCount)
    .map(([digits, count]) => [digits, tenths(count / records.length)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const { unlisted, terms } = countsOf(records, textsForFit, termsOfToken, minCount)
  return {
    meanLength: Math.round(words / records.length),
    unlisted,
    unlistedCpv: tenths(1 / records.length),
    terms,
    cpv: cpv.flat().join(' '),
  }
}

export const countPieces = (records: readonly TenderRecord[]): StoredTerms =>
  countsOf(records, textsForFit, piecesOfToken, minPieces)

export const countAuthorityTerms = (records: readonly TenderRecord[]): StoredTerms =>
  countsOf(records, authorityForFit, termsOfToken, minCount)

/** In how many records terms occur, by the language in which they are most frequent. */
function countsOf(
  records: readonly TenderRecord[],
  textsOf: (record: TenderRecord) => Iterable<WeighedText>,
  termsOf: (token: string) => readonly string[],
  least: number,
): StoredTerms {
  const languages = new Map<string, number>()
  const byTerm = new Map<string, Map<string, number>>()
  for (const record of records) {
    const language = record.language ?? ''
    languages.set(language, (languages.get(language) ?? 0) + 1)
    const tokens = new Set([...textsOf(record)].flatMap(({ text }) => tokensOf(text)))
    for (const term of new Set([...tokens].flatMap(termsOf))) {
      const counts = byTerm.get(term) ?? new Map<string, number>()
      byTerm.set(term, counts.set(language, (counts.get(language) ?? 0) + 1))
    }
  }
  const shareOf = (counts: ReadonlyMap<string, number>): number =>
    Math.max(...[...counts].map(([language, count]) => count / (languages.get(language)! + smoothing)))
  const terms = [...byTerm]
    .filter(([, counts]) => sum(counts.values()) >= least)
    .map(([term, counts]) => [term, tenths(shareOf(counts))] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    unlisted: tenths(1 / (Math.max(...languages.values()) / 2 + smoothing)),
    terms: terms.flat().join(' '),
  }
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0)
