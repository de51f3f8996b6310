// The deadline that a bidder meets first: matching, changes of hits, digests, lists and commands mean this one.

export type DeadlineKind = 'participation' | 'submission'

export type Deadline = {
  /** What must arrive by then: a request to participate (or an expression of interest), or a tender. */
  readonly kind: DeadlineKind
  /** ISO 8601, UTC. */
  readonly at: string
}

type Dates = { readonly submissionDate?: string | undefined; readonly participationDate?: string | undefined }

/** The day of the first deadline as the end of a line about a tender: `, to participate until 2026-12-01`. */
export function untilDeadline(dates: Dates): string {
  const deadline = firstDeadline(dates)
  if (deadline === undefined) return ''
  return `,${deadline.kind === 'participation' ? ' to participate' : ''} until ${deadline.at.slice(0, 10)}`
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
