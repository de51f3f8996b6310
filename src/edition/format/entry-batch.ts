// A run of entries of one edition, column by column: it is written to the index file as one frame and loaded into
// memory.

/** Bits of `flags`. */
export const archivedFlag = 1
export const mergedFlag = 2

/**
 * The arrays hold `count` values (four words per ID); codes of entry i follow entry i-1 in `cpv` and `nuts`.
 */
export type EntryBatch = {
  readonly edition: number
  readonly count: number
  /** Positions of the first entry's pieces in the two body files; the others follow without gaps. */
  readonly plainStart: number
  readonly gzipStart: number
  readonly lastModified: Float64Array
  readonly publication: Float64Array
  readonly submission: Float64Array
  readonly eurValue: Float64Array
  readonly ids: Uint32Array
  readonly plainLength: Uint32Array
  readonly gzipLength: Uint32Array
  /** CRC-32 of the piece in the file. */
  readonly plainCrc: Uint32Array
  readonly gzipCrc: Uint32Array
  /** Index into `sourceSets`. */
  readonly sourceSet: Uint32Array
  readonly cpvCount: Uint32Array
  readonly nutsCount: Uint32Array
  readonly cpv: Uint32Array
  readonly nuts: Uint32Array
  readonly flags: Uint8Array
  readonly procedure: Uint8Array
  /** JSON arrays of source ids. */
  readonly sourceSets: readonly string[]
}

const headerWords = 8

/** The payload of a frame. Numbers are in the byte order of the machine: the log is a cache of this machine. */
export function encodeBatch(batch: EntryBatch): Buffer {
  const sets = Buffer.from(JSON.stringify(batch.sourceSets))
  const header = new Float64Array(headerWords)
  header.set([
    batch.edition,
    batch.count,
    batch.plainStart,
    batch.gzipStart,
    batch.cpv.length,
    batch.nuts.length,
    sets.length,
  ])
  const parts = [
    header,
    batch.lastModified,
    batch.publication,
    batch.submission,
    batch.eurValue,
    batch.ids,
    batch.plainLength,
    batch.gzipLength,
    batch.plainCrc,
    batch.gzipCrc,
    batch.sourceSet,
    batch.cpvCount,
    batch.nutsCount,
    batch.cpv,
    batch.nuts,
    batch.flags,
    batch.procedure,
    sets,
  ]
  return Buffer.concat(parts.map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength)))
}

/** Reads what encodeBatch wrote. `payload` begins at a multiple of eight of its buffer; the arrays are views of it. */
export function decodeBatch(payload: Uint8Array): EntryBatch {
  let offset = payload.byteOffset
  const next = <Taken extends ArrayBufferView>(
    Kind: new (buffer: ArrayBuffer, offset: number, length: number) => Taken,
    length: number,
  ): Taken => {
    const array = new Kind(payload.buffer as ArrayBuffer, offset, length)
    offset += array.byteLength
    return array
  }
  const floats = (length: number) => next(Float64Array<ArrayBuffer>, length)
  const words = (length: number) => next(Uint32Array<ArrayBuffer>, length)
  const bytes = (length: number) => next(Uint8Array<ArrayBuffer>, length)
  const header = floats(headerWords)
  const count = header[1]!
  return {
    edition: header[0]!,
    count,
    plainStart: header[2]!,
    gzipStart: header[3]!,
    lastModified: floats(count),
    publication: floats(count),
    submission: floats(count),
    eurValue: floats(count),
    ids: words(4 * count),
    plainLength: words(count),
    gzipLength: words(count),
    plainCrc: words(count),
    gzipCrc: words(count),
    sourceSet: words(count),
    cpvCount: words(count),
    nutsCount: words(count),
    cpv: words(header[4]!),
    nuts: words(header[5]!),
    flags: bytes(count),
    procedure: bytes(count),
    sourceSets: JSON.parse(Buffer.from(bytes(header[6]!)).toString('utf8')) as string[],
  }
}
