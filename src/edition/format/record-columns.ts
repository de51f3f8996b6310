// What the filters and the order of the list need of a record, as numbers.
import { procedureTypes } from '../../domain/codes.ts'
import { nutsNumber, toNutsCode } from '../../domain/nuts.ts'
import type { TenderRecord } from '../../domain/tender.ts'

/** Procedure number of a record without a procedure, or with a code that no filter can name. */
export const noProcedure = 255

/** Times in epoch milliseconds; NaN means missing, so that every comparison with it excludes the record (C97). */
export type RecordColumns = {
  readonly publication: number
  readonly submission: number
  /** Contract value in euros, estimates included; NaN in other currencies (C84). */
  readonly eurValue: number
  /** Index in procedureTypes, or noProcedure. */
  readonly procedure: number
  readonly isArchived: boolean
  readonly isMerged: boolean
  /** Codes of the tender and its lots as numbers, without duplicates (C62). */
  readonly cpv: readonly number[]
  readonly nuts: readonly number[]
}

/** The part of the record that is used here. */
export type FilterableRecord = Pick<
  TenderRecord,
  'archiveReason' | 'publicationDate' | 'submissionDate' | 'contractAmount' | 'procedureType' | 'cpvCodes' | 'nutsCodes'
> & { readonly lots: readonly Pick<TenderRecord['lots'][number], 'cpvCodes'>[] }

const cpvPattern = /^\d{8}$/
const procedureIndex: ReadonlyMap<string, number> = new Map(procedureTypes.map((code, index) => [code, index]))

function timeOf(instant: string | undefined): number {
  return instant === undefined ? Number.NaN : Date.parse(instant)
}

/** Returns the columns of one record. `realizedLocation` is not used (C71), nor is the participation deadline (C79). */
export function columnsOf(record: FilterableRecord): RecordColumns {
  const cpv = new Set<number>()
  for (const code of record.cpvCodes) if (cpvPattern.test(code)) cpv.add(Number(code))
  for (const lot of record.lots) for (const code of lot.cpvCodes) if (cpvPattern.test(code)) cpv.add(Number(code))
  const nuts = new Set<number>()
  for (const text of record.nutsCodes) {
    const code = toNutsCode(text)
    if (code !== undefined) nuts.add(nutsNumber(code))
  }
  const amount = record.contractAmount
  return {
    publication: timeOf(record.publicationDate),
    submission: timeOf(record.submissionDate),
    eurValue: amount !== null && amount.currency === 'EUR' ? amount.value : Number.NaN,
    procedure: procedureIndex.get(record.procedureType ?? '') ?? noProcedure,
    isArchived: record.archiveReason !== undefined,
    isMerged: record.archiveReason === 'merged',
    cpv: [...cpv],
    nuts: [...nuts],
  }
}
