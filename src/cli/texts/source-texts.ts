// Events about sources, for people.

import { isActive, isFailing, sourceStates } from '../../domain/source-state.ts'
import type { Clock } from '../../platform/clock.ts'
import type { EventOf } from '../../service/events/command-event.ts'
import type { SourceEvents } from '../../service/events/source-events.ts'
import { count, minute, number } from '../figures.ts'
import { terminalColumns, wrap } from '../help-text.ts'
import type { Paint } from '../paint.ts'
import { countedStates, firstReadingText, stateWords } from './source-state-texts.ts'
import { concern, done, type EventTexts, fact } from './text-lines.ts'

/** Wraps a text into lines that fit beside a margin of this many columns; the first line has no margin. */
const folded = (text: string, margin: number): string =>
  wrap(text, terminalColumns - margin).join(`\n${' '.repeat(margin)}`)

/** `2026-11-20 08:10 (3 h ago)`, `never`. */
const since = (at: number | null, now: number) => (at === null ? 'never' : `${minute(at)} (${ago(at, now)})`)

/** `just now`, `3 min ago`, `5 h ago`, `12 d ago`, `never`. */
function ago(at: number | null, now: number): string {
  if (at === null) return 'never'
  const minutes = Math.max(0, Math.round((now - at) / 60_000))
  if (minutes === 0) return 'just now'
  if (minutes < 90) return `${minutes} min ago`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.round(hours / 24)} d ago`
}

export const sourceTexts: EventTexts<SourceEvents> = {
  source: sourceLine,
  sources: sourcesLine,
  sourceCard: cardText,
  sourcesStarted: ({ running, countries, off, keysMissing }, paint) => {
    const parts = [
      `${count(running, 'source')} in ${count(countries, 'country', 'countries')}`,
      ...(keysMissing.length > 0 ? [`${number(keysMissing.length)} without their key`] : []),
      ...(off > 0 ? [`${number(off)} off`] : []),
    ]
    return fact(paint, 'Portals', parts.join(', '))
  },
  firstReading: (event, paint) =>
    fact(paint, 'First edition', `${firstReadingText(event)}; at ${minute(event.latestAt)} UTC at the latest`),
  sourceRead: readText,
  sourceTurnedOff: ({ source, reason }, paint) => done(paint, `${source} is not read any more: ${reason}`),
  sourceTurnedOn: ({ source }, paint) => done(paint, `${source} is read again when it is due`),
  sourceReleased: ({ source, notices, since: at }, paint) =>
    done(paint, `${source} is released; ${count(notices, 'notice')} had waited since ${minute(at)}`),
  sourceChecked: checkText,
  sourceDiagnosed: diagnosisText,
  sourceTerm: termText,
  sourcesChecked: ({ ok, checked, quiet }) => {
    const answers = `${number(ok)} of ${number(checked)} portals answer as their cards say`
    return `\n  ${answers}${quiet === 0 ? '' : `, ${number(quiet)} are quiet`}`
  },
}

/** Describes a reading that brought something or went wrong; undefined for the many that found nothing new. */
function readText(event: EventOf<'sourceRead'>, paint: Paint): string | undefined {
  const { source, outcome, documents, notices, rejections } = event
  const slot = event.slot === 'feed' || event.slot === 'whole' ? source : `${source} ${event.slot}`
  const news = [
    ...(documents > 0 ? [count(documents, 'new document'), count(notices, 'notice')] : []),
    ...(rejections > 0 ? [`${number(rejections)} unreadable`] : []),
  ]
  if (outcome === 'failed' || outcome === 'refused' || outcome === 'short')
    return [concern(paint, `${slot.padEnd(20)} ${outcome}: ${event.detail}`), ...news].join(' · ')
  return news.length === 0 ? undefined : fact(paint, slot, news.join(' · '))
}

function checkText(event: EventOf<'sourceChecked'>, paint: Paint): string {
  const isGood = event.verdict === 'ok'
  const isQuiet = event.verdict === 'quiet'
  const { requests } = event
  const bytes = requests.reduce((sum, each) => sum + each.bytes, 0)
  const elapsedMs = requests.reduce((sum, each) => sum + each.elapsedMs, 0)
  const facts = [
    isQuiet
      ? `nothing published up to ${event.slot}`
      : `${number(event.notices)} of ${number(event.documents)} entries read`,
    ...(event.announced === null ? [] : [`${number(event.announced)} announced`]),
    `${requests.length === 1 ? '1 request' : `${requests.length} requests`}, ${number(Math.ceil(bytes / 1024))} KB in ${number(elapsedMs)} ms`,
  ].join(' · ')
  const last = requests.at(-1)
  const mark = isGood ? paint.green('✓') : isQuiet ? paint.dim('·') : paint.yellow('!')
  return [
    `  ${mark} ${event.sourceId.padEnd(30)} ${isGood ? facts : `${event.verdict}: ${facts}`}`,
    ...event.findings.map((finding) => `      ${folded(finding, 6)}`),
    ...(isGood || isQuiet || !last ? [] : [`      ${paint.dim(`${last.status} ${last.url}`)}`]),
  ].join('\n')
}

const termWords = {
  contact: 'Contact for portals (TENDERSTOCK_CONTACT)',
  key: 'Ask for the key',
  agreement: 'Off until the publisher agrees',
  robots: 'Read robots.txt',
  question: 'Find out',
  license: 'Ask for the license',
  attribution: 'Show',
} as const

/** One line of a list to tick off, in Markdown. */
function termText({ kind, source, title, detail, at, isSettled }: EventOf<'sourceTerm'>): string {
  return [
    `- [${isSettled ? 'x' : ' '}] ${source === null ? '' : `${title} \`${source}\`: `}${termWords[kind]}`,
    ...(detail === null ? [] : [`: ${detail}`]),
    ...(at === null ? [] : [` <${at}>`]),
  ].join('')
}

const diagnoses = {
  moved: 'Nothing that the card knows answers at its address: look where the portal is now, and change the address.',
  list: 'The portal answers, and its entries are not where the card looks: change `entries`, the pages or the address.',
  fields: 'Entries arrive, and their members have other names, or hold something else.',
} as const

/** What changed, and what to do, step by step. */
function diagnosisText({ kind, file, lost, host, lookAt, folder, test }: EventOf<'sourceDiagnosed'>): string {
  const steps =
    kind === 'moved'
      ? [
          `Change the address in ${file}.`,
          `Remove ${folder}, which holds no answer, and run \`tenderstock source mend\` again.`,
        ]
      : [
          `Change ${file}.`,
          `Look at ${folder}: names of persons are still in it. Write into expected.json what the portal's page says of its ` +
            'first entries (title, authority, deadline, value, cpv).',
          `${test} fails now, and passes when the card reads it.`,
          'npm run generate && npm run check',
        ]
  return [
    `  ${folded(diagnoses[kind], 2)}`,
    ...(host === null ? [] : [`  It leads to ${host} now.`]),
    ...(lookAt.length === 0 ? [] : ['  Its new address may stand here:', ...lookAt.map((address) => `    ${address}`)]),
    ...lost.map(
      ({ name, now }) =>
        `  ${name}${now === null ? ' is not there any more' : ` is not there any more; ${now} is new`}`,
    ),
    ...steps.map((step, index) => `  ${index + 1}. ${folded(step, 5)}`),
  ].join('\n')
}

function marker(state: EventOf<'source'>['state'], paint: Paint): string {
  if (state === 'ok') return paint.green('✓')
  return isActive(state) && state !== 'reading' && state !== 'not-tried' ? paint.yellow('!') : paint.dim('·')
}

function sourceLine(event: EventOf<'source'>, paint: Paint, clock: Clock): string {
  const { state } = event
  const word = stateWords[state]
  const facts = !isActive(state)
    ? paint.dim(
        `${word}: ${event.offBecause}${event.recentDocuments > 0 ? ` · ${number(event.recentDocuments)} new in 7 days` : ''}`,
      )
    : state === 'not-tried' || state === 'reading'
      ? paint.dim(word)
      : [
          `read ${ago(event.lastSuccessAt, clock()).padEnd(11)} ${number(event.recentDocuments).padStart(7)} new in 7 days`,
          ...(state === 'ok' ? [] : [paint.yellow(word)]),
          ...(isFailing(state) && event.lastError !== null ? [folded(event.lastError, 6)] : []),
          ...pastParts(event.past, paint),
          ...(event.waitingSlots > 1 && !event.past?.spansLeft
            ? [paint.dim(`${number(event.waitingSlots)} spans to read`)]
            : []),
        ].join('  ')
  const line = `  ${marker(state, paint)} ${event.sourceId.padEnd(30)} ${event.country.padEnd(3)} ${facts}`
  return [line, ...event.alarms.map(({ kind, detail }) => `      ${paint.yellow(kind)}: ${folded(detail, 6)}`)].join(
    '\n',
  )
}

/** `all since 2022`, `back to 2025-10-31, then 12 days to 2022`; nothing for a source without spans. */
function pastParts(past: EventOf<'source'>['past'], paint: Paint): string[] {
  if (!past) return []
  if (past.spansLeft === 0) return [paint.dim('all since 2022')]
  const depth = past.readBackTo === null ? '' : `back to ${minute(past.readBackTo).slice(0, 10)}, then `
  return [paint.dim(`${depth}${pastDays(past.daysLeft, past.isMeasured)} to 2022`)]
}

/** `12 days`, `less than a day`; without a measurement `3 days or more`. */
const pastDays = (days: number, isMeasured: boolean): string =>
  `${days < 1 ? 'less than a day' : count(Math.ceil(days), 'day')}${isMeasured ? '' : ' or more'}`

/** How much of the past is read, of all sources together. */
export const wholePastText = ({ daysLeft, done: read, sources, last }: EventOf<'sources'>['past']): string =>
  last === null
    ? `${count(sources, 'source')} read back to 2022`
    : `${number(read)} of ${count(sources, 'source')} read back to 2022; all in ${pastDays(daysLeft, true)}, ${last} last`

function sourcesLine(event: EventOf<'sources'>, paint: Paint): string {
  const active = sourceStates.filter(isActive).reduce((sum, state) => sum + event.states[state], 0)
  const parts = [
    `${count(event.total, 'source')}${event.countries ? ` in ${count(event.countries, 'country', 'countries')}` : ''}`,
    `${number(active)} active`,
    ...countedStates(event.states, paint),
  ]
  const past = event.past.sources === 0 ? '' : `\n  ${wholePastText(event.past)}`
  return `\n  ${parts.join(' · ')}${event.hidden ? paint.dim('   (--all shows all)') : ''}${past}`
}

/** `by day since 2022-01-01`, `read whole`, `as a feed`. */
function spansOf({ slots, since: first }: EventOf<'sourceCard'>['channels'][number]): string {
  if (slots === 'whole') return 'read whole'
  return slots === 'feed' ? 'as a feed' : `by ${slots}${first ? ` since ${first}` : ''}`
}

/** Maximum lines about fields. */
const fillLines = 12

/** How often its new notices have each field, by day and form type. */
function fillRows(fill: EventOf<'sourceCard'>['fill'], paint: Paint): string[] {
  if (fill.length === 0) return []
  const line = (cells: readonly string[]) =>
    `  ${cells[0]!.padEnd(12)}${cells[1]!.padEnd(13)}${cells
      .slice(2)
      .map((cell) => cell.padStart(10))
      .join('')}`
  const share = (count: number, notices: number) => `${Math.round((count / notices) * 100)} %`
  return [
    '',
    paint.bold('New notices with each field'),
    paint.dim(line(['Day', 'Form', 'notices', 'deadline', 'CPV', 'value', 'authority', 'region'])),
    ...fill
      .slice(0, fillLines)
      .map((row) =>
        line([
          row.day,
          row.formType,
          number(row.notices),
          ...[row.deadline, row.cpv, row.value, row.authority, row.region].map((count) => share(count, row.notices)),
        ]),
      ),
  ]
}

function cardText(event: EventOf<'sourceCard'>, paint: Paint, clock: Clock): string {
  const now = clock()
  const row = (name: string, text: string) => `  ${name.padEnd(14)} ${folded(text, 17)}`
  const { license, access, health, record, politeness } = event
  const { robots } = politeness
  const perMinute = `at most ${number(politeness.requestsPerMinute ?? 60)} a minute`
  return [
    `${paint.bold(event.title)} ${paint.dim(event.id)}`,
    row('Publisher', `${event.publisher} (${event.country})`),
    row('Page', event.homepage),
    ...(event.documentation ? [row('Interface', event.documentation)] : []),
    ...(event.hasRecordedAnswers ? [row('Evidence', 'recorded answers')] : []),
    ...event.recordings.map((address) => row('Real answer', address)),
    ...event.clients.map((address) => row('Public client', address)),
    ...(event.unnamedClients > 0 ? [row('', `${number(event.unnamedClients)} more without a known address`)] : []),
    row('License', [license.name, license.url, license.attribution].filter(Boolean).join(' · ')),
    row('Access', access.kind === 'open' ? 'open' : `key TENDERSTOCK_${access.setting}, from ${access.getItAt}`),
    row(
      'Requests',
      `${perMinute}; ${typeof robots === 'object' ? `robots.txt: ${robots.exempt}` : 'obeys robots.txt'}`,
    ),
    '',
    ...event.channels.map((channel) =>
      row(
        `Channel ${channel.name}`,
        [
          channel.role,
          channel.delivery === 'own' ? 'its own protocol' : channel.delivery,
          spansOf(channel),
          channel.timetable,
        ].join(', '),
      ),
    ),
    ...event.caveats.map((caveat, index) => row(index === 0 ? 'Caveats' : '', caveat)),
    '',
    row(
      'State',
      `${marker(health.state, paint)} ${stateWords[health.state]}${health.offBecause ? `: ${health.offBecause}` : ''}`,
    ),
    row('Last success', since(health.lastSuccessAt, now)),
    row('Last news', `${since(record.lastNewAt, now)}, ${number(record.recentDocuments)} documents in 7 days`),
    row('To read', record.waitingSlots === 1 ? '1 span' : `${number(record.waitingSlots)} spans`),
    ...health.alarms.map(({ kind, detail }) => `  ${paint.yellow('!')} ${folded(`${kind}: ${detail}`, 4)}`),
    ...fillRows(event.fill, paint),
    ...(event.runs.length > 0 ? ['', paint.bold('Last readings')] : []),
    ...event.runs.map(
      (run) =>
        `  ${minute(run.endedAt)}  ${run.outcome.padEnd(9)}  ${`${run.channel} ${run.slot}`.padEnd(20)} ` +
        `${number(run.entries)} entries, ${number(run.documents)} new` +
        (run.detail ? `\n${' '.repeat(6)}${paint.dim(folded(run.detail, 6))}` : ''),
    ),
    ...event.alarms
      .filter(({ clearedAt }) => clearedAt !== null)
      .map((alarm, index) =>
        row(
          index === 0 ? 'Past alarms' : '',
          `${minute(alarm.raisedAt)} to ${minute(alarm.clearedAt)}  ${alarm.kind}: ${alarm.detail}`,
        ),
      ),
  ].join('\n')
}
