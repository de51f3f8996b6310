// An append-only file of records with marks between them. Anything after the last valid mark was never committed. A
// mark holds the state and a checksum of the bytes since the previous mark, so that a power cut that kept the mark but
// lost a part of the bytes before it is detected.
import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { SyncState } from '../../sync/sink.ts'
import { parseState } from '../../sync/sync-state.ts'
import { wellFormedJson } from '../record/record-json.ts'
import { makeDurable, writeWhole } from './durable-files.ts'
import { type FileRange, readLines } from './line-file.ts'

export type Mark = {
  readonly state: SyncState | null
  /** `run`: a run is complete, and the content of the log may go into the base. */
  readonly end: 'page' | 'run'
  /** Size of the base to which the log belongs; 0 when there is none. */
  readonly baseBytes: number
  /** Sizes of the files that were exported last; missing where there is no other form of the copy. */
  readonly exportBytes?: readonly number[]
}

/** What a record must have to be stored in a copy; everything else is stored unchanged. */
export type StoredRecord = { readonly id: string; readonly lastModified: string; readonly status: string }

export type LoggedRecord = FileRange & { readonly record: StoredRecord }

const putStart = '{"put":'
const markStart = Buffer.from('{"mark":')
const checksumOf = (hash: Hash): string => hash.digest('hex').slice(0, 16)

const markLine = (mark: Mark, hash: Hash): Buffer =>
  Buffer.from(`{"mark":${JSON.stringify({ ...mark, checksum: checksumOf(hash) })}}\n`)

function readMark(line: Buffer, hash: Hash): Mark | undefined {
  try {
    const { mark } = JSON.parse(line.toString()) as { mark: Mark & { checksum: string } }
    if (mark.checksum !== checksumOf(hash)) return undefined
    const { state, end, baseBytes, exportBytes } = mark
    return { state: state && parseState(state), end, baseBytes, ...(exportBytes && { exportBytes }) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export type ScannedLog = {
  /** The last valid mark; undefined if there is no log, or nothing in it was ever committed. */
  readonly mark: Mark | undefined
  /** Length of the part up to the last valid mark. */
  readonly committedBytes: number
  /** Records in that part. */
  readonly records: number
}

/**
 * Reads a log and changes nothing. `onRecord` receives the committed records in the order in which they were written.
 */
export async function scanLog(path: string, onRecord?: (record: LoggedRecord) => void): Promise<ScannedLog> {
  let mark: Mark | undefined
  let committedBytes = 0
  let records = 0
  let hash = createHash('sha256')
  let waiting: { readonly json: Buffer; readonly offset: number }[] = []
  for await (const { bytes, offset } of readLines(path)) {
    if (!bytes.subarray(0, markStart.length).equals(markStart)) {
      hash.update(bytes)
      // The bytes are copied: their memory may be reused before the mark is read.
      const json = bytes.subarray(putStart.length, -1)
      waiting.push({ json: onRecord ? Buffer.from(json) : json, offset: offset + putStart.length })
      continue
    }
    const found = readMark(bytes, hash)
    if (!found) break
    for (const { json, offset: at } of onRecord ? waiting : []) {
      onRecord!({ record: JSON.parse(json.toString()) as StoredRecord, offset: at, length: json.length })
    }
    mark = found
    committedBytes = offset + bytes.length + 1
    records += waiting.length
    waiting = []
    hash = createHash('sha256')
  }
  return { mark, committedBytes, records }
}

/** Replaces any log with one that holds only a mark; durably and atomically. */
export async function replaceLog(path: string, mark: Mark): Promise<void> {
  await writeWhole(path, markLine(mark, createHash('sha256')))
}

/** The end of a log, for writing. */
export class RecordLog {
  readonly #file: FileHandle
  #hash = createHash('sha256')
  #committedBytes: number
  #bytes: number

  private constructor(file: FileHandle, committedBytes: number) {
    this.#file = file
    this.#committedBytes = committedBytes
    this.#bytes = committedBytes
  }

  /** Removes everything uncommitted (`committedBytes` of scanLog) and continues after it. The rest is durable then. */
  static async open(path: string, committedBytes: number): Promise<RecordLog> {
    const file = await open(path, committedBytes === 0 ? 'w' : 'r+', 0o600)
    await file.truncate(committedBytes)
    if (committedBytes > 0) await makeDurable(path)
    return new RecordLog(file, committedBytes)
  }

  /** Appends records; resolves to their positions. They are not durable before `commit`. */
  async append(records: readonly StoredRecord[]): Promise<FileRange[]> {
    const lines = records.map((record) => Buffer.from(`${putStart}${wellFormedJson(record)}}\n`))
    const ranges: FileRange[] = []
    let offset = this.#bytes
    for (const line of lines) {
      this.#hash.update(line.subarray(0, -1))
      ranges.push({ offset: offset + putStart.length, length: line.length - putStart.length - 2 })
      offset += line.length
    }
    await this.#write(Buffer.concat(lines))
    return ranges
  }

  async commit(mark: Mark): Promise<void> {
    const line = markLine(mark, this.#hash)
    this.#hash = createHash('sha256')
    await this.#write(line)
    await this.#file.sync()
    this.#committedBytes = this.#bytes
  }

  /** Forgets what was appended since the last commit. */
  async rollBack(): Promise<void> {
    await this.#file.truncate(this.#committedBytes)
    this.#bytes = this.#committedBytes
    this.#hash = createHash('sha256')
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written, this.#bytes + written)
      written += bytesWritten
    }
    this.#bytes += bytes.length
  }
}
