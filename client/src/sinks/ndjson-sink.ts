// Sync into a file of one JSON record per line, as delivered; replaced whole at the end of each run that changed something.
import type { Sink } from '../sync/sink.ts'
import { fileSink } from './file-sink.ts'

export type NdjsonSinkOptions = {
  /** Path of the file. The folder `<file>.sync` beside it holds the log of changes and the state. */
  readonly file: string
}

export function ndjsonSink({ file }: NdjsonSinkOptions): Sink {
  return fileSink({ name: 'ndjson', base: file, folder: `${file}.sync` })
}
