// The operator's customers: the list of organizations, and one with its contract, limit, tokens' hints and invitations.

import { inviteMember, withdrawInvitation } from '../../actions/members.ts'
import { accessVersion, endAccess, setUpAccess, setUpCustomer } from '../../actions/organizations.ts'
import { addMemberLink } from '../../actions/people.ts'
import { closeQuote } from '../../actions/quotes.ts'
import { csvOf } from '../../domain/plain-text.ts'
import { toInstant } from '../../domain/time.ts'
import { mailAddressOf } from '../../platform/mail-address.ts'
import { type Executor, inTransaction } from '../../store/database/database.ts'
import { type Customer, listCustomers } from '../../store/people/customers.ts'
import { giveHandedLink, listInvitations } from '../../store/people/invitations.ts'
import { findQuote } from '../../store/people/quotes.ts'
import { listMonthUse, monthUseColumns } from '../../store/screens/month-use.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { keyHashOf } from '../frame/directory.ts'
import { formatDay, formatMoment, formatNumber } from '../frame/format.ts'
import { actingOf, fieldOf, formKey, once, Refused } from '../frame/forms.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { type Html, html } from '../frame/html.ts'
import { type HandedLink, linkCard } from '../frame/link-card.ts'
import {
  operatorPage,
  type PageAnswer,
  PageError,
  type PageRoute,
  type PersonRequest,
  page,
  redirect,
} from '../frame/page.ts'
import { empty, facts, field, figures, noteBox, numbers, part, question, table, unseen } from '../frame/parts.ts'
import { queueAccountMail } from '../mails/account-mails.ts'
import { newKey } from '../mails/write-mails.ts'
import { dayText, mistakesNote, readTerms, type Typed, termsFields } from './customer-form.ts'
import { contractEnd, lastUse, stateWord, tokensPart } from './customer-parts.ts'
import { customerTexts } from './customer-texts.ts'
import { quoteTexts } from './quote-texts.ts'

const root = '/operator/organizations'
const defaultLimit = '60'

export const customerPages = (context: ConsoleContext): PageRoute[] => {
  const pages = new CustomerPages(context)
  const changes = { isSensitive: true }
  return [
    operatorPage('GET', root, (request) => pages.list(request)),
    operatorPage('GET', `${root}/new`, (request) => pages.showNew(request)),
    operatorPage('POST', `${root}/new/save`, (request) => pages.create(request), changes),
    operatorPage('GET', `${root}/use.csv`, (request) => pages.useFile(request)),
    operatorPage('GET', `${root}/:id`, (request) => pages.show(request)),
    operatorPage('POST', `${root}/:id/contract`, (request) => pages.change(request), changes),
    operatorPage('GET', `${root}/:id/end`, (request) => pages.askEnd(request)),
    operatorPage('POST', `${root}/:id/end`, (request) => pages.end(request), changes),
    operatorPage('POST', `${root}/:id/invite`, (request) => pages.invite(request), changes),
    operatorPage('POST', `${root}/:id/link`, (request) => pages.makeLink(request), changes),
    operatorPage('POST', `${root}/:id/withdraw`, (request) => pages.withdraw(request), changes),
  ]
}

/** A new invitation, with the key of its link. */
type NewInvitation = HandedLink & { readonly key: string }

class CustomerPages {
  readonly #context: ConsoleContext

  constructor(context: ConsoleContext) {
    this.#context = context
  }

  async list({ language, now }: PersonRequest): Promise<PageAnswer> {
    const texts = customerTexts[language]
    const customers = await listCustomers(this.#context.store.db, now)
    const add = html`<a class="btn go" href="${root}/new">${texts.add}</a>`
    const number = (value: number) => formatNumber(value, language)
    return page({
      title: texts.pageNames.organizations,
      lead: texts.lead,
      actions: html`<a class="btn" href="${root}/use.csv">${texts.useFile}</a> ${add}`,
      body:
        customers.length === 0
          ? empty(texts.none, texts.noneDetail, add)
          : table({
              caption: texts.pageNames.organizations,
              columns: [
                texts.shared.name,
                texts.shared.condition,
                texts.shared.tokens,
                texts.lastUse,
                texts.ends,
                numbers(texts.shared.requests24),
                texts.countsHead,
              ],
              rows: customers.map((customer) => [
                html`<a href="${root}/${customer.organizationId}">${customer.name}</a>`,
                stateWord(customer, now, language),
                customer.tokens.length === 0
                  ? texts.noTokens
                  : customer.tokens.map(({ hint }, index) => html`${index > 0 && html`<br>`}<code>${hint}</code>`),
                lastUse(customer, language),
                contractEnd(customer, language),
                html`${number(customer.requests)}<br><span class="soft">${number(customer.requestsPerMinute)}/min</span>`,
                html`
                  ${texts.pageNames.people}: ${number(customer.people)}
                  <br>
                  <span class="soft">${texts.counts(number(customer.searches), number(customer.endpoints))}</span>
                `,
              ]),
            }),
    })
  }

  /** For invoices: what all organizations used by month. */
  async useFile({ now }: PersonRequest): Promise<PageAnswer> {
    const months = await listMonthUse(this.#context.store.db, now)
    return {
      kind: 'content',
      type: 'text/csv; charset=utf-8',
      body: `\ufeff${csvOf(monthUseColumns, months)}`,
      headers: { 'content-disposition': `attachment; filename="use-${toInstant(now).slice(0, 10)}.csv"` },
    }
  }

  async showNew(request: PersonRequest, mistakes: Typed = {}): Promise<PageAnswer> {
    const { language, form, query, now } = request
    const texts = customerTexts[language]
    const isAgain = form.size > 0
    const quoteId = form.get('quote') ?? query.get('quote') ?? ''
    const quote = quoteId === '' ? undefined : await findQuote(this.#context.store.db, quoteId)
    const asked = quote && { name: quote.company, owner: quote.mail }
    const typed = isAgain ? typedOf(form) : { starts: dayText(now), limit: defaultLimit, ...asked }
    return page({
      title: Object.keys(mistakes).length > 0 ? `${texts.shared.oneToCorrect}: ${texts.add}` : texts.add,
      crumbs: [[texts.pageNames.organizations, root]],
      current: root,
      lead: texts.newLead,
      ...(isAgain && { status: 422 }),
      body: html`
        ${mistakesNote(mistakes, language)}
        <form method="post" action="${root}/new/save" class="stack">
          ${formKey(this.#context)}
          ${quote && html`<input type="hidden" name="quote" value="${quote.quoteId}">`}
          ${termsFields(typed, { isNew: true, mistakes, language })}
          <div class="row">
            <button class="go">${texts.setUp}</button>
            <a href="${root}">${texts.shared.cancel}</a>
          </div>
        </form>
      `,
    })
  }

  async create(request: PersonRequest): Promise<PageAnswer> {
    const { language, now } = request
    const texts = customerTexts[language]
    const read = readTerms(request.form, { isNew: true, now, language })
    if (read.kind === 'mistakes') return this.showNew(request, read.mistakes)
    const { name, owner, ...terms } = read.terms
    const invited = this.#invitedOf(owner!)
    const quoteId = fieldOf(request.form, 'quote')
    const sent = await once(this.#context, request, async (trx) => {
      const outcome = await setUpCustomer(trx, actingOf(this.#context, request), { name, owner: owner!, terms })
      if (outcome.kind !== 'setUp') return new Refused(outcome.kind)
      const { organizationId } = outcome
      const answer = { quoteId, state: 'accepted', organizationId } as const
      if (quoteId !== '' && (await closeQuote(trx, actingOf(this.#context, request), answer)) !== 'closed')
        return new Refused('quoteClosed')
      await this.#send(trx, request, { ...invited, invitationId: outcome.invitationId }, name)
      return organizationId
    })
    if (sent.kind === 'refused' && sent.reason === 'quoteClosed')
      return redirect('/operator/quotes', { notice: quoteTexts[language].closedBefore })
    if (sent.kind === 'refused') return this.showNew(request, { name: texts.nameTaken })
    if (sent.kind === 'sent') return redirect(root, { notice: texts.sentBefore })
    await this.#context.directory.refresh()
    return this.#afterInvitation(request, sent.result, invited, texts.isSetUp(name))
  }

  async show(
    request: PersonRequest,
    shown: { mistakes?: Typed; handed?: HandedLink; isLate?: boolean } = {},
  ): Promise<PageAnswer> {
    const { language, now } = request
    const texts = customerTexts[language]
    const customer = await this.#customer(request)
    const invitations = await listInvitations(this.#context.store.db, { organizationId: customer.organizationId }, now)
    const at = `${root}/${customer.organizationId}`
    const number = (value: number) => formatNumber(value, language)
    const { mistakes = {}, handed, isLate = false } = shown
    const awaited = invitations.map(({ mail }) => mail).join(', ')
    const ownerDetail = awaited === '' ? texts.noOwnerDetail : texts.waitsForOwner(awaited)
    return page({
      title: customer.name,
      crumbs: [[texts.pageNames.organizations, root]],
      current: root,
      lead: html`${stateWord(customer, now, language)} <code>${customer.organizationId}</code>`,
      ...(shown.mistakes && { status: 422 }),
      ...(isLate && { status: 409 }),
      body: html`
        ${isLate && noteBox('bad', texts.elsewhere, texts.shared.elsewhereDetail)}
        ${mistakesNote(mistakes, language)}
        ${handed && linkCard(handed, language)}
        ${customer.owners === 0 && noteBox('warn', texts.noOwner, ownerDetail)}
        ${figures([
          {
            name: texts.shared.requests24,
            value: number(customer.requests),
            note: texts.ofLimit(number(customer.requestsPerMinute)),
          },
          {
            name: texts.shared.tokens,
            value: number(customer.tokens.length),
            note: customer.tokens.some(({ lastUsedAt }) => lastUsedAt !== null)
              ? texts.usedLast(lastUse(customer, language))
              : texts.neverUsed,
          },
          {
            name: texts.pageNames.people,
            value: number(customer.people),
            note: texts.counts(number(customer.searches), number(customer.endpoints)),
          },
        ])}
        ${this.#contractPart(request, customer, { mistakes, isLate })}
        ${tokensPart(customer, language)}
        ${part(
          texts.shared.openInvitations,
          html`
          ${
            invitations.length === 0
              ? html`<p class="soft">${texts.noInvitations}</p>`
              : table({
                  caption: texts.shared.openInvitations,
                  columns: [texts.mail, texts.validUntil, unseen(texts.shared.action)],
                  rows: invitations.map(({ mail, until, invitationId }) => [
                    mail,
                    formatMoment(until, language),
                    html`<form method="post" action="${at}/withdraw">
                    <input type="hidden" name="invitation" value="${invitationId}">
                    <button class="tiny stop">${texts.shared.withdraw}</button>
                  </form>`,
                  ]),
                })
          }
          <form method="post" action="${at}/invite" class="stack after">
            ${formKey(this.#context)}
            ${field({
              name: 'owner',
              label: customer.owners === 0 ? texts.owner : texts.anotherOwner,
              type: 'email',
              hint: texts.ownerHint,
              isRequired: true,
              autocomplete: 'off',
              value: fieldOf(request.form, 'owner'),
              error: mistakes.owner,
            })}
            <div><button>${texts.invite}</button></div>
          </form>
        `,
        )}
        ${!this.#context.config.mail && customer.people > 0 && this.#linkPart(request, at, mistakes.person)}
      `,
    })
  }

  async change(request: PersonRequest): Promise<PageAnswer> {
    const { language, now } = request
    const texts = customerTexts[language]
    const customer = await this.#customer(request)
    const read = readTerms(request.form, { isNew: false, now, language })
    if (read.kind === 'mistakes') return this.show(request, { mistakes: read.mistakes })
    const { organizationId } = customer
    const change = { organizationId, terms: read.terms, seen: fieldOf(request.form, 'was') }
    const { kind } = await inTransaction(this.#context.store, (trx) =>
      setUpAccess(trx, actingOf(this.#context, request), change),
    )
    if (kind === 'stale') return this.show(request, { isLate: true })
    await this.#context.directory.refresh()
    const notice = customer.startsAt === null ? texts.isSetUp(customer.name) : texts.changed
    return redirect(`${root}/${organizationId}`, { notice })
  }

  async askEnd(request: PersonRequest): Promise<PageAnswer> {
    const { language } = request
    const texts = customerTexts[language]
    const { organizationId, name, tokens, requests } = await this.#customer(request)
    const at = `${root}/${organizationId}`
    const counts = texts.endUse(formatNumber(tokens.length, language), formatNumber(requests, language))
    return page({
      title: texts.endTitle(name),
      crumbs: [
        [texts.pageNames.organizations, root],
        [name, at],
      ],
      current: root,
      body: question({
        action: `${at}/end`,
        body: html`<p>${counts}</p><p>${texts.endWhat}</p>`,
        button: texts.endButton,
        cancel: [texts.shared.cancel, at],
      }),
    })
  }

  async end(request: PersonRequest): Promise<PageAnswer> {
    const texts = customerTexts[request.language]
    const { organizationId } = await this.#customer(request)
    const { kind } = await inTransaction(this.#context.store, (trx) =>
      endAccess(trx, actingOf(this.#context, request), organizationId),
    )
    if (kind === 'notOpen') throw new PageError(409, texts.notRunning)
    await this.#context.directory.refresh()
    return redirect(`${root}/${organizationId}`, { notice: texts.ended })
  }

  async invite(request: PersonRequest): Promise<PageAnswer> {
    const texts = customerTexts[request.language]
    const { organizationId, name } = await this.#customer(request)
    const mail = mailAddressOf(fieldOf(request.form, 'owner'))
    if (mail === undefined) return this.show(request, { mistakes: { owner: texts.ownerWrong } })
    const invited = this.#invitedOf(mail)
    const wanted = { organizationId, mail, role: 'owner', by: request.viewer.person.mail } as const
    const sent = await once(this.#context, request, async (trx) => {
      const outcome = await inviteMember(trx, actingOf(this.#context, request), wanted)
      if (outcome.kind !== 'invited') return new Refused(outcome.kind)
      await this.#send(trx, request, { ...invited, invitationId: outcome.invitationId }, name)
      return outcome
    })
    if (sent.kind === 'refused' && sent.reason === 'isMember')
      return this.show(request, { mistakes: { owner: texts.isOwner } })
    if (sent.kind === 'refused') throw new PageError(409, texts.tooMany)
    if (sent.kind === 'sent') return redirect(`${root}/${organizationId}`, { notice: texts.sentBefore })
    return this.#afterInvitation(request, organizationId, invited, texts.shared.isInvited(mail))
  }

  #linkPart({ form, language }: PersonRequest, at: string, error: string | undefined): Html {
    const texts = customerTexts[language]
    const personField = field({
      name: 'person',
      label: texts.linkFor,
      type: 'email',
      hint: texts.linkHint,
      isRequired: true,
      autocomplete: 'off',
      value: fieldOf(form, 'person'),
      error,
    })
    return part(
      texts.links,
      html`<form method="post" action="${at}/link" class="stack">
        ${personField}
        <div><button>${texts.makeLink}</button></div>
      </form>`,
    )
  }

  /** Where no mail brings a link, an operator makes one; by command it is `console link`. */
  async makeLink(request: PersonRequest): Promise<PageAnswer> {
    const { language } = request
    const { config, store, random, origin } = this.#context
    const { organizationId } = await this.#customer(request)
    if (config.mail) throw new PageError(404, frameTexts[language].noPage)
    const mail = fieldOf(request.form, 'person').toLowerCase()
    const key = newKey(random)
    const { kind } = await inTransaction(store, (trx) =>
      addMemberLink(trx, actingOf(this.#context, request), { keyHash: keyHashOf(key), organizationId, mail }),
    )
    if (kind === 'noMember') return this.show(request, { mistakes: { person: customerTexts[language].noMember } })
    const handed = { mail, link: `${origin}/sign-in/link/${key}`, signsIn: true } as const
    return this.show({ ...request, form: new URLSearchParams() }, { handed })
  }

  async withdraw(request: PersonRequest): Promise<PageAnswer> {
    const texts = customerTexts[request.language]
    const { organizationId } = await this.#customer(request)
    const invitationId = fieldOf(request.form, 'invitation')
    const { kind } = await inTransaction(this.#context.store, (trx) =>
      withdrawInvitation(trx, actingOf(this.#context, request), { organizationId, invitationId }),
    )
    if (kind === 'gone') throw new PageError(409, texts.gone)
    return redirect(`${root}/${organizationId}`, { notice: texts.withdrawn })
  }

  async #customer({ params, now, language }: PersonRequest): Promise<Customer> {
    const [customer] = await listCustomers(this.#context.store.db, now, params['id'] ?? '')
    if (!customer) throw new PageError(404, frameTexts[language].noPage)
    return customer
  }

  /** Somebody to invite, and the link, for use without mail. */
  #invitedOf(mail: string): NewInvitation {
    const key = newKey(this.#context.random)
    return { mail, key, link: `${this.#context.origin}/invitation/${key}` }
  }

  /** The mail of an invitation; without a mail server also the link that is shown. */
  async #send(
    trx: Executor,
    { language, now, viewer }: PersonRequest,
    { mail, invitationId, key }: NewInvitation & { readonly invitationId: string },
    organization: string,
  ): Promise<void> {
    const data = { invitationId, organization, invitedBy: viewer.person.mail, role: 'owner' } as const
    await queueAccountMail(trx, this.#context, { to: mail, mail: { kind: 'invitation', language, data }, now })
    if (this.#context.config.mail) return
    await giveHandedLink(trx, invitationId, keyHashOf(key))
  }

  /** The link itself is shown only where no mail can bring it. */
  async #afterInvitation(
    request: PersonRequest,
    organizationId: string,
    invited: HandedLink,
    notice: string,
  ): Promise<PageAnswer> {
    if (this.#context.config.mail) return redirect(`${root}/${organizationId}`, { notice })
    return this.show({ ...request, form: new URLSearchParams(), params: { id: organizationId } }, { handed: invited })
  }

  #contractPart(
    request: PersonRequest,
    customer: Customer,
    { mistakes, isLate }: { readonly mistakes: Typed; readonly isLate: boolean },
  ): Html {
    const { language, form } = request
    const texts = customerTexts[language]
    const at = `${root}/${customer.organizationId}`
    const { startsAt, endsAt, endedAt, setUpBy, note } = customer
    const isTyped =
      isLate || (Object.keys(mistakes).length > 0 && mistakes.owner === undefined && mistakes.person === undefined)
    const values: Typed = isTyped
      ? typedOf(form)
      : {
          starts: dayText(startsAt ?? request.now),
          'last-day': endsAt === null || endedAt !== null ? '' : dayText(endsAt - 1),
          limit: String(customer.requestsPerMinute),
          bulk: customer.hasBulkFiles ? 'on' : '',
          note: note ?? '',
        }
    const known =
      startsAt === null
        ? html`<p class="soft">${texts.noContract}</p>`
        : facts([
            [texts.starting, formatDay(startsAt, language)],
            [texts.until, contractEnd(customer, language)],
            ...(endedAt === null ? [] : [[texts.shared.ended, formatMoment(endedAt, language)] as const]),
            [texts.setUpBy, setUpBy],
            ...(note ? [[texts.shared.note, note] as const] : []),
          ])
    const isRunning = startsAt !== null && endedAt === null
    return part(
      texts.pageNames.contract,
      html`${known}<form method="post" action="${at}/contract" class="stack after">
<input type="hidden" name="was" value="${accessVersion(customer, customer)}">
  ${termsFields(values, { isNew: false, mistakes, language })}
  <div class="row">
    <button class="go">${startsAt === null ? texts.setUp : texts.change}</button>
    ${isRunning && html`<a class="btn stop" href="${at}/end">${texts.end}</a>`}
  </div>
  </form>`,
    )
  }
}

const typedOf = (form: URLSearchParams): Typed =>
  Object.fromEntries(
    ['name', 'starts', 'last-day', 'limit', 'bulk', 'note', 'owner'].map((name) => [name, fieldOf(form, name)]),
  )
