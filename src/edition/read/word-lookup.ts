// Finds the rows of a segment that hold a word, by the rules of saved searches (domain/words.ts).
import { affixLength } from '../../domain/words.ts'
import { type Segment, segmentRows } from '../format/word-segment.ts'

/** Rows of a segment as bits. */
export type RowBits = Uint32Array
export const newRowBits = (): RowBits => new Uint32Array(segmentRows / 32)

/** Adds the rows that hold a word with this spelling; `inTitle`: those that hold it in the title. */
export function addRowsOf(segment: Segment, spelling: string, rows: RowBits, inTitle: RowBits): void {
  const needle = Buffer.from(spelling)
  const forward = (index: number) => compare(segment, index, needle, 1)
  if (spelling.length < affixLength) {
    const word = firstNotBelow(segment.wordEnds.length, forward)
    if (word < segment.wordEnds.length && forward(word) === 0 && lengthOf(segment, word) === needle.length)
      addPostings(segment, word, rows, inTitle)
    return
  }
  const backward = (index: number) => compare(segment, segment.byEnding[index]!, needle, -1)
  const count = segment.wordEnds.length
  for (let word = firstNotBelow(count, forward); word < count && forward(word) === 0; word++)
    addPostings(segment, word, rows, inTitle)
  for (let index = firstNotBelow(count, backward); index < count && backward(index) === 0; index++)
    addPostings(segment, segment.byEnding[index]!, rows, inTitle)
}

function addPostings({ postings, postingEnds }: Segment, word: number, rows: RowBits, inTitle: RowBits): void {
  const end = postingEnds[word]!
  for (let index = word === 0 ? 0 : postingEnds[word - 1]!; index < end; index++) {
    const posting = postings[index]!
    const at = posting >>> 6
    const bit = 1 << ((posting >>> 1) & 31)
    rows[at]! |= bit
    if ((posting & 1) !== 0) inTitle[at]! |= bit
  }
}

const lengthOf = ({ wordEnds }: Segment, word: number): number =>
  wordEnds[word]! - (word === 0 ? 0 : wordEnds[word - 1]!)

/**
 * Compares a word, cut to the length of the needle, with the needle: from the first byte on, or from the last one back.
 */
function compare({ wordBytes, wordEnds }: Segment, word: number, needle: Uint8Array, step: 1 | -1): number {
  const start = word === 0 ? 0 : wordEnds[word - 1]!
  const length = wordEnds[word]! - start
  const common = Math.min(length, needle.length)
  let at = step === 1 ? start : start + length - 1
  let own = step === 1 ? 0 : needle.length - 1
  for (let index = 0; index < common; index++, at += step, own += step) {
    const difference = wordBytes[at]! - needle[own]!
    if (difference !== 0) return difference
  }
  return length < needle.length ? -1 : 0
}

function firstNotBelow(count: number, compareAt: (index: number) => number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareAt(middle) < 0) low = middle + 1
    else high = middle
  }
  return low
}
