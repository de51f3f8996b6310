// The status for everybody: whether all is well now, editions of 90 days, portals, incidents; and the feed of the
// incidents.
import { minuteMs } from '../../domain/time.ts'
import { loadSources, type Sources } from '../../sources/registry.ts'
import { isConnectionLoss } from '../../store/connections/connection-loss.ts'
import type { Incident } from '../../store/screens/incidents.ts'
import type { PastMaintenance } from '../../store/screens/maintenances.ts'
import type { PublicSource } from '../../store/screens/public-status.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatDay, formatMoment, formatNumber } from '../frame/format.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { type PageRoute, page, publicPage } from '../frame/page.ts'
import { figures, more, noteBox, numbers, part, state, table } from '../frame/parts.ts'
import { settledWithin } from '../frame/settled-within.ts'
import { type AtomEntry, atomAnswer } from './atom.ts'
import { lateMs, type StatusBoard, type StatusBoards, type StatusDay } from './status-board.ts'
import { statusTexts } from './status-texts.ts'

/** Below what a page may take. */
const maxWaitMs = 1_500
/** Alarms that concern the operator only: the portal works. */
const internalAlarms: ReadonlySet<string> = new Set(['drift', 'fill'])

export const statusPages = (
  context: Pick<ConsoleContext, 'origin' | 'clock' | 'brand' | 'config'>,
  boards: StatusBoards,
): PageRoute[] => [
  publicPage('GET', '/status', async ({ language }) => {
    const texts = statusTexts[language]
    const { board, isOld } = await newestBoard(boards)
    return page({
      title: texts.pageNames.status,
      description: texts.description(context.brand.name),
      feed: '/status.atom',
      lead: html`<span class="stamp">${(isOld ? texts.asOfBefore : texts.asOf)(formatMoment(board.at, language))}</span>`,
      actions: html`<a class="btn" href="/status.atom">${texts.feed}</a>${
        context.config.mail && html`<a class="btn" href="/me/status-mails">${texts.byMail}</a>`
      }`,
      body: html`
        ${isOld && noteBox('warn', texts.noDatabase, texts.noDatabaseDetail)}
        ${!isOld && present(board, context.clock(), language)}
        ${editionsPart(board, language)}
        ${await sourcesPart(board, language)}
        ${incidentsPart(board, context.clock(), language)}
      `,
    })
  }),
  publicPage('GET', '/status.atom', async ({ language }) => {
    const { at, incidents, edits, maintenances } = (await newestBoard(boards)).board
    const texts = statusTexts[language]
    const entryOf = (maintenance: PastMaintenance): AtomEntry => ({
      id: `${context.origin}/status#${nameOf(maintenance)}`,
      title: texts.maintenance,
      publishedAt: maintenance.startedAt,
      updatedAt: maintenance.changedAt,
      link: `${context.origin}/status#${nameOf(maintenance)}`,
      content: { type: 'text', text: spanOf(maintenance, language) },
    })
    return atomAnswer({
      address: `${context.origin}/status.atom`,
      page: `${context.origin}/status`,
      title: texts.feedTitle(context.brand.name),
      author: context.brand.name,
      language,
      updatedAt: at,
      entries: [
        ...incidents.map(
          ({ incidentId, title, detail, startedAt, endedAt }): AtomEntry => ({
            id: `urn:uuid:${incidentId}`,
            title,
            publishedAt: startedAt,
            updatedAt: Math.max(startedAt, edits.get(incidentId) ?? 0, endedAt ?? 0),
            link: `${context.origin}/status#incident-${incidentId}`,
            content: { type: 'text', text: detail },
          }),
        ),
        ...maintenances.map(entryOf),
      ].sort((one, other) => other.publishedAt - one.publishedAt),
    })
  }),
]

/** The last board while the database does not answer: this page is opened when something is wrong. */
async function newestBoard(boards: StatusBoards): Promise<{ readonly board: StatusBoard; readonly isOld: boolean }> {
  const reading = boards.read()
  try {
    const board = await settledWithin(reading, maxWaitMs)
    if (board) return { board, isOld: false }
  } catch (error) {
    if (!isConnectionLoss(error) || !boards.last) throw error
  }
  return boards.last ? { board: boards.last, isOld: true } : { board: await reading, isOld: false }
}

/** The current state: the most important fact first. */
function present({ incidents, maintenances, isHeld, newestAt }: StatusBoard, now: number, language: Language): Html {
  const texts = statusTexts[language]
  const maintenance = maintenances.find(({ until }) => until > now)
  if (maintenance) return noteBox('warn', texts.maintenance, spanOf(maintenance, language))
  const open = incidents.find(({ endedAt }) => endedAt === undefined)
  if (open) return noteBox('warn', texts.incident, html`<a href="#incident-${open.incidentId}">${open.title}</a>`)
  if (newestAt === undefined) return noteBox('info', texts.waiting, texts.shared.firstEditionComes)
  const at = formatMoment(newestAt, language)
  if (isHeld) return noteBox('warn', texts.held, texts.heldDetail(at))
  if (now - newestAt > lateMs) return noteBox('warn', texts.late, texts.lateDetail(at))
  return noteBox('ok', texts.fine, texts.fineDetail(at))
}

/** Height of a bar and its class: states differ by height as well as by color. */
const marks: { readonly [each in StatusDay['state']]: readonly [height: number, name: string] } = {
  onTime: [100, 'a'],
  late: [60, 'x2'],
  held: [35, 'x2'],
  none: [8, 'b'],
}

function editionsPart({ days }: StatusBoard, language: Language): Html {
  const texts = statusTexts[language]
  const count = (wanted: StatusDay['state']) => days.filter((day) => day.state === wanted).length
  const title = ({ day, state: each, editions }: StatusDay) =>
    texts.dayTitle(formatDay(day, language), texts.dayStates[each], editions)
  const picture = html`
    <figure class="chart">
      <div class="y"></div>
      <svg viewBox="0 0 ${days.length * 10} 100" preserveAspectRatio="none" role="img"
        aria-label="${texts.finding(count('onTime'), count('late'), count('held'))}">
        ${days.map((day, index) => {
          const [height, name] = marks[day.state]
          return html`<rect class="${name}" x="${index * 10 + 1}" width="8" y="${100 - height}" height="${height}"><title>${title(day)}</title></rect>`
        })}
      </svg>
      <div class="x" aria-hidden="true">
        ${[90, 60, 30].map((count) => html`<span>${texts.daysAgo(count)}</span>`)}
      </div>
    </figure>
    <ul class="key">
      <li>${texts.dayStates.onTime}</li>
      <li class="kx">${texts.lowerBars}</li>
      <li class="kb">${texts.dayStates.none}</li>
    </ul>
  `
  const rows = days
    .filter((day) => day.state !== 'none')
    .toReversed()
    .map((day) => [
      formatDay(day.day, language),
      texts.dayStates[day.state],
      formatNumber(day.editions, language),
      texts.minutes(formatNumber(Math.round(day.longestGapMs / minuteMs), language)),
    ])
  const columns = [texts.shared.day, texts.shared.condition, numbers(texts.count), numbers(texts.longestGap)]
  return part(
    texts.editions,
    html`${picture}${rows.length > 0 && more(texts.shared.sameAsTable, table({ caption: texts.editions, columns, rows }))}`,
    texts.editionsDetail,
  )
}

async function sourcesPart({ sources }: StatusBoard, language: Language): Promise<Html> {
  const texts = statusTexts[language]
  if (sources.length === 0) return part(texts.shared.portals, html`<p>${texts.sourcesNone}</p>`)
  const troubled = sources.flatMap((source) => {
    const alarms = source.alarms.filter(({ kind }) => !internalAlarms.has(kind))
    return alarms.length > 0 ? [{ ...source, alarms }] : []
  })
  // the cards are many files, and only their titles are needed
  const cards: Sources = troubled.length > 0 ? await loadSources() : new Map()
  const strip = figures([
    {
      name: texts.shared.portals,
      value: formatNumber(sources.length, language),
      note: texts.sourcesFine(formatNumber(sources.length - troubled.length, language)),
    },
    {
      name: texts.trouble,
      value: formatNumber(troubled.length, language),
      note: texts.sourcesBad(formatNumber(troubled.length, language)),
    },
  ])
  const rows = troubled.map(({ sourceId, checkedAt, alarms }: PublicSource) => [
    html`<bdi>${cards.get(sourceId)?.title ?? sourceId}</bdi>`,
    state('warn', alarms.map(({ kind }) => texts.alarms[kind] ?? texts.otherAlarm).join('; ')),
    formatMoment(Math.min(...alarms.map(({ raisedAt }) => raisedAt)), language),
    formatMoment(checkedAt, language),
  ])
  const columns = [texts.shared.portal, texts.trouble, texts.shared.since, texts.shared.lastAnswer]
  return part(
    texts.shared.portals,
    html`${strip}${rows.length > 0 && table({ caption: texts.trouble, columns, rows })}`,
  )
}

function incidentsPart({ incidents, maintenances }: StatusBoard, now: number, language: Language): Html {
  const texts = statusTexts[language]
  const items = [
    ...incidents.map((each) => ({ at: each.startedAt, item: incidentItem(each, language) })),
    ...maintenances.map((each) => ({ at: each.startedAt, item: maintenanceItem(each, now, language) })),
  ]
  if (items.length === 0) return part(texts.incidents, html`<p>${texts.noIncidents}</p>`)
  items.sort((one, other) => other.at - one.at)
  return part(texts.incidents, html`<ul class="incidents">${items.map(({ item }) => item)}</ul>`)
}

const nameOf = ({ startedAt }: PastMaintenance): string => `maintenance-${startedAt}`

const spanOf = ({ startedAt, until }: PastMaintenance, language: Language): string =>
  statusTexts[language].from(formatMoment(startedAt, language), formatMoment(until, language))

const stateOf = (goesOn: boolean, language: Language): Html => {
  const { shared } = statusTexts[language]
  return goesOn ? state('warn', shared.goesOn) : state('good', shared.over)
}

function maintenanceItem(maintenance: PastMaintenance, now: number, language: Language): Html {
  return html`<li id="${nameOf(maintenance)}">
    <h3>${statusTexts[language].maintenance}</h3>
    <p>${stateOf(maintenance.until > now, language)} <span class="soft small">${spanOf(maintenance, language)}</span></p>
  </li>`
}

function incidentItem({ incidentId, title, detail, startedAt, endedAt }: Incident, language: Language): Html {
  const texts = statusTexts[language]
  const from = formatMoment(startedAt, language)
  return html`<li id="incident-${incidentId}">
    <h3>${title}</h3>
    <p>
      ${stateOf(endedAt === undefined, language)} <span class="soft small">
        ${endedAt === undefined ? texts.fromOn(from) : texts.from(from, formatMoment(endedAt, language))}
      </span>
    </p>
    ${detail.split(/\n{2,}/).map((paragraph) => html`<p>${paragraph}</p>`)}
  </li>`
}
