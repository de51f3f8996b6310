// Makes segments of the word index from records, in their order.
import type { TenderRecord } from '../../domain/tender.ts'
import { openTokenTable, type TokenTable } from '../../domain/token-table.ts'
import { codesOf, deadlineOf, textsOf, winnerWordsOf } from './tender-row.ts'
import { type Segment, type SegmentArrays, segmentRows } from './word-segment.ts'

/** Fewer than 16 bits have: one record has some hundred codes at most. */
const maxCodes = 60_000

/** An entry of the log. */
export type SegmentEntry = { readonly record: TenderRecord; readonly lastModified: number; readonly crc: number }

/** An array that grows; its content is copied when it is finished. */
class Growing<Kind extends Uint16Array | Uint32Array | Float64Array> {
  items: Kind
  length = 0
  readonly #make: (length: number) => Kind
  constructor(make: (length: number) => Kind) {
    this.#make = make
    this.items = make(1024)
  }
  push(value: number): void {
    if (this.length === this.items.length) {
      const larger = this.#make(this.length * 2)
      larger.set(this.items)
      this.items = larger
    }
    this.items[this.length++] = value
  }
}

const words = () => new Growing((length) => new Uint32Array(length))
const floats = () => new Growing((length) => new Float64Array(length))

export class SegmentBuilder {
  readonly #lastModified = floats()
  readonly #crc = words()
  readonly #deadline = floats()
  readonly #codeEnds = words()
  readonly #codes = words()
  readonly #keys = new Map<string, number>()
  readonly #words = new Map<string, number>()
  /** For each word, the index of its newest posting; the postings in their order. */
  readonly #newest = words()
  readonly #wordOf = words()
  readonly #postings = words()
  readonly #table: TokenTable

  /** `maxWords`: how many words are recognized fast (token-table.ts); fewer for small segments. */
  constructor(maxWords?: number) {
    this.#table = openTokenTable((token) => Int32Array.of(this.#wordNumber(token)), maxWords)
  }

  #wordNumber(token: string): number {
    let word = this.#words.get(token)
    if (word === undefined) {
      word = this.#words.size
      this.#words.set(token, word)
      this.#newest.push(noPosting)
    }
    return word
  }

  get rows(): number {
    return this.#crc.length
  }

  get isFull(): boolean {
    return this.rows === segmentRows || this.#keys.size > maxCodes
  }

  add({ record, lastModified, crc }: SegmentEntry): void {
    const row = this.rows
    this.#addRow(lastModified, crc, deadlineOf(record), codesOf(record))
    const firstOfRow = this.#postings.length
    if (record.status === 'merged') return
    for (const word of new Set(winnerWordsOf(record))) this.#post(this.#wordNumber(word), row * 2)
    for (const { text, isTitle } of textsOf(record))
      this.#table.read(text, (numbers, start) => {
        const word = numbers[start]!
        const known = this.#newest.items[word]!
        if (known !== noPosting && known >= firstOfRow) {
          if (isTitle) this.#postings.items[known]! |= 1
          return
        }
        this.#newest.items[word] = this.#postings.length
        this.#post(word, row * 2 + (isTitle ? 1 : 0))
      })
  }

  #post(word: number, posting: number): void {
    this.#wordOf.push(word)
    this.#postings.push(posting)
  }

  #addRow(lastModified: number, crc: number, deadline: number, keys: readonly string[]): void {
    this.#lastModified.push(lastModified)
    this.#crc.push(crc)
    this.#deadline.push(deadline)
    for (const key of keys) {
      let code = this.#keys.get(key)
      if (code === undefined) {
        code = this.#keys.size
        this.#keys.set(key, code)
      }
      this.#codes.push(code)
    }
    this.#codeEnds.push(this.#codes.length)
  }

  /** Adds rows of a segment, with those of its words that they have. */
  addSegment(segment: Segment, isKept: (row: number) => boolean): void {
    const { keys, codes, codeEnds, wordBytes, wordEnds, postings, postingEnds } = segment
    const rowOf = new Int32Array(segment.rows).fill(-1)
    for (let row = 0; row < segment.rows; row++) {
      if (!isKept(row)) continue
      rowOf[row] = this.rows
      const own = codes.subarray(row === 0 ? 0 : codeEnds[row - 1]!, codeEnds[row]!)
      const keysOfRow = Array.from(own, (code) => keys[code]!)
      this.#addRow(segment.lastModified[row]!, segment.crc[row]!, segment.deadline[row]!, keysOfRow)
    }
    const bytes = Buffer.from(wordBytes.buffer, wordBytes.byteOffset, wordBytes.length)
    for (let word = 0, at = 0, start = 0; word < wordEnds.length; start = wordEnds[word++]!) {
      let own: number | undefined
      for (; at < postingEnds[word]!; at++) {
        const row = rowOf[postings[at]! >>> 1]!
        if (row < 0) continue
        own ??= this.#wordNumber(bytes.toString('utf8', start, wordEnds[word]!))
        this.#post(own, row * 2 + (postings[at]! & 1))
      }
    }
  }

  /** The segment of what was added. */
  finish(): Segment {
    const dictionary = sortedWords([...this.#words.keys()])
    return {
      rows: this.rows,
      keys: [...this.#keys.keys()],
      lastModified: shared(Float64Array, this.#lastModified),
      crc: shared(Uint32Array, this.#crc),
      deadline: shared(Float64Array, this.#deadline),
      codeEnds: shared(Uint32Array, this.#codeEnds),
      codes: shared(Uint16Array, this.#codes),
      wordBytes: dictionary.wordBytes,
      wordEnds: dictionary.wordEnds,
      byEnding: dictionary.byEnding,
      ...this.#sortedPostings(dictionary.rank),
    }
  }

  #sortedPostings(rank: Uint32Array): Pick<SegmentArrays, 'postings' | 'postingEnds'> {
    const count = this.#postings.length
    const postings = new Uint16Array(new SharedArrayBuffer(count * 2))
    const postingEnds = new Uint32Array(new SharedArrayBuffer(rank.length * 4))
    for (let index = 0; index < count; index++) postingEnds[rank[this.#wordOf.items[index]!]!]!++
    for (let word = 0, start = 0; word < rank.length; word++) {
      const own = postingEnds[word]!
      postingEnds[word] = start
      start += own
    }
    for (let index = 0; index < count; index++)
      postings[postingEnds[rank[this.#wordOf.items[index]!]!]!++] = this.#postings.items[index]!
    return { postings, postingEnds }
  }
}

const noPosting = 0xffffffff

type TypedArrayMaker<Kind> = { new (buffer: SharedArrayBuffer): Kind; readonly BYTES_PER_ELEMENT: number }

function shared<Kind extends Uint16Array | Uint32Array | Float64Array>(
  Maker: TypedArrayMaker<Kind>,
  {
    items,
    length,
  }: {
    readonly items: ArrayLike<number> & { subarray(from: number, to: number): ArrayLike<number> }
    readonly length: number
  },
): Kind {
  const copy = new Maker(new SharedArrayBuffer(length * Maker.BYTES_PER_ELEMENT))
  copy.set(items.subarray(0, length))
  return copy
}

/** `rank`: the place of each word in the order of their bytes. */
function sortedWords(texts: readonly string[]): Pick<SegmentArrays, 'wordBytes' | 'wordEnds' | 'byEnding'> & {
  readonly rank: Uint32Array
} {
  // texts whose characters are the bytes of the words: they compare as bytes do
  const bytes = texts.map((text) => (/^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text).toString('latin1')))
  const order = Uint32Array.from(bytes.keys()).sort((a, b) => (bytes[a]! < bytes[b]! ? -1 : 1))
  const rank = new Uint32Array(order.length)
  const wordEnds = new Uint32Array(new SharedArrayBuffer(order.length * 4))
  const wordBytes = new Uint8Array(new SharedArrayBuffer(bytes.reduce((sum, { length }) => sum + length, 0)))
  let end = 0
  for (const [place, word] of order.entries()) {
    rank[word] = place
    for (let index = 0; index < bytes[word]!.length; index++) wordBytes[end++] = bytes[word]!.charCodeAt(index)
    wordEnds[place] = end
  }
  const reversed = bytes.map((text) => [...text].reverse().join(''))
  const byEnding = new Uint32Array(new SharedArrayBuffer(order.length * 4))
  byEnding.set(order.map((_, index) => index).sort((a, b) => (reversed[order[a]!]! < reversed[order[b]!]! ? -1 : 1)))
  return { wordBytes, wordEnds, byEnding, rank }
}
