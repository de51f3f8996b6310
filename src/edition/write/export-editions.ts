// Writes the editions of this node's log into a bucket, for other nodes: packed entries are copied as they are. Objects
// are immutable and written before those that name them, and `head` last: a killed exporter leaves nothing visible, and
// the next one reuses what it wrote.
import { hourMs } from '../../domain/time.ts'
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { jsonIn } from '../../platform/json-in.ts'
import type { EditionRow } from '../../store/editions/editions.ts'
import type { Bucket } from '../../store/files/bucket.ts'
import {
  type BucketHead,
  type EditionManifest,
  fromNodes,
  hashInPath,
  headPath,
  jsonBytes,
  manifestPath,
  type ObjectName,
  readBucketJson,
  type SegmentName,
  type Snapshot,
  segmentPath,
  sha256Of,
  snapshotBytes,
  snapshotPath,
} from '../format/bucket-files.ts'
import { encodeSegment, type SegmentPart } from '../format/segment.ts'
import type { HeldEdition } from '../read/held-log.ts'
import { chunkBits, rowMask } from '../read/record-table.ts'
import { RunMemory } from './body-runs.ts'
import { batchOf, intactPieces } from './compaction.ts'
import type { EditionLog } from './edition-log.ts'
import type { LogState } from './log-state.ts'

/** Maximum number of entries, and of bytes, per segment. */
const usualEntries = 4096
const maxBytes = 16 * 1024 * 1024
/** How often a snapshot is made, by time and by editions: a new node reads at most that many manifests. */
const snapshotEveryMs = 24 * hourMs
const snapshotEveryEditions = 100
/**
 * A segment of the previous snapshot is reused when it is filled at least to the first share, and at least the second
 * share of its entries is still needed.
 */
const [minFull, minWanted] = [0.25, 0.75]
/** How long objects stay after they are no longer named: nodes may be reading them, and caches keep them for a day. */
const keepMs = 26 * hourMs
/** How often to look for objects that are no longer named. */
const sweepEveryMs = hourMs

/** Maximum number of objects to remove before the right to do so is checked again. */
const removedAtOnce = 50

/** Another exporter has taken over and continues. */
export class ExportLostError extends Error {}

/** The right to write `head`. */
export type ExportRight = {
  readonly fence: number
  /** Runs `work` while no other exporter can have the right. Throws ExportLostError when it is lost. */
  readonly hold: <Result>(work: () => Promise<Result>) => Promise<Result>
}

export type ExportState = { readonly edition: number; readonly snapshotEdition: number }

type Known = {
  readonly head: BucketHead
  readonly etag: string | undefined
  readonly snapshot: Snapshot
  readonly snapshotAt: number
  /** The manifests after the snapshot, oldest first, by their names. */
  readonly chain: readonly { readonly name: ObjectName; readonly manifest: EditionManifest }[]
}

export class EditionExport {
  readonly #bucket: Bucket
  readonly #log: EditionLog
  readonly #clock: Clock
  readonly #maxEntries: number
  #known: Known | undefined
  /** Immutable objects known to exist in the bucket. */
  #there = new Set<string>()
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(options: {
    readonly bucket: Bucket
    readonly log: EditionLog
    readonly clock: Clock
    /** Maximum entries of a segment, for tests. */
    readonly maxEntries?: number
  }) {
    this.#maxEntries = options.maxEntries ?? usualEntries
    this.#bucket = options.bucket
    this.#log = options.log
    this.#clock = options.clock
  }

  /**
   * Brings the bucket up to the newest edition of the log. `redactedAt`: the last redaction; older objects of the
   * bucket are written again and then removed. Undefined before the first edition, and when the bucket lost objects,
   * which the next round writes again. Throws ExportLostError.
   */
  async round(right: ExportRight, redactedAt: number): Promise<ExportState | undefined> {
    const newest = this.#log.newest
    if (!newest) return undefined
    const found = await this.#bucket.find(headPath)
    if (!found || !this.#known || this.#known.etag !== found.etag) {
      // nothing is known of a bucket that somebody else has changed: it may have been set back
      this.#there = await this.#list()
      this.#known = await this.#readKnown(found)
    }
    const known = this.#known
    if (known) this.#assertOlder(known.head, newest.edition)
    const isRedacted = known !== undefined && redactedAt > known.head.redactedAt && newest.publishedAt >= redactedAt
    const isDamaged = await this.#isDamaged()
    const isSame = known !== undefined && !isRedacted && !isDamaged && (await this.#isContinued(known))
    if (isDamaged) this.#there.clear()
    let written = isSame
      ? await this.#continue(right, known, newest.edition)
      : await this.#writeSnapshot(right, undefined, { redactedAt, isRedacted })
    if (isSnapshotDue(written)) {
      const { redactedAt } = written.head
      written = await this.#writeSnapshot(right, written, { redactedAt, isRedacted: false })
    }
    if (isDamaged) await this.#forgetDamage()
    const isSweepDue = !isSame || isRedacted || this.#clock() - this.#sweptAt >= sweepEveryMs
    if (isSweepDue && !(await this.#sweep(right, written, isRedacted))) return undefined
    return { edition: written.head.newest.edition, snapshotEdition: written.head.snapshot.edition }
  }

  async #continue(right: ExportRight, known: Known, newest: number): Promise<Known> {
    if (known.head.newest.edition < newest) return this.#writeEditions(right, known)
    if (known.head.fence === right.fence) return known
    return this.#writeHead(right, { ...known, head: { ...known.head, fence: right.fence } })
  }

  /** A later head is the last witness of what the stock has lost, until an epoch is above it. */
  #assertOlder({ stockId, newest }: BucketHead, edition: number): void {
    if (stockId !== this.#log.stockId || newest.edition <= edition) return
    if (this.#log.epochs.some(({ first }) => first > newest.edition)) return
    throw new OperatorError(
      'older-database',
      `The bucket holds edition ${newest.edition}, and the database only edition ${edition}: it was set ` +
        'back, and the bucket stays as it is. Restore a newer state of the database, or run `tenderstock ' +
        'database new-epoch` (docs/operations.md, "An older database").',
    )
  }

  async #list(): Promise<Set<string>> {
    const lists = await Promise.all(['segments/', 'manifests/', 'snapshots/'].map((start) => this.#bucket.list(start)))
    return new Set(lists.flat().map(({ path }) => path))
  }

  /** Reads what the head of an earlier exporter leads to; undefined when it cannot be read completely. */
  async #readKnown(found: { readonly bytes: Buffer; readonly etag: string | undefined } | undefined) {
    if (!found) return undefined
    try {
      const head = readBucketJson<BucketHead>(headPath, found.bytes)
      const snapshot = await this.#read<Snapshot>(snapshotPath(head.snapshot), head.snapshot.hash)
      const chain: { name: ObjectName; manifest: EditionManifest }[] = []
      for (let name: ObjectName | null = head.newest; name && name.edition > head.snapshot.edition; ) {
        const manifest: EditionManifest = await this.#read(manifestPath(name), name.hash)
        chain.unshift({ name, manifest })
        name = manifest.previous
      }
      const paths = [...snapshot.segments, ...chain.flatMap(({ manifest }) => manifest.segments)]
      if (paths.some(({ hash }) => !this.#there.has(segmentPath(hash)))) return undefined
      return { head, etag: found.etag, snapshot, snapshotAt: snapshot.editions.at(-1)!.publishedAt, chain }
    } catch (error) {
      if (error instanceof OperatorError) throw error
      if ((error as { name?: unknown }).name === 'Retryable') throw error
      return undefined
    }
  }

  async #read<Value extends { readonly format: 1 }>(path: string, hash: string): Promise<Value> {
    const bytes = await this.#bucket.get(path)
    if (bytes === undefined || sha256Of(bytes) !== hash) throw new Error(`${path} is not what it was`)
    return readBucketJson<Value>(path, bytes)
  }

  /** Whether the log continues the history in the bucket. */
  async #isContinued({ head, snapshot, chain }: Known): Promise<boolean> {
    const row = chain.at(-1)?.manifest.edition ?? snapshot.editions.at(-1)!
    return (
      (await this.#log.withHeld(async (held) => {
        const same = held.editions.get(row.edition)
        return (
          held.stockId === head.stockId &&
          same !== undefined &&
          same.info.lastModified === row.lastModified &&
          same.info.publishedAt === row.publishedAt &&
          same.info.records === row.records &&
          (row.checksum === null || !same.isComplete || same.info.checksum === row.checksum)
        )
      })) ?? false
    )
  }

  async #writeEditions(right: ExportRight, known: Known): Promise<Known> {
    const chain = [...known.chain]
    let after = chain.at(-1)?.manifest.edition.lastModified ?? known.snapshot.editions.at(-1)!.lastModified
    const editions = await this.#held(async (held) => {
      const later: EditionRow[] = []
      for (let next = held.editions.get(known.head.newest.edition)?.next; next; next = next.next)
        later.push(rowOf(next))
      return later
    })
    for (const edition of editions) {
      const segments = await this.#writeSegments(after, edition.lastModified, () => true)
      const { stockId } = known.head
      const manifest = { format: 1, stockId, edition, previous: chain.at(-1)?.name ?? null, after, segments } as const
      const bytes = jsonBytes(manifest)
      const name = { edition: edition.edition, hash: sha256Of(bytes) }
      await this.#put(manifestPath(name), bytes)
      chain.push({ name, manifest })
      after = edition.lastModified
    }
    const newest = chain.at(-1)?.name ?? known.head.newest
    const head = { ...known.head, fence: right.fence, newest, epochs: this.#log.epochs }
    return this.#writeHead(right, { ...known, chain, head })
  }

  /**
   * Segments of `known` that are still needed are reused; without it, all are written again. `isRedacted`: what the
   * newest edition replaced is left out.
   */
  async #writeSnapshot(
    right: ExportRight,
    known: Known | undefined,
    { redactedAt, isRedacted }: { readonly redactedAt: number; readonly isRedacted: boolean },
  ): Promise<Known> {
    const { editions, stockId, upTo, oldest } = await this.#held(async (held) => ({
      editions: [...held.editions.values()].map(rowOf),
      stockId: held.stockId,
      upTo: held.newest!.info.lastModified,
      oldest: held.oldest,
    }))
    // an edition that arrives meanwhile replaces entries of this one
    const last = isRedacted ? editions.at(-1)!.edition : oldest
    const isWanted = (replacedBy: number) => replacedBy === 0 || replacedBy > last
    const before = known
      ? [...known.snapshot.segments, ...known.chain.flatMap(({ manifest }) => manifest.segments)]
      : []
    const segments: SegmentName[] = []
    let [writtenTo, runTo] = [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
    const writeRun = async (to: number) => {
      if (to > writtenTo) segments.push(...(await this.#writeSegments(writtenTo, to, isWanted)))
      writtenTo = to
    }
    for (const segment of before) {
      const wanted = await this.#held(async (held) => countBetween(held, runTo, segment.to, isWanted))
      if (segment.entries >= this.#maxEntries * minFull && wanted >= segment.entries * minWanted) {
        await writeRun(runTo)
        segments.push(segment)
        writtenTo = segment.to
      }
      runTo = segment.to
    }
    await writeRun(upTo)
    const snapshot: Snapshot = { format: 1, stockId, editions, segments }
    const bytes = snapshotBytes(snapshot)
    const name = { edition: editions.at(-1)!.edition, hash: sha256Of(bytes) }
    await this.#put(snapshotPath(name), bytes)
    const { epochs } = this.#log
    const head = { format: 1, stockId, fence: right.fence, newest: name, snapshot: name, redactedAt, epochs } as const
    const snapshotAt = editions.at(-1)!.publishedAt
    return this.#writeHead(right, { head, etag: undefined, snapshot, snapshotAt, chain: [] })
  }

  /** Writes the segments of the entries with `after` < lastModified <= `upTo`. */
  async #writeSegments(after: number, upTo: number, isWanted: (replacedBy: number) => boolean): Promise<SegmentName[]> {
    const segments: SegmentName[] = []
    for (let from = after; from < upTo; ) {
      const part = await this.#held((held) =>
        takeSegment(held, { after: from, upTo, maxEntries: this.#maxEntries }, isWanted),
      )
      if (!part) break
      const hash = sha256Of(part.bytes)
      await this.#put(segmentPath(hash), part.bytes)
      segments.push({ hash, entries: part.entries, bytes: part.bytes.length, to: part.to })
      from = part.to
    }
    return segments
  }

  async #held<Result>(work: (held: LogState) => Promise<Result>): Promise<Result> {
    const result = await this.#log.withHeld(async (held) => ({ value: await work(held) }))
    if (!result) throw new Error('the edition log is being read again')
    return result.value
  }

  async #put(path: string, bytes: Buffer): Promise<void> {
    if (this.#there.has(path)) return
    await this.#bucket.put(path, bytes)
    this.#there.add(path)
  }

  async #writeHead(right: ExportRight, known: Known): Promise<Known> {
    const bytes = jsonBytes(known.head)
    const etag = this.#known?.etag
    await right.hold(async () => {
      const isDone = await this.#bucket.putIf(
        headPath,
        bytes,
        etag === undefined ? { ifAbsent: true } : { ifMatch: etag },
      )
      if (isDone === 'notKnown') await this.#bucket.put(headPath, bytes)
      if (isDone !== false) return
      // another exporter wrote it meanwhile, or it existed and could not be read: the next round reads it again
      this.#known = undefined
      const found = await this.#bucket.find(headPath)
      if (found && fenceOf(found.bytes) > right.fence)
        throw new ExportLostError('a later exporter has written the head')
      if (found?.etag === undefined) await this.#bucket.put(headPath, bytes)
      else if ((await this.#bucket.putIf(headPath, bytes, { ifMatch: found.etag })) === false)
        throw new ExportLostError('another exporter writes the head')
    })
    const written = { ...known, etag: (await this.#bucket.find(headPath))?.etag }
    this.#known = written
    return written
  }

  /** Whether an object that a node could not use is really damaged. */
  async #isDamaged(): Promise<boolean> {
    let isDamaged = false
    for (const { path } of await this.#bucket.list(`${fromNodes}wrong-`)) {
      const bytes = await this.#bucket.get(path)
      const named = bytes && pathIn(bytes)
      const hash = named && hashInPath(named)
      const object = hash === undefined ? undefined : await this.#bucket.get(named!)
      const isNeeded = hash !== undefined && this.#isNamed(hash)
      if (isNeeded && (object === undefined || sha256Of(object) !== hash)) isDamaged = true
      else await this.#bucket.remove(path)
    }
    return isDamaged
  }

  #isNamed(hash: string): boolean {
    return this.#known !== undefined && [...namesOf(this.#known)].some((path) => hashInPath(path) === hash)
  }

  async #forgetDamage(): Promise<void> {
    for (const { path } of await this.#bucket.list(`${fromNodes}wrong-`)) await this.#bucket.remove(path)
  }

  /**
   * Removes objects that have not been named for a day; after a redaction, immediately. False if objects that are named
   * are missing: the next round writes all of them again.
   */
  async #sweep(right: ExportRight, known: Known, isAtOnce: boolean): Promise<boolean> {
    const now = this.#clock()
    const [segments, manifests, snapshots] = await Promise.all(
      ['segments/', 'manifests/', 'snapshots/'].map((start) => this.#bucket.list(start)),
    )
    const named = new Set(namesOf(known))
    const isRecent = ({ modifiedAt }: { readonly modifiedAt: number }) => !isAtOnce && now - modifiedAt < keepMs
    const byTime = snapshots!.toSorted((left, right) => left.modifiedAt - right.modifiedAt)
    // a snapshot was named until the next one appeared
    const kept = [
      ...manifests!.filter(isRecent),
      ...byTime.filter((_, index) => byTime[index + 1] !== undefined && isRecent(byTime[index + 1]!)),
    ]
    for (const { path } of kept) {
      if (named.has(path)) continue
      named.add(path)
      const hash = hashInPath(path)
      const value =
        hash === undefined ? undefined : await this.#read<EditionManifest | Snapshot>(path, hash).catch(() => undefined)
      for (const segment of value?.segments ?? []) named.add(segmentPath(segment.hash))
    }
    const all = [...segments!, ...manifests!, ...snapshots!]
    const gone = all.filter((object) => !named.has(object.path) && !isRecent(object))
    for (let from = 0; from < gone.length; from += removedAtOnce)
      await right.hold(async () => {
        for (const { path } of gone.slice(from, from + removedAtOnce)) await this.#bucket.remove(path)
      })
    this.#there = new Set(all.map(({ path }) => path).filter((path) => !gone.some((object) => object.path === path)))
    this.#sweptAt = now
    const isWhole = [...namesOf(known)].every((path) => this.#there.has(path))
    if (!isWhole) this.#known = undefined
    return isWhole
  }
}

function isSnapshotDue({ snapshotAt, chain }: Known): boolean {
  const newestAt = chain.at(-1)?.manifest.edition.publishedAt ?? snapshotAt
  return newestAt - snapshotAt >= snapshotEveryMs || chain.length >= snapshotEveryEditions
}

function* namesOf({ head, snapshot, chain }: Known): Generator<string> {
  yield snapshotPath(head.snapshot)
  for (const { name } of chain) yield manifestPath(name)
  for (const { hash } of snapshot.segments) yield segmentPath(hash)
  for (const { manifest } of chain) for (const { hash } of manifest.segments) yield segmentPath(hash)
}

function rowOf({ info, checks, isComplete }: HeldEdition): EditionRow {
  const { edition, lastModified, publishedAt, records, changes, checksum } = info
  return {
    edition,
    lastModified,
    publishedAt,
    records,
    changes,
    checks: Object.fromEntries(checks),
    // only part of an old edition is held, so the digest is not the edition's
    checksum: isComplete ? checksum : null,
  }
}

const supersededBy = (held: LogState, position: number): number =>
  held.table.chunks[position >>> chunkBits]!.superseded[position & rowMask]!

/** Yields the positions of the entries with `after` < lastModified <= `upTo` that are needed. */
function* wantedBetween(
  held: LogState,
  after: number,
  upTo: number,
  isWanted: (replacedBy: number) => boolean,
): Generator<number> {
  const end = held.newest!.end
  for (let position = held.table.lowerBound(after + 1, end); position < end; position++) {
    if (held.table.lastModified(position) > upTo) return
    if (isWanted(supersededBy(held, position))) yield position
  }
}

function countBetween(held: LogState, after: number, upTo: number, isWanted: (by: number) => boolean): number {
  let count = 0
  for (const _ of wantedBetween(held, after, upTo, isWanted)) count++
  return count
}

/** Builds the next segment of these entries; undefined when there are none. */
async function takeSegment(
  held: LogState,
  { after, upTo, maxEntries }: { readonly after: number; readonly upTo: number; readonly maxEntries: number },
  isWanted: (replacedBy: number) => boolean,
): Promise<{ readonly bytes: Buffer; readonly entries: number; readonly to: number } | undefined> {
  const positions: number[] = []
  let length = 0
  for (const position of wantedBetween(held, after, upTo, isWanted)) {
    length += held.lengthOf('gzip', position)
    if (positions.length === maxEntries || (positions.length > 0 && length > maxBytes)) break
    positions.push(position)
  }
  if (positions.length === 0) return undefined
  const parts: SegmentPart[] = []
  const memory = new RunMemory()
  const start = { plain: 0, gzip: 0 }
  let edition = editionAt(held, positions[0]!)
  for (let from = 0; from < positions.length; ) {
    while (edition.end <= positions[from]!) edition = edition.next!
    let to = from
    while (to < positions.length && to - from < 256 && positions[to]! < edition.end) to++
    const some = positions.slice(from, to)
    const gzip = (await intactPieces(held, 'gzip', some, memory)).map((piece) => Buffer.from(piece))
    const batch = batchOf(held, edition.info.edition, some, start)
    parts.push({ batch, gzip, hashes: await held.hashesAt(some) })
    memory.reset()
    from = to
  }
  const to = held.table.lastModified(positions.at(-1)!)
  return { bytes: encodeSegment(parts), entries: positions.length, to }
}

/** The edition that holds the entry. */
function editionAt({ editions }: LogState, position: number): HeldEdition {
  const all = [...editions.values()]
  let [low, high] = [0, all.length - 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (all[middle]!.end > position) high = middle
    else low = middle + 1
  }
  return all[low]!
}

/** The fence in a head of the bucket; a damaged head is written again. */
export function fenceOf(bytes: Buffer): number {
  try {
    return readBucketJson<BucketHead>(headPath, bytes).fence
  } catch {
    return 0
  }
}

function pathIn(bytes: Buffer): string | undefined {
  const head = jsonIn(bytes.toString()) as { readonly path?: unknown } | null | undefined
  return typeof head?.path === 'string' ? head.path : undefined
}
