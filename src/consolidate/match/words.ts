// Words for comparison: folded, letters and digits apart, without words that every text has.
import { foldText } from '../../domain/name-words.ts'

const stopWords = new Set(
  `der die das des dem den ein eine einer eines einem einen und oder fur mit von vom zu zum zur im in am an auf aus bei durch ohne sowie als bzw ca inkl gem
  the of and for to on at by with from or de la le les du et en au aux pour par sur dans un une l d el los las y del para por con il lo gli i e di da della dei
  delle per nel al do dos das em na no het van voor een te w z na do dla oraz ve og av til for med i se om som pa ett den det v s k o a`
    .split(/\s+/)
    .filter(Boolean),
)

/** Every word in order; `60kVA` and `60 kVA` are the same two words, numbers lose leading zeros. */
export function allWords(text: string): string[] {
  const words = foldText(text).match(/\p{L}+|\p{N}+/gu) ?? []
  return words.map((word) => (word.charCodeAt(0) === 48 ? word.replace(/^0+(?=\p{N})/u, '') : word))
}

const isNumber = (word: string): boolean => {
  const code = word.charCodeAt(0)
  return code >= 48 && code <= 57
}

/** Stop words of at least four letters, of which a misspelled form looks like a word of its own. */
export const longStopWords: readonly string[] = [...stopWords].filter((word) => word.length >= 4)

export const isStopWord = (word: string): boolean => stopWords.has(word)

/** Distinct words with a meaning: no stop words, no single letters. */
export function tellingWords(words: readonly string[]): string[] {
  return [...new Set(words)].filter((word) => (word.length > 1 || isNumber(word)) && !stopWords.has(word))
}

/** Numbers, and numbers with the letter that belongs to them: `16`, `16h`. */
export function numbersOf(words: readonly string[]): string[] {
  const found = new Set<string>()
  words.forEach((word, index) => {
    if (!isNumber(word)) return
    found.add(word)
    const next = words[index + 1]
    if (next?.length === 1 && !isNumber(next)) found.add(word + next)
  })
  return [...found].sort()
}
