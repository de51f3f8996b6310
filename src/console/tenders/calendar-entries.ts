// The deadlines of a record as entries of a calendar: title, authority, kind, zone and link. Nothing says whether it
// was a hit.
import { type Deadline, firstDeadline } from '#flat/record/first-deadline'
import type { TenderRecord } from '../../domain/tender.ts'
import { deadlineLine } from '../frame/deadline.ts'
import type { Language } from '../frame/languages.ts'
import type { PageAnswer } from '../frame/page.ts'
import { titleOf } from '../frame/record-texts.ts'
import { type CalendarEntry, calendarFile } from './calendar-file.ts'
import { decisionTexts } from './decision-texts.ts'
import { tenderTexts } from './tender-texts.ts'

/** The deadline that a bidder meets first, and the one for bids that follows it. */
export function deadlinesOf(record: TenderRecord): Deadline[] {
  const first = firstDeadline(record)
  if (first === undefined) return []
  const { submissionDate: at } = record
  return first.kind === 'participation' && at !== undefined ? [first, { kind: 'submission', at }] : [first]
}

/** `id`: the address by which it was marked, which outlasts a merge; `link`: the page of the tender. */
export function calendarEntries(
  record: TenderRecord,
  { id, link, language }: { readonly id: string; readonly link: string; readonly language: Language },
): CalendarEntry[] {
  const texts = tenderTexts[language]
  const title = titleOf(record).text || texts.titleMissing
  const authority = record.contractingAuthority?.name
  return deadlinesOf(record).flatMap((deadline) => {
    const at = Date.parse(deadline.at)
    // a notice may hold what is no moment
    if (Number.isNaN(at)) return []
    const said = deadlineLine(deadline, record.timeZone, language)
    const when = record.timeZone === undefined ? `${said} (${texts.zoneUnknown})` : `${said} (${record.timeZone})`
    return [
      {
        uid: `${id}-${deadline.kind}@${new URL(link).hostname}`,
        at,
        changedAt: Date.parse(record.lastModified),
        summary: `${texts.deadlines[deadline.kind]}: ${title}`,
        description: [when, ...(authority === undefined ? [] : [authority]), link].join('\n'),
        url: link,
        isCancelled: record.status === 'cancelled',
      },
    ]
  })
}

/** The deadlines of one tender as a file to open. */
export function calendarAnswer(record: TenderRecord, link: string, language: Language): PageAnswer {
  const entries = calendarEntries(record, { id: record.id, link, language })
  return {
    kind: 'content',
    type: 'text/calendar; charset=utf-8',
    body: calendarFile(entries, { name: decisionTexts[language].calendarName }),
    headers: { 'content-disposition': `attachment; filename="deadline-${record.id.slice(0, 8)}.ics"` },
  }
}
