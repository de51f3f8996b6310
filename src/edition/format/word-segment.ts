// The word index of some consecutive entries of the log. A segment never changes, and refers to its entries by their
// order only, so that it outlives a compaction of the log.

/** Maximum rows of a segment: 15 bits of a posting. */
export const segmentRows = 1 << 15

/** The arrays of a segment; all are in shared memory. */
export type SegmentArrays = {
  /** For each row, what tells its entry apart: time, and CRC-32 of the plain piece. */
  readonly lastModified: Float64Array
  readonly crc: Uint32Array
  /** The deadline that a bidder meets first, epoch ms; NaN for none. */
  readonly deadline: Float64Array
  /** Codes of each row, the status first: indices into `keys` (tender-row.ts). */
  readonly codeEnds: Uint32Array
  readonly codes: Uint16Array
  /** The words in UTF-8, ascending by bytes, one after the other. */
  readonly wordBytes: Uint8Array
  readonly wordEnds: Uint32Array
  /** The words ascending by their bytes from the last to the first. */
  readonly byEnding: Uint32Array
  /** For each word, ascending: row * 2, plus 1 if the word is in the title. */
  readonly postingEnds: Uint32Array
  readonly postings: Uint16Array
}

export type Segment = SegmentArrays & {
  readonly rows: number
  /** What the codes stand for. */
  readonly keys: readonly string[]
}
