// The manifest of a whole edition (docs/sync/bulk.md), as far as a copy needs it.

export type BulkFile = {
  /** Relative to the address of the manifest. */
  readonly url: string
  readonly sha256: string
  readonly bytes: number
  readonly rows: number
  readonly format: string
  readonly table: string
  readonly part?: string
}

export type BulkManifest = {
  readonly edition: number
  readonly lastModified: string
  readonly records: number
  readonly digest?: { readonly open: string; readonly all: string }
  readonly files: readonly BulkFile[]
}

export const manifestPath = '/bulk/editions/latest'

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

const isFile = (value: unknown): value is BulkFile =>
  isObject(value) &&
  typeof value['url'] === 'string' &&
  isHash(value['sha256']) &&
  isCount(value['bytes']) &&
  isCount(value['rows']) &&
  typeof value['format'] === 'string' &&
  typeof value['table'] === 'string'

/** Whether it is a manifest of a form that this version knows. */
export function isManifest(value: unknown): value is BulkManifest {
  if (!isObject(value) || value['schema'] !== 1 || !isCount(value['edition']) || !isCount(value['records']))
    return false
  const { digest, files, lastModified } = value
  if (digest !== undefined && !(isObject(digest) && isHash(digest['open']) && isHash(digest['all']))) return false
  return typeof lastModified === 'string' && Array.isArray(files) && files.every(isFile)
}

const filesOf = ({ files }: BulkManifest, name: string): BulkFile[] =>
  files.filter(({ format, table }) => format === name && table === 'tenders')

/** The files of records, in their order. */
export const recordFiles = (manifest: BulkManifest): BulkFile[] => filesOf(manifest, 'ndjson')

/** The heads of the records of each of them; undefined from a service that has none. */
export function headFiles(manifest: BulkManifest): BulkFile[] | undefined {
  const [heads, records] = [filesOf(manifest, 'heads'), recordFiles(manifest)]
  const areTheirs = heads.length === records.length && heads.every(({ rows }, at) => rows === records[at]!.rows)
  return areTheirs ? heads : undefined
}

/** Everything that a copy is made from. */
export const loadedFiles = (manifest: BulkManifest): BulkFile[] => [
  ...recordFiles(manifest),
  ...(headFiles(manifest) ?? []),
]
