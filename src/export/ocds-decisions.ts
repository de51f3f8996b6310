// What was decided about the lots of a record: awards, also those without a winner, and the contracts that were signed.
import type { TenderLot, TenderRecord } from '../domain/tender.ts'
import type { Parties, Reference } from './ocds-parties.ts'
import { amountOf, compact, dateTimeOf, type Json } from './ocds-values.ts'

const failed = new Set(['all-rej', 'no-rece', 'one-admis'])

/** No tender could be chosen; otherwise a lot without a winner was cancelled. */
export const hasFailed = ({ nonAwardReason }: TenderLot): boolean => failed.has(nonAwardReason ?? '')

/**
 * Whether a lot only stands for a result that names none of several lots: it has the name of the whole notice, and none
 * of what a lot of the call has.
 */
const isWholeNotice = ({ lotId, title, description, cpvCodes }: TenderLot, lots: readonly TenderLot[]): boolean =>
  lotId === 'LOT-0000' && lots.length > 1 && title === undefined && description === undefined && cpvCodes.length === 0

export function decisionsOf(
  record: TenderRecord,
  parties: Parties,
): { readonly awards: readonly Json[]; readonly contracts: readonly Json[] } {
  const decidedAt = firstResultOf(record)
  const won = record.lots.filter(isWon)
  // the award of the whole is that of the lots that only have its outcome: none of them is counted twice
  const hasWhole = won.some((lot) => isWholeNotice(lot, record.lots) && hasOwnResult(lot))
  const awarded = hasWhole ? won.filter(hasOwnResult) : won
  const awards = awarded.map((lot) =>
    compact({
      id: `award-${lot.lotId}`,
      title: lot.title,
      status: 'active',
      date: dateTimeOf(lot.contractDate) ?? decidedAt,
      value: amountOf(lot.awardedAmount),
      suppliers: suppliersOf(lot, parties),
      relatedLots: [lot.lotId],
    }),
  )
  const contracts = awarded.flatMap((lot) => {
    const dateSigned = dateTimeOf(lot.contractDate)
    if (dateSigned === undefined) return []
    const value = amountOf(lot.awardedAmount)
    return [
      compact({ id: `contract-${lot.lotId}`, awardID: `award-${lot.lotId}`, status: 'active', value, dateSigned }),
    ]
  })
  return { awards: [...withTotal(awards, record), ...unsuccessfulOf(record, decidedAt)], contracts }
}

const hasOwnResult = ({ winners, awardedAmount, contractDate }: TenderLot): boolean =>
  (winners?.length ?? 0) > 0 || awardedAmount !== undefined || contractDate !== undefined

const isWon = (lot: TenderLot): boolean =>
  lot.status === 'awarded' || (lot.winners?.length ?? 0) > 0 || lot.awardedAmount !== undefined

/** A total of several awards does not belong to any one of them. */
function withTotal(awards: readonly Json[], record: TenderRecord): readonly Json[] {
  const total = amountOf(record.awardedAmount)
  if (total === undefined || awards.length > 1) return awards
  const [award = compact({ id: 'award', status: 'active', date: firstResultOf(record) })] = awards
  return [{ value: total, ...award }]
}

/** Lots whose notice says why there is no winner. */
const unsuccessfulOf = ({ lots }: TenderRecord, date: string | undefined): readonly Json[] =>
  lots
    .filter((lot) => lot.nonAwardReason !== undefined && !isWon(lot))
    .map((lot) =>
      compact({
        id: `award-${lot.lotId}`,
        title: lot.title,
        description: lot.nonAwardReason,
        status: hasFailed(lot) ? 'unsuccessful' : 'cancelled',
        date,
        relatedLots: [lot.lotId],
      }),
    )

/** When the oldest result was published: nothing that it reports was decided later. */
const firstResultOf = ({ originalSources }: TenderRecord): string | undefined =>
  originalSources
    .flatMap(({ formType, publicationDate }) => (formType === 'result' ? (publicationDate ?? []) : []))
    .sort()[0]

function suppliersOf({ winners = [] }: TenderLot, parties: Parties): readonly Reference[] {
  const suppliers = winners.flatMap((winner) => parties.refer(winner, 'supplier') ?? [])
  return [...new Map(suppliers.map((supplier) => [supplier.id, supplier])).values()]
}
