// Events about digests, for people.
import { offsetMsAt } from '../../domain/time.ts'
import type { EventOf } from '../../service/events/command-event.ts'
import type { DigestEvents } from '../../service/events/digest-events.ts'
import { minute } from '../figures.ts'
import type { Paint } from '../paint.ts'
import { done, type EventTexts } from './text-lines.ts'

export const digestTexts: EventTexts<DigestEvents> = {
  digest: digestText,
  digestRemoved: ({ person, search }, paint) =>
    done(paint, `${person} gets no more digests${search === null ? '' : ` of "${search}"`}`),
}

function digestText(event: EventOf<'digest'>, paint: Paint): string {
  const { rhythm, weekday, hour, zone, language, nextAt, search } = event
  const time = `${String(hour).padStart(2, '0')}:00 ${zone}`
  const when = { atOnce: 'at once', daily: `daily at ${time}`, weekly: `on ${capital(weekday)}s at ${time}` }[rhythm]
  const what = search === null ? paint.yellow('nothing: its search was deleted') : `"${search}"`
  const next = search === null || nextAt === null ? [] : [`next ${minute(nextAt + offsetMsAt(zone, nextAt))}`]
  const ended = event.endedAt === null ? [] : [paint.yellow('ended: the mail server knows no such recipient')]
  const mails = [
    ...ended,
    `${event.mailsSent} mails sent`,
    ...(event.mailsDue > 0 ? [`${event.mailsDue} due`] : []),
    ...(event.mailsGivenUp > 0 ? [paint.yellow(`${event.mailsGivenUp} given up`)] : []),
  ]
  return [
    `  ${paint.bold(event.person)}  ${what}, ${when}`,
    `      ${paint.dim(`${event.id} · ${event.organization} · ${[language, ...next, mails.join(', ')].join(' · ')}`)}`,
    ...(event.lastError === null ? [] : [`      ${paint.yellow('last error')}: ${event.lastError}`]),
  ].join('\n')
}

const capital = (word: string): string => `${word[0]!.toUpperCase()}${word.slice(1)}`
