// The operator's pages about rejections, and the raw bytes of one document.
import {
  countRejections,
  type FoundRejection,
  findRejections,
  type RejectionCount,
} from '../../store/received/rejections.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatNumber } from '../frame/format.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { operatorPage, type PageAnswer, PageError, type PageRoute, type PersonRequest, page } from '../frame/page.ts'
import { empty, moment, numbers, pager, part, quoted, table } from '../frame/parts.ts'
import { strictPolicy } from '../frame/strict-policy.ts'
import { rejectionTexts } from './rejection-texts.ts'

const perPage = 50
/** Maximum number of pages: beyond it, a reason or a source narrows the list. */
const maxPages = 200
/** Maximum bytes shown in the browser. */
const maxShownBytes = 1_000_000

export const rejectionPages = (context: ConsoleContext): PageRoute[] => [
  operatorPage('GET', '/operator/rejections', (request) => rejectionList(context, request)),
  operatorPage('GET', '/operator/documents/:hash', (request) => rawDocument(context, request)),
]

async function rejectionList({ store }: ConsoleContext, { language, query }: PersonRequest): Promise<PageAnswer> {
  const texts = rejectionTexts[language]
  const [reason, sourceId] = [query.get('reason') ?? '', query.get('source') ?? '']
  const wanted = Number(query.get('page') ?? '1')
  const at = Number.isSafeInteger(wanted) && wanted >= 1 && wanted <= maxPages ? wanted : 1
  const counts = await countRejections(store.db)
  const found = await findRejections(store.db, {
    ...(reason !== '' && { reason }),
    ...(sourceId !== '' && { sourceId }),
    limit: perPage + 1,
    offset: (at - 1) * perPage,
  })
  if (counts.length === 0)
    return page({ title: texts.pageNames.rejections, lead: texts.lead, body: empty(texts.empty, texts.emptyBody) })
  const number = (value: number) => formatNumber(value, language)
  const shown = found.slice(0, perPage)
  const isChosen = reason !== '' || sourceId !== ''
  return page({
    title: texts.pageNames.rejections,
    current: '/operator/rejections',
    lead: texts.lead,
    body: html`${part(texts.byReason, countTable(counts, language))}
${part(
  texts.list,
  html`
    ${
      isChosen &&
      html`<p>
        ${quoted([reasonText(reason, language), sourceId].filter((each) => each !== '').join(', '))} · <a href="/operator/rejections">
          ${texts.showAll}
        </a>
      </p>`
    }
    ${
      shown.length === 0
        ? empty(texts.empty, texts.emptyBody)
        : html`${listTable(shown, language)}${pager({
            text: texts.shared.range(number((at - 1) * perPage + 1), number((at - 1) * perPage + shown.length)),
            previous: at > 1 ? [texts.newer, addressOf({ reason, source: sourceId, page: at - 1 })] : undefined,
            next:
              found.length > perPage && at < maxPages
                ? [texts.shared.older, addressOf({ reason, source: sourceId, page: at + 1 })]
                : undefined,
          })}`
    }
  `,
)}`,
  })
}

/** The reason in words; its code if this version does not know it. */
const reasonText = (reason: string, language: Language): string => {
  const { reasons } = rejectionTexts[language]
  return Object.hasOwn(reasons, reason) ? reasons[reason]! : reason
}

function addressOf(wanted: { readonly reason?: string; readonly source?: string; readonly page?: number }): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(wanted))
    if (value !== '' && value !== undefined && value !== 1) query.set(name, String(value))
  return `/operator/rejections${query.size > 0 ? `?${query}` : ''}`
}

function countTable(counts: readonly RejectionCount[], language: Language): Html {
  const texts = rejectionTexts[language]
  return table({
    caption: texts.byReason,
    kind: 'mini',
    columns: [texts.shared.reason, texts.shared.source, numbers(texts.count), texts.shared.newest],
    rows: counts.map(({ reason, sourceId, count, newestAt }) => [
      html`<a href="${addressOf({ reason, source: sourceId })}">${reasonText(reason, language)}</a>`,
      html`<a href="${addressOf({ source: sourceId })}">${sourceId}</a>`,
      formatNumber(count, language),
      moment(newestAt, language),
    ]),
  })
}

function listTable(list: readonly FoundRejection[], language: Language): Html {
  const texts = rejectionTexts[language]
  return table({
    caption: texts.list,
    kind: 'mini',
    columns: [texts.document, texts.shared.source, texts.shared.reason, texts.why, texts.shared.when],
    rows: list.map(({ documentId, pointer, address, sourceId, reason, path, detail, rejectedAt }) => [
      html`
        <a href="/operator/documents/${documentId}">${texts.open}</a>
        <br>
        <span class="soft">
          ${quoted(address)}
          ${pointer !== '' && html` ${texts.shared.part} <code>${quoted(pointer)}</code>`}
        </span>
      `,
      sourceId,
      reasonText(reason, language),
      html`${path !== '' && html`<code>${quoted(path)}</code> `}${quoted(detail, 'en')}`,
      moment(rejectedAt, language),
    ]),
  })
}

async function rawDocument({ reads }: ConsoleContext, { params, language }: PersonRequest): Promise<PageAnswer> {
  const hash = params['hash'] ?? ''
  const found = /^[0-9a-f]{64}$/.test(hash) ? await reads.document(hash) : undefined
  if (!found) throw new PageError(404, frameTexts[language].noPage)
  const { bytes } = found
  return {
    kind: 'content',
    // shown as text in any case: a notice in HTML, XML or SVG could execute something
    type: 'text/plain; charset=utf-8',
    body: bytes,
    headers: {
      'content-security-policy': `${strictPolicy}; sandbox`,
      ...(bytes.length > maxShownBytes && { 'content-disposition': `attachment; filename="${hash}.txt"` }),
    },
  }
}
