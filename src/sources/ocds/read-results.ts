// Awards and contracts of a release, joined to its lots.
import { sumOfMoney } from '../../domain/money.ts'
import type { LotResult, Money, Organization } from '../../domain/notice.ts'
import { dayOfSource } from '../../domain/time.ts'
import { compact } from '../compact.ts'
import { distinctOrganizations, mergeResults, sharedResult, sumOfCeilings } from '../results.ts'
import { toMoney } from '../text.ts'
import { outcomeOf } from './codes.ts'
import { type JsonObject, member, numberAt, objectsOf, textAt, textsAt } from './json.ts'
import type { Parties } from './parties.ts'
import { ocidOf, publisherOf } from './publishers.ts'

/** `{amount, currency}`. */
export function moneyAt(value: unknown, ...path: readonly string[]): Money | undefined {
  const found = path.length > 0 ? member(value, ...path) : value
  return toMoney(numberAt(found, 'amount'), textAt(found, 'currency'))
}

/** The calendar date that a timestamp means in the zone of the publisher. */
export function dayOf(text: string | undefined, zone: string): string | undefined {
  return text === undefined ? undefined : dayOfSource(gregorian(text), zone)
}

/** Bangkok writes some dates in years of the Buddhist calendar: `2568-01-10` is a day of 2025. */
export function gregorian(text: string): string {
  return text.replace(/^\s*(25[4-9]\d|26[0-3]\d)(?=-)/, (_, year: string) => String(Number(year) - 543))
}

/** Lots that an award or a contract names: `relatedLots`, `relatedLot`, Prozorro's `lotID`, else those of its items. */
function lotsNamed(object: JsonObject): string[] {
  const direct = [...textsAt(object, 'relatedLots'), ...textsAt(object, 'relatedLot'), ...textsAt(object, 'lotID')]
  return [
    ...new Set(direct.length > 0 ? direct : objectsOf(object, 'items').flatMap((item) => textsAt(item, 'relatedLot'))),
  ]
}

export type ReadResults = {
  readonly byLot: ReadonlyMap<string, LotResult>
  /** The result of awards that name no lot. */
  readonly whole?: LotResult
  readonly awardedValue?: Money
}

/** The awards; of those that a publisher repeats, equal in all but their IDs, the first. */
function awardsOf(release: JsonObject): readonly JsonObject[] {
  const awards = objectsOf(release, 'awards')
  if (!publisherOf(ocidOf(release) ?? '').repeatsAwards) return awards
  const seen = new Set<string>()
  return awards.filter((award) => {
    const content = JSON.stringify({ ...award, id: null })
    return !seen.has(content) && seen.add(content)
  })
}

/**
 * Finds the contracts of an award: by awardID, else those on the same lots (DÖE's awardID leads nowhere) when no other
 * award is on them, else the only contract of the only award. Indexed, as frameworks have thousands of both.
 */
function contractFinder(
  awards: readonly JsonObject[],
  contracts: readonly JsonObject[],
): (award: JsonObject) => readonly JsonObject[] {
  const ids = new Set(awards.map((award) => textAt(award, 'id')))
  const byAward = Map.groupBy(contracts, (contract) => textAt(contract, 'awardID'))
  const loose = contracts.filter((contract) => !ids.has(textAt(contract, 'awardID')))
  const lotsKey = (object: JsonObject) => JSON.stringify(lotsNamed(object).sort())
  const onLots = loose.filter((contract) => lotsNamed(contract).length > 0)
  const byLots = Map.groupBy(onLots, lotsKey)
  const awardsByLots = Map.groupBy(awards, lotsKey)
  return (award) => {
    const id = textAt(award, 'id')
    const linked = id === undefined ? undefined : byAward.get(id)
    if (linked) return linked
    const onSameLots = byLots.get(lotsKey(award))
    if (onSameLots) return awardsByLots.get(lotsKey(award))?.length === 1 ? onSameLots : []
    return awards.length === 1 && loose.length === 1 && lotsNamed(loose[0]!).length === 0 ? loose : []
  }
}

/**
 * Results of the release. `isResult`: the release says that contracts were awarded, so suppliers among the parties won.
 */
export function readResults(
  release: JsonObject,
  parties: Parties,
  isResult: boolean,
  soleLotId: string | undefined,
  zone: string,
): ReadResults {
  const awards = awardsOf(release)
  const contracts = objectsOf(release, 'contracts')
  const suppliers = isResult ? parties.withRole('supplier') : []
  const withoutSuppliers = new Set(awards.filter((award) => objectsOf(award, 'suppliers').length === 0))
  // If awards name no supplier, the parties in the role of supplier won; with several awards only a single one is
  // certain.
  const fallback = suppliers.length === 1 || awards.length <= 1 ? suppliers : []
  const tenderers = numberAt(release, 'tender', 'numberOfTenderers')
  const byLot = new Map<string, LotResult[]>()
  const whole: LotResult[] = []
  const awardedOn = new Map<string, LotResult[]>()

  const add = (lots: readonly string[], result: LotResult): void => {
    if (result.outcome === 'awarded') {
      const key = JSON.stringify(lots.toSorted())
      awardedOn.set(key, [...(awardedOn.get(key) ?? []), result])
    }
    if (lots.length === 0) whole.push(result)
    for (const lot of lots) {
      const own = lots.length > 1 ? sharedResult(result) : result
      const list = byLot.get(lot)
      if (list) list.push(own)
      else byLot.set(lot, [own])
    }
  }
  const resultOf = (award: JsonObject, linked: readonly JsonObject[]): LotResult => {
    const named = [award, ...linked].flatMap((at) => objectsOf(at, 'suppliers'))
    const winners: Organization[] =
      named.length > 0 ? distinctOrganizations(named.map(parties.resolve)) : withoutSuppliers.has(award) ? fallback : []
    const outcome = outcomeOf(textAt(award, 'status'), winners.length > 0)
    if (outcome !== 'awarded') return { outcome }
    const signed = linked
      .map((contract) => dayOf(textAt(contract, 'dateSigned'), zone))
      .filter((day) => day !== undefined)
    return compact<LotResult>({
      outcome,
      awardedValue: moneyAt(award, 'value') ?? sumOfMoney(linked.map((contract) => moneyAt(contract, 'value'))),
      winners: winners.length > 0 ? winners : undefined,
      contractDate: signed.sort()[0] ?? dayOf(textAt(award, 'date'), zone),
    })
  }

  const contractsOf = contractFinder(awards, contracts)
  for (const award of awards) add(lotsNamed(award), resultOf(award, contractsOf(award)))
  if (awards.length === 0 && isResult) {
    for (const contract of contracts) {
      const status = textAt(contract, 'status')?.toLowerCase()
      if (status?.startsWith('cancel')) continue
      add(
        lotsNamed(contract),
        resultOf({ ...contract, status: 'active', suppliers: member(contract, 'suppliers') ?? [] }, [contract]),
      )
    }
    if (contracts.length === 0 && suppliers.length > 0) add([], { outcome: 'awarded', winners: suppliers })
  }

  const merged = new Map([...byLot].map(([lot, results]) => [lot, mergeResults(results)]))
  const received =
    tenderers !== undefined && Number.isInteger(tenderers) && tenderers > 0 && tenderers < 100_000
      ? tenderers
      : undefined
  for (const statistic of objectsOf(release, 'bids', 'statistics')) {
    const count = numberAt(statistic, 'value')
    if (
      !/^(?:bids|validBids|tenders)$/.test(textAt(statistic, 'measure') ?? '') ||
      count === undefined ||
      !Number.isInteger(count) ||
      count < 0
    )
      continue
    for (const lot of lotsNamed(statistic)) {
      const result = merged.get(lot)
      if (result && result.receivedTenders === undefined) merged.set(lot, { ...result, receivedTenders: count })
    }
  }
  const withReceived = (result: LotResult): LotResult =>
    received === undefined || result.outcome === 'pending' || result.receivedTenders !== undefined
      ? result
      : { ...result, receivedTenders: received }
  if (soleLotId !== undefined && merged.has(soleLotId)) merged.set(soleLotId, withReceived(merged.get(soleLotId)!))
  const awarded = [...awardedOn.values()]
  const isPriced = awarded.length > 0 && awarded.flat().every(({ awardedValue }) => awardedValue !== undefined)
  return compact<ReadResults>({
    byLot: merged,
    whole: whole.length > 0 ? (byLot.size === 0 ? withReceived(mergeResults(whole)) : mergeResults(whole)) : undefined,
    awardedValue: isPriced ? sumOfMoney(awarded.map(sumOfCeilings)) : undefined,
  })
}
