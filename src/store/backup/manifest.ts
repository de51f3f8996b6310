// What a backup says about itself: its parts with their checksums, and what a restore has to know.
import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import type { Instant } from '../../domain/time.ts'
import { OperatorError } from '../../platform/errors.ts'
import { createSealer, printOfKey } from '../../platform/sealing.ts'
import { type BackupStorage, manifestName, sumsName } from './backup-storage.ts'
import type { SequenceState } from './table-copy.ts'

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
  readonly formatVersion: 2
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
  /** The rows of tables that hold keys, sealed with the secret key of the stock: base64. */
  readonly sealed: { readonly tables: readonly string[]; readonly rows: string }
  /** Of the secret key (`printOfKey`). */
  readonly keyPrint: string
  /** Of all parts. */
  readonly rows: number
  /** Total size of the parts in bytes. */
  readonly bytes: number
  /** Where raw documents are that are not in the backup: `folder:/…` or `s3://…`; null: they are in it. */
  readonly documentsOutside: string | null
  /** Maximum time for which the embedded engine's one connection was held; null for a server. */
  readonly longestHoldMs: number | null
}

export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

/** The text to write: its last members are a checksum of the rest, and a code that only the key can make. */
export function manifestText(manifest: Manifest, key: KeyObject): string {
  const signed = { ...manifest, checksum: checksumOf(manifest), code: codeOf(manifest, key) }
  return `${JSON.stringify(signed, null, 2)}\n`
}

const checksumOf = (facts: object): string => sha256(JSON.stringify(facts))

/** HMAC-SHA-256 with a key for this purpose only. */
function codeOf(facts: object, key: KeyObject): string {
  const own = createHmac('sha256', key).update('backup manifest').digest()
  return createHmac('sha256', own).update(JSON.stringify(facts)).digest('hex')
}

/** Rows of a table, one in JSON per line. */
export type SealedRows = { readonly [table: string]: string }

const sealContext = ({ stockId, takenAt }: Pick<Manifest, 'stockId' | 'takenAt'>) => `backup ${stockId} ${takenAt}`

/** `rows` of a manifest's `sealed`. */
export function sealRows(
  rows: SealedRows,
  of: Pick<Manifest, 'stockId' | 'takenAt'>,
  { key, randomBytes }: { readonly key: KeyObject; readonly randomBytes: (count: number) => Uint8Array },
): string {
  return createSealer(key, randomBytes)
    .seal(Buffer.from(JSON.stringify(rows)), sealContext(of))
    .toString('base64')
}

/** Undefined when they were sealed with another key. */
export function openRows(manifest: Manifest, key: KeyObject): SealedRows | undefined {
  const sealed = Buffer.from(manifest.sealed.rows, 'base64')
  const opened = createSealer(key, () => new Uint8Array()).open(sealed, sealContext(manifest))
  return opened && (JSON.parse(opened.toString()) as SealedRows)
}

/**
 * Throws OperatorError when there is no complete backup that this program can read, or when it was not made with this
 * key. Without a key it is unknown who made it.
 */
export async function readManifest(storage: BackupStorage, key: KeyObject | undefined): Promise<Manifest> {
  const bytes = await storage.get(manifestName)
  if (bytes === undefined)
    throw new OperatorError(
      'no-backup',
      `There is no whole backup in ${storage.name} (${manifestName} is missing); pass another one.`,
    )
  let manifest: (Manifest & { readonly checksum: string; readonly code: string }) | undefined
  try {
    manifest = JSON.parse(bytes.toString()) as NonNullable<typeof manifest>
  } catch {
    throw damaged(storage, manifestName)
  }
  const { checksum, code, ...facts } = manifest
  if (facts.format === 'tenderstock-backup' && (facts.formatVersion as number) > 2)
    throw new OperatorError(
      'newer-version',
      `The backup in ${storage.name} was made by a newer version of Tenderstock (${facts.version}); update the program.`,
    )
  if (facts.format !== 'tenderstock-backup' || checksum !== checksumOf(facts)) throw damaged(storage, manifestName)
  if ((facts.formatVersion as number) < 2)
    throw new OperatorError(
      'older-version',
      `The backup in ${storage.name} was made by an earlier version (${facts.version}), which did not seal its keys; restore it with that version.`,
    )
  if (key !== undefined) assertMadeWith(key, { storage, facts, code })
  return facts
}

function assertMadeWith(
  key: KeyObject,
  { storage, facts, code }: { readonly storage: BackupStorage; readonly facts: Manifest; readonly code: string },
): void {
  const [expected, found] = [Buffer.from(codeOf(facts, key)), Buffer.from(String(code))]
  if (expected.length === found.length && timingSafeEqual(expected, found)) return
  throw facts.keyPrint === printOfKey(key)
    ? new OperatorError(
        'backup-changed',
        `The manifest of the backup in ${storage.name} was changed by somebody without the secret key; use another backup.`,
      )
    : new OperatorError(
        'backup-key',
        `The backup in ${storage.name} was made with another secret key than the one in TENDERSTOCK_SECRET_KEY ` +
          'or the data folder; give the one that the service had then, or none.',
      )
}

/** The text of SHA256SUMS. */
export const sumsOf = (parts: readonly BackupPart[]): string =>
  parts.map(({ name, sha256: sum }) => `${sum}  ${name}\n`).join('')

const damaged = (storage: BackupStorage, name: string) =>
  new OperatorError(
    'backup-damaged',
    `The backup in ${storage.name} is damaged: ${name} is not what was written; use another backup.`,
  )

/** The rows of a part, one per line. Throws OperatorError when it is missing or not what was written. */
export async function readPart(storage: BackupStorage, part: BackupPart): Promise<string> {
  const bytes = await storage.get(part.name)
  if (bytes === undefined || bytes.length !== part.bytes || sha256(bytes) !== part.sha256)
    throw damaged(storage, part.name)
  return (await unpack(bytes, { maxOutputLength: maxPartLength })).toString()
}

/** Reads every part of the backup, and compares its checksum, its number of rows and its line in SHA256SUMS. */
export async function verifyBackup(
  storage: BackupStorage,
  { parts, tables, sealed, rows: total }: Manifest,
  onProgress: (progress: { readonly rows: number; readonly totalRows: number }) => void = () => {},
): Promise<void> {
  if ((await storage.get(sumsName))?.toString() !== sumsOf(parts)) throw damaged(storage, sumsName)
  const found = new Map<string, number>()
  let rows = 0
  for (const part of parts) {
    const lines = await readPart(storage, part)
    if (lines.split('\n').length !== part.rows) throw damaged(storage, part.name)
    found.set(part.table, (found.get(part.table) ?? 0) + part.rows)
    rows += part.rows
    onProgress({ rows, totalRows: total })
  }
  const wrong = tables.find(
    ({ name, rows: expected }) => !sealed.tables.includes(name) && (found.get(name) ?? 0) !== expected,
  )
  if (wrong || rows !== total) throw damaged(storage, manifestName)
}
