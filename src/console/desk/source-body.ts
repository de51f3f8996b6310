// One source on its page: figures, alarms, days, ledger, runs, drift and card.
import { isActive } from '../../domain/source-state.ts'
import { quarantineKind } from '../../store/sources/source-fill.ts'
import type { AlarmRow } from '../../store/sources/source-health.ts'
import { formatDay, formatMoment, formatNumber, formatRelative, formatShare, formatShortDay } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import {
  bars,
  facts,
  field,
  figures,
  foreignLink,
  moment,
  more,
  noteBox,
  numbers,
  part,
  quoted,
  type State,
  state,
  table,
} from '../frame/parts.ts'
import type { SourceFile } from '../frame/stock-reads.ts'
import { tenderTexts } from '../tenders/tender-texts.ts'
import { sourceMarks } from './source-marks.ts'
import { sourceTexts } from './source-texts.ts'

type How = {
  readonly language: Language
  readonly now: number
  /** What is wrong with the typed note on the alarm of this name. */
  readonly wrong: { readonly alarm: string; readonly sentence: string } | undefined
}

/** Days that the chart shows. */
const shownDays = 30
const dayMs = 86_400_000

const outcomeMarks: { readonly [outcome: string]: State } = {
  complete: 'good',
  unchanged: 'good',
  empty: 'warn',
  notYet: 'planned',
  short: 'warn',
  failed: 'bad',
  refused: 'bad',
  stopped: 'closed',
}

/** The whole content below the head. */
export function sourceBody(file: SourceFile, how: How): Html {
  const { line, lastError } = file
  const texts = sourceTexts[how.language]
  return html`${line.offBecause !== undefined && noteBox('warn', texts.offBecause, quoted(line.offBecause, 'en'))}
${lastError !== null && noteBox('bad', texts.lastError, quoted(lastError, 'en'))}
${strip(file, how)}
${alarmPart(file, how)}
${dayPart(file, how)}
${fillPart(file, how)}
${ledgerPart(file, how)}
${runPart(file, how)}
${driftPart(file, how)}
${cardPart(file, how)}
${switchPart(file, how)}`
}

/** Names the form that turns a source off, among those that may have been filled in wrongly. */
export const turnOffName = 'off'

/** Turns the source off, or on again. */
function switchPart({ line: { sourceId, state: now } }: SourceFile, { language, wrong }: How): Content {
  const texts = sourceTexts[language]
  const address = `/operator/sources/${encodeURIComponent(sourceId)}`
  if (now === 'turned-off')
    return html`<form method="post" action="${address}/on"><button>${texts.turnOn}</button></form>`
  if (!isActive(now)) return undefined
  const error = wrong?.alarm === turnOffName ? wrong.sentence : undefined
  return html`<details class="more"${error !== undefined && html` open`}>
    <summary>${texts.turnOffWith}</summary>
    <form class="stack" method="post" action="${address}/off">
      ${field({
        name: 'reason',
        label: texts.reason,
        hint: texts.turnOffHint,
        isRequired: true,
        ...(error !== undefined && { error }),
      })}
      <button>${texts.turnOff}</button>
    </form>
  </details>`
}

function strip({ line, slots, rejections }: SourceFile, { language, now }: How): Html {
  const texts = sourceTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const counted = slots.filter(({ announced }) => announced !== null)
  const announced = counted.reduce((sum, slot) => sum + (slot.announced ?? 0), 0)
  const delivered = counted.reduce((sum, slot) => sum + slot.delivered, 0)
  const rejected = Object.values(rejections).reduce((sum, count) => sum + count, 0)
  return figures([
    {
      name: texts.shared.condition,
      value: state(sourceMarks[line.state], texts.states[line.state]),
      note:
        line.lastSuccessAt === null ? texts.never : texts.sinceRead(formatRelative(line.lastSuccessAt, now, language)),
    },
    { name: texts.documents, value: number(line.recentDocuments), note: texts.recentNote(number(rejected)) },
    {
      name: texts.announced,
      value: counted.length === 0 ? '–' : number(announced),
      note: counted.length === 0 ? texts.noTotals : texts.announcedNote(number(counted.length)),
    },
    {
      name: texts.delivered,
      value: counted.length === 0 ? '–' : number(delivered),
      note:
        announced > delivered
          ? texts.missing(number(announced - delivered))
          : counted.length === 0
            ? texts.notCompared
            : texts.complete,
    },
  ])
}

function alarmPart({ alarms, line }: SourceFile, how: How): Html {
  const texts = sourceTexts[how.language]
  if (alarms.length === 0) return part(texts.alarms, html`<p>${texts.noAlarm}</p>`)
  return part(texts.alarms, html`<ul class="wrong">${alarms.map((alarm) => alarmItem(alarm, line.sourceId, how))}</ul>`)
}

function alarmItem(alarm: AlarmRow, sourceId: string, { language, wrong }: How): Html {
  const texts = sourceTexts[language]
  const { kind, raisedAt, clearedAt, detail, acknowledged } = alarm
  const [mark, word]: [State, string] =
    clearedAt !== null ? ['good', texts.closed] : acknowledged ? ['warn', texts.seen] : ['bad', texts.open]
  const name = `${kind}-${raisedAt}`
  const error = wrong?.alarm === name ? wrong.sentence : undefined
  const isQuarantine = kind === quarantineKind
  const [what, verb, summary] = isQuarantine
    ? ['release', texts.release, texts.releaseWith]
    : ['acknowledge', texts.acknowledge, texts.acknowledgeWith]
  const meta: Content[] = [
    texts.raised(formatMoment(raisedAt, language)),
    ...(clearedAt === null ? [] : [texts.cleared(formatMoment(clearedAt, language))]),
    ...(acknowledged ? [texts.seenBy(acknowledged.by, formatMoment(acknowledged.at, language))] : []),
  ]
  return html`<li>
    ${state(mark, word)}
    <div>
      <h3>${texts.kinds[kind] ?? kind}</h3>
      <p>${quoted(detail, 'en')}</p>
      <p class="meta">${meta.map((each) => html`<span>${each}</span>`)}</p>
      ${acknowledged && html`<p>“${quoted(acknowledged.note)}”</p>`}
      ${
        clearedAt === null &&
        (isQuarantine || !acknowledged) &&
        html`<details class="more"${error !== undefined && html` open`}>
          <summary>${summary}</summary>
          <form class="stack" method="post" action="/operator/sources/${encodeURIComponent(sourceId)}/${what}">
            <input type="hidden" name="kind" value="${kind}">
            <input type="hidden" name="raised" value="${raisedAt}">
            ${field({
              name: 'note',
              id: `note-${name}`,
              label: texts.shared.note,
              hint: texts.noteHint,
              error,
              isRequired: true,
              maxLength: 500,
            })}
            <div><button>${verb}</button></div>
          </form>
        </details>`
      }
    </div>
  </li>`
}

function dayPart({ newByDay, line }: SourceFile, { language, now }: How): Html {
  const texts = sourceTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const list = Array.from({ length: shownDays }, (_, index) => {
    const day = new Date(now - (shownDays - 1 - index) * dayMs).toISOString().slice(0, 10)
    return { day, value: newByDay[day] ?? 0 }
  })
  const most = Math.max(...list.map(({ value }) => value))
  if (most === 0) return part(texts.days, html`<p>${texts.noDocuments(shownDays)}</p>`)
  const nameOf = (day: string) => formatDay(Date.parse(day), language)
  return part(
    texts.days,
    html`${bars({
      finding: texts.daysFinding(line.title, number(most)),
      list: list.map(({ day, value }, index) => ({
        label: index % 5 === 0 ? formatShortDay(Date.parse(day), language) : '',
        value,
        title: `${nameOf(day)}: ${number(value)}`,
      })),
      format: number,
    })}${more(
      texts.figures,
      table({
        caption: texts.days,
        kind: 'mini keep',
        columns: [texts.shared.day, numbers(texts.newDocuments)],
        rows: list.toReversed().map(({ day, value }) => [nameOf(day), number(value)]),
      }),
    )}`,
  )
}

/** Maximum rows about fields: a week of sources with two kinds of notices. */
const fillRows = 14
/** Rows of a table that are shown at once: on a phone each is a block of many lines. */
const openRows = 5

/** A table whose later rows are behind a summary. */
function foldedTable(options: Parameters<typeof table>[0], language: Language): Content {
  const { rows } = options
  const hidden = rows.length - openRows
  // a summary that hides one or two rows is no help
  if (hidden < 3) return table(options)
  return html`${table({ ...options, rows: rows.slice(0, openRows) })}${more(
    sourceTexts[language].moreRows(formatNumber(hidden, language)),
    table({ ...options, rows: rows.slice(openRows) }),
  )}`
}

function fillPart({ fill }: SourceFile, { language }: How): Html | false {
  const texts = sourceTexts[language]
  if (fill.length === 0) return false
  return part(
    texts.fill,
    foldedTable(
      {
        caption: texts.fill,
        kind: 'mini',
        columns: [
          texts.shared.day,
          texts.form,
          numbers(texts.shared.notices),
          ...(['deadline', 'cpv', 'value', 'authority', 'region'] as const).map((field) =>
            numbers(texts.fields[field]),
          ),
        ],
        rows: fill
          .slice(0, fillRows)
          .map(({ day, formType, notices, ...counts }) => [
            formatDay(Date.parse(day), language),
            tenderTexts[language].forms[formType] ?? formType,
            formatNumber(notices, language),
            ...[counts.deadline, counts.cpv, counts.value, counts.authority, counts.region].map((count) =>
              formatShare(count / notices, language),
            ),
          ]),
      },
      language,
    ),
    texts.fillNote,
  )
}

function ledgerPart({ slots }: SourceFile, { language, now }: How): Html {
  const texts = sourceTexts[language]
  const number = (value: number | null) => (value === null ? '–' : formatNumber(value, language))
  if (slots.length === 0) return part(texts.ledger, html`<p>${texts.noSlot}</p>`)
  return part(
    texts.ledger,
    foldedTable(
      {
        caption: texts.ledger,
        kind: 'mini',
        columns: [texts.slot, numbers(texts.announced), numbers(texts.delivered), texts.lacks, texts.done, texts.due],
        rows: slots.map((slot) => [
          html`${slot.slot} <span class="soft">${slot.channel}</span>`,
          number(slot.announced),
          number(slot.delivered),
          slot.missing !== null
            ? state('warn', quoted(slot.missing, 'en'))
            : slot.failures > 0
              ? html`${state('bad', texts.failed)} ${quoted(slot.lastError ?? '', 'en')}`
              : '–',
          slot.completedAt === null ? '–' : moment(slot.completedAt, language),
          slot.dueAt === null ? '–' : formatRelative(slot.dueAt, now, language),
        ]),
      },
      language,
    ),
    texts.ledgerNote,
  )
}

function runPart({ runs }: SourceFile, { language }: How): Html {
  const texts = sourceTexts[language]
  const number = (value: number) => formatNumber(value, language)
  if (runs.length === 0) return part(texts.runs, html`<p>${texts.noRun}</p>`)
  return part(
    texts.runs,
    foldedTable(
      {
        caption: texts.runs,
        kind: 'mini',
        columns: [
          texts.started,
          texts.slot,
          numbers(texts.shared.requests),
          numbers(texts.shared.notices),
          numbers(texts.rejected),
          numbers(texts.shared.took),
          texts.shared.outcome,
        ],
        rows: runs.map((run) => [
          moment(run.startedAt, language),
          html`${run.slot} <span class="soft">${run.channel}</span>`,
          number(run.requests),
          number(run.notices),
          number(run.rejections),
          texts.seconds(number(Math.round((run.endedAt - run.startedAt) / 100) / 10)),
          html`
            ${state(outcomeMarks[run.outcome] ?? 'closed', texts.outcomes[run.outcome] ?? run.outcome)}
            ${run.detail !== '' && html` <span class="soft">${quoted(run.detail, 'en')}</span>`}
          `,
        ]),
      },
      language,
    ),
    texts.runsNote,
  )
}

function driftPart({ newNames }: SourceFile, { language }: How): Html | false {
  const texts = sourceTexts[language]
  if (newNames.length === 0) return false
  return part(
    texts.drift,
    foldedTable(
      {
        caption: texts.drift,
        kind: 'mini',
        columns: [texts.shared.name, numbers(texts.held), texts.firstSeen],
        rows: newNames.map(({ name, documents, since }) => [
          html`<code>${quoted(name)}</code>`,
          formatNumber(documents, language),
          moment(since, language),
        ]),
      },
      language,
    ),
    texts.driftNote,
  )
}

function cardPart({ card, line }: SourceFile, { language }: How): Html {
  const texts = sourceTexts[language]
  const { license } = card
  return part(
    texts.card,
    html`<div class="stack">${facts([
      ['ID', html`<code>${line.sourceId}</code>`],
      [texts.homepage, foreignLink(card.homepage)],
      ...(card.documentation === null ? [] : [[texts.documentation, foreignLink(card.documentation)] as const]),
      [texts.license, license.url === undefined ? license.name : foreignLink(license.url, license.name)],
      ...(license.attribution === undefined ? [] : [[texts.attribution, quoted(license.attribution)] as const]),
      [texts.access, card.access === 'open' ? texts.accessOpen : texts.accessKey(card.access)],
      [texts.politeness, card.requestsPerMinute ?? 60],
      [texts.silence, texts.silenceDays(card.silentAfterDays)],
    ])}
${card.caveats.length > 0 && html`<h3>${texts.caveats}</h3><ul class="stack">${card.caveats.map((each) => html`<li>${quoted(each, 'en')}</li>`)}</ul>`}
${table({
  caption: texts.channels,
  isCaptionShown: true,
  kind: 'mini',
  columns: [texts.channel, texts.shared.role, texts.kind, texts.delivery, texts.timetable],
  rows: card.channels.map(({ name, role, slots, delivery, timetable }) => [
    html`<code>${name}</code>`,
    texts.roles[role] ?? role,
    texts.spans[slots] ?? slots,
    texts.deliveries[delivery] ?? delivery,
    timetable === 'every hour' ? texts.everyHour : html`<code>${timetable}</code>`,
  ]),
})}
<p><a href="/operator/rejections?source=${encodeURIComponent(line.sourceId)}">${texts.rejections}</a></p></div>`,
  )
}
