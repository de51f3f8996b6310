// A description as the set of its words: exact where the sketch of shingles estimates, because one word distinguishes
// two trades.
import { hashWord } from './description-sketch.ts'
import { maxWords } from './thresholds.ts'
import { isStopWord } from './words.ts'

/** Number of bytes in the hash of a word: two texts differ in few words, so a collision is rare. */
export const wordHashBytes = 3

/** Words from this length on count as the same with letters in another order: two real words hardly ever do. */
const fewestSwapped = 6

/** "Alnage" is the misspelled "Anlage", and no other trade. */
const spelling = (word: string): string =>
  word.length < fewestSwapped || /\p{N}/u.test(word) ? word : [...word].sort().join('')

/** Hashes of the distinct words, sorted; single letters count, they name houses and areas. */
export function textWordsOf(words: readonly string[]): number[] {
  const hashes = new Set<number>()
  for (const word of words) if (!isStopWord(word)) hashes.add(hashWord(spelling(word)) >>> (32 - 8 * wordHashBytes))
  return [...Uint32Array.from(hashes).sort().subarray(0, maxWords)]
}

/** How many words two texts share, and how many each has alone, as far as both are kept. */
export type TextDifference = { readonly shared: number; readonly onlyA: number; readonly onlyB: number }

export function differenceOf(a: readonly number[], b: readonly number[]): TextDifference {
  const limit = Math.min(a.length < maxWords ? 0xffffffff : a.at(-1)!, b.length < maxWords ? 0xffffffff : b.at(-1)!)
  const [keptA, keptB] = [a, b].map((words) => words.filter((word) => word <= limit)) as [number[], number[]]
  const inB = new Set(keptB)
  const shared = keptA.filter((word) => inB.has(word)).length
  return { shared, onlyA: keptA.length - shared, onlyB: keptB.length - shared }
}
