// Two texts with the words marked in which they differ: struck out what only the first has, underlined what only the
// second has.
import { type Html, html } from '../frame/html.ts'

/**
 * Maximum words of a text for word comparison; longer texts are compared as a whole, because the table grows with the
 * square of their words.
 */
const maxWords = 400

type Piece = { readonly kind: 'same' | 'gone' | 'new'; readonly text: string }

/** The pieces in order; words and the spaces between them keep their place. */
function wordPieces(before: string, after: string): Piece[] {
  const [left, right] = [wordsOf(before), wordsOf(after)]
  if (left.length > maxWords || right.length > maxWords)
    return before === after
      ? [{ kind: 'same', text: before }]
      : [
          { kind: 'gone', text: before },
          { kind: 'new', text: after },
        ]
  const longest = commonLengths(left, right)
  const pieces: { kind: Piece['kind']; text: string }[] = []
  const add = (kind: Piece['kind'], text: string) => {
    const last = pieces.at(-1)
    if (last?.kind === kind) last.text += text
    else pieces.push({ kind, text })
  }
  let [row, column] = [0, 0]
  while (row < left.length || column < right.length) {
    if (row < left.length && column < right.length && left[row] === right[column]) {
      add('same', left[row]!)
      row++
      column++
    } else if (
      column === right.length ||
      (row < left.length && longest[row + 1]![column]! >= longest[row]![column + 1]!)
    )
      add('gone', left[row++]!)
    else add('new', right[column++]!)
  }
  return pieces
}

const wordsOf = (text: string): readonly string[] => text.match(/\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? []

/** Lengths of the longest common sequence of words from each position on. */
function commonLengths(left: readonly string[], right: readonly string[]): readonly Uint16Array[] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1))
  for (let row = left.length - 1; row >= 0; row--)
    for (let column = right.length - 1; column >= 0; column--)
      lengths[row]![column] =
        left[row] === right[column]
          ? lengths[row + 1]![column + 1]! + 1
          : Math.max(lengths[row + 1]![column]!, lengths[row]![column + 1]!)
  return lengths
}

const marked = (pieces: readonly Piece[], without: Piece['kind']): Html =>
  html`${pieces
    .filter(({ kind }) => kind !== without)
    .map(({ kind, text }) =>
      kind === 'same' ? text : kind === 'gone' ? html`<del>${text}</del>` : html`<ins>${text}</ins>`,
    )}`

/** The first text with what only it has struck, and the second with what only it has underlined. */
export function markedSides(before: string, after: string): readonly [before: Html, after: Html] {
  const pieces = wordPieces(before, after)
  return [marked(pieces, 'new'), marked(pieces, 'gone')]
}

/** Both texts in one line. */
export const markedChange = (before: string, after: string): Html =>
  html`${wordPieces(before, after).map(({ kind, text }) =>
    kind === 'same' ? text : kind === 'gone' ? html`<del>${text}</del>` : html`<ins>${text}</ins>`,
  )}`
