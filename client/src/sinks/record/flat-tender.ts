// A tender record, or a hit, as rows of plain columns, the same in every table that a sink writes. Members without a
// column are in the full record, which every sink stores beside the columns.
import type { Hit } from '../../hits/hit.ts'
import type { Lot, TenderRecord } from '../../types.ts'
import { hitColumns as columnsOfHit, lotColumns as columnsOfLot, tenderColumns as columnsOfTender } from './columns.ts'
import { type FlatColumn, flat } from './flat-column.ts'

/** One row per tender. */
export const tenderColumns: readonly FlatColumn<TenderRecord>[] = columnsOfTender.map((column) =>
  flat(column, (tender) => tender),
)

/** One row per hit. */
export const hitColumns: readonly FlatColumn<Hit>[] = columnsOfHit.map((column) => flat(column, (hit) => hit))

type PlacedLot = { readonly tenderId: string; readonly position: number; readonly lot: Lot }

/** One row per lot, which joins by `tender_id`. */
export const lotColumns: readonly FlatColumn<PlacedLot>[] = [
  { name: 'tender_id', type: 'text', isRequired: true, of: ({ tenderId }) => tenderId },
  { name: 'position', type: 'integer', isRequired: true, of: ({ position }) => position },
  ...columnsOfLot.map((column) => flat<PlacedLot>(column, ({ lot }) => lot)),
]

/** The lots of a tender with what their rows need. */
export const lotsOf = (tender: TenderRecord) =>
  tender.lots.map((lot, position) => ({ tenderId: tender.id, position, lot }))

/** A code and what it belongs to: `lotId` is empty for the tender's own. */
export type PlacedCode = { readonly lotId: string; readonly code: string }

function placed(own: readonly string[], lots: readonly Lot[], of: (lot: Lot) => readonly string[]): PlacedCode[] {
  const all = [
    ...own.map((code) => ({ lotId: '', code })),
    ...lots.flatMap((lot) => of(lot).map((code) => ({ lotId: lot.lotId, code }))),
  ]
  // A code may be repeated in a record; in a table with a key it appears once.
  return [...new Map(all.map((each) => [`${each.lotId} ${each.code}`, each])).values()]
}

/** CPV codes of the tender and of its lots, each once per tender or lot. */
export const cpvOf = (tender: TenderRecord) => placed(tender.cpvCodes, tender.lots, (lot) => lot.cpvCodes)

/** NUTS codes of the tender and of its lots, each once per tender or lot. */
export const nutsOf = (tender: TenderRecord) => placed(tender.nutsCodes, tender.lots, (lot) => lot.nutsCodes)
