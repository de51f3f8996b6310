// API access of an organization: up to two tokens, created, rotated and revoked here, and how much they are used.
import { type ActingOnTokens, addToken, revokeToken } from '../../actions/tokens.ts'
import { dayMs } from '../../domain/time.ts'
import { mailDomainOf } from '../../platform/mail-address.ts'
import { inTransaction } from '../../store/database/database.ts'
import { listApiUse, type UsedHour } from '../../store/people/api-use.ts'
import { type Contract, findContract } from '../../store/people/contracts.ts'
import {
  type ApiToken,
  findOrganization,
  isValidToken,
  listTokens,
  type Organization,
} from '../../store/people/organizations.ts'
import {
  assistantCommand,
  assistantSettings,
  type ClientPackage,
  copyCommand,
  isSafeToRun,
  pythonCommand,
} from '../frame/client-package.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatDay, formatMoment, formatNumber, formatRelative } from '../frame/format.ts'
import { actingOf, fieldOf, formKey, once } from '../frame/forms.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { type Html, html } from '../frame/html.ts'
import {
  type OrganizationRequest,
  organizationPage,
  type PageAnswer,
  PageError,
  type PageRoute,
  page,
  redirect,
} from '../frame/page.ts'
import { code, facts, field, more, noteBox, part, question, select, state, table, tag } from '../frame/parts.ts'
import { requestExample } from '../frame/request-examples.ts'
import { accessTexts } from './access-texts.ts'
import { usePart, useSince } from './access-use.ts'

/** Lifetimes offered for a token, in days. */
const lives = [90, 180, 365]
const longestName = 60
/** How long before its end a token is shown as ending. */
const soonMs = 30 * dayMs

export const accessPages = (context: ConsoleContext): PageRoute[] => {
  const pages = new AccessPages(context)
  const path = '/o/:organization/settings/api-access'
  const needs = { needsAccessArea: true }
  const changes = { needsAccessArea: true, isSensitive: true }
  return [
    organizationPage('GET', path, 'owner', (request) => pages.show(request), needs),
    organizationPage('POST', `${path}/tokens`, 'owner', (request) => pages.create(request), changes),
    organizationPage('GET', `${path}/revoke/:token`, 'owner', (request) => pages.askRevoke(request), changes),
    organizationPage('POST', `${path}/revoke/:token/yes`, 'owner', (request) => pages.revoke(request), changes),
  ]
}

/** Path of an organization's page. */
const pathOf = (organizationId: string): string => `/o/${organizationId}/settings/api-access`

/** What is wrong with typed values. */
type Mistakes = { readonly name?: string; readonly days?: string }
/** What the page shows besides its state. */
type Shown = {
  readonly created?: { readonly plaintext: string; readonly token: ApiToken }
  readonly isTaken?: boolean
  readonly mistakes?: Mistakes
  readonly status?: number
}

type Area = {
  readonly organization: Organization
  readonly tokens: readonly ApiToken[]
  /** Tokens that are valid. */
  readonly valid: readonly ApiToken[]
  readonly used: readonly UsedHour[]
  readonly contract: Contract | undefined
}

class AccessPages {
  readonly #context: ConsoleContext

  constructor(context: ConsoleContext) {
    this.#context = context
  }

  get #mailDomain(): string {
    return mailDomainOf(this.#context.config.mail?.from)
  }

  async show(request: OrganizationRequest, shown: Shown = {}): Promise<PageAnswer> {
    const { language } = request
    const texts = accessTexts[language]
    const area = await this.#area(request)
    const { organization, valid } = area
    const mistake = shown.mistakes?.name ?? shown.mistakes?.days
    return page({
      title:
        mistake === undefined
          ? texts.pageNames.apiAccess
          : `${texts.shared.oneToCorrect}: ${texts.pageNames.apiAccess}`,
      crumbs: [[request.organization.name, `/o/${organization.organizationId}`]],
      current: pathOf(organization.organizationId),
      lead: texts.lead(formatNumber(organization.requestsPerMinute, language)),
      actions: html`<a class="btn" href="/docs">${texts.connect}</a>`,
      ...(shown.status !== undefined && { status: shown.status }),
      body: html`
        ${
          mistake !== undefined &&
          noteBox(
            'bad',
            texts.shared.oneToCorrect,
            html`<a href="#${shown.mistakes?.name ? 'name' : 'days'}">${mistake}</a>`,
          )
        }
        ${shown.isTaken && noteBox('bad', texts.taken, texts.takenDetail)}
        ${!organization.hasApiAccess && this.#closedNote(request, area.contract)}
        ${shown.created && this.#secretCard(request, shown.created)}
        <section${shown.created && html` class="part"`}>
          <h2 class="hide">${texts.shared.tokens}</h2>
          <div class="split even">
            ${valid.map((token) => this.#tokenCard(request, token, organization.hasApiAccess))}
            ${valid.length < 2 && organization.hasApiAccess && this.#freeToken(request, valid.length, shown.mistakes)}
          </div>
        </section>
        ${valid.length === 2 && organization.hasApiAccess && rotation(request, valid)}
        ${usePart({
          used: area.used,
          limit: organization.requestsPerMinute,
          now: request.now,
          view: request.query.get('use'),
          path: pathOf(organization.organizationId),
          language,
        })}
        ${this.#copyPart(request)}
        ${this.#assistantPart(request)}
        ${pastTokens(request, area.tokens)}
      `,
    })
  }

  async create(request: OrganizationRequest): Promise<PageAnswer> {
    const { language, form } = request
    const { organizationId } = request.organization
    const texts = accessTexts[language]
    const name = fieldOf(form, 'name')
    const days = fieldOf(form, 'days')
    const mistakes: Mistakes = {
      ...(name === '' ? { name: texts.nameMissing } : name.length > longestName ? { name: texts.nameLong } : {}),
      ...(days !== '' && !lives.includes(Number(days)) && { days: texts.lifeWrong }),
    }
    if (mistakes.name !== undefined || mistakes.days !== undefined) return this.show(request, { mistakes, status: 422 })
    const wanted = { organizationId, name, days: days === '' ? undefined : Number(days), onlyWithAccess: true }
    const sent = await once(this.#context, request, (trx) => addToken(trx, this.#actingOf(request), wanted))
    if (sent.kind === 'sent') return redirect(pathOf(organizationId), { notice: texts.sentBefore })
    switch (sent.result.kind) {
      case 'created':
        return this.show(request, { created: sent.result })
      case 'noFreeSlot':
        return this.show(request, { isTaken: true, status: 409 })
      case 'closed':
      case 'noOrganization':
        throw new PageError(409, texts.readOnlyPost)
    }
  }

  async askRevoke(request: OrganizationRequest): Promise<PageAnswer> {
    const { language, now } = request
    const texts = accessTexts[language]
    const { organization, token } = await this.#tokenOf(request)
    if (!organization.hasApiAccess) throw new PageError(409, texts.readOnlyPost)
    const back = pathOf(organization.organizationId)
    const used =
      token.lastUsedAt === null ? texts.revokeUnused : texts.revokeUsed(formatRelative(token.lastUsedAt, now, language))
    return page({
      title: texts.revokeTitle(token.name),
      crumbs: [
        [request.organization.name, `/o/${organization.organizationId}`],
        [texts.pageNames.apiAccess, back],
      ],
      current: back,
      body: question({
        action: `${back}/revoke/${token.tokenId}/yes`,
        body: html`<p><code>${token.hint}</code></p><p>${used}</p><p>${texts.revokeWhat}</p>`,
        button: texts.revokeButton,
        cancel: [texts.shared.cancel, back],
      }),
    })
  }

  async revoke(request: OrganizationRequest): Promise<PageAnswer> {
    const texts = accessTexts[request.language]
    const { organization, token } = await this.#tokenOf(request)
    if (!organization.hasApiAccess) throw new PageError(409, texts.readOnlyPost)
    const { kind } = await inTransaction(this.#context.store, (trx) =>
      revokeToken(trx, this.#actingOf(request), token.tokenId),
    )
    if (kind !== 'revoked') throw new PageError(409, texts.notValid)
    return redirect(pathOf(organization.organizationId), { notice: texts.revoked(token.name) })
  }

  #actingOf(request: OrganizationRequest): ActingOnTokens {
    return { ...actingOf(this.#context, request), mailDomain: this.#mailDomain }
  }

  async #area({ organization: { organizationId }, now }: OrganizationRequest): Promise<Area> {
    const { db } = this.#context.store
    const organization = this.#context.directory.organization(organizationId)!
    const tokens = await listTokens(db, organizationId)
    const used = await listApiUse(db, organizationId, useSince(now))
    const contract = await findContract(db, organizationId)
    return { organization, tokens, used, contract, valid: tokens.filter((token) => isValidToken(token, now)) }
  }

  /** Throws PageError for a token that is not valid, or not theirs. */
  async #tokenOf(request: OrganizationRequest): Promise<{ organization: Organization; token: ApiToken }> {
    const { organizationId } = request.organization
    const organization = await findOrganization(this.#context.store.db, organizationId)
    const tokens = await listTokens(this.#context.store.db, organizationId)
    const token = tokens.find(({ tokenId }) => tokenId === request.params['token'])
    if (!organization || !token) throw new PageError(404, frameTexts[request.language].noPage)
    if (!isValidToken(token, request.now)) throw new PageError(409, accessTexts[request.language].notValid)
    return { organization, token }
  }

  #nameOf(request: OrganizationRequest, mail: string | null): string {
    const texts = accessTexts[request.language]
    if (mail === null) return texts.shared.notKnown
    if (mail === 'operator') return texts.operator
    const owners = this.#context.directory.ownersOf(request.organization.organizationId)
    return owners.find((owner) => owner.mail === mail)?.name || mail
  }

  #closedNote({ language, organization, now }: OrganizationRequest, contract: Contract | undefined): Html {
    const texts = accessTexts[language]
    const link = html` <a href="/o/${organization.organizationId}/contract">${texts.shared.seeContract}</a>`
    const { readOnly, readOnlyDetail } = texts
    if (contract?.endedAt !== undefined) return noteBox('warn', readOnly.ended, html`${readOnlyDetail.ended}${link}`)
    if (contract && contract.startsAt > now)
      return noteBox(
        'warn',
        readOnly.planned,
        html`${readOnlyDetail.planned(formatMoment(contract.startsAt, language))}${link}`,
      )
    return noteBox('warn', readOnly.closed, readOnlyDetail.closed)
  }

  #tokenCard(request: OrganizationRequest, token: ApiToken, isOpen: boolean): Html {
    const { language, now, organization } = request
    const texts = accessTexts[language]
    const origin = [token.lastUsedFrom, token.lastUsedAgent].filter(Boolean).join(' · ')
    return html`<div class="card stack"><div class="row spread"><h3>${token.name}</h3><code class="soft">${token.hint}</code></div>${facts(
      [
        [texts.created, texts.by(this.#nameOf(request, token.createdBy), formatMoment(token.createdAt, language))],
        [texts.lastUsed, token.lastUsedAt === null ? texts.notYet : formatMoment(token.lastUsedAt, language)],
        ...(origin === '' ? [] : [[texts.shared.from, origin] as const]),
        [texts.life, endOf(token.expiresAt, now, language)],
      ],
    )}${isOpen && html`<div><a class="btn tiny stop" href="${pathOf(organization.organizationId)}/revoke/${token.tokenId}">${texts.revoke}</a></div>`}</div>`
  }

  #freeToken(request: OrganizationRequest, taken: number, mistakes: Mistakes = {}): Html {
    const { language, organization, form, now } = request
    const texts = accessTexts[language]
    const choices = lives.map((days) => {
      const end = formatDay(now + days * dayMs, language)
      return [String(days), texts.inDays(days, end)] as const
    })
    return html`<form class="card void stack" method="post" action="${pathOf(organization.organizationId)}/tokens">
      ${formKey(this.#context)}
      <div class="row spread">
        <h3>${taken === 0 ? texts.firstFree : texts.secondFree}</h3>
        ${tag(texts.used(taken))}
      </div>
      ${field({
        name: 'name',
        label: texts.shared.name,
        value: fieldOf(form, 'name'),
        hint: texts.nameHint,
        placeholder: texts.namePlace,
        maxLength: longestName,
        isRequired: true,
        autocomplete: 'off',
        error: mistakes.name,
      })}
      ${select({
        name: 'days',
        label: texts.life,
        value: fieldOf(form, 'days'),
        choices: [['', texts.shared.never], ...choices],
        error: mistakes.days,
      })}
      <div class="row"><button class="go">${texts.create}</button><span class="hint">${texts.once}</span></div>
    </form>`
  }

  /** The first copy by one command, from an empty folder. */
  #copyPart({ language }: OrganizationRequest): Html | false {
    const { client, origin, apiAddress } = this.#context
    const texts = accessTexts[language]
    if (!client) return false
    const about = texts.copyAbout(client.version, client.node.replace('>=', ''))
    const checksum = html`<p class="soft small">SHA-512 <code class="long">${client.sha512}</code></p>`
    if (!isSafeToRun(origin))
      return part(texts.copyTitle, html`<p>${about}</p><p>${texts.copyUnsafe(client.file)}</p>${checksum}`)
    return part(
      texts.copyTitle,
      html`<div class="stack">
        <p>${about}</p>
        ${code({
          id: 'first-copy',
          text: `export TENDER_TOKEN=…\n${copyCommand({ origin, api: apiAddress }, client.file)}`,
          caption: texts.copyCaption,
          copy: [texts.shared.copy, texts.shared.copied],
        })}
        <p><a href="/docs/sync/tender-sync">${texts.copyMore}</a></p>
        ${checksum}
        ${client.python && this.#pythonCopy(texts, client.version, client.python)}
      </div>`,
    )
  }

  #assistantPart({ language }: OrganizationRequest): Html {
    const { client, origin, apiAddress } = this.#context
    const texts = accessTexts[language]
    const copy = [texts.shared.copy, texts.shared.copied] as const
    const settings = { id: 'assistant', text: assistantSettings(apiAddress), caption: texts.assistantCaption, copy }
    const isRun = client !== undefined && isSafeToRun(origin)
    const text = isRun ? assistantCommand({ origin, api: apiAddress }, client.file) : ''
    return part(
      texts.assistantTitle,
      html`<div class="stack">
        <p>${texts.assistantAbout}</p>
        ${code(settings)}
        ${isRun && code({ id: 'assistant-program', text, caption: texts.assistantProgram, copy })}
        <p><a href="/docs/assistants">${texts.assistantMore}</a></p>
      </div>`,
    )
  }

  #pythonCopy(
    texts: (typeof accessTexts)[OrganizationRequest['language']],
    version: string,
    python: NonNullable<ClientPackage['python']>,
  ): Html {
    const { origin, apiAddress } = this.#context
    return html`<p>${texts.copyPython(version, python.python.replace('>=', ''))}</p>
        ${code({
          id: 'python-copy',
          text: `export TENDER_TOKEN=…\n${pythonCommand({ origin, api: apiAddress }, python)}`,
          caption: texts.copyPythonCaption,
          copy: [texts.shared.copy, texts.shared.copied],
        })}
        <p><a href="/docs/sync/python">${texts.copyPythonMore}</a></p>
        <p class="soft small">SHA-256 <code class="long">${python.sha256}</code></p>`
  }

  #secretCard({ language }: OrganizationRequest, { plaintext, token }: NonNullable<Shown['created']>): Html {
    const texts = accessTexts[language]
    const curl = requestExample('curl', this.#context.apiAddress, '/v1/tenders?limit=1')
    return html`<section class="card" aria-labelledby="new-token">
      <div class="stack">
        <div>
          <p class="row">${state('good', texts.tokenCreated)}</p>
          <h2 id="new-token">${texts.copyNow(token.name)}</h2>
          <p class="soft small">${texts.keep}</p>
        </div>
        <div class="secret">
          <code id="token" tabindex="0">${plaintext}</code>
          <button type="button" class="go" data-copy="token" data-copied="${texts.shared.copied}">
            ${texts.copyToken}
          </button>
        </div>
        ${code({
          id: 'first-request',
          text: `TENDER_TOKEN=${plaintext}\n${curl}`,
          caption: texts.firstRequest,
          copy: [texts.shared.copy, texts.shared.copied],
        })}
      </div>
    </section>`
  }
}

function endOf(expiresAt: number | null, now: number, language: OrganizationRequest['language']): Html | string {
  const texts = accessTexts[language]
  if (expiresAt === null) return texts.shared.never
  const end = formatDay(expiresAt, language)
  if (expiresAt - now > soonMs) return end
  return state('warn', texts.endsSoon(formatRelative(expiresAt, now, language), end))
}

/** The four steps, with how far somebody is. */
function rotation({ language, now }: OrganizationRequest, valid: readonly ApiToken[]): Html {
  const texts = accessTexts[language]
  const [old, fresh] = valid.toSorted((left, right) => left.createdAt - right.createdAt) as [ApiToken, ApiToken]
  const useOf = ({ name, lastUsedAt }: ApiToken) =>
    lastUsedAt === null ? texts.newUnused(name) : texts.newUsed(name, formatRelative(lastUsedAt, now, language))
  const isDeployed = fresh.lastUsedAt !== null
  return part(
    texts.finish,
    html`<ol class="steps">
      <li class="done">${texts.stepCreate}</li>
      <li${isDeployed && html` class="done"`}>${texts.stepDeploy(old.name, useOf(fresh))}</li>
      <li>${texts.stepWatch(old.name, useOf(old))}</li>
      <li>${texts.stepRevoke(old.name)}</li>
    </ol>`,
    texts.finishDetail,
  )
}

function pastTokens({ language, now }: OrganizationRequest, tokens: readonly ApiToken[]): Html | false {
  const texts = accessTexts[language]
  const past = tokens.filter((token) => !isValidToken(token, now)).toReversed()
  if (past.length === 0) return false
  return html`<section class="part">${more(
    texts.past,
    table({
      caption: texts.past,
      kind: 'mini',
      columns: [texts.shared.name, texts.shared.token, texts.created, texts.shared.ended],
      rows: past.map(({ name, hint, createdAt, revokedAt, expiresAt }) => [
        name,
        html`<code>${hint}</code>`,
        formatDay(createdAt, language),
        formatMoment(revokedAt ?? expiresAt ?? now, language),
      ]),
    }),
  )}</section>`
}
