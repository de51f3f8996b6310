// Calendar files (iCalendar, RFC 5545) of deadlines. Times are in UTC, so no file needs the definition of a zone; what
// the clock shows at the authority is in the text.

export type CalendarEntry = {
  /** The same for this deadline in every file, forever. */
  readonly uid: string
  /** When it begins, and when it last changed, epoch milliseconds. */
  readonly at: number
  readonly changedAt: number
  readonly summary: string
  readonly description: string
  readonly url: string
  readonly isCancelled: boolean
}

/** Octets of a line without its break (RFC 5545, 3.1). */
const longestLine = 75

/** Control characters, which no value may hold; line breaks are escaped before. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const unwritable = /[\u0000-\u0008\u000b-\u001f\u007f]/g

/** A text as a value (RFC 5545, 3.3.11). */
const textOf = (value: string): string =>
  value
    .replace(/[\\;,]/g, (character) => `\\${character}`)
    .replace(/\r\n?|\n/g, '\\n')
    .replace(unwritable, '')

/** `20261201T100000Z`. */
const momentOf = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')

/** A line in pieces of at most 75 octets; each further one begins with a space. No character is cut. */
function folded(line: string): string {
  const pieces = ['']
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > longestLine) {
      pieces.push(' ')
      octets = 1
    }
    pieces[pieces.length - 1] += character
    octets += size
  }
  return pieces.join('\r\n')
}

/** `name`: of the calendar; `isFeed`: programs read it again every hour. */
export function calendarFile(
  entries: readonly CalendarEntry[],
  { name, isFeed = false }: { readonly name: string; readonly isFeed?: boolean },
): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Tenderstock//Deadlines//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `NAME:${textOf(name)}`,
    `X-WR-CALNAME:${textOf(name)}`,
    ...(isFeed ? ['REFRESH-INTERVAL;VALUE=DURATION:PT1H', 'X-PUBLISHED-TTL:PT1H'] : []),
    ...entries.flatMap(({ uid, at, changedAt, summary, description, url, isCancelled }) => [
      'BEGIN:VEVENT',
      `UID:${textOf(uid)}`,
      `DTSTAMP:${momentOf(changedAt)}`,
      `LAST-MODIFIED:${momentOf(changedAt)}`,
      `DTSTART:${momentOf(at)}`,
      `SUMMARY:${textOf(summary)}`,
      `DESCRIPTION:${textOf(description)}`,
      `URL:${url}`,
      ...(isCancelled ? ['STATUS:CANCELLED'] : []),
      // a deadline makes nobody busy
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ]
  return `${lines.map(folded).join('\r\n')}\r\n`
}
