// The deadline that a bidder meets first: matching, changes of hits, digests, lists and commands mean this one.

export type DeadlineKind = 'participation' | 'submission'

export type Deadline = {
  /** What must arrive by then: a request to participate (or an expression of interest), or a tender. */
  readonly kind: DeadlineKind
  /** ISO 8601, UTC. */
  readonly at: string
}

type Dates = { readonly submissionDate?: string | undefined; readonly participationDate?: string | undefined }

/** For whom reads a deadline: what has to arrive by then. */
export const deadlineFor: { readonly [kind in DeadlineKind]: string } = {
  submission: 'for bids',
  participation: 'to participate',
}

/**
 * The first deadline of a record as the end of a line about it, in the authority's time:
 * `, to participate until 2026-12-01 11:00 CET`.
 */
export function untilDeadline(record: Dates & { readonly timeZone?: string | undefined }): string {
  const deadline = firstDeadline(record)
  if (deadline === undefined) return ''
  return `, ${deadlineFor[deadline.kind]} until ${localMinute(deadline.at, record.timeZone)}`
}

/** `2026-12-01 11:00 CET`: an instant in a zone, with the zone's short name. In UTC if the zone is not known. */
export function localMinute(instant: string, timeZone: string | undefined): string {
  const format = zoned(timeZone) ?? zoned(undefined)!
  const parts = Object.fromEntries(format.formatToParts(Date.parse(instant)).map(({ type, value }) => [type, value]))
  const { year, month, day, hour, minute, timeZoneName } = parts
  return `${year}-${month}-${day} ${hour}:${minute} ${timeZoneName}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Undefined for a zone that this machine does not know. */
function zoned(timeZone = 'UTC'): Intl.DateTimeFormat | undefined {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const [date, time] = [
    { year: 'numeric', month: '2-digit', day: '2-digit' },
    { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
  ] as const
  try {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, ...date, ...time })
    formats.set(timeZone, format)
    return format
  } catch {
    return undefined
  }
}

/**
 * The earlier of the two deadlines of a record or a lot; of equal ones, for submission. Undefined if it has
 * neither. It does not depend on the time: a deadline that passed is still the first one.
 */
export function firstDeadline({ submissionDate, participationDate }: Dates): Deadline | undefined {
  if (participationDate !== undefined && !(Date.parse(submissionDate ?? '') <= Date.parse(participationDate)))
    return { kind: 'participation', at: participationDate }
  return submissionDate === undefined ? undefined : { kind: 'submission', at: submissionDate }
}
