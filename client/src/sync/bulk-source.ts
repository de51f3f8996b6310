// What the engine needs of files of a whole edition, in place of the first pages of the list (docs/sync/bulk.md).

import { ProblemError } from '../problem-error.ts'
import type { TendersQuery } from '../types.ts'
import { type Sink, StagingLostError } from './sink.ts'
import type { TenderSource } from './walk-run.ts'

type SourcePage = Awaited<ReturnType<TenderSource['page']>>

/** Files of a whole edition. Cursors of their pages begin with `bulkCursor`. */
export type BulkSource = {
  /** Loads the files of a run that starts. False: there are none, or they were lost; the list brings the records. */
  open(signal: AbortSignal | undefined): Promise<boolean>
  /** The source whose list, from its start or from `floor` on, comes from the files: see `fromFiles`. */
  over(client: TenderSource, floor: string, sink: Sink): TenderSource
}

/**
 * The first page, or the one of a cursor. Undefined: the files were not opened, or are no longer those of the cursor;
 * the list brings the records then. `areHeads`: of each record, the head is enough.
 */
export type BulkPage = (cursor: string | undefined, areHeads: boolean) => Promise<SourcePage | undefined>

export const bulkCursor = 'bulk:'

/**
 * A source whose list comes from the files, as long as there are any. Their order is that of the list, so a run that
 * lost them goes on with the list, from the last record that it has.
 */
export function fromFiles(client: TenderSource, pageOf: BulkPage, floor: string, sink: Sink): TenderSource {
  let isOver = false
  return {
    get: (...all) => client.get(...all),
    page: async (query: TendersQuery, signal?: AbortSignal) => {
      const { cursor, updated_since: since } = query
      const isOfFiles = cursor?.startsWith(bulkCursor) === true
      const isStart = cursor === undefined && (since === undefined || since === floor)
      if (!isOver && (isOfFiles || isStart)) {
        const page = await pageOf(cursor, sink.takesHeads === true)
        if (page) return page
        isOver = true
      }
      // the list takes hours: what keeps no pages must not wait for it
      if (isOfFiles)
        throw sink.commitsPages === false ? new StagingLostError(filesGone.detail) : new ProblemError(filesGone)
      return client.page(query, signal)
    },
  }
}

/** What makes a run continue without its cursor. */
const filesGone = {
  type: '#error-cursor-invalid',
  title: 'Gone',
  status: 400,
  detail: 'The files are gone.',
  instance: '/bulk',
}
