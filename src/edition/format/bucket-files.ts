// What a bucket holds of the editions (docs/editions-in-a-bucket.md): immutable objects named by the SHA-256 of their
// bytes, and `head`, which names the newest of them.
import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { EditionRow } from '../../store/editions/editions.ts'
import type { Epoch } from '../../store/editions/older-database.ts'

/** An object by the SHA-256 of its bytes. */
export type ObjectName = { readonly edition: number; readonly hash: string }

/** A segment and the `lastModified` range of its entries: above the previous segment's `to`, up to its own `to`. */
export type SegmentName = {
  readonly hash: string
  readonly entries: number
  readonly bytes: number
  readonly to: number
}

/** The only object that changes. */
export type BucketHead = {
  readonly format: 1
  readonly stockId: string
  /** Fence of the exporter that wrote it. A head with a smaller fence comes from an exporter that was replaced. */
  readonly fence: number
  readonly newest: ObjectName
  readonly snapshot: ObjectName
  /** The last redaction that the objects reflect; 0 for none. */
  readonly redactedAt: number
  /** The epochs of the stock; absent in the head of a version that knew none. */
  readonly epochs?: readonly Epoch[]
}

/** What one edition adds. */
export type EditionManifest = {
  readonly format: 1
  readonly stockId: string
  readonly edition: EditionRow
  /** Manifest of the edition before; null when a snapshot holds that edition. */
  readonly previous: ObjectName | null
  /** `lastModified` of the edition before: all entries are above it. */
  readonly after: number
  readonly segments: readonly SegmentName[]
}

/** All records of an edition, and the versions shown in their place by the editions that can still be requested. */
export type Snapshot = {
  readonly format: 1
  readonly stockId: string
  /** All editions up to this one. The last day's have their checks. */
  readonly editions: readonly EditionRow[]
  readonly segments: readonly SegmentName[]
}

export const headPath = 'head.json'
export const accessPath = 'access.sealed'
/** Prefix of objects that nodes write. */
export const fromNodes = 'from-nodes/'
export const segmentPath = (hash: string): string => `segments/${hash}.json.gz`
export const manifestPath = ({ edition, hash }: ObjectName): string => `manifests/${edition}-${hash}.json`
export const snapshotPath = ({ edition, hash }: ObjectName): string => `snapshots/${edition}-${hash}.json.gz`

/** The hash in the name of an immutable object; undefined for any other path. */
export const hashInPath = (path: string): string | undefined =>
  /^(?:segments\/|(?:manifests|snapshots)\/\d+-)([0-9a-f]{64})\.json(?:\.gz)?$/.exec(path)?.[1]

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export const jsonBytes = (value: BucketHead | EditionManifest): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)
export const snapshotBytes = (snapshot: Snapshot): Buffer => gzipSync(`${JSON.stringify(snapshot)}\n`)

/** Throws for any object that is not in this format. */
export function readBucketJson<Value extends { readonly format: 1 }>(path: string, bytes: Buffer): Value {
  const text = path.endsWith('.gz') ? gunzipSync(bytes) : bytes
  const value: unknown = JSON.parse(text.toString())
  if (typeof value !== 'object' || value === null || (value as { readonly format?: unknown }).format !== 1)
    throw new Error(`${path} is of a format that this version does not know`)
  return value as Value
}
