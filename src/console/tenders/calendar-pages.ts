// Deadlines in the calendars of people: marks on pages of tenders, the page of a person's calendar, and the address at
// which a program reads it (decision 75).
import { hash } from 'node:crypto'
import { createCalendarFeed, revokeCalendarFeed } from '../../actions/calendars.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { hourMs } from '../../domain/time.ts'
import { inTransaction } from '../../store/database/database.ts'
import {
  calendarFeedSince,
  calendarOwner,
  markDeadline,
  markedDeadlines,
  maxMarks,
  unmarkDeadline,
} from '../../store/people/calendars.ts'
import { AttemptLimit } from '../frame/attempt-limit.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { deadlineMoment, deadlineNote } from '../frame/deadline.ts'
import { keyHashOf } from '../frame/directory.ts'
import { formatDay, formatNumber } from '../frame/format.ts'
import { actingOf, formKey, once } from '../frame/forms.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { type Html, html } from '../frame/html.ts'
import { returnPath } from '../frame/own-path.ts'
import {
  type PageAnswer,
  PageError,
  type PageRequest,
  type PageRoute,
  type PersonRequest,
  page,
  personPage,
  publicPage,
  redirect,
} from '../frame/page.ts'
import { code, empty, noteBox, part, quoted, table, unseen } from '../frame/parts.ts'
import { publishedRecord, publishedRecords } from '../frame/published-record.ts'
import { titleOf } from '../frame/record-texts.ts'
import { calendarEntries, deadlinesOf } from './calendar-entries.ts'
import { calendarFile } from './calendar-file.ts'
import { decisionTexts } from './decision-texts.ts'

/** How often an hour an address may be read: once by each device of a person. */
const maxReads = 12
/** Maximum merges that are followed from a marked tender. */
const maxMerges = 5
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const calendarPages = (context: ConsoleContext): PageRoute[] => {
  const reads = new AttemptLimit(maxReads, hourMs)
  return [
    personPage('POST', '/tenders/:id/mark', (request) => mark(context, request)),
    personPage('GET', '/me/calendar', (request) => calendarPage(context, request)),
    personPage('POST', '/me/calendar', (request) => create(context, request), { isSensitive: true }),
    personPage('POST', '/me/calendar/revoke', (request) => revoke(context, request)),
    publicPage('GET', '/calendar/:key', (request) => feed(context, reads, request)),
  ]
}

async function mark(context: ConsoleContext, { viewer, form, params, language, now }: PersonRequest) {
  const texts = decisionTexts[language]
  const { personId } = viewer.person
  const id = params['id'] ?? ''
  const back = returnPath(form.get('return'))
  const to = back === '/' ? `/tenders/${id}` : back
  if (!uuid.test(id)) throw new PageError(404, frameTexts[language].noPage)
  if (form.get('do') !== 'mark') {
    await inTransaction(context.store, (trx) => unmarkDeadline(trx, personId, id))
    return redirect(to, { notice: texts.unmarked })
  }
  if (!publishedRecord(context.editions, id)) throw new PageError(404, frameTexts[language].noPage)
  const isMarked = await inTransaction(context.store, (trx) => markDeadline(trx, personId, id, now))
  return redirect(to, { notice: isMarked ? texts.marked : texts.tooMany(formatNumber(maxMarks, language)) })
}

type Marked = { readonly id: string; readonly record: TenderRecord | undefined }

/** What somebody marked: the record into which a tender was merged in its place. */
async function markedBy(context: ConsoleContext, personId: string): Promise<Marked[]> {
  const ids = await markedDeadlines(context.store.db, personId)
  let records = await publishedRecords(context, ids)
  const found = new Map(ids.map((id) => [id, records.get(id)]))
  for (let merges = 0; merges < maxMerges; merges++) {
    const merged = [...found].flatMap(([id, record]) =>
      record?.mergedInto === undefined ? [] : [[id, record.mergedInto]],
    )
    if (merged.length === 0) break
    records = await publishedRecords(
      context,
      merged.map(([, into]) => into!),
    )
    for (const [id, into] of merged) found.set(id!, records.get(into!))
  }
  return ids.map((id) => ({ id, record: found.get(id) }))
}

/**
 * The address ends with the access of whoever made it: of operators, and of people whose organization has access to the
 * stock.
 */
const mayRead = ({ directory }: ConsoleContext, personId: string): boolean =>
  directory.person(personId)?.isOperator === true ||
  directory.membershipsOf(personId).some(({ organizationId }) => directory.organization(organizationId)?.hasApiAccess)

/** The deadlines of a person as a calendar. Unknown, revoked and ended addresses are answered alike. */
async function feed(context: ConsoleContext, reads: AttemptLimit, request: PageRequest): Promise<PageAnswer> {
  const { params, now, ifNoneMatch } = request
  const [, key] = /^([\w-]{43})\.ics$/.exec(params['key'] ?? '') ?? []
  const keyHash = key === undefined ? undefined : keyHashOf(key)
  const personId = keyHash === undefined ? undefined : await calendarOwner(context.store.db, keyHash)
  const plain = { kind: 'content', type: 'text/plain; charset=utf-8' } as const
  if (keyHash === undefined || personId === undefined || !mayRead(context, personId))
    return { ...plain, status: 404, body: `${frameTexts[request.language].noPage}\n` }
  const language = context.directory.person(personId)?.language ?? request.language
  const texts = decisionTexts[language]
  if (!reads.take(keyHash, now))
    return { ...plain, status: 429, body: `${texts.tooOften}\n`, headers: { 'retry-after': String(hourMs / 1000) } }
  const marked = await markedBy(context, personId)
  const entries = marked.flatMap(({ id, record }) =>
    record ? calendarEntries(record, { id, link: `${context.origin}/tenders/${record.id}`, language }) : [],
  )
  const body = calendarFile(entries, { name: texts.calendarName, isFeed: true })
  const tag = `"${hash('sha256', body).slice(0, 32)}"`
  const headers = { 'cache-control': `private, max-age=${hourMs / 1000}`, etag: tag }
  const isKnown = ifNoneMatch?.split(',').some((each) => each.trim().replace(/^W\//, '') === tag) === true
  return {
    kind: 'content',
    type: 'text/calendar; charset=utf-8',
    headers,
    ...(isKnown ? { status: 304, body: '' } : { body }),
  }
}

/** `made`: the address, which is shown once. */
async function calendarPage(context: ConsoleContext, request: PersonRequest, made?: string): Promise<PageAnswer> {
  const { viewer, language } = request
  const texts = decisionTexts[language]
  const { personId } = viewer.person
  const since = await calendarFeedSince(context.store.db, personId)
  const marked = await markedBy(context, personId)
  return page({
    title: texts.calendar,
    lead: texts.calendarLead,
    crumbs: [[texts.pageNames.settings, '/me']],
    current: '/me',
    body: html`
      ${
        made !== undefined &&
        html`
          ${noteBox('ok', texts.feedMade, texts.feedMadeBody)}
          ${code({ id: 'feed', text: made, caption: texts.feed, copy: [texts.shared.copy, texts.shared.copied] })}
        `
      }
      ${part(texts.feed, feedForms(context, since, language), texts.feedHint)}
      ${part(texts.listed, markedTable(marked, request))}
    `,
  })
}

function feedForms(context: ConsoleContext, since: number | undefined, language: PageRequest['language']): Html {
  const texts = decisionTexts[language]
  const create = html`<form method="post" action="/me/calendar">
    ${formKey(context)}
    <button class="${since === undefined && 'go'}">${since === undefined ? texts.createFeed : texts.replaceFeed}</button>
  </form>`
  if (since === undefined) return empty(texts.noFeed, texts.noFeedBody, create)
  return html`<p>${texts.feedSince(formatDay(since, language))}</p>
<div class="row after">
  ${create}
  <form method="post" action="/me/calendar/revoke"><button class="stop">${texts.revokeFeed}</button></form>
</div>`
}

function markedTable(marked: readonly Marked[], { language, now }: PersonRequest): Html {
  const texts = decisionTexts[language]
  if (marked.length === 0) return empty(texts.nothingMarked, texts.nothingMarkedBody)
  return table({
    caption: texts.listed,
    kind: 'mid',
    columns: [texts.tender, texts.shared.authority, texts.shared.deadline, unseen(texts.shared.change)],
    rows: marked.map(({ id, record }) => {
      const { text, lang } = titleOf(record ?? {})
      const title = record ? text || texts.tender : texts.gone
      const [first] = record ? deadlinesOf(record) : []
      return [
        html`<a href="/tenders/${record?.id ?? id}">${quoted(title, text === '' ? undefined : lang)}</a>`,
        record?.contractingAuthority ? quoted(record.contractingAuthority.name, record.language) : '–',
        first
          ? html`${deadlineMoment(first.at, record?.timeZone, language)} <span class="soft">${deadlineNote(first, now, language)}</span>`
          : texts.noDeadline,
        html`<form method="post" action="/tenders/${id}/mark">
          <input type="hidden" name="return" value="/me/calendar">
          <button class="tiny" name="do" value="unmark">${texts.takeOut}<span class="hide">: ${title}</span></button>
        </form>`,
      ]
    }),
  })
}

async function create(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const key = Buffer.from(context.random.bytes(32)).toString('base64url')
  const sent = await once(context, request, (trx) =>
    createCalendarFeed(trx, actingOf(context, request), request.viewer.person, keyHashOf(key)),
  )
  if (sent.kind === 'sent')
    return redirect('/me/calendar', { notice: decisionTexts[request.language].shared.alreadySent })
  return calendarPage(context, request, `${context.origin}/calendar/${key}.ics`)
}

async function revoke(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  await inTransaction(context.store, (trx) =>
    revokeCalendarFeed(trx, actingOf(context, request), request.viewer.person),
  )
  return redirect('/me/calendar', { notice: decisionTexts[request.language].revoked })
}
