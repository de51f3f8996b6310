// The scan of a full chunk by its index (chunk-index.ts). Filters by codes that leave few rows decide alone: these rows
// are looked at one by one. Otherwise every filter becomes a term, a bitmap of the rows that it may leave, and the
// terms are applied block by block, the strictest first; what a bitmap cannot tell is checked at the row.
import type { CodeRange } from '../../domain/cpv.ts'
import {
  addRows,
  bitmapsPerQuantity,
  boundsPerQuantity,
  classCount,
  classDigitBits,
  classOf,
  highestDigit,
  type Quantity,
} from './chunk-index.ts'
import { blockBits, blockSize, type Chunk, chunkSize } from './record-table.ts'
import { isBlockVisible, matchesCodes, matchesNumbers, type Part } from './scan-part.ts'

const wordsPerChunk = chunkSize / 32
const wordsPerBlock = blockSize / 32
const noRows = new Uint32Array(wordsPerChunk)
const allRows = new Uint32Array(wordsPerChunk).fill(0xffffffff)

/**
 * Rows that may match a filter, as bitmaps of a chunk: those of `high`, and those of `middle` that are of `low` too.
 * `isNot`: all others.
 */
type Term = {
  readonly high: Uint32Array
  readonly highAt: number
  readonly middle: Uint32Array
  readonly middleAt: number
  readonly low: Uint32Array
  readonly lowAt: number
  readonly isNot: boolean
  /** Share of the rows that is left: the most selective term comes first, and the rest is hardly read from memory. */
  readonly share: number
}

/** Maximum number of rows to check one by one. */
const fewRows = 64
const candidates = new Uint16Array(fewRows)
/** Rebuilt for each chunk: a bitmap for each code filter for which the chunk has none. */
const madeBitmaps = [0, 1, 2].map(() => new Uint32Array(wordsPerChunk))
const candidateWords = new Uint32Array(wordsPerBlock)

export function scanIndexed(part: Part): void {
  const { chunk, query } = part
  const terms: Term[] = []
  if (query.publishedSince !== undefined && !addLeast(terms, chunk, 0, query.publishedSince)) return
  if (query.deadlineAfter !== undefined && !addLeast(terms, chunk, 1, query.deadlineAfter)) return
  if (query.valueMin !== undefined && !addLeast(terms, chunk, 2, query.valueMin)) return
  if (query.valueMax !== undefined && !addMost(terms, chunk, 2, query.valueMax)) return
  let rarest: readonly CodeRange[] | undefined
  let rarestRows = fewRows + 1
  for (const ranges of query.codeFilters) {
    const rows = rowsOf(chunk, ranges, rarestRows)
    if (rows === 0) return
    if (rows < rarestRows) {
      rarest = ranges
      rarestRows = rows
    }
  }
  if (rarest) {
    scanCandidates(part, rarest)
    return
  }
  terms.sort((a, b) => a.share - b.share)
  for (const [index, ranges] of query.codeFilters.entries()) terms.unshift(codeTerm(chunk, ranges, madeBitmaps[index]!))
  scanBitmaps(part, terms)
}

/** Index of the first code that is not below `code`. */
function codeIndex(codes: Uint32Array, code: number): number {
  let low = 0
  let high = codes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (codes[middle]! < code) low = middle + 1
    else high = middle
  }
  return low
}

/** Rows that hold a code of these ranges; rows with several codes occur more than once. Stops at `enough`. */
function rowsOf(chunk: Chunk, ranges: readonly CodeRange[], enough: number): number {
  let rows = 0
  for (const { from, to } of ranges) {
    rows += chunk.codeStarts[codeIndex(chunk.codes, to + 1)]! - chunk.codeStarts[codeIndex(chunk.codes, from)]!
    if (rows >= enough) return enough
  }
  return rows
}

/** The rows of few codes, one by one, in their order. */
function scanCandidates(
  { chunk, query, edition, fromRow, toRow, limit, firstPosition, found }: Part,
  ranges: readonly CodeRange[],
): void {
  let count = 0
  for (const { from, to } of ranges) {
    const end = chunk.codeStarts[codeIndex(chunk.codes, to + 1)]!
    for (let index = chunk.codeStarts[codeIndex(chunk.codes, from)]!; index < end; index++) {
      const row = chunk.codeRows[index]!
      let slot = count++
      for (; slot > 0 && candidates[slot - 1]! > row; slot--) candidates[slot] = candidates[slot - 1]!
      candidates[slot] = row
    }
  }
  const visible = query.archived ? chunk.heldRows : chunk.openRows
  for (let index = 0; index < count; index++) {
    const row = candidates[index]!
    if (row < fromRow || row >= toRow || (index > 0 && row === candidates[index - 1])) continue
    if ((visible[row >>> 5]! & (1 << (row & 31))) === 0) continue
    if (!matchesNumbers(chunk, row, query, edition) || !matchesCodes(chunk, row, query)) continue
    found.push(firstPosition + row)
    if (found.length === limit) return
  }
}

function bitmapTerm(bitmap: Uint32Array, at: number): Term {
  return { high: bitmap, highAt: at, middle: noRows, middleAt: 0, low: noRows, lowAt: 0, isNot: false, share: 0 }
}

function denseBitmapOf({ denseFrom, denseTo }: Chunk, { from, to }: CodeRange): number | undefined {
  for (let index = 0; index < denseFrom.length; index++)
    if (denseFrom[index] === from && denseTo[index] === to) return index * wordsPerChunk
  return undefined
}

function codeTerm(chunk: Chunk, ranges: readonly CodeRange[], made: Uint32Array): Term {
  if (ranges.length === 1) {
    const at = denseBitmapOf(chunk, ranges[0]!)
    if (at !== undefined) return bitmapTerm(chunk.denseBits, at)
  }
  made.fill(0)
  for (const range of ranges) {
    const at = denseBitmapOf(chunk, range)
    if (at === undefined) {
      const from = chunk.codeStarts[codeIndex(chunk.codes, range.from)]!
      addRows(chunk, from, chunk.codeStarts[codeIndex(chunk.codes, range.to + 1)]!, made, 0)
    } else for (let word = 0; word < wordsPerChunk; word++) made[word]! |= chunk.denseBits[at + word]!
  }
  return bitmapTerm(made, 0)
}

/** Rows of a class from `number` on: a higher first digit, or the same one and a second digit that is not lower. */
function classTerm({ classBits }: Chunk, quantity: Quantity, number: number, isNot: boolean): Term {
  const at = quantity * bitmapsPerQuantity * wordsPerChunk
  const first = number >>> classDigitBits
  const second = number & highestDigit
  return {
    high: first === highestDigit ? noRows : classBits,
    highAt: first === highestDigit ? 0 : at + first * wordsPerChunk,
    middle: first === 0 ? allRows : classBits,
    middleAt: first === 0 ? 0 : at + (first - 1) * wordsPerChunk,
    low: second === 0 ? allRows : classBits,
    lowAt: second === 0 ? 0 : at + (second - 1 + highestDigit) * wordsPerChunk,
    isNot,
    share: isNot ? number / classCount : 1 - number / classCount,
  }
}

/** Adds a term for the rows whose quantity may be at least `least`. False when there is no such row. */
function addLeast(terms: Term[], chunk: Chunk, quantity: Quantity, least: number): boolean {
  const { classBounds } = chunk
  const at = quantity * boundsPerQuantity
  if (!(classBounds[at + classCount]! >= least)) return false
  if (classBounds[at + 1]! < least) terms.push(classTerm(chunk, quantity, classOf(classBounds, at, least), false))
  else if (classBounds[at] !== 0) terms.push(classTerm(chunk, quantity, 1, false))
  return true
}

/** Adds a term for the rows whose quantity may be at most `most`. False when there is no such row. */
function addMost(terms: Term[], chunk: Chunk, quantity: Quantity, most: number): boolean {
  const { classBounds } = chunk
  const at = quantity * boundsPerQuantity
  if (!(classBounds[at + 1]! <= most)) return false
  if (classBounds[at] !== 0) terms.push(classTerm(chunk, quantity, 1, false))
  const number = classOf(classBounds, at, most)
  if (number + 1 < classCount) terms.push(classTerm(chunk, quantity, number + 1, true))
  return true
}

/** The rows that pass all terms, block by block; rows in a class that contains the bound are checked. */
function scanBitmaps(
  { chunk, query, edition, fromRow, toRow, limit, firstPosition, found }: Part,
  terms: readonly Term[],
): void {
  const visible = query.archived ? chunk.heldRows : chunk.openRows
  for (let block = fromRow >>> blockBits; block << blockBits < toRow; block++) {
    if (!isBlockVisible(chunk, block, query.archived, edition)) continue
    const firstWord = block * wordsPerBlock
    let left = 0
    for (let word = 0; word < wordsPerBlock; word++) {
      candidateWords[word] = visible[firstWord + word]!
      left |= candidateWords[word]!
    }
    for (let index = 0; index < terms.length && left !== 0; index++)
      left = keep(candidateWords, terms[index]!, firstWord)
    if (left === 0) continue
    for (let word = 0; word < wordsPerBlock; word++) {
      for (let rest = candidateWords[word]! | 0; rest !== 0; rest &= rest - 1) {
        const row = (firstWord + word) * 32 + 31 - Math.clz32(rest & -rest)
        if (row < fromRow) continue
        if (row >= toRow) return
        if (!matchesNumbers(chunk, row, query, edition)) continue
        found.push(firstPosition + row)
        if (found.length === limit) return
      }
    }
  }
}

/** Removes the rows that do not pass a term. Returns zero when nothing is left. */
function keep(words: Uint32Array, term: Term, firstWord: number): number {
  const { high, middle, low } = term
  const highAt = term.highAt + firstWord
  const middleAt = term.middleAt + firstWord
  const lowAt = term.lowAt + firstWord
  let left = 0
  if (middle === noRows) {
    for (let word = 0; word < wordsPerBlock; word++) {
      const kept = words[word]! & high[highAt + word]!
      words[word] = kept
      left |= kept
    }
    return left
  }
  const turned = term.isNot ? -1 : 0
  for (let word = 0; word < wordsPerBlock; word++) {
    // Words that are not needed are not fetched from memory, which is most of the cost at five million records.
    if (words[word] === 0) continue
    const kept = words[word]! & (turned ^ (high[highAt + word]! | (middle[middleAt + word]! & low[lowAt + word]!)))
    words[word] = kept
    left |= kept
  }
  return left
}
