// What client/src/sync/sink.ts promises to every sink about the calls that it receives.
import type { Sink } from '../../client/src/sync/sink.ts'
import type { TenderRecord } from '../../client/src/types.ts'

/** The sink, with `broken` called for each call that the contract does not allow. */
export function watchContract(sink: Sink, broken: (detail: string) => void): Sink {
  let isBegun = false
  /** Archived records that upsert() brought and close() has not. */
  const unclosed = new Set<string>()
  const isArchived = ({ archiveReason }: TenderRecord): boolean => archiveReason !== undefined
  const called = (name: string): void => {
    if (!isBegun) broken(`${name}() before begin()`)
  }
  const allClosed = (name: string): void => {
    for (const id of unclosed) broken(`${name}() comes before the close() of ${id}, which upsert() brought archived`)
  }
  return {
    ...sink,
    begin: (run) => {
      isBegun = true
      unclosed.clear()
      return sink.begin(run)
    },
    upsert: (records) => {
      called('upsert')
      for (const record of records) if (isArchived(record)) unclosed.add(record.id)
      return sink.upsert(records)
    },
    close: (records) => {
      called('close')
      for (const record of records) {
        if (!isArchived(record)) broken(`close() of ${record.id}, which is not archived`)
        unclosed.delete(record.id)
      }
      return sink.close(records)
    },
    merge: (merges) => {
      called('merge')
      allClosed('merge')
      for (const { record, into } of merges)
        if (record.archiveReason !== 'merged' || into === record.id) broken(`merge() of ${record.id} into ${into}`)
      return sink.merge(merges)
    },
    commit: (state, end) => {
      called('commit')
      allClosed('commit')
      return sink.commit(state, end)
    },
  }
}
