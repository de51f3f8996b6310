// Descriptions as small sketches: the smallest hashes of their shingles, by which how much of one is in the other is
// estimated.

import { mixed } from './block-number.ts'
import { readCharacters, sketchSize } from './thresholds.ts'
import { allWords } from './words.ts'

export type DescriptionSketch = {
  readonly shingles: readonly number[]
  readonly words: readonly string[]
}

/** FNV-1a, 32 bits, signed. */
export function hashWord(word: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193)
  return hash
}

function shingleHashes(words: readonly string[]): Uint32Array {
  const hashes = words.map(hashWord)
  const shingles = new Uint32Array(Math.max(0, hashes.length - 2))
  for (let index = 0; index < shingles.length; index++)
    shingles[index] = mixed(Math.imul(Math.imul(hashes[index]!, 31) + hashes[index + 1]!, 31) + hashes[index + 2]!)
  return shingles
}

/** The smallest numbers, sorted, each once. */
export function smallest(numbers: Uint32Array, most: number, isLeftOut?: ReadonlySet<number>): number[] {
  const found: number[] = []
  let last = -1
  for (const number of numbers.sort()) {
    if (found.length === most) break
    if (number !== last && !isLeftOut?.has(number)) found.push(number)
    last = number
  }
  return found
}

/**
 * Shingles of three words, without those of the title: many portals repeat it as the description. `words` are all words
 * in order; none if the description only repeats the title.
 */
export function sketchOf(description: string, titleWords: readonly string[]): DescriptionSketch {
  // a word that was divided at the end of a line
  const text = description.slice(0, readCharacters).replace(/-(?<=\p{Ll}{2}-)\n?(?=\p{Ll}{2})/gu, '')
  const words = allWords(text)
  const inTitle = new Set(titleWords)
  if (words.every((word) => inTitle.has(word))) return { shingles: [], words: [] }
  return { shingles: smallest(shingleHashes(words), sketchSize, new Set(shingleHashes(titleWords))), words }
}

/** Share of the smaller set of shingles that is in the other, estimated; undefined if one is too small. */
export function containment(a: readonly number[], b: readonly number[]): number | undefined {
  if (a.length < 3 || b.length < 3) return undefined
  const limit = Math.min(a.length < sketchSize ? 0xffffffff : a.at(-1)!, b.length < sketchSize ? 0xffffffff : b.at(-1)!)
  let [left, right, shared] = [0, 0, 0]
  while (left < a.length && right < b.length && a[left]! <= limit && b[right]! <= limit) {
    if (a[left] === b[right]) {
      shared++
      left++
      right++
    } else if (a[left]! < b[right]!) left++
    else right++
  }
  while (left < a.length && a[left]! <= limit) left++
  while (right < b.length && b[right]! <= limit) right++
  const smaller = Math.min(left, right)
  return smaller < 3 ? undefined : shared / smaller
}

/**
 * Keys of the bands of a MinHash (four bands of two rows): texts that share half of their shingles mostly share one.
 */
export function bandKeys(shingles: readonly number[]): string[] {
  if (shingles.length < 12) return []
  return [0, 1, 2, 3].map((band) => {
    const rows = [0, 1].map((row) => {
      const seed = Math.imul(band * 2 + row + 1, 0x9e3779b9)
      let least = 0xffffffff
      for (const shingle of shingles) {
        const hash = mixed(shingle ^ seed)
        if (hash < least) least = hash
      }
      return least.toString(36)
    })
    return `d:${band}:${rows.join('.')}`
  })
}
