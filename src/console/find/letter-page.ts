// Everything that one mail with hits brings, on one page: mails list only the first.
import type { TenderRecord } from '../../domain/tender.ts'
import { digestHits, digestsOf } from '../../store/hits/digests.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatNumber } from '../frame/format.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { html } from '../frame/html.ts'
import { type PageAnswer, PageError, type PageRoute, type PersonRequest, page, personPage } from '../frame/page.ts'
import { empty, pager } from '../frame/parts.ts'
import { readsStock } from '../frame/stock-access.ts'
import { readAddress } from './asked.ts'
import { findTexts } from './find-texts.ts'
import { tenderCard } from './tender-card.ts'

const pageSize = 200

export const letterPages = (context: ConsoleContext): PageRoute[] => [
  personPage('GET', '/me/hits', (request) => letterPage(context, request)),
]

/** The hits of the person's searches, in organizations they belong to, of the editions that the address names. */
async function letterPage(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const { viewer, query, language, now } = request
  const [after, upTo, first] = ['after', 'to', 'n'].map((name) => numberIn(query.get(name) ?? '0'))
  if (after === undefined || upTo === undefined || first === undefined)
    throw new PageError(404, frameTexts[language].noPage)
  context.stockLimits.takePage(request)
  const { db } = context.store
  const own = new Set(viewer.memberships.map(({ organizationId }) => organizationId))
  const digests = (await digestsOf(db, viewer.person.mail)).filter(({ organizationId }) => own.has(organizationId))
  const searches = digests.flatMap(({ searchNo }) => (searchNo === null ? [] : [{ searchNo, after }]))
  const { count, tenders } = await digestHits(db, { searches, upTo }, { limit: pageSize, offset: first })
  const records = tenders.flatMap(({ body }) => (body === null ? [] : [JSON.parse(body) as TenderRecord]))
  const texts = findTexts[language]
  const how = {
    asked: readAddress(new URLSearchParams(), language).asked,
    language,
    now,
    pages: '/tenders/',
    hasParties: readsStock(context, request),
  }
  const number = (value: number) => formatNumber(value, language)
  const at = (n: number) => `/me/hits?after=${after}&to=${upTo}${n > 0 ? `&n=${n}` : ''}`
  const last = first + tenders.length
  return page({
    title: texts.letterTitle,
    lead: texts.letterLead,
    styles: ['find'],
    isUnlisted: true,
    body:
      tenders.length === 0
        ? empty(texts.letterNone, texts.letterNoneDetail)
        : html`<ol class="finds">${records.map((record) => tenderCard(record, how))}</ol>${pager({
            text: texts.letterCount(number(first + 1), number(last), number(count)),
            ...(first > 0 && { previous: [texts.previous, at(Math.max(0, first - pageSize))] as const }),
            ...(last < count && { next: [texts.next, at(last)] as const }),
          })}`,
  })
}

/** A number of an address, that the database can count to. */
function numberIn(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}
