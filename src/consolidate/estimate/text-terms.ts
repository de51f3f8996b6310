// Words of a tender as terms for similarity: folded, with beginnings and ends in place of compounds, and hashed.
import { foldLetters } from '../../domain/name-words.ts'

/** Fowler–Noll–Vo 1a over UTF-16 units, 32 bits. */
export function hashTerm(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

const affixLength = 7
const compoundLength = 12
/**
 * Maximum number of characters of a description that are used; later paragraphs are about the procedure, and an
 * authority repeats them.
 */
export const longestText = 2000

/**
 * Terms of a text with their number of occurrences. A long word counts by its first seven letters, a compound also by
 * its last seven: `Straßenbauarbeiten` resembles `Straßenbau` and `Bauarbeiten` without a dictionary of any language.
 */
export function termsOf(text: string, prefix: string, counts: Map<number, number>, weight: number): void {
  const add = (term: string) => {
    const hash = hashTerm(prefix + term)
    counts.set(hash, (counts.get(hash) ?? 0) + weight)
  }
  for (const word of foldLetters(text.slice(0, longestText)).match(/\p{L}{3,}/gu) ?? []) {
    add(word.slice(0, affixLength))
    if (word.length >= compoundLength) add(`~${word.slice(-affixLength)}`)
  }
}
