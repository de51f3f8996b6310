// The words of texts, each looked up once: a fast scanner with the tokens of `tokensOf`, and what is remembered
// of each.
import { foldText, jointWords, tokensOf } from './words.ts'

/** Kinds of characters besides those that fold to one letter or digit, which is then the value. */
const unknown = 0
const separator = 1
const skipped = 2
/** Folds to several letters, or is half a character: the text is read the slow way. */
const complex = 3
const firstLetter = 48

const kinds = new Uint16Array(0x10000)

function kindOf(code: number): number {
  if (code >= 0xd800 && code <= 0xdfff) return complex
  const folded = foldText(String.fromCharCode(code))
  if (folded.length === 0) return skipped
  if (!/[\p{L}\p{N}]/u.test(folded)) return separator
  return folded.length === 1 ? folded.charCodeAt(0) : complex
}

/** Maximum number of different words that are remembered; beyond it all are forgotten, so that memory is bounded. */
export const manyWords = 1 << 18
/** The same for a table that reads only a few texts. */
export const fewWords = 1 << 12
/** Maximum letters of a word; the longer ones are read the slow way. */
const longestWord = 255
/** Stands for the number of a word that is too long, or for which there is no room. */
const notKept = -1

/** The numbers that each word has, as the maker of the table computes them. */
export type TokenTable = {
  /** Calls `found` with what is remembered of each word, in the order of the text; those of `jointWords` last. */
  readonly read: (text: string, found: (numbers: Int32Array) => void) => void
  /** Forgets all numbers, because they no longer apply. */
  readonly forget: () => void
}

/** `numbersOf` is called once for each distinct word, in its folded form. `maxWords` is a power of two. */
export function openTokenTable(numbersOf: (token: string) => Int32Array, maxWords = manyWords): TokenTable {
  const slots = maxWords * 4
  /** Word number + 1 by hash. */
  const table = new Int32Array(slots)
  const hashes = new Int32Array(maxWords)
  const starts = new Int32Array(maxWords + 1)
  let letters = new Uint16Array(maxWords * 4)
  let numbers: Int32Array[] = []
  let count = 0
  const buffer = new Uint16Array(longestWord + 1)

  function forget(): void {
    table.fill(0)
    numbers = []
    count = 0
  }

  function wordOf(length: number, hash: number): number {
    let slot = (hash ^ (hash >>> 15)) & (slots - 1)
    for (let held = table[slot]!; held !== 0; held = table[slot]!) {
      const word = held - 1
      if (hashes[word] === hash && isWord(word, length)) return word
      slot = (slot + 1) & (slots - 1)
    }
    return addWord(length, hash, slot)
  }

  function isWord(word: number, length: number): boolean {
    const start = starts[word]!
    if (starts[word + 1]! - start !== length) return false
    for (let index = 0; index < length; index++) if (letters[start + index] !== buffer[index]) return false
    return true
  }

  function addWord(length: number, hash: number, slot: number): number {
    if (count === maxWords) return notKept
    const word = count++
    const start = starts[word]!
    if (start + length > letters.length) {
      const larger = new Uint16Array(letters.length * 2)
      larger.set(letters)
      letters = larger
    }
    for (let index = 0; index < length; index++) letters[start + index] = buffer[index]!
    starts[word + 1] = start + length
    hashes[word] = hash
    table[slot] = word + 1
    numbers[word] = numbersOf(String.fromCharCode(...buffer.subarray(0, length)))
    return word
  }

  function readSlowly(text: string, found: (numbers: Int32Array) => void): void {
    readTokens(tokensOf(text), found)
    readTokens(jointWords(text), found)
  }

  function readTokens(tokens: readonly string[], found: (numbers: Int32Array) => void): void {
    for (const token of tokens) {
      if (token.length > longestWord) {
        found(numbersOf(token))
        continue
      }
      let hash = 0x811c9dc5
      for (let index = 0; index < token.length; index++) {
        buffer[index] = token.charCodeAt(index)
        hash = Math.imul(hash ^ buffer[index]!, 0x01000193)
      }
      meet(token.length, hash, found)
    }
  }

  function meet(length: number, hash: number, found: (numbers: Int32Array) => void): void {
    const word = wordOf(length, hash)
    found(word === notKept ? numbersOf(String.fromCharCode(...buffer.subarray(0, length))) : numbers[word]!)
  }

  return {
    forget,
    read: (text, found) => {
      if (count > maxWords - (maxWords >> 2)) forget()
      let length = 0
      let hash = 0x811c9dc5
      for (let index = 0; index < text.length; index++) {
        const code = text.charCodeAt(index)
        let kind = kinds[code]!
        if (kind === unknown) {
          kind = kindOf(code)
          kinds[code] = kind
        }
        if (kind >= firstLetter) {
          if (length > longestWord) return readSlowly(text, found)
          buffer[length++] = kind
          hash = Math.imul(hash ^ kind, 0x01000193)
        } else if (kind === separator) {
          if (length > 0) {
            if (length > longestWord) return readSlowly(text, found)
            meet(length, hash, found)
            length = 0
            hash = 0x811c9dc5
          }
        } else if (kind === complex) return readSlowly(text, found)
      }
      if (length > longestWord) return readSlowly(text, found)
      if (length > 0) meet(length, hash, found)
      readTokens(jointWords(text), found)
    },
  }
}
