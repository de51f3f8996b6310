// Editions from a bucket: `head` names the newest one, each manifest the one before it, down to the snapshot. Every
// object is checked against its name, which contains its SHA-256; an object that does not match is refused, and the
// publisher is asked to write it again.
import { OperatorError } from '../../platform/errors.ts'
import type { EditionRow } from '../../store/editions/editions.ts'
import type { Bucket } from '../../store/files/bucket.ts'
import {
  type BucketHead,
  type EditionManifest,
  fromNodes,
  headPath,
  manifestPath,
  type ObjectName,
  readBucketJson,
  type SegmentName,
  type Snapshot,
  segmentPath,
  sha256Of,
  snapshotPath,
} from '../format/bucket-files.ts'
import { decodeSegment, type ReadPart } from '../format/segment.ts'
import type { EditionReads, EditionSource, SourceHead } from './edition-source.ts'
import { WrongEntriesError } from './log-state.ts'

export type BucketSource = EditionSource & {
  /** Reads `head`; undefined when nothing was exported yet. The head of an exporter that was replaced is ignored. */
  readonly look: () => Promise<BucketHead | undefined>
}

type Objects = Pick<Bucket, 'get' | 'put'>

/** What a node remembers of the newest head that it has accepted. */
export type SeenHead = Pick<BucketHead, 'stockId' | 'fence'> & {
  /** First number of its newest epoch, 0 before. */
  readonly epoch: number
}

/** Where a node remembers it beyond its own life. */
export type HeadMemory = {
  readonly load: () => Promise<SeenHead | undefined>
  readonly save: (seen: SeenHead) => Promise<void>
}

const forgetful: HeadMemory = { load: async () => undefined, save: async () => {} }

/**
 * Whether the head comes from an exporter that was replaced. The fences of a restored stock may begin again with its
 * epoch.
 */
const isOfReplaced = (head: SeenHead, seen: SeenHead | undefined): boolean =>
  head.stockId === seen?.stockId && head.fence < seen.fence && head.epoch <= seen.epoch

/**
 * Reads an immutable object and checks its hash. Throws WrongEntriesError and reports the object to the publisher if it
 * does not match.
 */
async function namedObject(bucket: Objects, path: string, hash: string): Promise<Buffer> {
  const bytes = await bucket.get(path)
  if (bytes !== undefined && sha256Of(bytes) === hash) return bytes
  const what = bytes === undefined ? 'is missing' : 'is damaged'
  // a failure to report it changes nothing here
  await bucket.put(`${fromNodes}wrong-${hash}.json`, Buffer.from(JSON.stringify({ path }))).catch(() => {})
  throw new WrongEntriesError(`the object ${path} of the bucket ${what}; the publisher makes it again`)
}

/** The newest edition in a bucket; undefined where nothing was exported. Throws where it cannot be read. */
export async function newestInBucket(
  bucket: Pick<Bucket, 'get'>,
): Promise<{ edition: number; checksum: string; lastModified: number; stockId: string } | undefined> {
  const bytes = await bucket.get(headPath)
  if (bytes === undefined) return undefined
  const { stockId, newest, snapshot } = readBucketJson<BucketHead>(headPath, bytes)
  const isInSnapshot = newest.edition <= snapshot.edition
  const path = isInSnapshot ? snapshotPath(snapshot) : manifestPath(newest)
  const named = await bucket.get(path)
  if (named === undefined) throw new Error(`the object ${path} is missing`)
  const row = isInSnapshot
    ? readBucketJson<Snapshot>(path, named).editions.at(-1)!
    : readBucketJson<EditionManifest>(path, named).edition
  return { edition: newest.edition, checksum: row.checksum ?? '', lastModified: row.lastModified, stockId }
}

export function bucketSource(bucket: Objects, memory = forgetful): BucketSource {
  /** Manifests by hash, for as long as a chain needs them. */
  let manifests = new Map<string, EditionManifest>()
  let snapshot: { readonly hash: string; readonly value: Snapshot } | undefined
  let seen: SeenHead | undefined
  let isRemembered = false

  const look = async (): Promise<BucketHead | undefined> => {
    const bytes = await bucket.get(headPath)
    if (bytes === undefined) return undefined
    const head = readBucketJson<BucketHead>(headPath, bytes)
    if (!isRemembered) seen = await memory.load()
    isRemembered = true
    const { stockId, fence, epochs = [] } = head
    const found = { stockId, fence, epoch: epochs.at(-1)?.first ?? 0 }
    if (isOfReplaced(found, seen))
      throw new OperatorError(
        'publisher-replaced',
        'The bucket holds the head of a publisher that was replaced; the present one writes it again.',
      )
    if (JSON.stringify(found) !== JSON.stringify(seen)) await memory.save(found)
    seen = found
    return head
  }

  const manifestOf = async (name: ObjectName): Promise<EditionManifest> => {
    const path = manifestPath(name)
    return manifests.get(name.hash) ?? readBucketJson<EditionManifest>(path, await namedObject(bucket, path, name.hash))
  }

  /** Returns the manifests after the snapshot, oldest first. */
  const chainOf = async (head: BucketHead): Promise<EditionManifest[]> => {
    const chain: EditionManifest[] = []
    const kept = new Map<string, EditionManifest>()
    for (let name: ObjectName | null = head.newest; name && name.edition > head.snapshot.edition; ) {
      const manifest: EditionManifest = await manifestOf(name)
      kept.set(name.hash, manifest)
      chain.unshift(manifest)
      name = manifest.previous
    }
    manifests = kept
    return chain
  }

  const snapshotOf = async ({ snapshot: name }: BucketHead): Promise<Snapshot> => {
    if (snapshot?.hash !== name.hash) {
      const path = snapshotPath(name)
      snapshot = { hash: name.hash, value: readBucketJson(path, await namedObject(bucket, path, name.hash)) }
    }
    return snapshot.value
  }

  const readsOf = (head: BucketHead | undefined, chain: readonly EditionManifest[]): EditionReads => {
    const editionsAfter = async (edition: number, limit: number): Promise<EditionRow[]> => {
      if (!head) return []
      const later = chain.map((manifest) => manifest.edition)
      const rows = edition >= head.snapshot.edition ? later : [...(await snapshotOf(head)).editions, ...later]
      const first = rows.findIndex((row) => row.edition > edition)
      return first === -1 ? [] : rows.slice(first, first + limit)
    }
    return {
      head: async (): Promise<SourceHead> => {
        if (!head) return { target: undefined, stockId: '', serial: 0, isStandby: false, epochs: [] }
        const [target] = await editionsAfter(head.newest.edition - 1, 1)
        const { stockId, newest, epochs = [] } = head
        return { target, stockId, serial: newest.edition, isStandby: false, epochs }
      },
      editionsAfter,
      entries: async function* (after, last) {
        if (!head) return
        const isInChain = chain[0] !== undefined && after >= chain[0].after
        const listed = isInChain ? [] : (await snapshotOf(head)).segments
        const segments = [...listed, ...chain.flatMap((manifest) => manifest.segments)]
        for (const [index, segment] of segments.entries()) {
          if (segment.to <= after) continue
          if ((segments[index - 1]?.to ?? Number.NEGATIVE_INFINITY) >= last.lastModified) return
          for (const part of await partsOf(segment)) {
            const to = part.batch.lastModified.at(-1)!
            if (to > after && to <= last.lastModified) yield part
          }
        }
      },
    }
  }

  const partsOf = async ({ hash }: SegmentName): Promise<ReadPart[]> =>
    decodeSegment(await namedObject(bucket, segmentPath(hash), hash))

  return {
    kind: 'bucket',
    look,
    onOneState: async (work) => {
      const head = await look()
      return work(readsOf(head, head ? await chainOf(head) : []))
    },
  }
}
