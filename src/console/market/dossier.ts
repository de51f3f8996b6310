// What notices say about an authority or a company since 2022, in figures. Pure. Each figure says how many notices are
// behind it.
import { buyersOf } from '../../domain/buyers.ts'
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

/** Of the newest result that has a date, else of the tender; NaN if neither is known. */
function resultAt({ originalSources, publicationDate }: TenderRecord): number {
  const results = originalSources
    .filter(({ formType }) => formType === 'result')
    .map((each) => Date.parse(each.publicationDate ?? ''))
    .filter((at) => !Number.isNaN(at))
  return results.length > 0 ? Math.max(...results) : Date.parse(publicationDate ?? '')
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
  const keyOf = (winner: TenderOrganization) =>
    hasCompanyPage(winner)
      ? `${winner.country} ${identifierOf(winner)}`
      : isCompany(winner)
        ? authorityKey(winner.name)
        : ''
  const { groups, groupOf } = grouping(keyOf, (known, each) => !hasCompanyPage(each) || haveSameIdentity(known, each))
  for (const award of awards) for (const winner of award.winners) groupOf(winner).awards.add(award)
  return groups
    .map(({ first, awards: won }) => {
      const alone = [...won].filter(
        (award) => award.euros !== undefined && new Set(award.winners.map(groupOf)).size === 1,
      )
      return {
        winner: keyOf(first) === '' ? undefined : first,
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

/** Who awarded, the most first. */
export function buyersIn(
  awards: readonly Award[],
): readonly { readonly buyer: TenderOrganization; readonly awards: readonly Award[] }[] {
  const nameOf = ({ name, country }: TenderOrganization) => `${country} ${authorityKey(name)}`
  const { groups, groupOf } = grouping(
    (buyer) => identifierOf(buyer) ?? nameOf(buyer),
    (known, each) => nameOf(known) === nameOf(each) || haveSameIdentity(known, each),
  )
  for (const award of awards) for (const buyer of buyersOf(award.record)) groupOf(buyer).awards.add(award)
  return groups
    .map(({ first, awards: own }) => ({ buyer: first, awards: [...own] }))
    .sort((a, b) => b.awards.length - a.awards.length)
}

type PartyGroup = { readonly first: TenderOrganization; readonly awards: Set<Award> }

/** Groups of one party each. Only those of one key are compared: an id of two names that contradict is of two. */
function grouping(
  keyOf: (each: TenderOrganization) => string,
  isSame: (known: TenderOrganization, each: TenderOrganization) => boolean,
) {
  const groups: PartyGroup[] = []
  const byKey = new Map<string, PartyGroup[]>()
  const groupOf = (each: TenderOrganization): PartyGroup => {
    const key = keyOf(each)
    const known = byKey.get(key) ?? []
    let group = known.find(({ first }) => isSame(first, each))
    if (!group) {
      group = { first: each, awards: new Set() }
      byKey.set(key, [...known, group])
      groups.push(group)
    }
    return group
  }
  return { groups, groupOf }
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
  for (const item of items)
    for (const key of new Set(keysOf(item))) {
      const group = groups.get(key)
      if (group) group.push(item)
      else groups.set(key, [item])
    }
  return [...groups].sort(([a, own], [b, others]) => others.length - own.length || (a < b ? -1 : 1))
}
