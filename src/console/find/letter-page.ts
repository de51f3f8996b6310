// Everything that one mail with hits brings, on one page: mails list only the first. Mails lead to it by a link with a
// sealed token, which works without an account as long as the mail is kept.
import { letterContext, readContent } from '../../digests/digest-content.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { digestHits, digestsOf } from '../../store/hits/digests.ts'
import { findDigestMail } from '../../store/people/mails.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatNumber } from '../frame/format.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { html } from '../frame/html.ts'
import {
  type PageAnswer,
  PageError,
  type PageRequest,
  type PageRoute,
  type PersonRequest,
  page,
  personPage,
  publicPage,
} from '../frame/page.ts'
import { empty, pager } from '../frame/parts.ts'
import { readsStock } from '../frame/stock-access.ts'
import { readAddress } from './asked.ts'
import { findTexts } from './find-texts.ts'
import { tenderCard } from './tender-card.ts'

const pageSize = 200

export const letterPages = (context: ConsoleContext): PageRoute[] => [
  // where mails of versions before lead
  personPage('GET', '/me/hits', (request) => ownHits(context, request)),
  publicPage('GET', '/letter/:token', (request) => sealedLetter(context, request)),
]

/** The hits of the person's searches, in organizations they belong to, of the editions that the address names. */
async function ownHits(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const { viewer, query, language } = request
  const [after, upTo] = ['after', 'to'].map((name) => numberIn(query.get(name) ?? '0'))
  if (after === undefined || upTo === undefined) throw new PageError(404, frameTexts[language].noPage)
  context.stockLimits.takePage(request)
  const { db } = context.store
  const own = new Set(viewer.memberships.map(({ organizationId }) => organizationId))
  const digests = (await digestsOf(db, viewer.person.mail)).filter(({ organizationId }) => own.has(organizationId))
  const searches = digests.flatMap(({ searchNo }) => (searchNo === null ? [] : [{ searchNo, after }]))
  return letterPage(context, request, { searches, upTo, path: `/me/hits?after=${after}&to=${upTo}` })
}

/** The hits of one mail, also for people who have no account: the link is as good as the mail. */
async function sealedLetter(context: ConsoleContext, request: PageRequest): Promise<PageAnswer> {
  const { params, language } = request
  const token = params['token'] ?? ''
  const { db } = context.store
  const sealed = /^[\w-]{40,800}$/.test(token) ? Buffer.from(token, 'base64url') : undefined
  const messageId = sealed && (await context.webhooks.sealer()).open(sealed, letterContext)?.toString()
  if (messageId === undefined) context.stockLimits.takePage(request)
  else context.stockLimits.takeLetter(messageId, request)
  const mail = messageId === undefined ? undefined : await findDigestMail(db, messageId)
  const { digestId, person } = mail ?? {}
  const content = mail && digestId !== undefined ? readContent(mail.content, digestId) : undefined
  if (!content?.editions || person === undefined) throw new PageError(404, findTexts[language].letterGone)
  const numbers = new Map((await digestsOf(db, person)).map((digest) => [digest.digestId, digest.searchNo]))
  const searches = content.searches.flatMap(({ digestId: each, after }) => {
    const searchNo = numbers.get(each)
    return typeof searchNo === 'number' && after !== undefined ? [{ searchNo, after }] : []
  })
  return letterPage(context, request, { searches, upTo: content.editions[1], path: `/letter/${token}` })
}

type LetterHits = {
  readonly searches: readonly { readonly searchNo: number; readonly after: number }[]
  readonly upTo: number
  /** Of the page, without its number. */
  readonly path: string
}

async function letterPage(
  context: ConsoleContext,
  request: PageRequest,
  { searches, upTo, path }: LetterHits,
): Promise<PageAnswer> {
  const { query, language, now, viewer } = request
  const first = numberIn(query.get('n') ?? '0')
  if (first === undefined) throw new PageError(404, frameTexts[language].noPage)
  const { db } = context.store
  const { count, tenders } = await digestHits(db, { searches, upTo }, { limit: pageSize, offset: first })
  const records = tenders.flatMap(({ body }) => (body === null ? [] : [JSON.parse(body) as TenderRecord]))
  const texts = findTexts[language]
  const how = {
    asked: readAddress(new URLSearchParams(), language).asked,
    language,
    now,
    // pages of tenders are for people who are signed in
    pages: viewer && '/tenders/',
    hasParties: viewer !== undefined && readsStock(context, request),
  }
  const number = (value: number) => formatNumber(value, language)
  const at = (n: number) => (n > 0 ? `${path}${path.includes('?') ? '&' : '?'}n=${n}` : path)
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
