// The answer to a question about tenders by a plain loop over all records, from the specification of the question
// (src/edition/read/tender-question.ts) and by the code of saved searches: what the word index must equal.
import { firstDeadline } from '#flat/record/first-deadline'
import { buyersOf, isNamedBy } from '../../src/domain/buyers.ts'
import { isCompany, winnersOf } from '../../src/domain/companies/companies.ts'
import { cpvRange } from '../../src/domain/cpv.ts'
import { nutsNumber, nutsRange, toNutsCode } from '../../src/domain/nuts.ts'
import { identifierOf } from '../../src/domain/organization-identity.ts'
import type { TenderOrganization, TenderRecord } from '../../src/domain/tender.ts'
import { authorityKey, isSpellingIn, jointWords, spellingsOf, tokensOf } from '../../src/domain/words.ts'
import { valueBands } from '../../src/edition/format/value-bands.ts'
import type { Counted, FacetCounts, TenderFacets, TenderQuestion } from '../../src/edition/read/tender-question.ts'

export type PlainlyFound = {
  readonly total: number
  readonly records: readonly TenderRecord[]
  readonly facets: TenderFacets
}

const ms = (text: string | undefined): number => Date.parse(text ?? '')
const deadlineOf = (record: TenderRecord): number => ms(firstDeadline(record)?.at)
const publicationOf = ({ publicationDate }: TenderRecord): number => ms(publicationDate)
const eurosOf = ({ contractAmount }: TenderRecord): number =>
  contractAmount?.currency === 'EUR' ? contractAmount.value : Number.NaN
const cpvOf = (record: TenderRecord): string[] =>
  [record, ...record.lots].flatMap(({ cpvCodes }) => cpvCodes.filter((code) => /^\d{8}$/.test(code)))
const nutsOf = ({ nutsCodes }: TenderRecord): string[] => nutsCodes.flatMap((text) => toNutsCode(text) ?? [])

function textsOf(record: TenderRecord): (string | undefined)[] {
  const translated = Object.values(record.translations ?? {})
  return [record, ...record.lots, ...translated].flatMap(({ title, description }) => [title, description])
}
const titlesOf = (record: TenderRecord): (string | undefined)[] =>
  [record, ...Object.values(record.translations ?? {})].map(({ title }) => title)

function haveWords(words: readonly string[], texts: readonly (string | undefined)[]): boolean {
  const tokens = texts.flatMap((text) => (text === undefined ? [] : [...tokensOf(text), ...jointWords(text)]))
  return words.every((word) => {
    const spellings = spellingsOf(word)
    return tokens.some((token) => spellings.some((spelling) => isSpellingIn(spelling, token)))
  })
}

/** Each word is, or begins, a word of one of the names; the identifier is that of one of them. */
function haveWinners(
  { winnerWords = [], winnerIdentifier }: TenderQuestion,
  winners: readonly TenderOrganization[],
): boolean {
  const tokens = winners.flatMap(({ name }) => tokensOf(name))
  return (
    (winnerIdentifier === undefined || winners.some((winner) => identifierOf(winner) === winnerIdentifier)) &&
    winnerWords.every((word) =>
      spellingsOf(word).some((spelling) =>
        tokens.some((token) => token === spelling || (spelling.length >= 4 && token.startsWith(spelling))),
      ),
    )
  )
}

const isIn = (value: number, { from, to }: { readonly from: number; readonly to: number }): boolean =>
  value >= from && value <= to

/** Each filter of the question, by the facet that it does not narrow. */
function filtersOf(question: TenderQuestion): { readonly [facet: string]: (record: TenderRecord) => boolean } {
  const { cpv, nuts, statuses, authorities } = question
  const { valueMin, valueMax, deadlineFrom, deadlineBefore, publishedFrom, publishedBefore } = question
  const keys = authorities && new Set(authorities.map(authorityKey))
  return {
    words: (record) => !question.allWords || haveWords(question.allWords, textsOf(record)),
    winners: (record) => haveWinners(question, winnersOf(record).filter(isCompany)),
    cpv: (record) => !cpv || cpv.some((code) => cpvOf(record).some((own) => isIn(Number(own), cpvRange(code)))),
    nuts: (record) =>
      !nuts || nuts.some((code) => nutsOf(record).some((own) => isIn(nutsNumber(own), nutsRange(code)))),
    status: (record) => !statuses || statuses.some((status) => status === record.status),
    value: (record) =>
      (valueMin === undefined || eurosOf(record) >= valueMin) &&
      (valueMax === undefined || eurosOf(record) <= valueMax),
    deadline: (record) =>
      (deadlineFrom === undefined || deadlineOf(record) >= deadlineFrom) &&
      (deadlineBefore === undefined || deadlineOf(record) < deadlineBefore),
    published: (record) =>
      (publishedFrom === undefined || publicationOf(record) >= publishedFrom) &&
      (publishedBefore === undefined || publicationOf(record) < publishedBefore),
    authority: (record) => !keys || buyersOf(record).some((buyer) => isNamedBy(keys, buyer)),
  }
}

export function findPlainly(all: readonly TenderRecord[], question: TenderQuestion): PlainlyFound {
  const filters = filtersOf(question)
  const shown = all.filter(({ status }) => status !== 'merged')
  const names = Object.keys(filters)
  const failing = new Map(shown.map((record) => [record, names.filter((name) => !filters[name]!(record))]))
  const but = (facet: string) => shown.filter((record) => failing.get(record)!.every((name) => name === facet))
  const found = but('').sort(inOrder(question))
  return {
    total: found.length,
    records: found.slice(question.offset, question.offset + question.limit),
    facets: facetsOf(but, question.at),
  }
}

function inOrder({ order, at, allWords = [] }: TenderQuestion): (a: TenderRecord, b: TenderRecord) => number {
  const highest = (of: (record: TenderRecord) => number) => (a: TenderRecord, b: TenderRecord) => {
    const [left, right] = [of(a), of(b)]
    if (Number.isNaN(left) || Number.isNaN(right)) return Number(Number.isNaN(left)) - Number(Number.isNaN(right))
    return right - left
  }
  const step = (record: TenderRecord) => Number(allWords.length > 0 && haveWords(allWords, titlesOf(record)))
  const orders = {
    relevance: [highest(step), highest(publicationOf)],
    newest: [highest(publicationOf)],
    deadline: [
      highest((record) => (deadlineOf(record) >= at ? 1 : 0)),
      highest((record) => (deadlineOf(record) >= at ? -deadlineOf(record) : deadlineOf(record))),
    ],
    value: [highest(eurosOf)],
  }
  const last = [
    highest(({ lastModified }) => ms(lastModified)),
    (a: TenderRecord, b: TenderRecord) => (a.id < b.id ? 1 : -1),
  ]
  return (a, b) => [...orders[order], ...last].map((each) => each(a, b)).find((sign) => sign !== 0) ?? 0
}

function facetsOf(but: (facet: string) => readonly TenderRecord[], at: number): TenderFacets {
  const count = (facet: string, codesOf: (record: TenderRecord) => readonly string[]): FacetCounts => {
    const counts = new Map<string, number>()
    let none = 0
    for (const record of but(facet)) {
      const codes = new Set(codesOf(record))
      if (codes.size === 0) none++
      for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1)
    }
    const sorted = [...counts].map(([code, number]) => ({ code, count: number })).sort(mostFirst)
    return { counts: sorted, none }
  }
  const values = but('value').map(eurosOf)
  const deadlines = but('deadline').map(deadlineOf)
  const week = 7 * 24 * 3_600_000
  const within = (from: number, to: number) => deadlines.filter((time) => time >= from && time < to).length
  const months = count('published', (record) =>
    record.publicationDate === undefined ? [] : [record.publicationDate.slice(0, 7)],
  )
  return {
    divisions: count('cpv', (record) => cpvOf(record).map((code) => code.slice(0, 2))),
    countries: count('nuts', (record) => nutsOf(record).map((code) => code.slice(0, 2))),
    regions: count('nuts', (record) => nutsOf(record).flatMap((code) => (code.length > 2 ? code.slice(0, 3) : []))),
    statuses: count('status', ({ status }) => [status]).counts,
    values: {
      counts: valueBands.map(
        ({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }) =>
          values.filter((value) => value >= min && value <= max).length,
      ),
      none: values.filter(Number.isNaN).length,
    },
    deadlines: {
      passed: deadlines.filter((time) => time < at).length,
      weeks: [0, 1, 2, 3, 4, 5].map((index) => within(at + index * week, at + (index + 1) * week)),
      later: deadlines.filter((time) => time >= at + 6 * week).length,
      none: deadlines.filter(Number.isNaN).length,
    },
    buyers: buyersIn(but('authority')),
    months: { ...months, counts: [...months.counts].sort((a, b) => (a.code < b.code ? -1 : 1)) },
  }
}

const mostFirst = (a: Counted, b: Counted): number => b.count - a.count || (a.code < b.code ? -1 : 1)

/** Which of equally many, and which spelling of a name, is left to the index: the order here is by key. */
function buyersIn(records: readonly TenderRecord[]): TenderFacets['buyers'] {
  const groups = new Map<string, { name: string; nationalId?: string; count: number }>()
  for (const record of records) {
    const byKey = new Map(buyersOf(record).map((buyer) => [authorityKey(buyer.name), buyer]))
    for (const [key, buyer] of byKey) {
      const group = groups.get(key) ?? { name: buyer.name, count: 0 }
      group.count++
      if (identifierOf(buyer) !== undefined) group.nationalId = buyer.nationalId!
      groups.set(key, group)
    }
  }
  return [...groups]
    .sort(([a, { count: most }], [b, { count: more }]) => more - most || (a < b ? -1 : 1))
    .slice(0, 10)
    .map(([, group]) => group)
}
