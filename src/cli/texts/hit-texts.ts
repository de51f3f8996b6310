// Events about profiles, saved searches and hits, for people.
import type { EventOf } from '../../service/events/command-event.ts'
import type { HitEvents } from '../../service/events/hit-events.ts'
import { count, cut, number } from '../figures.ts'
import type { Paint } from '../paint.ts'
import { done, type EventTexts, fact } from './text-lines.ts'

type Counts = EventOf<'searchPreview'>['open']

export const hitTexts: EventTexts<HitEvents> = {
  profile: ({ name, version, fromEdition, profile }, paint) =>
    [
      `  ${paint.bold(name)}  ${paint.dim(`version ${version}, from edition ${fromEdition} on`)}`,
      ...membersText(profile, paint),
    ].join('\n'),
  search: searchText,
  searchPreview: previewText,
  openDelivered: ({ hits, search }, paint) =>
    done(paint, `${count(hits, 'open tender')} of "${search}" ${hits === 1 ? 'is' : 'are'} delivered now`),
  matched: ({ hits, unseen }, paint) => {
    const missed = unseen > 0 ? `, ${count(unseen, 'entry', 'entries')} removed before they were matched` : ''
    return fact(paint, 'Hits', `${number(hits)} new${missed}`)
  },
  hit: ({ fitScore, title, search, edition, state, mergedInto, tender }, paint) => {
    const now = mergedInto === null ? '' : ` · now ${mergedInto}`
    return [
      `  ${String(fitScore).padStart(3)}  ${cut(title, 90)}`,
      `       ${paint.dim(`${search} · edition ${edition} · ${state}${now} · tender ${tender}`)}`,
    ].join('\n')
  },
  hitsReleased: ({ edition, deliveries, search }, paint) =>
    done(paint, `Edition ${edition}: ${count(deliveries, 'delivery', 'deliveries')} of "${search}" released`),
  matchExplained: explainedText,
  profileDeleted: ({ name }, paint) => done(paint, `The profile "${name}" is deleted`),
  searchDeleted: ({ name, hits, messages }, paint) => {
    const unsent = messages > 0 ? `; ${count(messages, 'message')} that waited will not be sent` : ''
    return done(paint, `The search "${name}" is deleted, with ${count(hits, 'hit')}${unsent}`)
  },
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
  const { version, fromEdition, threshold, searchId } = event
  const facts = `version ${version}, from edition ${fromEdition} on, threshold ${threshold}, id ${searchId}`
  return [
    `  ${paint.bold(event.name)}  ${event.state}, ${paint.dim(facts)}`,
    ...membersText(event.filter, paint),
    ...(event.profile === null ? [] : membersText({ 'scored for': event.profile }, paint)),
    ...event.held.map(
      ({ edition, hits }) =>
        `      ${paint.yellow('too broad')}: the deliveries of ${number(hits)} hits of edition ${edition} are held; ` +
        `narrow the search, or: tenderstock hit release '${event.name}'`,
    ),
  ].join('\n')
}

function previewText(event: EventOf<'searchPreview'>, paint: Paint): string {
  const cell = (figure: number) => number(figure).padStart(8)
  const row = (label: string, counts: Counts) =>
    `  ${label.padEnd(28)} ${cell(counts.any)}   ${[counts['40'], counts['50'], counts['60']].map(cell).join(' ')}`
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
