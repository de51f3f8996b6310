// The files of whole editions as everybody sees them who does not make them: what is named now, and under which names
// it lies.

/** One file, named by its content. */
export type BulkFile = {
  readonly sha256: string
  readonly bytes: number
  /** Lines, or rows of a table. */
  readonly rows: number
  /** `snapshot`: records of an edition; `delta`: those that changed from that one to the newest. */
  readonly part: 'snapshot' | 'delta'
  /** `heads`: a line with the head of each record, beside the file of the records themselves. */
  readonly format: 'ndjson' | 'heads' | 'parquet'
  readonly table: 'tenders' | 'lots'
}

/** The files of one edition: applied in their order, those of a format are exactly that edition. */
export type BulkState = {
  readonly stockId: string
  readonly edition: number
  readonly publishedAt: number
  /** The largest `lastModified` of the records in the files; that of the edition. */
  readonly lastModified: number
  readonly records: number
  /** Value of `X-Stock-Digest` of the edition. */
  readonly checksum: string
  /** The edition of the snapshot. */
  readonly base: {
    readonly edition: number
    readonly publishedAt: number
    readonly checksum: string
    readonly lastModified: number
  }
  /** The last redaction whose files are deleted; 0 before the first. */
  readonly redactedAt: number
  /** Those that are complete. */
  readonly formats: readonly MadeFormat[]
  readonly files: readonly BulkFile[]
  /** Names of files that the operator's bucket holds. */
  readonly inBucket?: readonly string[]
}

/** Those that are made together: heads with the records. */
export type MadeFormat = Exclude<BulkFile['format'], 'heads'>

/** Whether this version wrote it; an older one did not say when its base was published, or made no heads. */
export const isBulkState = (value: unknown): value is BulkState => {
  const { base, redactedAt, formats: made, files } = (value ?? {}) as { readonly [Name in keyof BulkState]?: unknown }
  const { publishedAt } = (base ?? {}) as Partial<BulkState['base']>
  if (typeof publishedAt !== 'number' || typeof redactedAt !== 'number') return false
  if (!Array.isArray(made) || !Array.isArray(files)) return false
  return files.length === 0 || files.some(({ format }: Partial<BulkFile>) => format === 'heads')
}

export const formats = ['ndjson', 'parquet'] as const

/** Below the data folder. */
export const bulkFolder = 'bulk'

/** How long a link to a file lives, and how long a file stays after it is no longer named. */
export const linkLifeMs = 6 * 3_600_000

const endings = { ndjson: 'ndjson.gz', heads: 'ndjson.gz', parquet: 'parquet' } as const

export const bulkName = ({ sha256, format }: Pick<BulkFile, 'sha256' | 'format'>): string =>
  `${sha256}.${endings[format]}`

/** Names that `bulkName` gives. */
export const bulkNamePattern = /^([0-9a-f]{64})\.(ndjson\.gz|parquet)$/
