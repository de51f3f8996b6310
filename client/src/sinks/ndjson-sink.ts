// Syncs into a file of one JSON record per line, as delivered; replaced as a whole at the end of each run that changed
// something.
import type { ReadBack } from '../sync/sink.ts'
import type { TenderRecord } from '../types.ts'
import type { OpenSink } from './disposable.ts'
import { fileSink } from './file-sink.ts'
import { behindLink } from './files/durable-files.ts'
import { readLines } from './files/line-file.ts'
import { digestOf } from './record/digest.ts'
import { contentJson, storedRecord } from './record/record-json.ts'

export type NdjsonSinkOptions = {
  /** Path of the file. The folder `<file>.sync` beside it holds the log of changes and the state. */
  readonly file: string
}

export function ndjsonSink(options: NdjsonSinkOptions): OpenSink {
  const file = behindLink(options.file)
  return fileSink({ name: 'ndjson', file, base: file, folder: `${file}.sync`, readBack: readBackOf(file) })
}

function readBackOf(file: string): ReadBack {
  const contentOf = (record: TenderRecord): string => digestOf(contentJson(record))
  return {
    async *rows() {
      let number = 0
      for await (const { bytes } of readLines(file)) {
        number++
        const record = storedRecord(bytes.toString(), `Line ${number} of ${file}`)
        const { id, lastModified, status } = record
        yield { id, lastModified, status, content: contentOf(record), record }
      }
    },
    contentOf,
  }
}
