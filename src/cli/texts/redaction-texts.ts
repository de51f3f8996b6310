// Events about redactions, for people.
import { toInstant } from '../../domain/time.ts'
import type { EventOf } from '../../service/events/command-event.ts'
import type { RedactionEvents } from '../../service/events/redaction-events.ts'
import { count } from '../figures.ts'
import type { Paint } from '../paint.ts'
import { concern, done, type EventTexts, fact } from './text-lines.ts'

export const redactionTexts: EventTexts<RedactionEvents> = {
  redacted: redactedText,
  redaction: ({ id, madeAt, kinds, reason, appliedAt }, paint) => {
    const rest = appliedAt === null ? paint.yellow(' · not applied to everything: repeat the command') : ''
    return `  ${id}  ${toInstant(madeAt).slice(0, 10)}  ${kindsText(kinds)} · ${reason}${rest}`
  },
  redactionUndone: ({ id, notices }, paint) => fact(paint, 'Undone', `${id}: ${count(notices, 'notice')} as before`),
  redactionsImported: ({ added, undone, known }, paint) =>
    fact(paint, 'Imported', `${added} added, ${undone} undone, ${known} already known`),
}

const kindsText = (kinds: EventOf<'redaction'>['kinds']): string =>
  Object.entries(kinds)
    .filter(([, values]) => values > 0)
    .map(([kind, values]) => `${values} ${kind}${values === 1 ? '' : 's'}`)
    .join(', ')

function suspectsText({ suspects }: EventOf<'redacted'>, paint: Paint): string[] {
  if (suspects.length === 0) return []
  return [
    concern(paint, 'Not removed, and perhaps the person: add what is one to the command, with another --name.'),
    ...suspects.map(({ notice, member, text }) => `      ${text}${paint.dim(`  ${member}  ${notice}`)}`),
  ]
}

function redactedText(event: EventOf<'redacted'>, paint: Paint): string {
  const members = Object.entries(event.members).map(
    ([member, notices]) => `      ${String(notices).padStart(6)}  ${member}`,
  )
  const found = `${count(event.notices, 'notice')}, ${count(event.records, 'record')}`
  const copies = `${event.bodies} webhook, ${event.mails} mail, ${event.others} other`
  const what = event.isDryRun ? 'Would redact' : `Redacted (${event.id})`
  return [
    done(paint, `${what}: ${found}; stored copies: ${copies}`),
    ...(members.length > 0 ? [paint.dim('      notices  where'), ...members] : []),
    ...event.recordIds.map((id) => paint.dim(`      ${id}`)),
    ...suspectsText(event, paint),
    ...(event.isDryRun || event.records === 0
      ? []
      : ['      The next edition brings the change to copies; until then the API serves the last one.']),
    ...(event.recordedIn === undefined
      ? []
      : [`      Recorded in ${event.recordedIn}; keep it beside your backups, for redact import after a restore.`]),
  ].join('\n')
}
