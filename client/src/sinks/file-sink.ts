// A sink on a working copy: what NDJSON, CSV and Parquet have in common.

import type { ReadBack, Sink } from '../sync/sink.ts'
import type { TenderRecord } from '../types.ts'
import { disposable, type OpenSink } from './disposable.ts'
import { speaking } from './faults/speaking.ts'
import { fileFaultOf, sizeOf } from './files/durable-files.ts'
import { type CopyExport, WorkingCopy } from './files/working-copy.ts'

export type FileSinkOptions = {
  readonly name: string
  /** The file that people know. */
  readonly file: string
  readonly base: string
  readonly folder: string
  readonly openExport?: () => Promise<CopyExport>
  /** Files that the export writes. */
  readonly exportPaths?: readonly string[]
  readonly readBack: ReadBack
}

export function fileSink({ name, file, exportPaths = [], readBack, ...options }: FileSinkOptions): OpenSink {
  const copy = new WorkingCopy({
    ...options,
    exportSizes: () => Promise.all(exportPaths.map(sizeOf)),
  })
  let keepsArchived = false
  let isDirect = false
  const sink: Sink = {
    name,
    canStage: true,
    get commitsPages() {
      return !isDirect
    },
    get takesHeads() {
      return isDirect
    },
    readBack,
    state: {
      load: () => copy.loadState(),
      save: (state) => copy.saveState(state),
      clear: () => copy.saveState(null),
    },
    begin: async ({ kind, resumed, keepArchived, isFromFiles }) => {
      keepsArchived = keepArchived
      isDirect = kind === 'first' && isFromFiles === true && !options.openExport
      await copy.begin({ isStaged: kind === 'first', isResumed: resumed, isDirect })
    },
    upsert: async (records) => void (await copy.put(records, false)),
    close: async (records) => void (await copy.put(records, !keepsArchived)),
    merge: async (merges) =>
      void (await copy.put(
        merges.map(({ record }) => record),
        !keepsArchived,
      )),
    commit: (state, end) => copy.commit(state, end),
    discard: () => copy.discard(),
    held: (ids) => copy.held(ids),
    record: async (id) => (await copy.record(id)) as TenderRecord | undefined,
    digest: () => copy.digest(),
    all: () => copy.all(),
    end: () => copy.end(),
  }
  return disposable(speaking(sink, (error) => fileFaultOf(error, file)))
}
