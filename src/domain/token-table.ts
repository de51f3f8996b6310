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
/** The numbers of FNV-1a; the first as 32 bits with a sign, which all that follow are, too. */
const firstHash = 0x811c9dc5 | 0
const hashFactor = 0x01000193

/** Words for which a table has room at first; it doubles when half of its slots are taken. */
const firstSlots = 1 << 9

/** The numbers of a word are those of `all` from `start` up to, but not including, `end`. */
type FoundNumbers = (all: Int32Array, start: number, end: number) => void

/** The numbers that each word has, as the maker of the table computes them. */
export type TokenTable = {
  /** Calls `found` with what is remembered of each word, in the order of the text; those of `jointWords` last. */
  readonly read: (text: string, found: FoundNumbers) => void
  /** Forgets all numbers, because they no longer apply. */
  readonly forget: () => void
}

/** `numbersOf` is called once for each distinct word, in its folded form. `maxWords` is a power of two. */
export function openTokenTable(numbersOf: (token: string) => Int32Array, maxWords = manyWords): TokenTable {
  /** Hash, number of letters, start and end of the numbers in `kept`; free if it has no letters. */
  let slots = new Int32Array(firstSlots * 4)
  let mask = slots.length - 4
  /** Of each word its numbers, then its letters, so that a word that is found touches few lines of the cache. */
  let kept = new Int32Array(firstSlots * 8)
  let keptLength = 0
  let words = 0
  const buffer = new Uint16Array(longestWord + 1)

  function forget(): void {
    slots.fill(0)
    keptLength = 0
    words = 0
  }

  /** The word whose letters are in the buffer. */
  function meet(length: number, hash: number, found: FoundNumbers): void {
    let slot = firstSlotOf(hash)
    for (; slots[slot + 1] !== 0; slot = (slot + 4) & mask)
      if (slots[slot] === hash && slots[slot + 1] === length && hasLetters(slots[slot + 3]!, length)) {
        found(kept, slots[slot + 2]!, slots[slot + 3]!)
        return
      }
    const numbers = numbersOf(String.fromCharCode(...buffer.subarray(0, length)))
    if (words < maxWords) addWord(length, hash, slot, numbers)
    found(numbers, 0, numbers.length)
  }

  const firstSlotOf = (hash: number): number => ((hash ^ (hash >>> 15)) << 2) & mask

  function hasLetters(start: number, length: number): boolean {
    for (let index = 0; index < length; index++) if (kept[start + index] !== buffer[index]) return false
    return true
  }

  function addWord(length: number, hash: number, slot: number, numbers: Int32Array): void {
    const start = keptLength
    const end = start + numbers.length
    keptLength = end + length
    if (keptLength > kept.length) {
      const larger = new Int32Array(keptLength * 2)
      larger.set(kept)
      kept = larger
    }
    kept.set(numbers, start)
    kept.set(buffer.subarray(0, length), end)
    fillSlot(slot, hash, length, start, end)
    words++
    if (words * 8 > slots.length) doubleSlots()
  }

  function fillSlot(slot: number, hash: number, length: number, start: number, end: number): void {
    slots[slot] = hash
    slots[slot + 1] = length
    slots[slot + 2] = start
    slots[slot + 3] = end
  }

  function doubleSlots(): void {
    const old = slots
    slots = new Int32Array(old.length * 2)
    mask = slots.length - 4
    for (let from = 0; from < old.length; from += 4) {
      if (old[from + 1] === 0) continue
      let slot = firstSlotOf(old[from]!)
      while (slots[slot + 1] !== 0) slot = (slot + 4) & mask
      fillSlot(slot, old[from]!, old[from + 1]!, old[from + 2]!, old[from + 3]!)
    }
  }

  /** Reads a text from the beginning of a word on; the words before it were met. */
  function readSlowly(text: string, begin: number, found: FoundNumbers): void {
    readTokens(tokensOf(text.slice(begin)), found)
    readTokens(jointWords(text), found)
  }

  function readTokens(tokens: readonly string[], found: FoundNumbers): void {
    for (const token of tokens) {
      if (token.length > longestWord) {
        const numbers = numbersOf(token)
        found(numbers, 0, numbers.length)
        continue
      }
      let hash = firstHash
      for (let index = 0; index < token.length; index++) {
        buffer[index] = token.charCodeAt(index)
        hash = Math.imul(hash ^ buffer[index]!, hashFactor)
      }
      meet(token.length, hash, found)
    }
  }

  return {
    forget,
    read: (text, found) => {
      if (words > maxWords - (maxWords >> 2)) forget()
      let length = 0
      let hash = firstHash
      /** Where the word begins that is read. */
      let begin = 0
      for (let index = 0; index < text.length; index++) {
        const code = text.charCodeAt(index)
        let kind = kinds[code]!
        if (kind === unknown) {
          kind = kindOf(code)
          kinds[code] = kind
        }
        if (length === 0) begin = index
        if (kind >= firstLetter) {
          if (length > longestWord) return readSlowly(text, begin, found)
          buffer[length++] = kind
          hash = Math.imul(hash ^ kind, hashFactor)
        } else if (kind === separator) {
          if (length > 0) {
            if (length > longestWord) return readSlowly(text, begin, found)
            meet(length, hash, found)
            length = 0
            hash = firstHash
          }
        } else if (kind === complex) return readSlowly(text, begin, found)
      }
      if (length > longestWord) return readSlowly(text, begin, found)
      if (length > 0) meet(length, hash, found)
      readTokens(jointWords(text), found)
    },
  }
}
