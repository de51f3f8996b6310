// A sink on a working copy: what NDJSON, CSV and Parquet have in common.

import type { Sink } from '../sync/sink.ts'
import { sizeOf } from './durable-files.ts'
import { type CopyExport, WorkingCopy } from './working-copy.ts'

export type FileSinkOptions = {
  readonly name: string
  readonly base: string
  readonly folder: string
  readonly openExport?: () => Promise<CopyExport>
  /** Files that the export writes. */
  readonly exportPaths?: readonly string[]
}

export function fileSink({ name, exportPaths = [], ...options }: FileSinkOptions): Sink {
  const copy = new WorkingCopy({
    ...options,
    isExported: async () => (await Promise.all(exportPaths.map(sizeOf))).every((bytes) => bytes !== undefined),
  })
  let keepsArchived = false
  return {
    name,
    canStage: true,
    state: {
      load: () => copy.loadState(),
      save: (state) => copy.saveState(state),
      clear: () => copy.saveState(null),
    },
    begin: async ({ kind, resumed, keepArchived }) => {
      keepsArchived = keepArchived
      await copy.begin({ isStaged: kind === 'first', isResumed: resumed })
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
    all: () => copy.all(),
    end: () => copy.end(),
  }
}
