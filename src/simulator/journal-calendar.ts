// The calendar of the EU's journal as the simulator keeps it: one issue on every working day, numbered from 1 in each
// year.
import { dayMs, hourMs, wallToEpochMs } from '../domain/time.ts'

const zone = 'Europe/Luxembourg'
/** Hour at which a package is complete, local time. */
const releaseHour = 9

export type JournalIssue = {
  readonly year: number
  /** From 1. */
  readonly number: number
  /** UTC midnight of the calendar day. */
  readonly day: number
  /** Epoch milliseconds at which the issue and its package are published. */
  readonly releasedAt: number
}

const years = new Map<number, readonly JournalIssue[]>()

/** All issues of a year: Monday to Friday without fixed holidays. */
export function issuesOf(year: number): readonly JournalIssue[] {
  let issues = years.get(year)
  if (!issues) {
    const found: JournalIssue[] = []
    for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + 1, 0, 1); day += dayMs) {
      const date = new Date(day)
      const isHoliday = ['01-01', '05-01', '05-09', '11-01', '12-25', '12-26'].includes(date.toISOString().slice(5, 10))
      if (date.getUTCDay() === 0 || date.getUTCDay() === 6 || isHoliday) continue
      found.push({ year, number: found.length + 1, day, releasedAt: wallToEpochMs(day + releaseHour * hourMs, zone) })
    }
    issues = found
    years.set(year, issues)
  }
  return issues
}

/** The issue in which something handed in at `at` appears: the first that comes out afterwards. */
export function issueAfter(at: number): JournalIssue {
  const year = new Date(at).getUTCFullYear()
  return [...issuesOf(year), ...issuesOf(year + 1)].find(({ releasedAt }) => releasedAt >= at)!
}

export function releaseOf(at: number): number {
  return issueAfter(at).releasedAt
}
