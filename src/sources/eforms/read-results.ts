// The outcome of the lots: LotResult, its tenders, contracts and parties (BT-142 and the chain after it).
import type { LotResult, Money, NoticeLot, Organization } from '../../domain/notice.ts'
import { type LotContract, lotsWithin, type SumOfContracts } from '../results.ts'
import { cleanField } from '../text.ts'
import { textOf, type XmlElement } from '../xml/xml.ts'
import { allCac, allCbc, allEfac, cac, cbc, codeOf, efac, efbc, idOf } from './elements.ts'
import { dateOf, moneyOf, type NoticeContext } from './notice-context.ts'
import { type Organizations, readWinningParties } from './read-organizations.ts'

/** BT-709: the maximum of each lot's framework agreement, which only the result may name. */
function maximaOf(noticeResult: XmlElement | undefined, context: NoticeContext): Map<string, Money> {
  const maxima = new Map<string, Money>()
  for (const lotResult of allEfac(noticeResult, 'LotResult')) {
    const maximum = moneyOf(cbc(efac(lotResult, 'FrameworkAgreementValues'), 'MaximumValueAmount'), context)
    for (const lotId of referredIds(lotResult, 'TenderLot'))
      if (maximum && !maxima.has(lotId)) maxima.set(lotId, maximum)
  }
  return maxima
}

/** Lots with the maximum that the result names, where they have none of their own (BT-271). */
export function withMaxima(
  lots: readonly NoticeLot[],
  noticeResult: XmlElement | undefined,
  context: NoticeContext,
): NoticeLot[] {
  const maxima = maximaOf(noticeResult, context)
  return lots.map((lot) => {
    const frameworkMaximum = lot.frameworkMaximum ?? maxima.get(lot.lotId)
    return frameworkMaximum ? { ...lot, frameworkMaximum } : lot
  })
}

/** The elements of one kind below `efac:NoticeResult` by their technical ids. */
function byId(result: XmlElement | undefined, name: string): Map<string, XmlElement> {
  const elements = new Map<string, XmlElement>()
  for (const element of allEfac(result, name)) {
    const id = idOf(element)
    if (id && !elements.has(id)) elements.set(id, element)
  }
  return elements
}

/** The ids that an element refers to: `efac:LotTender/cbc:ID` and the like. */
function referredIds(element: XmlElement | undefined, name: string): string[] {
  return allEfac(element, name)
    .flatMap((reference) => allCbc(reference, 'ID'))
    .map(textOf)
    .filter((id) => id !== undefined)
}

type Raw = {
  readonly outcome: LotResult['outcome'] | undefined
  readonly reason: string | undefined
  readonly winners: readonly Organization[]
  /** Of the tenders that won and have a value; several results of a lot may list one tender. */
  readonly contracts: ReadonlyMap<XmlElement, LotContract>
  readonly contractDate: string | undefined
  readonly receivedTenders: number | undefined
}

/** What Norway's converter of older notices writes for a result that names no lot. */
const unassigned = 'MISSING'
/** Stands for the whole notice where results name no lot. */
const wholeNotice = 'LOT-0000'

/** The result of each lot that `efac:NoticeResult` mentions, by lot id. `total`: BT-161. */
export function readLotResults(
  extension: XmlElement | undefined,
  organizations: Organizations,
  context: NoticeContext,
  total: Money | undefined,
  isFramework: boolean,
): Map<string, LotResult> {
  const noticeResult = efac(extension, 'NoticeResult')
  const tenders = byId(noticeResult, 'LotTender')
  const contracts = byId(noticeResult, 'SettledContract')
  const parties = byId(noticeResult, 'TenderingParty')
  const rawByLot = new Map<string, Raw[]>()

  for (const lotResult of allEfac(noticeResult, 'LotResult')) {
    for (const lotId of referredIds(lotResult, 'TenderLot')) {
      const raw = readOne(lotResult, lotId)
      const known = rawByLot.get(lotId)
      if (known) known.push(raw)
      else rawByLot.set(lotId, [raw])
    }
  }

  function readOne(lotResult: XmlElement, lotId: string): Raw {
    const named = referredIds(lotResult, 'SettledContract')
    const listed = new Set(referredIds(lotResult, 'LotTender'))
    // Some senders leave the contract out of the result: then those that name one of its tenders count.
    const ownContracts =
      named.length > 0
        ? named.map((id) => contracts.get(id)).filter((contract) => contract !== undefined)
        : [...contracts.values()].filter((contract) => referredIds(contract, 'LotTender').some((id) => listed.has(id)))
    const winning = winningTenders(lotResult, lotId, ownContracts)
    const membersBehind = (tender: XmlElement): Organization[] =>
      referredIds(tender, 'TenderingParty').flatMap((partyId) => membersOf(parties.get(partyId), organizations))
    const winners: Organization[] = []
    for (const winner of winning.flatMap(membersBehind)) {
      if (!winners.some((known) => known.name === winner.name && known.nationalId === winner.nationalId))
        winners.push(winner)
    }
    const code = codeOf(cbc(lotResult, 'TenderResultCode'))
    const reason = codeOf(efbc(efac(lotResult, 'DecisionReason'), 'DecisionReasonCode'))
    // Contract modifications and withheld results have no code; a contract or a reason shows the outcome.
    const outcome =
      code === 'selec-w'
        ? 'awarded'
        : code === 'clos-nw'
          ? 'not-awarded'
          : code === 'open-nw'
            ? 'pending'
            : ownContracts.length > 0 || winners.length > 0
              ? 'awarded'
              : reason
                ? 'not-awarded'
                : undefined
    return {
      outcome,
      reason,
      winners,
      contracts: new Map(
        winning.flatMap((tender) => {
          const awardedValue = valueForLot(tender, lotId, context)
          return awardedValue ? [[tender, { awardedValue, winners: membersBehind(tender) }] as const] : []
        }),
      ),
      contractDate: ownContracts
        .map((contract) => dateOf(cbc(contract, 'IssueDate')))
        .find((date) => date !== undefined),
      receivedTenders: receivedTendersOf(lotResult),
    }
  }

  /**
   * The tenders of the lot's contracts that bid for this lot or for a group of lots; of one contract with ranked
   * tenders the first, unless it is a framework, whose contractors are ranked. Without contracts, of the tenders that
   * the result lists, those ranked first if any is ranked, else all, unless these are all that were received: then the
   * winner is unknown. Some senders mix up the lots of their tenders: then the tenders in the result itself count.
   */
  function winningTenders(lotResult: XmlElement, lotId: string, ownContracts: readonly XmlElement[]): XmlElement[] {
    const resolve = (ids: readonly string[]): XmlElement[] =>
      [...new Set(ids)].map((id) => tenders.get(id)).filter((tender) => tender !== undefined)
    const tendersOf = (contract: XmlElement): XmlElement[] =>
      resolve(referredIds(contract, 'LotTender')).filter((tender) => isFor(tender, lotId))
    const fromContracts = [
      ...new Set(
        ownContracts.flatMap((contract) => (isFramework ? tendersOf(contract) : firstRanked(tendersOf(contract)))),
      ),
    ]
    if (fromContracts.length > 0) return fromContracts
    const contracted = resolve(ownContracts.flatMap((contract) => referredIds(contract, 'LotTender')))
    const listed = resolve(referredIds(lotResult, 'LotTender'))
    const own = listed.filter((tender) => isFor(tender, lotId))
    const candidates = own.length > 0 ? own : listed
    const first = candidates.filter((tender) => rankOf(tender) === 1)
    if (first.length > 0) return first
    const received = receivedTendersOf(lotResult)
    const isAllReceived = candidates.length > 1 && received !== undefined && candidates.length >= received
    if (isAllReceived && !isFramework) return []
    return candidates.length > 0 ? candidates : contracted
  }

  const lots = lotsWithin(total, (sum) =>
    [...rawByLot].flatMap(([lotId, raws]) => {
      const result = combine(raws, sum)
      return result ? [{ lotId, result }] : []
    }),
  )
  return new Map(lots.map(({ lotId, result }) => [lotId === unassigned ? wholeNotice : lotId, result]))
}

/** The organizations of a tendering party; if it refers to none, the party by its own name. */
function membersOf(party: XmlElement | undefined, organizations: Organizations): Organization[] {
  const members = referredIds(party, 'Tenderer')
    .map((id) => organizations.get(id))
    .filter((member) => member !== undefined)
  if (members.length > 0) return members
  const name = cleanField(textOf(cbc(party, 'Name')))
  return name ? [{ name }] : []
}

const rankOf = (tender: XmlElement): number | undefined => {
  const rank = textOf(cbc(tender, 'RankCode'))
  return rank && /^\d{1,4}$/.test(rank) ? Number(rank) : undefined
}

/** Those of the best rank, if the tenders have ranks. */
function firstRanked(tenders: readonly XmlElement[]): readonly XmlElement[] {
  const best = Math.min(...tenders.map((tender) => rankOf(tender) ?? Number.POSITIVE_INFINITY))
  return Number.isFinite(best) ? tenders.filter((tender) => rankOf(tender) === best) : tenders
}

/** Whether a tender is for the lot, for a group of lots, or does not say. */
function isFor(tender: XmlElement, lotId: string): boolean {
  const lots = referredIds(tender, 'TenderLot')
  return lots.length === 0 || lots.includes(lotId) || lots.some((id) => id.startsWith('GLO-'))
}

/** BT-720, if the tender is for this lot only: otherwise the lot's share is unknown. */
function valueForLot(tender: XmlElement, lotId: string, context: NoticeContext): Money | undefined {
  const lots = referredIds(tender, 'TenderLot')
  if (lots.length > 1 || (lots.length === 1 && lots[0] !== lotId)) return undefined
  return moneyOf(cbc(cac(tender, 'LegalMonetaryTotal'), 'PayableAmount'), context)
}

/** BT-759 of the kind `tenders`. */
function receivedTendersOf(lotResult: XmlElement): number | undefined {
  for (const statistics of allEfac(lotResult, 'ReceivedSubmissionsStatistics')) {
    if (codeOf(efbc(statistics, 'StatisticsCode')) !== 'tenders') continue
    const text = textOf(efbc(statistics, 'StatisticsNumeric'))
    if (text && /^\d{1,6}$/.test(text)) return Number(text)
  }
  return undefined
}

/**
 * Several results of one lot in one notice: awarded if one is, and then with all its winners and the sum of its values.
 */
function combine(raws: readonly Raw[], sum: SumOfContracts): LotResult | undefined {
  const outcomes = (['awarded', 'pending', 'not-awarded'] as const).filter((outcome) =>
    raws.some((raw) => raw.outcome === outcome),
  )
  const outcome = outcomes[0]
  if (!outcome) return undefined
  const same = raws.filter((raw) => raw.outcome === outcome)
  const reason = outcome === 'not-awarded' ? same.find((raw) => raw.reason)?.reason : undefined
  const receivedTenders = same.find((raw) => raw.receivedTenders !== undefined)?.receivedTenders
  if (outcome !== 'awarded') {
    return { outcome, ...(reason && { reason }), ...(receivedTenders !== undefined && { receivedTenders }) }
  }
  const awardedValue = sum([...new Map(same.flatMap((raw) => [...raw.contracts])).values()])
  const winners = [...new Set(same.flatMap((raw) => raw.winners))]
  const contractDate = same.find((raw) => raw.contractDate)?.contractDate
  return {
    outcome,
    ...(awardedValue && { awardedValue }),
    ...(winners.length > 0 && { winners }),
    ...(contractDate && { contractDate }),
    ...(receivedTenders !== undefined && { receivedTenders }),
  }
}

/**
 * A result written the plain UBL way (`cac:TenderResult`), as the German below-threshold channel does. Regular eForms
 * notices contain the same element with a meaningless award date and no code. It applies to the lot that it names, or
 * to the only one.
 */
export function readPlainResult(root: XmlElement, context: NoticeContext): Map<string | undefined, LotResult> {
  const results = new Map<string | undefined, LotResult>()
  for (const element of allCac(root, 'TenderResult')) {
    const code = codeOf(cbc(element, 'TenderResultCode'))
    const winners = readWinningParties(element, context)
    const outcome =
      code === 'clos-nw'
        ? 'not-awarded'
        : code === 'open-nw'
          ? 'pending'
          : code === 'selec-w' || winners.length > 0
            ? 'awarded'
            : undefined
    if (!outcome) continue
    const project = cac(element, 'AwardedTenderedProject')
    const lotId = idOf(cac(project, 'ProcurementProjectLot'))
    const awardedValue = moneyOf(cbc(cac(project, 'LegalMonetaryTotal'), 'PayableAmount'), context)
    const contractDate = dateOf(cbc(cac(element, 'Contract'), 'IssueDate'))
    const known = results.get(lotId)
    if (known && known.outcome !== outcome) continue
    const all = [...(known?.winners ?? []), ...winners]
    results.set(lotId, {
      ...known,
      outcome,
      ...(outcome === 'awarded' && awardedValue && { awardedValue }),
      ...(outcome === 'awarded' && all.length > 0 && { winners: all }),
      ...(outcome === 'awarded' && contractDate && { contractDate }),
    })
  }
  return results
}

/** Puts results on their lots; a lot that only the results mention is added without other data. */
export function withResults(
  lots: readonly NoticeLot[],
  results: ReadonlyMap<string | undefined, LotResult>,
): NoticeLot[] {
  const rest = new Map(results)
  const only = lots.length === 1 ? lots[0] : undefined
  const isListed = lots.some(({ lotId }) => lotId === wholeNotice)
  const whole = rest.get(undefined) ?? (isListed ? undefined : rest.get(wholeNotice))
  const read = lots.map((lot) => {
    const result = rest.get(lot.lotId) ?? (lot === only ? whole : undefined) ?? outcomeOnly(whole)
    rest.delete(lot.lotId)
    return result ? { ...lot, result } : lot
  })
  if (lots.length > 0) rest.delete(undefined)
  if (only && !results.has(only.lotId)) rest.delete(wholeNotice)
  for (const [lotId, result] of rest) read.push({ lotId: lotId ?? wholeNotice, cpvCodes: [], nutsCodes: [], result })
  return read
}

/** From a result for the whole notice, each of several lots takes the outcome, but not the winner or the value. */
function outcomeOnly(result: LotResult | undefined): LotResult | undefined {
  return result && { outcome: result.outcome }
}
