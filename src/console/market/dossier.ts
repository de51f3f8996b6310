// What notices say about an authority or a company since 2022, in figures. Pure. Each figure says how many notices are
// behind it.
import { hasCompanyPage, isCompany, winnersOf } from '../../domain/companies/companies.ts'
import { haveSameIdentity, identifierOf } from '../../domain/organization-identity.ts'
import type { TenderLot, TenderOrganization, TenderRecord } from '../../domain/tender.ts'
import { authorityKey } from '../../domain/words.ts'

/** From when on: older notices are few, and say little about who buys and wins today. */
export const since = Date.UTC(2022, 0)

export type Counted = { readonly tenders: number; readonly notices: number }

export const countOf = (records: readonly TenderRecord[]): Counted => ({
  tenders: records.length,
  notices: records.reduce((sum, { originalSources }) => sum + originalSources.length, 0),
})

/** A tender of which something was awarded. */
export type Award = {
  readonly record: TenderRecord
  /** When its newest result was published, epoch milliseconds. */
  readonly at: number
  readonly winners: readonly TenderOrganization[]
  /** Awarded amount in euros as published; undefined if it is not known in full. */
  readonly euros: number | undefined
  readonly received: readonly number[]
}

/** `wonBy`: only lots with such a winner count; of an authority, all that were awarded. */
export function awardsOf(
  records: readonly TenderRecord[],
  wonBy?: (winner: TenderOrganization) => boolean,
): readonly Award[] {
  const awards: Award[] = []
  for (const record of records) {
    const all = record.lots.filter(({ status }) => status === 'awarded')
    const lots = wonBy ? all.filter(({ winners = [] }) => winners.some(wonBy)) : all
    const at = resultAt(record)
    if (lots.length === 0 || !(at >= since)) continue
    awards.push({
      record,
      at,
      winners: winnersOf({ lots }),
      euros: eurosOf(record, lots, wonBy !== undefined),
      received: lots.flatMap(({ receivedTenders }) => receivedTenders ?? []),
    })
  }
  return awards.sort((a, b) => b.at - a.at)
}

function resultAt({ originalSources, publicationDate }: TenderRecord): number {
  const results = originalSources.filter(({ formType }) => formType === 'result')
  const dates = (results.length > 0 ? results : [{ publicationDate }]).map((each) =>
    Date.parse(each.publicationDate ?? ''),
  )
  return Math.max(...dates)
}

/** Amounts of the lots, or of the tender if all its lots count. What a company shared with others is not its own. */
function eurosOf(record: TenderRecord, lots: readonly TenderLot[], isOfWinner: boolean): number | undefined {
  const isShared = isOfWinner && lots.some(({ winners = [] }) => winners.length > 1)
  if (isShared) return undefined
  const amounts = lots.map(({ awardedAmount }) => (awardedAmount?.currency === 'EUR' ? awardedAmount.value : undefined))
  if (amounts.every((amount) => amount !== undefined)) return amounts.reduce((sum, amount) => sum + amount, 0)
  const total = record.awardedAmount
  return total?.currency === 'EUR' && lots.length === record.lots.length ? total.value : undefined
}

export type WinnerLine = {
  /** Undefined for all that are no companies, together. */
  readonly winner: TenderOrganization | undefined
  readonly awards: readonly Award[]
  /** Sum of the awards that it won alone, and of how many. */
  readonly euros: number
  readonly ofAwards: number
}

/** Who won, the most first; who is no company is not told apart. */
export function winnersIn(awards: readonly Award[]): readonly WinnerLine[] {
  const groups: { winner: TenderOrganization | undefined; awards: Set<Award> }[] = []
  const byKey = new Map<string, typeof groups>()
  const groupOf = (winner: TenderOrganization) => {
    const key = hasCompanyPage(winner)
      ? `${winner.country} ${identifierOf(winner)}`
      : isCompany(winner)
        ? authorityKey(winner.name)
        : ''
    const known = byKey.get(key) ?? []
    // an id of two names that contradict each other is of two companies
    let group = known.find((each) => !hasCompanyPage(winner) || haveSameIdentity(each.winner!, winner))
    if (!group) {
      group = { winner: key === '' ? undefined : winner, awards: new Set() }
      byKey.set(key, [...known, group])
      groups.push(group)
    }
    return group
  }
  for (const award of awards) for (const winner of award.winners) groupOf(winner).awards.add(award)
  return groups
    .map(({ winner, awards: won }) => {
      const alone = [...won].filter(
        (award) => award.euros !== undefined && new Set(award.winners.map(groupOf)).size === 1,
      )
      return {
        winner,
        awards: [...won],
        euros: alone.reduce((sum, { euros = 0 }) => sum + euros, 0),
        ofAwards: alone.length,
      }
    })
    .sort(
      (a, b) =>
        Number(a.winner === undefined) - Number(b.winner === undefined) ||
        b.awards.length - a.awards.length ||
        b.euros - a.euros,
    )
}

export type Spread = { readonly low: number; readonly median: number; readonly high: number }

/** Median, and the middle half; undefined for fewer than three. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length < 3) return undefined
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => {
    const place = share * (sorted.length - 1)
    const below = Math.floor(place)
    return sorted[below]! + (sorted[Math.ceil(place)]! - sorted[below]!) * (place - below)
  }
  return { low: at(0.25), median: at(0.5), high: at(0.75) }
}

/** How many of each, the most first. */
export function tally<Item>(
  items: readonly Item[],
  keysOf: (item: Item) => readonly string[],
): readonly (readonly [key: string, items: readonly Item[]])[] {
  const groups = new Map<string, Item[]>()
  for (const item of items) for (const key of new Set(keysOf(item))) groups.set(key, [...(groups.get(key) ?? []), item])
  return [...groups].sort(([a, own], [b, others]) => others.length - own.length || (a < b ? -1 : 1))
}
