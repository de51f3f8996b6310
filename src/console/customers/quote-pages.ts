// Asking for a quote: the form for everybody, and what arrived at the operator's desk. Nothing is ever sent to the
// address that was typed in.
import { askQuote, closeQuote, eraseQuote } from '../../actions/quotes.ts'
import { dayMs } from '../../domain/time.ts'
import { mailAddressOf } from '../../platform/mail-address.ts'
import { inTransaction } from '../../store/database/database.ts'
import { listPeople } from '../../store/people/people.ts'
import { findQuote, listQuotes, type Quote, type QuoteInput, quoteNeeds } from '../../store/people/quotes.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { keyHashOf } from '../frame/directory.ts'
import { actingOf, fieldOf, formKey, once, Refused } from '../frame/forms.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import {
  operatorPage,
  orNotFound,
  type PageAnswer,
  PageError,
  type PageRequest,
  type PageRoute,
  type PersonRequest,
  page,
  publicPage,
  redirect,
} from '../frame/page.ts'
import {
  empty,
  facts,
  field,
  fieldset,
  moment,
  noteBox,
  question,
  quoted,
  state,
  table,
  textArea,
  tick,
} from '../frame/parts.ts'
import { openSigned, signed } from '../frame/signed-text.ts'
import { queueAccountMail } from '../mails/account-mails.ts'
import { mistakesNote } from './customer-form.ts'
import { quoteTexts } from './quote-texts.ts'

const at = '/operator/quotes'
const maxListed = 500
const longest = { name: 100, company: 100, mail: 254, message: 2_000 } as const
/** A person needs longer to fill the form in, a program seldom does; and how long a form may lie open. */
const [leastMs, mostMs] = [2_000, dayMs]
const purpose = 'quote'
/** A field that people do not see: who fills it in is a program. */
const trap = 'website'

export const quotePages = (context: ConsoleContext): PageRoute[] => [
  publicPage('GET', '/quote', (request) => formPage(context, request)),
  publicPage('POST', '/quote', (request) => ask(context, request)),
  publicPage('GET', '/quote/sent', (request) => sentPage(request)),
  operatorPage('GET', at, (request) => list(context, request)),
  operatorPage('GET', `${at}/:quote`, (request) => show(context, request)),
  operatorPage('POST', `${at}/:quote/decline`, (request) => decline(context, request)),
  operatorPage('GET', `${at}/:quote/erase`, (request) => erasePage(context, request)),
  operatorPage('POST', `${at}/:quote/erase`, (request) => erase(context, request)),
]

type Mistakes = { readonly [name: string]: string }

async function formPage(
  context: ConsoleContext,
  request: PageRequest,
  wrong?: { readonly mistakes: Mistakes },
): Promise<PageAnswer> {
  const { language, form, now } = request
  const texts = quoteTexts[language]
  const { mistakes = {} } = wrong ?? {}
  const opened = Buffer.alloc(8)
  opened.writeBigInt64BE(BigInt(now))
  const typed = (name: keyof typeof longest) => ({
    name,
    value: form.get(name) ?? '',
    error: mistakes[name],
    maxLength: longest[name],
    isRequired: name !== 'message',
  })
  const needs = form.getAll('need')
  const privacy = context.brand.links.find(([kind]) => kind === 'privacy')?.[1] ?? '/docs/privacy'
  return page({
    title: texts.title,
    description: texts.lead,
    lead: texts.lead,
    ...(wrong && { status: 422 as const }),
    body: html`
      ${Object.keys(mistakes).length > 0 ? mistakesNote(mistakes, language) : wrong && noteBox('warn', texts.again, texts.againDetail)}
      <form method="post" action="/quote" class="stack">
        ${formKey(context)}
        <input type="hidden" name="opened" value="${await signed(context, purpose, opened)}">
        ${field({ ...typed('name'), label: texts.yourName, autocomplete: 'name' })}
        ${field({ ...typed('company'), label: texts.company, autocomplete: 'organization' })}
        ${field({ ...typed('mail'), label: texts.mail, type: 'email', hint: texts.mailHint, autocomplete: 'email' })}
        ${fieldset(
          texts.needs,
          quoteNeeds.map((need) =>
            tick({ name: 'need', value: need, label: texts.need[need], isOn: needs.includes(need) }),
          ),
        )}
        ${textArea({ ...typed('message'), label: texts.message, hint: texts.messageHint, rows: 6 })}
        <div class="hide" aria-hidden="true">
          <label>${texts.leaveEmpty} <input name="${trap}" tabindex="-1" autocomplete="off"></label>
        </div>
        <p class="soft small">${texts.kept} <a href="${privacy}">${texts.privacy}</a></p>
        <div><button class="go">${texts.send}</button></div>
      </form>
    `,
  })
}

/** Text without control characters and overrides of its direction. */
const cleaned = (text: string, isOneLine: boolean): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(
      isOneLine ? /[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu : /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu,
      ' ',
    )
    .trim()

function readForm({ form, language }: PageRequest): QuoteInput | { readonly mistakes: Mistakes } {
  const texts = quoteTexts[language]
  const [name, company] = [cleaned(fieldOf(form, 'name'), true), cleaned(fieldOf(form, 'company'), true)]
  const message = cleaned(fieldOf(form, 'message'), false)
  const mail = mailAddressOf(fieldOf(form, 'mail'))
  const mistakes: Mistakes = {
    ...(name === '' && { name: texts.nameMissing }),
    ...(name.length > longest.name && { name: texts.tooLong }),
    ...(company === '' && { company: texts.companyMissing }),
    ...(company.length > longest.company && { company: texts.tooLong }),
    ...(mail === undefined && { mail: texts.shared.writeAddress }),
    ...(message.length > longest.message && { message: texts.tooLong }),
  }
  if (mail === undefined || Object.keys(mistakes).length > 0) return { mistakes }
  const sent = form.getAll('need')
  return { name, company, mail, message, needs: quoteNeeds.filter((need) => sent.includes(need)), language }
}

async function ask(context: ConsoleContext, request: PageRequest): Promise<PageAnswer> {
  const { form, now, addressPrefix, language } = request
  // a program that fills in everything hears what a person hears
  if (fieldOf(form, trap) !== '') return redirect('/quote/sent')
  const read = readForm(request)
  if ('mistakes' in read) return formPage(context, request, read)
  if (!(await isInTime(context, request))) return formPage(context, request, { mistakes: {} })
  const sent = await once(context, request, async (trx) => {
    const wanted = { input: read, networkHash: keyHashOf(`quote ${addressPrefix}`) }
    const outcome = await askQuote(trx, { now, random: context.random }, wanted)
    if (outcome.kind === 'tooMany') return new Refused('tooMany')
    const { quoteId } = outcome
    const operators = outcome.isMailed ? (await listPeople(trx)).filter(({ isOperator }) => isOperator) : []
    for (const { mail, language = 'en' } of operators) {
      const letter = { kind: 'quoteAsked', language, data: { ...read, quoteId } } as const
      await queueAccountMail(trx, context, { to: mail, mail: letter, now })
    }
    return quoteId
  })
  if (sent.kind === 'refused') throw new PageError(429, quoteTexts[language].tooMany)
  return redirect('/quote/sent')
}

/** Whether the form was opened here, not just now and not days ago. */
async function isInTime(context: ConsoleContext, { form, now }: PageRequest): Promise<boolean> {
  const opened = await openSigned(context, purpose, form.get('opened') ?? '')
  if (opened?.length !== 8) return false
  const age = now - Number(opened.readBigInt64BE())
  return age >= leastMs && age <= mostMs
}

function sentPage({ language }: PageRequest): PageAnswer {
  const texts = quoteTexts[language]
  return page({
    title: texts.sent,
    lead: texts.sentLead,
    isUnlisted: true,
    body: html`<p class="row">
      <a class="btn go" href="/tenders">${texts.pageNames.tenders}</a>
      <a class="btn" href="/docs">${texts.pageNames.docs}</a>
    </p>`,
  })
}

const stateMark = ({ state: word }: Quote, language: Language): Html =>
  state(word === 'open' ? 'warn' : word === 'accepted' ? 'good' : 'closed', quoteTexts[language].states[word])

async function list({ store }: ConsoleContext, { language }: PersonRequest): Promise<PageAnswer> {
  const texts = quoteTexts[language]
  const quotes = await listQuotes(store.db, maxListed)
  return page({
    title: texts.pageNames.quotes,
    lead: texts.listLead,
    body:
      quotes.length === 0
        ? empty(texts.none, texts.noneDetail)
        : table({
            caption: texts.pageNames.quotes,
            columns: [texts.company, texts.shared.who, texts.asked, texts.shared.condition],
            rows: quotes.map((quote) => [
              html`<a href="${at}/${quote.quoteId}">${quoted(quote.company)}</a>`,
              html`${quoted(quote.name)}<br><span class="soft small">${quoted(quote.mail)}</span>`,
              moment(quote.createdAt, language),
              stateMark(quote, language),
            ]),
          }),
  })
}

async function show({ store }: ConsoleContext, { params, language }: PersonRequest): Promise<PageAnswer> {
  const texts = quoteTexts[language]
  const quote = orNotFound(await findQuote(store.db, params['quote'] ?? ''), texts.gone)
  const { quoteId, closedBy, closedAt, organizationId } = quote
  const isOpen = quote.state === 'open'
  return page({
    title: quote.company,
    crumbs: [[texts.pageNames.quotes, at]],
    current: at,
    lead: html`${stateMark(quote, language)}${closedAt !== null && closedBy !== null && html` ${texts.answered(closedBy)} ${moment(closedAt, language)}`}`,
    body: html`<div class="stack gap">
      ${facts([
        [texts.shared.who, quoted(quote.name)],
        [texts.mail, html`${quoted(quote.mail)}<br><span class="soft small">${texts.unchecked}</span>`],
        [texts.asked, moment(quote.createdAt, language)],
        ...(quote.needs.length > 0
          ? [
              [
                texts.needs,
                html`${quote.needs.map((need, index) => html`${index > 0 && html`<br>`}${texts.need[need]}`)}`,
              ] as const,
            ]
          : []),
        ...(organizationId === null
          ? []
          : [
              [
                texts.organization,
                html`<a href="/operator/organizations/${organizationId}"><code>${organizationId}</code></a>`,
              ] as const,
            ]),
      ])}
      <section class="part"><header><h2>${texts.message}</h2></header>
        ${
          quote.message === ''
            ? html`<p class="soft">${texts.noMessage}</p>`
            : quote.message.split('\n').map((line) => line.trim() !== '' && html`<p>${quoted(line)}</p>`)
        }
      </section>
      ${
        isOpen &&
        html`
          <div><p><a class="btn go" href="/operator/organizations/new?quote=${quoteId}">${texts.accept}</a></p>
            <p class="hint">${texts.acceptHint}</p></div>
          <form method="post" action="${at}/${quoteId}/decline">
            <button>${texts.decline}</button>
            <p class="hint">${texts.declineHint}</p>
          </form>
        `
      }
      <p><a class="btn stop" href="${at}/${quoteId}/erase">${texts.erase}…</a></p>
    </div>`,
  })
}

async function decline(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const texts = quoteTexts[request.language]
  const quoteId = request.params['quote'] ?? ''
  const outcome = await inTransaction(context.store, (trx) =>
    closeQuote(trx, actingOf(context, request), { quoteId, state: 'declined' }),
  )
  if (outcome === 'gone') throw new PageError(404, texts.gone)
  return redirect(at, { notice: outcome === 'closed' ? texts.declined : texts.closedBefore })
}

async function erasePage({ store }: ConsoleContext, { params, language }: PersonRequest): Promise<PageAnswer> {
  const texts = quoteTexts[language]
  const { quoteId, company } = orNotFound(await findQuote(store.db, params['quote'] ?? ''), texts.gone)
  return page({
    title: texts.eraseTitle,
    crumbs: [[texts.pageNames.quotes, at]],
    current: at,
    body: question({
      action: `${at}/${quoteId}/erase`,
      body: html`<p>${quoted(company)}</p><p>${texts.eraseBody}</p>`,
      button: texts.erase,
      cancel: [texts.shared.cancel, `${at}/${quoteId}`],
    }),
  })
}

async function erase(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const texts = quoteTexts[request.language]
  const quoteId = request.params['quote'] ?? ''
  const isErased = await inTransaction(context.store, (trx) => eraseQuote(trx, actingOf(context, request), quoteId))
  if (!isErased) throw new PageError(404, texts.gone)
  return redirect(at, { notice: texts.erased })
}
