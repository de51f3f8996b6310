// A description as the set of its words: exact where the sketch of shingles estimates, because one word distinguishes
// two trades.
import { mixed } from './block-number.ts'
import { hashWord, smallest } from './description-sketch.ts'
import { maxWords } from './thresholds.ts'
import { isStopWord } from './words.ts'

/** Number of bytes in the hash of a word: two texts differ in few words, so a collision is rare. */
export const wordHashBytes = 3

/** Words from this length on are hashed by their letters in any order, so that misspelled ones can be recognized. */
const fewestMisspelled = 6

const hashBits = 8 * wordHashBytes
const hashMask = 2 ** hashBits - 1

/** A letter as a number that differs from the others in most bits. */
const letterHash = (code: number): number => mixed(Math.imul(code, 0x9e3779b1)) & hashMask

/**
 * Of a long word the sum of its letters: the same in any order ("Alnage"), and one letter away if one is missing,
 * doubled or another.
 */
function wordHash(word: string): number {
  if (word.length < fewestMisspelled || /\p{N}/u.test(word)) return hashWord(word) >>> (32 - hashBits)
  let sum = 0
  for (let index = 0; index < word.length; index++) sum += letterHash(word.charCodeAt(index))
  return sum & hashMask
}

const latin = Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => letterHash(letter.charCodeAt(0)))
/** What the hashes of two words differ by that are one letter apart. */
const ofOneLetter = new Set(
  latin.flatMap((one) => [one, -one & hashMask, ...latin.map((other) => (one - other) & hashMask)]),
)

/** Whether two hashes are those of long words that differ in one letter. By chance one in 20,000 does. */
export const areMisspelled = (a: number, b: number): boolean => ofOneLetter.has((a - b) & hashMask)

/** Hashes of the distinct words, sorted; single letters count, they name houses and areas. */
export function textWordsOf(words: readonly string[]): number[] {
  const hashes = new Uint32Array(words.length)
  let count = 0
  for (const word of words) if (!isStopWord(word)) hashes[count++] = wordHash(word)
  return smallest(hashes.subarray(0, count), maxWords)
}

/** How many words two texts share, and those that each has alone, as far as both are kept. */
export type TextDifference = {
  readonly shared: number
  readonly onlyA: readonly number[]
  readonly onlyB: readonly number[]
}

export function differenceOf(a: readonly number[], b: readonly number[]): TextDifference {
  const limit = Math.min(a.length < maxWords ? 0xffffffff : a.at(-1)!, b.length < maxWords ? 0xffffffff : b.at(-1)!)
  const [keptA, keptB] = [a, b].map((words) => words.filter((word) => word <= limit)) as [number[], number[]]
  const inB = new Set(keptB)
  const inA = new Set(keptA)
  const onlyA = keptA.filter((word) => !inB.has(word))
  return { shared: keptA.length - onlyA.length, onlyA, onlyB: keptB.filter((word) => !inA.has(word)) }
}
