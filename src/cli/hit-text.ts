// Events about profiles, saved searches and hits, for people.
import type { CommandEvent, EventOf } from '../service/command-event.ts'
import { count, cut, number } from './figures.ts'
import type { Paint } from './paint.ts'

type Counts = EventOf<'searchPreview'>['open']

/** Describes an event about hits; undefined for any other event. */
export function describeHit(event: CommandEvent, paint: Paint): string | undefined {
  switch (event.event) {
    case 'profile':
      return [
        `  ${paint.bold(event.name)}  ${paint.dim(`version ${event.version}, from edition ${event.fromEdition} on`)}`,
        ...membersText(event.profile, paint),
      ].join('\n')
    case 'search':
      return searchText(event, paint)
    case 'profileDeleted':
      return `  ${paint.green('✓')} The profile "${event.name}" is deleted`
    case 'searchDeleted':
      return `  ${paint.green('✓')} The search "${event.name}" is deleted, with ${count(event.hits, 'hit')}${event.messages > 0 ? `; ${count(event.messages, 'message')} that waited will not be sent` : ''}`
    case 'searchPreview':
      return previewText(event, paint)
    case 'openDelivered':
      return `  ${paint.green('✓')} ${count(event.hits, 'open tender')} of "${event.search}" ${event.hits === 1 ? 'is' : 'are'} delivered now`
    case 'hit':
      return [
        `  ${String(event.fitScore).padStart(3)}  ${cut(event.title, 90)}`,
        `       ${paint.dim(`${event.search} · edition ${event.edition} · ${event.state}${event.mergedInto === null ? '' : ` · now ${event.mergedInto}`} · tender ${event.tender}`)}`,
      ].join('\n')
    case 'hitsReleased':
      return `  ${paint.green('✓')} Edition ${event.edition}: ${count(event.deliveries, 'delivery', 'deliveries')} of "${event.search}" released`
    case 'matched':
      return `  ${paint.green('✓')} ${'Hits'.padEnd(20)} ${number(event.hits)} new${event.unseen > 0 ? `, ${count(event.unseen, 'entry', 'entries')} removed before they were matched` : ''}`
    case 'matchExplained':
      return explainedText(event, paint)
    default:
      return undefined
  }
}

function membersText(members: object, paint: Paint): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    if (name === 'excluded')
      return membersText(value as object, paint).map((line) => line.replace('      ', '      not '))
    const shown = Array.isArray(value) ? value.join(', ') : String(value)
    return [`      ${paint.dim(name.padEnd(18))} ${cut(shown, 200)}`]
  })
}

function searchText(event: EventOf<'search'>, paint: Paint): string {
  return [
    `  ${paint.bold(event.name)}  ${event.state}, ${paint.dim(`version ${event.version}, from edition ${event.fromEdition} on, threshold ${event.threshold}, id ${event.searchId}`)}`,
    ...membersText(event.filter, paint),
    ...(event.profile === null ? [] : membersText({ 'scored for': event.profile }, paint)),
    ...event.held.map(
      ({ edition, hits }) =>
        `      ${paint.yellow('too broad')}: the deliveries of ${number(hits)} hits of edition ${edition} are held; narrow the search, or: tenderstock hit release '${event.name}'`,
    ),
  ].join('\n')
}

function previewText(event: EventOf<'searchPreview'>, paint: Paint): string {
  const row = (label: string, counts: Counts) =>
    `  ${label.padEnd(28)} ${number(counts.any).padStart(8)}   ${[counts['40'], counts['50'], counts['60']].map((each) => number(each).padStart(8)).join(' ')}`
  return [
    ...membersText(event.filter, paint),
    '',
    paint.dim(`  ${''.padEnd(28)}  matches   score 40       50       60`),
    row('Open now', event.open),
    row('Would-be hits of 30 days', event.lastDays),
    '',
    paint.dim('  Nothing is saved. Without --preview, the search is saved.'),
  ].join('\n')
}

function explainedText(event: EventOf<'matchExplained'>, paint: Paint): string {
  const areAllMet = event.clauses.every(({ holds }) => holds)
  return [
    `  ${paint.bold(`"${event.search}" ${event.isMatch ? 'matches' : 'does not match'} ${event.id}`)}`,
    '',
    ...event.clauses.map(
      ({ clause, holds, text }) =>
        `  ${holds ? paint.green('yes') : paint.yellow('no ')}  ${clause.padEnd(18)} ${text}`,
    ),
    '',
    `  Fit score ${event.fitScore}${areAllMet ? '' : ' if it matched'}, threshold ${event.threshold}`,
    ...event.fit.parts.map(({ part, points, of, text, terms }) => {
      const why = text ?? terms?.join(', ')
      return `      ${part.padEnd(12)} ${points === null ? 'not known' : `${points} of ${of}`}${why ? `  ${paint.dim(why)}` : ''}`
    }),
    ...event.fit.rules.map((rule) => `      ${paint.dim(rule)}`),
  ].join('\n')
}
