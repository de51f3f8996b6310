// The page of a tender: the record of the newest edition, and the history of its notices.
import type { TenderRecord } from '../../domain/tender.ts'
import type { EditionView } from '../../edition/read/edition-view.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatMoment } from '../frame/format.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import {
  type PageAnswer,
  PageError,
  type PageRequest,
  type PageRoute,
  page,
  personPage,
  publicPage,
} from '../frame/page.ts'
import { noteBox, quoted } from '../frame/parts.ts'
import { publishedRecord } from '../frame/published-record.ts'
import { titleOf } from '../frame/record-texts.ts'
import { readsStock } from '../frame/stock-access.ts'
import { authorityLink } from '../market/party-links.ts'
import { calendarAnswer } from './calendar-entries.ts'
import { statusOf, tenderBody } from './tender-body.ts'
import { backToHits, decisionBars, decisionOf, whyPart } from './tender-decision.ts'
import { tenderTexts } from './tender-texts.ts'

/** What the bars of decisions load. */
const decisionFiles = { styles: ['decide'], scripts: ['keys'] } as const

export const tenderPages = (context: ConsoleContext): PageRoute[] => {
  const pageFor = context.config.hasPublicTenders ? publicPage : personPage
  return [
    pageFor('GET', '/tenders/:id', (request: PageRequest) => oneTender(context, request)),
    publicPage('GET', '/samples/:id', (request) => oneSample(context, request)),
    pageFor('GET', '/tenders/:id/deadline.ics', (request: PageRequest) => fileOf(context, request, context.editions)),
    publicPage('GET', '/samples/:id/deadline.ics', (request) => {
      const stock = context.samples()
      return fileOf(context, request, typeof stock === 'string' ? undefined : stock.editions)
    }),
  ]
}

/** The deadlines of a published tender as a calendar file. */
function fileOf(
  { origin }: ConsoleContext,
  { params, language, url }: PageRequest,
  editions: Pick<EditionView, 'find' | 'record'> | undefined,
): PageAnswer {
  const record = editions && publishedRecord(editions, (params['id'] ?? '').toLowerCase())
  if (!record) throw new PageError(404, frameTexts[language].noPage)
  return calendarAnswer(record, `${origin}${url.pathname.replace(/\/[^/]*$/, '')}`, language)
}

/** A made-up tender, for strangers: its record alone, without the history of its notices. */
function oneSample(context: ConsoleContext, request: PageRequest): PageAnswer {
  const { language, params } = request
  const stock = context.samples()
  const record =
    typeof stock === 'string' ? undefined : publishedRecord(stock.editions, (params['id'] ?? '').toLowerCase())
  if (typeof stock === 'string' || !record) throw new PageError(404, frameTexts[language].noPage)
  const texts = tenderTexts[language]
  const { newest } = stock.editions
  const now = stock.isFrozen && newest ? newest.publishedAt : request.now
  return page({
    ...headOf(record, stock, request),
    crumbs: [[texts.pageNames.tenders, '/tenders']],
    current: '/tenders',
    ...decisionFiles,
    body: html`
      ${noteBox('info', texts.sample, texts.sampleBody)}
      ${decisionBars(record, { hits: [], isMarked: undefined }, { request, link: `${context.origin}/samples/${record.id}` })}
      ${tenderBody(record, { language, now, explained: undefined })}
    `,
  })
}

async function oneTender(context: ConsoleContext, request: PageRequest): Promise<PageAnswer> {
  const { language, params, now, viewer } = request
  const id = (params['id'] ?? '').toLowerCase()
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw new PageError(404, frameTexts[language].noPage)
  const published = publishedRecord(context.editions, id)
  if (published?.mergedInto !== undefined) return mergedTender(published, context, request)
  if (!published && !viewer?.person.isOperator) throw new PageError(404, frameTexts[language].noPage)
  const explained = await context.reads.record(id)
  // an operator decides on pairs before they are published
  const record = published ?? (explained && unpublishedRecord(explained.content, now))
  if (!record) throw new PageError(404, frameTexts[language].noPage)
  const texts = tenderTexts[language]
  // people without access explore other records than this one
  const isExplored = context.hasSamples || viewer?.memberships.some(({ hasAccessArea }) => hasAccessArea) === true
  const hasParties = viewer !== undefined && readsStock(context, request)
  const decision = await decisionOf(context, request, id)
  const back = backToHits(decision, request)
  const how = { language, now, explained, isExplored, hasParties, why: whyPart(decision, language) }
  return page({
    ...headOf(record, context, request, hasParties),
    ...decisionFiles,
    ...(back !== undefined && { crumbs: [[texts.pageNames.hits, back]] }),
    body: html`${!published && noteBox('info', texts.unpublished, texts.unpublishedBody)}${
      published && decisionBars(record, decision, { request, link: `${context.origin}/tenders/${id}` })
    }${tenderBody(record, how)}`,
  })
}

function unpublishedRecord(content: Omit<TenderRecord, 'lastModified' | 'checkedAt'>, now: number): TenderRecord {
  const at = new Date(now).toISOString()
  return { ...content, lastModified: at, checkedAt: at }
}

function headOf(
  record: TenderRecord,
  { editions }: { readonly editions: Pick<EditionView, 'newest'> },
  { language }: PageRequest,
  hasParties = false,
) {
  const texts = tenderTexts[language]
  const { newest } = editions
  const stamp = newest && html`<span class="stamp">${texts.asOf(formatMoment(newest.publishedAt, language))}</span>`
  const authority = record.contractingAuthority
  const { text, lang } = titleOf(record)
  const lead: Html = html`
    ${statusOf(record.status, language)} ${
      record.archiveReason !== undefined &&
      html`<span class="soft">${texts.archiveReasons[record.archiveReason] ?? texts.shared.archived}</span> `
    }
    ${stamp}
    <br>
    ${authority && (hasParties ? authorityLink(authority, record.language) : quoted(authority.name, record.language))}
    ${record.tenderNumber !== undefined && html` · ${quoted(texts.number(record.tenderNumber))}`}
  `
  return {
    title: text || texts.titleMissing,
    titleLanguage: text === '' ? undefined : lang,
    lead,
    ...documentsAction(record, language),
  }
}

/** Nothing for an address that is not a web URL. */
function documentsAction({ documentsUrl }: TenderRecord, language: Language): { readonly actions?: Html } {
  const url = documentsUrl === undefined ? null : URL.parse(documentsUrl)
  if (!url || !/^https?:$/.test(url.protocol)) return {}
  const label = tenderTexts[language].documents
  return { actions: html`<a class="btn go" href="${url.href}" rel="noopener noreferrer nofollow ugc">${label}</a>` }
}

/** A record merged into another one: where it went, and what it was. */
function mergedTender(record: TenderRecord, context: ConsoleContext, request: PageRequest): PageAnswer {
  const texts = tenderTexts[request.language]
  return page({
    ...headOf(record, context, request),
    body: noteBox(
      'info',
      texts.merged,
      html`${texts.mergedBody} <a href="/tenders/${record.mergedInto}">${texts.theOther}</a>.`,
    ),
  })
}
