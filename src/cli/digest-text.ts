// Events about digests, for people.
import { offsetMsAt } from '../domain/time.ts'
import type { CommandEvent, EventOf } from '../service/command-event.ts'
import { minute } from './figures.ts'
import type { Paint } from './paint.ts'

/** Describes an event about digests; undefined for any other event. */
export function describeDigest(event: CommandEvent, paint: Paint): string | undefined {
  switch (event.event) {
    case 'digest':
      return digestText(event, paint)
    case 'digestRemoved':
      return `  ${paint.green('✓')} ${event.person} gets no more digests${event.search === null ? '' : ` of "${event.search}"`}`
    default:
      return undefined
  }
}

function digestText(event: EventOf<'digest'>, paint: Paint): string {
  const { rhythm, hour, zone, nextAt, search } = event
  const time = `${String(hour).padStart(2, '0')}:00 ${zone}`
  const when = { atOnce: 'at once', daily: `daily at ${time}`, weekly: `on Mondays at ${time}` }[rhythm]
  const what = search === null ? paint.yellow('nothing: its search was deleted') : `"${search}"`
  const next = search === null || nextAt === null ? [] : [`next ${minute(nextAt + offsetMsAt(zone, nextAt))}`]
  const mails = [
    `${event.mailsSent} mails sent`,
    ...(event.mailsDue > 0 ? [`${event.mailsDue} due`] : []),
    ...(event.mailsGivenUp > 0 ? [paint.yellow(`${event.mailsGivenUp} given up`)] : []),
  ]
  return [
    `  ${paint.bold(event.person)}  ${what}, ${when}`,
    `      ${paint.dim(`${event.id} · ${event.organization} · ${[...next, mails.join(', ')].join(' · ')}`)}`,
    ...(event.lastError === null ? [] : [`      ${paint.yellow('last error')}: ${event.lastError}`]),
  ].join('\n')
}
