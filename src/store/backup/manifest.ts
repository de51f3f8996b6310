// What a backup says about itself: its parts with their checksums, and what a restore has to know.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import type { Instant } from '../../domain/time.ts'
import { OperatorError } from '../../platform/errors.ts'
import type { SequenceState } from '../table-copy.ts'
import { type BackupStorage, manifestName } from './backup-storage.ts'

const unpack = promisify(zstdDecompress)
/** Maximum characters of a part's rows: several times what a part is meant to have, for a row with a large document. */
const maxPartLength = 512 * 1024 * 1024

export type BackupPart = {
  /** `000012-notice.ndjson.zst`: rows in JSON, one per line, compressed with zstd (RFC 8878). */
  readonly name: string
  readonly table: string
  readonly rows: number
  readonly bytes: number
  /** Of the file, 64 hexadecimal digits. */
  readonly sha256: string
}

export type Manifest = {
  readonly format: 'tenderstock-backup'
  readonly formatVersion: 1
  /** Of the program that made it. */
  readonly version: string
  readonly engine: 'embedded' | 'server'
  /** When the state was current, by the clock of the database. */
  readonly takenAt: Instant
  readonly finishedAt: Instant
  /** Empty before the first edition. */
  readonly stockId: string
  readonly edition: { readonly edition: number; readonly records: number; readonly publishedAt: Instant } | null
  /** Names of the migrations that were applied to its tables. */
  readonly migrations: readonly string[]
  /** In the order in which they are restored. `checksum` is a decimal number: the sum of the hashes of the rows. */
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly checksum: string }[]
  readonly sequences: readonly SequenceState[]
  readonly parts: readonly BackupPart[]
  readonly rows: number
  /** Total size of the parts in bytes. */
  readonly bytes: number
  /** Where raw documents are that are not in the backup: `folder:/…` or `s3://…`; null: they are in it. */
  readonly documentsOutside: string | null
  /** Maximum time for which the embedded engine's one connection was held; null for a server. */
  readonly longestHoldMs: number | null
}

export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

/** The text to write: its last member is the checksum of the rest. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 2)}\n`
}

const checksumOf = (facts: object): string => sha256(JSON.stringify(facts))

/** Throws OperatorError when there is no complete backup that this program can read. */
export async function readManifest(storage: BackupStorage): Promise<Manifest> {
  const bytes = await storage.get(manifestName)
  if (bytes === undefined)
    throw new OperatorError(
      `There is no whole backup in ${storage.name} (${manifestName} is missing); pass another one.`,
    )
  let manifest: (Manifest & { readonly checksum: string }) | undefined
  try {
    manifest = JSON.parse(bytes.toString()) as Manifest & { readonly checksum: string }
  } catch {
    throw damaged(storage, manifestName)
  }
  const { checksum, ...facts } = manifest
  if (facts.format === 'tenderstock-backup' && (facts.formatVersion as number) > 1)
    throw new OperatorError(
      `The backup in ${storage.name} was made by a newer version of Tenderstock (${facts.version}); update the program.`,
    )
  if (facts.format !== 'tenderstock-backup' || checksum !== checksumOf(facts)) throw damaged(storage, manifestName)
  return facts
}

const damaged = (storage: BackupStorage, name: string) =>
  new OperatorError(`The backup in ${storage.name} is damaged: ${name} is not what was written; use another backup.`)

/** The rows of a part, one per line. Throws OperatorError when it is missing or not what was written. */
export async function readPart(storage: BackupStorage, part: BackupPart): Promise<string> {
  const bytes = await storage.get(part.name)
  if (bytes === undefined || bytes.length !== part.bytes || sha256(bytes) !== part.sha256)
    throw damaged(storage, part.name)
  return (await unpack(bytes, { maxOutputLength: maxPartLength })).toString()
}

/** Reads every part of the backup, and compares its checksum and its number of rows. */
export async function verifyBackup(
  storage: BackupStorage,
  { parts, tables, rows: total }: Manifest,
  onProgress: (progress: { readonly rows: number; readonly totalRows: number }) => void = () => {},
): Promise<void> {
  const found = new Map<string, number>()
  let rows = 0
  for (const part of parts) {
    const lines = await readPart(storage, part)
    if (lines.split('\n').length !== part.rows) throw damaged(storage, part.name)
    found.set(part.table, (found.get(part.table) ?? 0) + part.rows)
    rows += part.rows
    onProgress({ rows, totalRows: total })
  }
  const wrong = tables.find((table) => (found.get(table.name) ?? 0) !== table.rows)
  if (wrong || rows !== total) throw damaged(storage, manifestName)
}
