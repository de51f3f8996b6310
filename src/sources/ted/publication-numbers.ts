// Numbers of notices in the Official Journal, and sets of them written down as short text.

/** `123456-2026` without zero padding out of `00123456-2026`; undefined for other texts. */
export function publicationNumber(text: string | undefined): string | undefined {
  const match = /^0*(\d{1,8})-((?:19|20)\d{2})$/.exec(text?.trim() ?? '')
  return match ? `${match[1]}-${match[2]}` : undefined
}

const [numberOf, yearOf] = [
  (text: string): number => Number(text.slice(0, -5)),
  (text: string): number => Number(text.slice(-4)),
]

/** By year, then number: the order of publication. */
export function byNumber(a: string, b: string): number {
  return yearOf(a) - yearOf(b) || numberOf(a) - numberOf(b)
}

/**
 * Numbers as spans by year, `2026:1-5,9;2027:1`. The numbers of one day follow each other, so a day of 3,700 notices is
 * mostly a few characters.
 */
export function writeNumbers(numbers: ReadonlySet<string>): string {
  const years: string[] = []
  let year = 0
  let spans: [number, number][] = []
  const finish = (): void => {
    if (spans.length > 0)
      years.push(`${year}:${spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')}`)
    spans = []
  }
  for (const text of [...numbers].sort(byNumber)) {
    const number = numberOf(text)
    if (yearOf(text) !== year) {
      finish()
      year = yearOf(text)
    }
    const last = spans.at(-1)
    if (last && last[1] === number - 1) last[1] = number
    else spans.push([number, number])
  }
  finish()
  return years.join(';')
}

/** Reads what `writeNumbers` wrote. Throws RangeError on other texts. */
export function readNumbers(text: string): Set<string> {
  const numbers = new Set<string>()
  if (text === '') return numbers
  for (const part of text.split(';')) {
    const match = /^(\d{4}):(\d{1,8}(?:-\d{1,8})?(?:,\d{1,8}(?:-\d{1,8})?)*)$/.exec(part)
    if (!match) throw new RangeError(`no publication numbers: ${part.slice(0, 100)}`)
    for (const span of match[2]!.split(',')) {
      const [from, to] = span.split('-').map(Number)
      for (let number = from!; number <= (to ?? from!); number++) numbers.add(`${number}-${match[1]}`)
    }
  }
  return numbers
}

/** The first `limit` of them in order, and how many more there are. */
export function nameNumbers(numbers: Iterable<string>, limit = 20): string {
  const sorted = [...numbers].sort(byNumber)
  const more = sorted.length - limit
  return sorted.slice(0, limit).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
