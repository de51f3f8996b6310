// How a text is compared, whoever wrote it: NFKC, without characters that nobody sees, with one dash and one
// apostrophe. Pure.

/** What no reader sees: soft hyphens, zero-width spaces and joiners, marks of direction, fillers. */
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu
const apostrophes = /[\u00b4\u02b9\u02bc\u2018\u2019\u201b\u2032\uff07]/g
const dashes = /[\p{Dash}\u02d7\u2043]/gu

/** Most texts are; whatever folds letters is done with them at once. */
export const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)

/** The text as it is compared; the same text again for an ASCII text. */
export function plainText(text: string): string {
  if (isAscii(text)) return text
  return text.replace(unseen, '').replace(apostrophes, "'").normalize('NFKC').replace(dashes, '-')
}

/** A part of a text: from `start` up to, but not including, `end`. */
export type Span = { readonly start: number; readonly end: number }

/** A text as it is compared, from which places in the text as it was written are found. */
export type ReadText = {
  readonly plain: string
  readonly written: string
  /** Where a part of `plain` stands in `written`; characters that share their origin are all in it. */
  readonly spanOf: (part: Span) => Span
}

// A character with what follows and belongs to it, or one that may have another form. Vowels and finals of Hangul and
// the marks of half-width Katakana compose with the character before, although they are letters.
const pieces = /.?[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\uff9e\uff9f]+|[^\0-\x7f]/gsu

/** `plain` is what `plainText` returns. */
export function readText(written: string): ReadText {
  const plain = plainText(written)
  if (plain === written) return { plain, written, spanOf: (part) => part }
  /** Start and end of each part that differs, in the plain text and in the written one. */
  const edits: { readonly from: number; readonly to: number; readonly at: number; readonly until: number }[] = []
  let shift = 0
  for (const { 0: piece, index } of written.matchAll(pieces)) {
    const form = plainText(piece)
    if (form === piece) continue
    const from = index + shift
    edits.push({ from, to: from + form.length, at: index, until: index + piece.length })
    shift += form.length - piece.length
  }
  /** Number of edits that begin before this place. */
  const editsBefore = (place: number): number => {
    let [low, high] = [0, edits.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (edits[middle]!.from < place) low = middle + 1
      else high = middle
    }
    return low
  }
  const startOf = (place: number): number => {
    const edit = edits[editsBefore(place + 1) - 1]
    if (edit === undefined) return place
    return place < edit.to ? edit.at : edit.until + place - edit.to
  }
  const endOf = (place: number): number => {
    const edit = edits[editsBefore(place) - 1]
    if (edit === undefined) return place
    return place <= edit.to ? edit.until : edit.until + place - edit.to
  }
  return { plain, written, spanOf: ({ start, end }) => ({ start: startOf(start), end: endOf(end) }) }
}

/**
 * A text as a cell. Excel runs what begins like a formula, and texts come from anywhere: an apostrophe makes it text,
 * also where spaces precede the sign.
 */
export function csvCell(text: string, separator: string): string {
  const safe = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) ? `'${text}` : text
  return /["\r\n]/.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A line for the names of the columns, and one for each row; null is an empty cell. */
export function csvOf<Column extends string>(
  columns: readonly Column[],
  rows: readonly { readonly [column in Column]: string | number | null }[],
): string {
  const cell = (value: string | number | null) =>
    typeof value === 'string' ? csvCell(value, ',') : String(value ?? '')
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))]
    .map((cells) => `${cells.map(cell).join(',')}\r\n`)
    .join('')
}
