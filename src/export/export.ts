// Writes an edition into a folder as open data: in parts of equal size, so that a killed export continues where it
// stopped, any number of records needs the memory of a few, and the same edition gives the same bytes.

import { csvLine } from '#flat/files/csv-line'
import { DigestSum, emptyDigest, recordHash } from '../domain/stock-digest.ts'
import type { TenderRecord } from '../domain/tender.ts'
import { toInstant } from '../domain/time.ts'
import { OperatorError } from '../platform/errors.ts'
import type { Store } from '../store/database/database.ts'
import {
  type EditionRow,
  editionsAfter,
  entriesOfEdition,
  newestEdition,
  type StoredEntry,
  stockIdOf,
} from '../store/editions/editions.ts'
import { type ExportedFile, LineFile } from './export-files.ts'
import {
  type ExportFolder,
  type ExportProgress,
  type ExportTarget,
  explained,
  openExportFolder,
  packageName,
} from './export-folder.ts'
import { type ExportFormat, openPart } from './export-parts.ts'
import { ocdsPackage, type Publisher } from './ocds-package.ts'

/** What anyone who redistributes records of a source must know. */
export type SourceTerms = {
  readonly id: string
  readonly title: string
  readonly publisher: string
  readonly country: string
  readonly homepage: string
  readonly license: string
  readonly licenseUrl: string | null
  /** The words to show with its notices; null when the license requires none. */
  readonly attribution: string | null
}

export type ExportOptions = ExportTarget & {
  readonly format: ExportFormat
  readonly ocidPrefix: string
  /** Of a package of OCDS. */
  readonly publisher: Publisher
  readonly version: string
  /** The terms of every known source. */
  readonly terms: ReadonlyMap<string, SourceTerms>
  /** Called after each part with the number of records in durable files. */
  readonly onProgress?: (progress: { readonly records: number; readonly total: number }) => void
  /** Ends the export after the current part. */
  readonly signal?: AbortSignal
  /** Records per part; use the same number for exports that must be identical. */
  readonly partRecords?: number
}

export type ExportSummary = {
  readonly edition: number
  readonly records: number
  /** Number of records that OCDS leaves out because they were merged into others. */
  readonly merged: number
  readonly files: number
  readonly bytes: number
  readonly isContinued: boolean
}

const usualPartRecords = 50_000
const pageRecords = 500

/** The source ID of documents that were read from files. */
const filesSource = 'files'

/**
 * Exports the newest edition, or continues an interrupted export. Throws OperatorError where there is no edition, the
 * folder cannot be used, or the records read are not those that were published.
 */
export async function exportEdition({ db }: Pick<Store, 'db'>, options: ExportOptions): Promise<ExportSummary> {
  const { format, ocidPrefix, version } = options
  const newest = await newestEdition(db)
  if (newest === undefined)
    throw new OperatorError(
      'no-edition',
      'There is no edition to export yet; `tenderstock publish` makes the first one.',
    )
  const stock = await stockIdOf(db)
  const folder = await openExportFolder(options, {
    format,
    'program version': version,
    'part size': options.partRecords ?? usualPartRecords,
    stock,
    ...(format === 'ocds' && { 'OCID prefix': ocidPrefix }),
  })
  try {
    const begun = folder.progress
    const edition = begun === undefined ? newest : await editionNumbered(db, begun.edition, newest)
    const done = await writeParts(db, edition, folder, options)
    judge(done, edition)
    const files = [
      ...done.files,
      ...(format === 'ocds' ? [await writePackage(edition, stock, done, options)] : []),
      await writeTerms(done, options),
    ]
    await folder.finish(manifestOf(done, edition, files, options), files)
    return {
      edition: edition.edition,
      records: done.records,
      merged: done.merged,
      files: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      isContinued: begun !== undefined,
    }
  } finally {
    folder.close()
  }
}

async function editionNumbered(db: Store['db'], number: number, newest: EditionRow): Promise<EditionRow> {
  if (number === newest.edition) return newest
  const [edition] = await editionsAfter(db, number - 1, 1)
  if (edition?.edition === number) return edition
  throw new OperatorError(
    'export-interrupted',
    `The cut-off export is of edition ${number}, which this stock does not have; remove the folder and begin again.`,
  )
}

/** Writes the missing parts, one after the other. */
async function writeParts(
  db: Store['db'],
  edition: EditionRow,
  folder: ExportFolder,
  options: ExportOptions,
): Promise<ExportProgress> {
  const { onProgress, signal, partRecords = usualPartRecords } = options
  let reached = folder.progress ?? beginningOf(edition)
  for (let number = Math.ceil(reached.records / partRecords) + 1; ; number++) {
    const before = reached.records
    if (before > 0 && before === edition.records) return reached
    reached = await writePart(db, edition, { number, reached, partRecords }, options)
    await folder.note(reached)
    onProgress?.({ records: reached.records, total: edition.records })
    if (reached.records - before < partRecords) return reached
    if (signal?.aborted)
      throw new OperatorError(
        'stopped',
        `Stopped after ${reached.records} of ${edition.records} records; the same command continues there.`,
      )
  }
}

const beginningOf = ({ edition }: EditionRow): ExportProgress => ({
  edition,
  after: 0,
  records: 0,
  merged: 0,
  digest: emptyDigest,
  recordsBySource: {},
  files: [],
})

async function writePart(
  db: Store['db'],
  edition: EditionRow,
  { number, reached, partRecords }: { number: number; reached: ExportProgress; partRecords: number },
  options: ExportOptions,
): Promise<ExportProgress> {
  const { folder } = options
  const writer = await explained(folder, () => openPart({ ...options, number }))
  const digest = new DigestSum(reached.digest)
  const recordsBySource = { ...reached.recordsBySource }
  let { after, merged } = reached
  let records = 0
  try {
    while (records < partRecords) {
      const entries = await entriesOfEdition(db, edition, after, Math.min(pageRecords, partRecords - records))
      for (const entry of entries) {
        const { record, published, json } = recordOf(entry, edition)
        digest.add(recordHash(published), record.archiveReason === undefined)
        if (record.mergedInto !== undefined) merged += 1
        for (const source of sourcesOf(entry, record)) recordsBySource[source] = (recordsBySource[source] ?? 0) + 1
        await explained(folder, () => writer.add(record, json))
        after = entry.lastModified
      }
      records += entries.length
      if (entries.length === 0) break
    }
    const files = [...reached.files, ...(await explained(folder, () => writer.finish()))]
    return {
      ...reached,
      after,
      merged,
      files,
      recordsBySource,
      digest: digest.digest,
      records: reached.records + records,
    }
  } catch (error) {
    await writer.abandon()
    throw error
  }
}

const loneSurrogate = /\\ud[89a-f][0-9a-f]{2}/i

/**
 * A record as the API delivers it in this edition, and its JSON; half surrogate pairs, which no program accepts, are
 * replaced.
 */
function recordOf({ body, lastModified, sources }: StoredEntry, { checks }: EditionRow) {
  const checked = (JSON.parse(sources) as string[]).flatMap((source) => checks[source] ?? [])
  const checkedAt = toInstant(checked.length === 0 ? lastModified : Math.max(...checked))
  const { id, ...rest } = JSON.parse(body) as Omit<TenderRecord, 'checkedAt'>
  const record: TenderRecord = { id, checkedAt, ...rest }
  // JSON.stringify writes half a pair as an escape, and a whole pair unescaped
  const json = JSON.stringify(record)
  if (!loneSurrogate.test(json)) return { record, published: record, json }
  const clean = JSON.stringify(record, (_key, part: unknown) => (typeof part === 'string' ? part.toWellFormed() : part))
  return { record: JSON.parse(clean) as TenderRecord, published: record, json: clean }
}

/** Returns the sources of a record; for documents that were read from files, the publishers that they name. */
function sourcesOf({ sources }: StoredEntry, { originalSources }: TenderRecord): ReadonlySet<string> {
  const ids = JSON.parse(sources) as string[]
  const publishers = ids.includes(filesSource) ? originalSources.map(({ publisher }) => publisher) : []
  return new Set([...ids.filter((id) => id !== filesSource), ...publishers])
}

/** Throws OperatorError unless exactly the records of the edition were written. */
function judge({ records, digest }: ExportProgress, edition: EditionRow): void {
  if (records === edition.records && (edition.checksum === null || edition.checksum === digest)) return
  throw new OperatorError(
    'export-incomplete',
    `Edition ${edition.edition} has ${edition.records} records, and ${records} were ` +
      `read${records === edition.records ? ' with another digest' : ''}: the stock no longer holds it as it ` +
      'was published. Remove the folder and export the newest edition.',
  )
}

const termsHead = [
  'source',
  'title',
  'publisher',
  'country',
  'license',
  'license_url',
  'attribution',
  'homepage',
  'records',
]

/** `sources.csv`: the terms of every source whose notices are in the records. */
async function writeTerms(
  { recordsBySource }: ExportProgress,
  { folder, terms }: ExportOptions,
): Promise<ExportedFile> {
  return explained(folder, async () => {
    const file = await LineFile.create(folder, 'sources.csv', csvLine(termsHead))
    for (const { id, records, terms: of } of sourceRows(recordsBySource, terms)) {
      const cells = [of?.title, of?.publisher, of?.country, of?.license ?? unknownLicense, of?.licenseUrl]
      await file.write(
        csvLine(
          [id, ...cells, of ? of.attribution : 'ask the publisher', of?.homepage, String(records)].map(
            (cell) => cell ?? '',
          ),
        ),
      )
    }
    return file.finish()
  })
}

/** `release-package.json`: the members of a release package, without the releases. */
function writePackage(
  edition: EditionRow,
  stock: string,
  { recordsBySource }: ExportProgress,
  { folder, terms, publisher }: ExportOptions,
): Promise<ExportedFile> {
  return explained(folder, async () => {
    const licenses = sourceRows(recordsBySource, terms).map(({ terms: of }) => of?.licenseUrl ?? null)
    const file = await LineFile.create(folder, packageName)
    await file.write(`${JSON.stringify(ocdsPackage(edition, stock, publisher, licenses))}\n`)
    return file.finish()
  })
}

const unknownLicense = 'not known: the source has no card'

const sourceRows = (recordsBySource: ExportProgress['recordsBySource'], terms: ExportOptions['terms']) =>
  Object.entries(recordsBySource)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, records]) => ({ id, records, terms: terms.get(id) }))

/** Describes the export for programs. Nothing in it depends on when or where the export was made. */
function manifestOf(
  { records, merged, recordsBySource }: ExportProgress,
  edition: EditionRow,
  files: readonly ExportedFile[],
  { format, ocidPrefix, version, terms }: ExportOptions,
): object {
  return {
    format,
    ...(format === 'ocds' && { ocdsVersion: '1.1', ocidPrefix, mergedRecordsLeftOut: merged }),
    program: `tenderstock ${version}`,
    edition: edition.edition,
    publishedAt: toInstant(edition.publishedAt),
    lastModified: toInstant(edition.lastModified),
    records,
    digest: edition.checksum,
    files,
    sources: sourceRows(recordsBySource, terms).map(({ id, records: count, terms: of }) => ({
      id,
      records: count,
      ...(of ?? { license: unknownLicense, attribution: 'ask the publisher' }),
    })),
  }
}
