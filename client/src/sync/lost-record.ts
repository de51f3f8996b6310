// A record that the stock no longer has: after a restore from a backup that lacks it.
import type { TenderRecord } from '../types.ts'

/** `status` and `archiveReason` of such a record in the copy. The API uses neither. */
export const lostMark = 'lost'

/** Whether the client closed the record because the stock no longer has it. It is no part of any edition. */
export const isLost = (record: object): boolean =>
  (record as { readonly archiveReason?: unknown }).archiveReason === lostMark

/**
 * The record as the copy keeps it from now on, with the time of the held version. `held`: the held record; without it,
 * of a target that keeps no records, the content is empty.
 */
export function lostVersion(
  { id, lastModified }: { readonly id: string; readonly lastModified: string },
  held: TenderRecord | undefined,
): TenderRecord {
  const content = held ?? {
    title: '',
    checkedAt: lastModified,
    contractAmount: null,
    cpvCodes: [],
    nutsCodes: [],
    lots: [],
    originalSources: [],
  }
  return { ...content, id, lastModified, status: lostMark, archiveReason: lostMark as 'expired' }
}
