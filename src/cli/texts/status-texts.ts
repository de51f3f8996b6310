// What `status` prints, for people.
import type { EventOf } from '../../service/events/command-event.ts'
import type { StatusEvents } from '../../service/events/status-events.ts'
import { count, number } from '../figures.ts'
import { wrap } from '../help-text.ts'
import type { Paint } from '../paint.ts'
import { countedStates, firstReadingText } from './source-state-texts.ts'
import { wholePastText } from './source-texts.ts'
import { type EventTexts, row, utcMinute } from './text-lines.ts'

export const statusTexts: EventTexts<StatusEvents> = { status: statusText }

const age = (seconds: number | null) => {
  const minutes = Math.floor((seconds ?? 0) / 60)
  return minutes < 120 ? count(minutes, 'minute') : count(Math.floor(minutes / 60), 'hour')
}

/** Row of open alarms by kind; none if there are none. Quarantines have their own. */
function alarmRow({ alarms }: EventOf<'status'>, paint: Paint): string[] {
  const kinds = Map.groupBy(
    alarms.filter(({ kind }) => kind !== 'fill'),
    ({ kind }) => kind,
  )
  if (kinds.size === 0) return []
  const parts = [...kinds].map(([kind, some]) => `${kind} ${number(some.length)}`)
  return [row('Alarms of sources', `${parts.join(' · ')}; tenderstock source list`, paint.yellow)]
}

/** Row of tenders whose notices contradict each other; none if there are none. */
function doubtRow(counts: EventOf<'status'>['doubtedTenders']): string[] {
  const { 'award-number': numbers, 'named-call': calls, unlike } = counts
  if (numbers + calls + unlike === 0) return []
  return [
    row(
      'Doubted',
      `different award numbers ${number(numbers)} · another call named ${number(calls)} · nothing in common ${number(unlike)}; see tenderstock review list`,
    ),
  ]
}

/** Rows about how far saved searches are matched; none if there are no searches. */
function hitRows(lag: EventOf<'status'>['hits']): string[] {
  if (!lag || lag.searches === 0) return []
  const { searches, edition, editionsBehind, unseen } = lag
  const behind =
    editionsBehind > 0
      ? `edition ${edition} is matched, ${count(editionsBehind, 'edition')} to go`
      : 'all editions are matched'
  const missed = unseen > 0 ? `; ${count(unseen, 'entry', 'entries')} were removed before they were matched` : ''
  return [row('Saved searches', `${number(searches)}, ${behind}${missed}`)]
}

/** Rows about mailed digests; none if there are none. */
function mailRows(mails: EventOf<'status'>['mails'], paint: Paint): string[] {
  if (!mails || mails.digests + mails.due === 0) return []
  const { digests, due, givenUp, failingSince, lastError, isConfigured } = mails
  const failing = failingSince === null ? undefined : `not sent since ${utcMinute(failingSince)}: ${lastError ?? ''}`
  return [
    row('Digests', `${number(digests)}; mails: ${number(due)} due, ${number(givenUp)} given up`),
    ...(failing === undefined ? [] : [row('Mail', failing, paint.yellow)]),
    ...(isConfigured
      ? []
      : [row('Mail', 'not set up: TENDERSTOCK_SMTP_URL, TENDERSTOCK_MAIL_FROM; digests wait', paint.yellow)]),
  ]
}

/** Row about the newest backup, and the newest that was restored for a trial; none without one. */
function backupRow(backups: EventOf<'status'>['backups']): string[] {
  if (!backups?.madeAt) return []
  const { madeAt, restoredAt } = backups
  const tried = restoredAt === null ? 'none was restored for a trial' : `restored for a trial: ${utcMinute(restoredAt)}`
  return [row('Newest backup', `${utcMinute(madeAt)}; ${tried}`)]
}

/** Rows about the editions in a bucket; none without one. */
function exportRows(exported: EventOf<'status'>['exported'], paint: Paint): string[] {
  if (!exported) return []
  const { edition, exportedAt, concern } = exported
  return [
    row('In the bucket', exportedAt === null ? 'no edition yet' : `edition ${edition}, ${utcMinute(exportedAt)}`),
    ...(concern === null ? [] : [row('Newer editions', `are not exported: ${concern}`, paint.yellow)]),
  ]
}

function nextText({ unpublished, nextPublication, firstReading }: EventOf<'status'>): string {
  if (firstReading)
    return `the first one at ${utcMinute(nextPublication)} at the latest; ${firstReadingText(firstReading)}; ${count(unpublished, 'record')} so far`
  return unpublished === 0
    ? 'nothing to publish'
    : `${count(unpublished, 'record')} to publish, at ${utcMinute(nextPublication)} at the earliest`
}

function statusText(event: EventOf<'status'>, paint: Paint): string {
  const counts = (value: { readonly [key: string]: number }) =>
    Object.entries(value)
      .map(([name, each]) => `${name} ${number(each)}`)
      .join(' · ') || 'none'
  const { edition, holds } = event
  const sources = Object.entries(event.sources)
  const idWidth = Math.max(...sources.map(([id]) => id.length))
  return [
    paint.bold('Service'),
    ...(event.isFailing
      ? [
          row(
            'Failing',
            event.failedRounds > 0 ? `${count(event.failedRounds, 'round')} in a row` : 'rounds are overdue',
            paint.yellow,
          ),
          ...wrap(event.failure ?? '', 72).map((part) => `      ${part}`),
        ]
      : []),
    ...(typeof event.maintenanceUntil === 'number'
      ? [
          row(
            'Maintenance',
            `the API answers 503 until ${utcMinute(event.maintenanceUntil)}; tenderstock maintenance off`,
            paint.yellow,
          ),
        ]
      : []),
    row('Portals', countedStates(event.portals, paint).join(' · ')),
    ...(event.past && event.past.sources > 0 ? [row('Archive', wholePastText(event.past))] : []),
    row('Last successful round', utcMinute(event.lastRoundAt)),
    ...(!event.isFailing && event.lastError
      ? [row('Last error', utcMinute(event.lastErrorAt)), ...wrap(event.lastError, 72).map((part) => `      ${part}`)]
      : []),
    '',
    paint.bold('Received'),
    row('Documents', number(event.documents)),
    row('Notices', `${number(event.notices)}${event.waiting ? `, ${number(event.waiting)} not consolidated yet` : ''}`),
    ...event.quarantines.map(({ sourceId, since, notices }) =>
      row(
        'In quarantine',
        `${count(notices, 'notice')} of ${sourceId} since ${utcMinute(since)}; tenderstock source show ${sourceId}`,
        paint.yellow,
      ),
    ),
    ...alarmRow(event, paint),
    row('Unreadable', counts(event.rejections)),
    ...(event.outdated
      ? [row('Read by older parsers', `${count(event.outdated, 'document')}; tenderstock rebuild re-parses them`)]
      : []),
    ...sources.map(([id, each]) =>
      row(`  ${id.padEnd(idWidth)}`, `${count(each.documents, 'document')}, checked ${utcMinute(each.checkedAt)}`),
    ),
    '',
    paint.bold('Stock'),
    row('Tenders', counts(event.tenders)),
    ...(event.rulesToApply.length > 0
      ? [
          row(
            'Derived by older rules',
            `${event.rulesToApply.join(', ')}; a start of this version, or tenderstock rebuild, applies the new ones`,
            paint.yellow,
          ),
        ]
      : []),
    ...doubtRow(event.doubtedTenders),
    row('Engine', event.engine === 'embedded' ? `embedded, in ${event.data}` : 'PostgreSQL server'),
    '',
    paint.bold('Published'),
    row(
      'Edition',
      edition
        ? `${edition.edition} with ${count(edition.records, 'record')}, ${utcMinute(edition.publishedAt)} (${age(event.editionAgeSeconds)} ago)`
        : 'none yet',
    ),
    row('Next one', nextText(event)),
    ...backupRow(event.backups),
    ...exportRows(event.exported, paint),
    ...hitRows(event.hits),
    ...mailRows(event.mails, paint),
    ...holds.flatMap((hold) => [
      row('Held back', utcMinute(hold.heldAt), paint.yellow),
      ...hold.reasons.map((reason) => `      ${reason}`),
    ]),
    ...event.clocks.map((concern) => row('Clocks', concern, paint.yellow)),
  ].join('\n')
}
