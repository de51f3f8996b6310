// Companies that won several tenders of a corpus, and for each win the tender that the score should have found.
import { buyersOf } from '../../src/domain/buyers.ts'
import { identifierOf, namesContradict } from '../../src/domain/organization-identity.ts'
import type { TenderRecord } from '../../src/domain/tender.ts'
import { tokensOf } from '../../src/domain/words.ts'
import { foundBuyersOf, hasPastAuthority, pastAuthorities } from '../../src/hits/authorities.ts'
import type { FitModel } from '../../src/hits/fit/fit-model.ts'
import {
  cpvLikeness,
  estimatedShare,
  keywordLikeness,
  recordToFit,
  regionLikeness,
  valueLikeness,
  winLikeness,
} from '../../src/hits/fit/likeness.ts'
import { openPreparer } from '../../src/hits/fit/prepare-profile.ts'
import { openTermCounters } from '../../src/hits/fit/term-counter.ts'

export type Company = { readonly name: string; readonly wins: readonly TenderRecord[]; readonly isOfCryostats: boolean }

/** A tender that a company won, among all tenders of its country, with a profile of the company's other wins. */
export type Case = {
  readonly company: Company
  readonly won: TenderRecord
  readonly others: readonly TenderRecord[]
  /** Whether the company has not worked for this authority before. */
  readonly isNewAuthority: boolean
}

/** Similarities of the candidates of a case, `partCount` numbers each; NaN if a part is not known. */
export type CaseParts = { readonly answer: number; readonly parts: Float64Array; readonly count: number }
export const partNames = [
  'cpv',
  'cpvRarity',
  'keywords',
  'pastWins',
  'winTitles',
  'winAuthorities',
  'region',
  'value',
] as const
/** Values besides the parts: how much the value counts, and whether the authority is a past one. */
export const partCount = partNames.length + 2

const smallestPool = 50
const legalForms = new Set(
  (
    'gmbh mbh ag kg co ohg se ev eg sa sas sarl srl spa ltd limited plc inc bv nv oy oyj ab as asa aps kft zrt ' +
    'doo dd ad ead eood ood sp zoo z o sl slu lda s a r l p'
  ).split(' '),
)

export const countryOf = (record: TenderRecord): string =>
  record.contractingAuthority?.country ?? record.realizedLocation?.country ?? record.nutsCodes[0]?.slice(0, 2) ?? ''

/** When the tender was awarded, or otherwise published. */
export const dateOf = (record: TenderRecord): string => record.publicationDate ?? record.firstPublicationDate ?? ''

/**
 * Companies with two wins or more. A company is identified by its name without the legal form, in its country; an
 * identifier unites names that do not contradict each other.
 */
export function companiesOf(records: readonly TenderRecord[]): Company[] {
  const parents = new Map<string, string>()
  const rootOf = (key: string): string => {
    let root = key
    for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root))
      root = parent
    return root
  }
  const sharers = new Map<string, readonly { readonly key: string; readonly name: string }[]>()
  const won: { readonly key: string; readonly name: string; readonly record: TenderRecord }[] = []
  for (const record of records)
    for (const { name, nationalId, country, postalCode } of record.lots.flatMap((lot) => lot.winners ?? [])) {
      const words = tokensOf(name).filter((word) => !legalForms.has(word))
      if (words.join('').length < 3) continue
      const place = country ?? countryOf(record)
      const key = `${place}|${words.join('')}`
      won.push({ key, name, record })
      const id = identifierOf({ nationalId, country: place, postalCode })
      if (id === undefined) continue
      const sharing = sharers.get(`${place}#${id}`) ?? []
      for (const other of sharing)
        if (!namesContradict(other.name, name) && rootOf(other.key) !== rootOf(key))
          parents.set(rootOf(other.key), rootOf(key))
      sharers.set(`${place}#${id}`, [...sharing.filter((other) => other.key !== key), { key, name }])
    }
  return [...Map.groupBy(won, ({ key }) => rootOf(key)).values()]
    .map((group) => {
      const wins = [...new Map(group.map(({ record }) => [record.id, record])).values()]
      wins.sort((a, b) => (dateOf(a) < dateOf(b) ? -1 : 1))
      const cold = wins.filter(({ title, description = '' }) => cryostat.test(`${title} ${description}`))
      return { name: group[0]!.name, wins, isOfCryostats: cold.length * 2 >= wins.length }
    })
    .filter(({ wins }) => wins.length >= 2)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * Recognizes makers of cryostats: a dozen of them share 200 wins that are nearly the same, more than all other
 * companies together.
 */
const cryostat =
  /[ck]r[yi]o|cri[óo]|dilution|diluci|entmischung|milli-?kelvin|helium|h[ée]lium|supraleit|superconducting/i

/** `before`: the profile holds only wins that are older than the tender. */
export function casesOf(
  companies: readonly Company[],
  pools: ReadonlyMap<string, readonly TenderRecord[]>,
  before: boolean,
): Case[] {
  return companies.flatMap((company) =>
    company.wins.flatMap((won) => {
      if ((pools.get(countryOf(won)) ?? []).length < smallestPool) return []
      const others = company.wins.filter((win) => win !== won && (!before || dateOf(win) < dateOf(won)))
      if (others.length === 0) return []
      const known = pastAuthorities([], others.flatMap(buyersOf))
      return [{ company, won, others, isNewAuthority: !hasPastAuthority(known, foundBuyersOf(won)) }]
    }),
  )
}

/** The parts of the candidates of every case, as the score computes them. */
export function partsOf(
  cases: readonly Case[],
  pools: ReadonlyMap<string, readonly TenderRecord[]>,
  model: FitModel,
): CaseParts[] {
  const readers = openTermCounters(model)
  const prepare = openPreparer(readers, model)
  const prepared = cases.map(({ others }) => prepare({ profileId: 'case', profile: {}, wins: others }))
  readers.ready()
  // the company's own wins are no candidates: the company has them
  const found = cases.map(({ won, others }) => {
    const pool = (pools.get(countryOf(won)) ?? []).filter((record) => record === won || !others.includes(record))
    return { pool, answer: pool.indexOf(won), count: pool.length, parts: new Float64Array(pool.length * partCount) }
  })
  const positionsOf = new Map<TenderRecord, [number, number][]>()
  found.forEach(({ pool }, number) => {
    pool.forEach((record, place) => {
      const positions = positionsOf.get(record) ?? []
      positions.push([number, place])
      positionsOf.set(record, positions)
    })
  })
  for (const [record, positions] of positionsOf) {
    readers.read(record)
    const current = recordToFit(record)
    for (const [number, place] of positions) {
      const profile = prepared[number]!
      const cpv = cpvLikeness(profile, current, model)
      const wins = winLikeness(profile, cpv, current, readers)
      found[number]!.parts.set(
        [
          cpv?.depth ?? Number.NaN,
          cpv?.rarity ?? Number.NaN,
          keywordLikeness(profile, readers.words, model) ?? Number.NaN,
          wins?.texts ?? Number.NaN,
          wins?.titles ?? Number.NaN,
          wins?.authority ?? Number.NaN,
          regionLikeness(profile, current)?.likeness ?? Number.NaN,
          valueLikeness(profile, current) ?? Number.NaN,
          record.contractAmount?.estimated ? estimatedShare : 1,
          hasPastAuthority(profile.pastAuthorities, current.buyers) ? 1 : 0,
        ],
        place * partCount,
      )
    }
  }
  return found
}
