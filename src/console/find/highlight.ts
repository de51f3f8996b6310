// Marks in a text what a question found: whole words, and the beginning or end of a longer one, by the rule of the
// search itself (domain/words.ts).
import { foldText, isSpellingIn, spellingsOf } from '../../domain/words.ts'
import { type Content, html } from '../frame/html.ts'

/** A stretch of a text, in UTF-16 units. */
type Span = { readonly from: number; readonly to: number }

/** Where words of the question occur in a text. */
export function spansIn(text: string, words: readonly string[]): Span[] {
  const spellings = words.flatMap(spellingsOf)
  if (spellings.length === 0) return []
  const spans: Span[] = []
  for (const { 0: run, index } of text.matchAll(/[\p{L}\p{N}\p{M}\u00ad\u200b\u2060]+/gu)) {
    const token = foldText(run)
    const spelling = spellings.filter((each) => isSpellingIn(each, token)).sort((a, b) => b.length - a.length)[0]
    if (spelling === undefined) continue
    const own =
      token === spelling
        ? { from: 0, to: run.length }
        : token.startsWith(spelling)
          ? { from: 0, to: lengthOf(run, spelling.length) }
          : { from: lengthOf(run, token.length - spelling.length), to: run.length }
    spans.push({ from: index + own.from, to: index + own.to })
  }
  return spans
}

/** How many units of the text fold to so many letters: ß is two. */
function lengthOf(run: string, letters: number): number {
  let [units, folded] = [0, 0]
  for (const letter of run) {
    if (folded >= letters) break
    folded += foldText(letter).length
    units += letter.length
  }
  // a mark belongs to the letter before it
  while (units < run.length && foldText(run.slice(units, units + 1)).length === 0) units++
  return units
}

/** The text with its spans marked. */
export const marked = (text: string, spans: readonly Span[]): Content =>
  spans.length === 0
    ? text
    : [
        ...spans.map(
          ({ from, to }, index) =>
            html`${text.slice(spans[index - 1]?.to ?? 0, from)}<mark>${text.slice(from, to)}</mark>`,
        ),
        text.slice(spans.at(-1)!.to),
      ]

/** Maximum letters before the first word found, and of the whole piece. */
const [before, most] = [60, 240]

/** A piece of a text around the first word found; undefined if there is none. Cut between words. */
export function pieceAround(text: string, words: readonly string[]): Content | undefined {
  const plain = text.replace(/\s+/g, ' ').trim()
  const [first] = spansIn(plain, words)
  if (!first) return undefined
  const start = first.from <= before ? 0 : plain.lastIndexOf(' ', first.from - before) + 1 || first.from
  const isWhole = plain.length - start <= most
  const end = isWhole ? plain.length : Math.max(first.to, plain.lastIndexOf(' ', start + most))
  const piece = plain.slice(start, end)
  return html`${start > 0 && '… '}${marked(piece, spansIn(piece, words))}${!isWhole && ' …'}`
}
