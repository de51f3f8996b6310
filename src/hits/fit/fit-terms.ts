// The terms by which the score compares texts: long words by their beginning and end, so that compounds and inflections
// match.
import { affixLength } from '../../domain/words.ts'

const termLength = 7
/** Minimum letters of a word whose end is a separate term, like the last word of a compound. */
const compoundLength = 12
const minLength = 3

/** The terms of a folded word: none for short words and numbers. */
export function termsOfToken(token: string): readonly string[] {
  if (token.length < minLength || !/\p{L}/u.test(token)) return []
  const term = token.slice(0, termLength)
  return token.length < compoundLength ? [term] : [term, `~${token.slice(-termLength)}`]
}

/** The beginnings and ends by which a word of a profile finds this token, as searches find it. */
export function* spellingsInToken(token: string): Generator<string> {
  yield token
  for (let length = affixLength; length < token.length; length++) {
    yield token.slice(0, length)
    yield token.slice(-length)
  }
}

const pieceLength = 5

/**
 * Pieces of five letters of a folded word with its ends: inflections and compounds share most of them. None for short
 * words and numbers.
 */
export function piecesOfToken(token: string): readonly string[] {
  if (token.length < minLength || !/\p{L}/u.test(token)) return []
  const word = `_${token}_`
  return Array.from({ length: word.length - pieceLength + 1 }, (_, at) => word.slice(at, at + pieceLength))
}
