// The operator's pages about sources: all by state, and one with its buttons.
import { acknowledgeAlarm, turnSourceOff, turnSourceOn } from '../../actions/sources.ts'
import { isActive, sourceStates } from '../../domain/source-state.ts'
import { inTransaction } from '../../store/database/database.ts'
import { quarantineKind } from '../../store/sources/source-fill.ts'
import type { CommandOutcome, ConsoleContext } from '../frame/console-context.ts'
import { formatDay, formatNumber, formatRelative } from '../frame/format.ts'
import { actingOf, actorOf, fieldOf } from '../frame/forms.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { type Content, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import {
  operatorPage,
  orNotFound,
  type PageAnswer,
  PageError,
  type PageRoute,
  type PersonRequest,
  page,
  redirect,
} from '../frame/page.ts'
import { empty, foreignLink, numbers, part, quoted, state, table } from '../frame/parts.ts'
import { runBriefly } from '../frame/run-briefly.ts'
import type { SourceLine } from '../frame/stock-reads.ts'
import { sourceBody, turnOffName } from './source-body.ts'
import { sourceMarks } from './source-marks.ts'
import { sourceTexts } from './source-texts.ts'

export const sourcePages = (context: ConsoleContext): PageRoute[] => [
  operatorPage('GET', '/operator/sources', (request) => sourceList(context, request)),
  operatorPage('GET', '/operator/sources/:source', (request) => oneSource(context, request)),
  operatorPage('POST', '/operator/sources/:source/read', (request) => readNow(context, request)),
  operatorPage('POST', '/operator/sources/:source/check', (request) => check(context, request)),
  operatorPage('POST', '/operator/sources/:source/acknowledge', (request) => acknowledge(context, request)),
  operatorPage('POST', '/operator/sources/:source/off', (request) => turnOff(context, request)),
  operatorPage('POST', '/operator/sources/:source/on', (request) => turnOn(context, request)),
  operatorPage('POST', '/operator/sources/:source/release', (request) => release(context, request)),
]

const addressOf = (sourceId: string): string => `/operator/sources/${encodeURIComponent(sourceId)}`

async function sourceList({ reads }: ConsoleContext, { language, query, now }: PersonRequest): Promise<PageAnswer> {
  const texts = sourceTexts[language]
  const { lines, past: whole } = await reads.sources()
  const wanted = sourceStates.find((each) => each === query.get('state'))
  const shown = sourceStates.filter((each) => wanted === undefined || each === wanted)
  const number = (value: number) => formatNumber(value, language)
  const running = lines.filter((line) => isActive(line.state))
  const ago = (at: number | null) => (at === null ? texts.never : formatRelative(at, now, language))
  const headOf = (each: (typeof sourceStates)[number]) => (each === 'alarm' ? texts.withAlarm : texts.states[each])
  const { last, done, sources, daysLeft } = whole
  const past = last === null ? '' : texts.archiveAll(number(done), number(sources), number(Math.ceil(daysLeft)))
  const groups = shown.map((each) => [each, lines.filter((line) => line.state === each)] as const)
  return page({
    title: texts.pageNames.sources,
    lead: [texts.lead(number(lines.filter((line) => line.state === 'ok').length), number(running.length)), past].join(
      ' ',
    ),
    body: html`<nav class="row" aria-label="${texts.shared.condition}">
      <a class="btn tiny" href="/operator/sources"${wanted === undefined && html` aria-current="page"`}>
        ${texts.shared.all}
      </a>
      ${sourceStates.map((each) => {
        const count = lines.filter((line) => line.state === each).length
        return (
          count > 0 &&
          html`<a class="btn tiny"
            href="/operator/sources?state=${each}"${each === wanted && html` aria-current="page"`}>
            ${headOf(each)} <span class="n">${number(count)}</span>
          </a>`
        )
      })}
    </nav>
${wanted !== undefined && groups[0]?.[1].length === 0 && empty(texts.empty, texts.emptyBody)}
${groups.map(
  ([name, some]) =>
    some.length > 0 &&
    part(
      headOf(name),
      table({
        caption: headOf(name),
        kind: 'mini',
        columns: [
          texts.shared.source,
          texts.shared.condition,
          texts.lastRead,
          texts.lastNew,
          texts.archive,
          numbers(texts.documents),
          numbers(texts.slots),
        ],
        rows: some.map((line) => [
          html`<a href="${addressOf(line.sourceId)}">${quoted(line.title)}</a><br><span class="soft"><code>${line.sourceId}</code> · ${line.country}</span>`,
          html`
            ${state(sourceMarks[line.state], texts.states[line.state])}
            ${line.offBecause !== undefined && html` <span class="soft" lang="en">${withLinks(line.offBecause)}</span>`}
            ${line.failure !== undefined && html` <span class="soft">${quoted(line.failure, 'en')}</span>`}
            ${line.alarms.map(({ detail }) => html`<br><span class="soft">${quoted(detail, 'en')}</span>`)}
          `,
          ago(line.lastSuccessAt),
          ago(line.lastNewAt),
          archiveOf(line, language),
          number(line.recentDocuments),
          number(line.waitingSlots),
        ]),
      }),
      texts.count(number(some.length)),
    ),
)}`,
  })
}

/** From which day on everything is read, and when the rest will be. */
function archiveOf({ past }: SourceLine, language: Language): Content {
  if (!past) return '–'
  const texts = sourceTexts[language]
  if (past.spansLeft === 0) return texts.archiveWhole
  const days = formatNumber(Math.ceil(past.daysLeft), language)
  return html`${past.readBackTo !== null && html`${texts.archiveFrom(formatDay(past.readBackTo, language))}<br>`}
    <span class="soft">${texts.archiveLeft(days, past.isMeasured)}</span>`
}

async function fileOf({ reads }: ConsoleContext, { params, language }: PersonRequest) {
  return orNotFound(await reads.source(params['source'] ?? ''), frameTexts[language].noPage)
}

/** `wrong`: what is wrong with the typed note on an alarm. */
async function oneSource(
  context: ConsoleContext,
  request: PersonRequest,
  wrong?: { readonly alarm: string; readonly sentence: string },
): Promise<PageAnswer> {
  const { language, now } = request
  const texts = sourceTexts[language]
  const file = await fileOf(context, request)
  const { line, card } = file
  const button = (what: 'read' | 'check', text: string, isMain: boolean) =>
    html`<form method="post" action="${addressOf(line.sourceId)}/${what}"><button${isMain && html` class="go"`}>${text}</button></form>`
  return page({
    title: line.title,
    crumbs: [
      [texts.shared.operator, '/operator'],
      [texts.pageNames.sources, '/operator/sources'],
    ],
    current: '/operator/sources',
    lead: texts.one(card.publisher, card.zone),
    actions: html`${button('check', texts.check, false)}${button('read', texts.readNow, true)}`,
    ...(wrong && { status: 422 }),
    body: sourceBody(file, { language, now, wrong }),
  })
}

async function readNow(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const { language } = request
  const texts = sourceTexts[language]
  const sourceId = await knownSource(context, request)
  const outcome = await runBriefly(context, { by: actorOf(request), command: 'source run', operands: [sourceId] })
  const to = addressOf(sourceId)
  if (outcome.kind === 'goesOn') return redirect(to, { notice: texts.goesOn })
  const readings = outcome.events.filter(({ event }) => event === 'sourceRead')
  const failed = readings.find(({ outcome: kind }) => kind === 'failed' || kind === 'refused')
  if (failed) return redirect(to, { notice: texts.readFailed(String(failed['detail'] ?? '').slice(0, 300)) })
  if (readings.length === 0) return redirect(to, { notice: texts.nothingDue })
  const notices = readings.reduce((sum, each) => sum + Number(each['notices'] ?? 0), 0)
  return redirect(to, { notice: texts.read(readings.length, formatNumber(notices, language)) })
}

async function check(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const sourceId = await knownSource(context, request)
  const outcome = await runBriefly(context, { by: actorOf(request), command: 'source check', operands: [sourceId] })
  const texts = sourceTexts[request.language]
  const notice = outcome.kind === 'goesOn' ? texts.goesOn : verdictText(outcome, texts)
  return redirect(addressOf(sourceId), { notice })
}

function verdictText({ events }: CommandOutcome, texts: (typeof sourceTexts)['en']): string {
  const checked = events.find(({ event }) => event === 'sourceChecked')
  if (checked?.['verdict'] === 'ok') return texts.checked
  if (checked?.['verdict'] === 'quiet') return texts.quiet
  const findings = Array.isArray(checked?.['findings']) ? checked['findings'].join(' ') : ''
  return texts.differs(findings.slice(0, 400))
}

/** The source in the path. Throws PageError 404. */
async function knownSource({ reads }: ConsoleContext, { params, language }: PersonRequest): Promise<string> {
  const sourceId = params['source'] ?? ''
  if (!(await reads.titles()).has(sourceId)) throw new PageError(404, frameTexts[language].noPage)
  return sourceId
}

async function acknowledge(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const { language, form } = request
  const texts = sourceTexts[language]
  const sourceId = await knownSource(context, request)
  const [kind, raised] = [fieldOf(form, 'kind'), Number(fieldOf(form, 'raised'))]
  const text = fieldOf(form, 'note').slice(0, 500)
  if (text === '') return oneSource(context, request, { alarm: `${kind}-${raised}`, sentence: texts.noteNeeded })
  if (!Number.isSafeInteger(raised)) throw new PageError(404, texts.noSuchAlarm)
  const alarm = { sourceId, kind, raisedAt: raised }
  const isKnown = await inTransaction(context.store, (trx) =>
    acknowledgeAlarm(trx, actingOf(context, request), alarm, text),
  )
  return redirect(addressOf(sourceId), { notice: isKnown ? texts.acknowledged : texts.noSuchAlarm })
}

async function turnOff(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const { language, form } = request
  const texts = sourceTexts[language]
  const sourceId = await knownSource(context, request)
  const reason = fieldOf(form, 'reason').slice(0, 500).trim()
  if (reason === '') return oneSource(context, request, { alarm: turnOffName, sentence: texts.reasonNeeded })
  await inTransaction(context.store, (trx) => turnSourceOff(trx, actingOf(context, request), sourceId, reason))
  return redirect(addressOf(sourceId), { notice: texts.turnedOff })
}

async function turnOn(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const sourceId = await knownSource(context, request)
  await inTransaction(context.store, (trx) => turnSourceOn(trx, actingOf(context, request), sourceId))
  return redirect(addressOf(sourceId), { notice: sourceTexts[request.language].turnedOn })
}

/** Ends a quarantine. */
async function release(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const { language, form } = request
  const texts = sourceTexts[language]
  const sourceId = await knownSource(context, request)
  const text = fieldOf(form, 'note').slice(0, 500)
  const seen = fieldOf(form, 'raised')
  const alarm = `${quarantineKind}-${seen}`
  if (text === '') return oneSource(context, request, { alarm, sentence: texts.noteNeeded })
  const outcome = await runBriefly(context, {
    by: actorOf(request),
    command: 'source release',
    operands: [sourceId],
    options: { note: text, seen },
  })
  if (outcome.kind === 'goesOn') return redirect(addressOf(sourceId), { notice: texts.goesOn })
  const released = outcome.events.find(({ event }) => event === 'sourceReleased')
  const count = formatNumber(Number(released?.['notices'] ?? 0), language)
  return redirect(addressOf(sourceId), { notice: texts.released(count) })
}

/** A text of ours with its URLs as links. */
const withLinks = (text: string): Content =>
  text.split(/(https:\/\/[^\s()]+)/).map((part, index) => (index % 2 === 1 ? foreignLink(part) : part))
