// The page of one search, new or stored: builder, what it finds, why, and its versions.
import type { TenderRecord } from '../../domain/tender.ts'
import { dayMs } from '../../domain/time.ts'
import type { ExplainedMatch } from '../../hits/explain-match.ts'
import type { SearchFilter } from '../../hits/saved-search.ts'
import {
  listProfiles,
  type SearchOverview,
  type SearchVersion,
  type StoredProfile,
  searchOverviews,
} from '../../store/hits/searches.ts'
import { listEndpoints, type WebhookEndpoint } from '../../store/hits/webhook-endpoints.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatNumber } from '../frame/format.ts'
import { formKey } from '../frame/forms.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { type OrganizationRequest, orNotFound, type PageAnswer, page } from '../frame/page.ts'
import { field, moment, noteBox, numbers, part, quoted, state, table } from '../frame/parts.ts'
import { titleOf } from '../frame/record-texts.ts'
import { clauseText, filterLine } from './clause-lines.ts'
import { clauseTexts } from './clause-texts.ts'
import { copyTexts } from './copy-texts.ts'
import type { FieldErrors } from './criteria.ts'
import type { ReadSearch, SearchForm } from './search-form.ts'
import { errorNote, finds, maxOpenDelivered, searchFields } from './search-form-parts.ts'
import type { PreviewAnswer, SearchPreviews } from './search-previews.ts'
import { searchesTexts } from './searches-texts.ts'

/** What a list calls recent. */
export const recentMs = 7 * dayMs

export type SearchDesk = { readonly context: ConsoleContext; readonly previews: SearchPreviews }

export const addressOf = ({ organization }: OrganizationRequest): string => `/o/${organization.organizationId}/searches`
export const profilesOf = (
  { store }: ConsoleContext,
  { organization }: OrganizationRequest,
): Promise<StoredProfile[]> => listProfiles(store.db, organization.organizationId)

export async function searchOf({ store }: ConsoleContext, request: OrganizationRequest): Promise<SearchOverview> {
  const { organization, params, now, language } = request
  const all = await searchOverviews(store.db, organization.organizationId, now - recentMs)
  return orNotFound(
    all.find(({ searchId }) => searchId === params['search']),
    searchesTexts[language].noSearch,
  )
}

export type BuilderView = {
  readonly form: SearchForm
  readonly profiles: readonly StoredProfile[]
  readonly errors?: FieldErrors
  readonly answer?: PreviewAnswer | 'failed' | undefined
  /** The search being edited; absent for a new one. */
  readonly search?: SearchOverview
  readonly versions?: readonly SearchVersion[]
  readonly explained?: ExplainedMatch | 'none' | undefined
  /** Tenders that are called what somebody typed. */
  readonly called?: readonly TenderRecord[]
  /** A note above everything else. */
  readonly notice?: Html | false
  readonly status?: number
}

/** Endpoints that receive the hits of a new search. */
async function receiversOf({ store }: ConsoleContext, { organization }: OrganizationRequest): Promise<number> {
  const endpoints = await listEndpoints(store.db, organization.organizationId)
  const receives = ({ state: each, kinds, searches }: WebhookEndpoint) =>
    each === 'active' && kinds.includes('search.hit') && searches === undefined
  return endpoints.filter(receives).length
}

export async function builder(
  { context }: SearchDesk,
  request: OrganizationRequest,
  view: BuilderView,
): Promise<PageAnswer> {
  const { language } = request
  const { form, profiles, search, versions = [], errors = new Map(), answer, notice = false } = view
  const texts = searchesTexts[language]
  const at = addressOf(request)
  const action = search ? `${at}/${search.searchId}` : `${at}/new`
  const hidden = search ? html`<input type="hidden" name="version" value="${search.version}">` : formKey(context)
  const save = search ? texts.shared.saveVersion(search.version + 1) : texts.save
  const receivers = search ? 0 : await receiversOf(context, request)
  const open = html`<label class="tick">
    <input type="checkbox" name="deliver-open" value="yes" form="search"${form.deliversOpen && html` checked`}>
    <span>
      ${texts.deliverOpen} <span class="hint">
        ${texts.deliverOpenHint(formatNumber(maxOpenDelivered, language))}
        ${receivers > 0 && texts.deliverOpenMessages(receivers, formatNumber(receivers * maxOpenDelivered, language))}
      </span>
    </span>
  </label>`
  const actions = html`
    ${!search && open}
    <div class="row">
      <button class="go" form="search" name="do" value="save">${save}</button>
      <a class="btn bare" href="${at}">${texts.shared.cancel}</a>
    </div>
  `
  const records = context.editions.newest?.records
  return page({
    title: search?.name ?? texts.shared.newSearch,
    lead: search ? texts.savedLead(search.version) : texts.newLead,
    crumbs: [[texts.pageNames.searches, at]],
    current: at,
    scripts: ['suggest'],
    ...(view.status !== undefined && { status: view.status }),
    ...(search && { actions: headActions(request, search, action) }),
    body: html`
      ${notice}
      ${errorNote(errors, language)}
      ${search && stateNotes(request, search, action)}
      <div class="split">
        ${searchFields({ form, errors, profiles, action, language, hidden })}
        ${finds({ answer, threshold: form.threshold, records, language, actions })}
      </div>
      ${search && whyPart(request, action, view)}
      ${versions.length > 0 && versionsPart(request, versions, profiles)}
    `,
  })
}

/** Links to the pages that copy and delete what is at `address`. */
export const copyLinks = (address: string, language: Language): Html =>
  html`<a class="btn" href="${address}/copy">${copyTexts[language].shared.copy}</a>
<a class="btn stop" href="${address}/delete">${copyTexts[language].deleteLink}</a>`

function headActions({ language, organization }: OrganizationRequest, search: SearchOverview, action: string): Html {
  const texts = searchesTexts[language]
  return html`
    <a class="btn" href="/o/${organization.organizationId}/hits?search=${search.searchId}">${texts.seeHits}</a>
    <form method="post" action="${action}/${search.isActive ? 'pause' : 'resume'}">
      <button>${search.isActive ? texts.pause : texts.resume}</button>
    </form>
    ${copyLinks(action, language)}
  `
}

function stateNotes({ language }: OrganizationRequest, search: SearchOverview, action: string): Html {
  const texts = searchesTexts[language]
  return html`
    ${!search.isActive && noteBox('warn', texts.pausedNote, texts.pausedDetail)}
    ${
      search.heldEditions > 0 &&
      html`
        ${noteBox('warn', texts.heldNote, texts.heldDetail(formatNumber(search.heldHits, language)))}
        <form method="post" action="${action}/release"><button>${texts.release}</button></form>
      `
    }
  `
}

function versionsPart(
  { language }: OrganizationRequest,
  versions: readonly SearchVersion[],
  profiles: readonly StoredProfile[],
): Html {
  const texts = searchesTexts[language]
  return part(
    texts.versions,
    table({
      caption: texts.versions,
      kind: 'mini',
      columns: [
        numbers(texts.shared.version),
        texts.when,
        texts.shared.state,
        numbers(texts.threshold),
        texts.profile,
        texts.criteria,
      ],
      rows: versions.map((version) => [
        version.version,
        moment(version.createdAt, language),
        version.isActive ? texts.shared.active : texts.paused,
        version.threshold,
        version.profileId === null
          ? texts.derived
          : (profiles.find(({ profileId }) => profileId === version.profileId)?.name ?? ''),
        filterLine(JSON.parse(version.filter) as SearchFilter, language),
      ]),
    }),
  )
}

const verdict = ({ isMatch, clauses, fitScore }: ExplainedMatch, texts: (typeof searchesTexts)[Language]): string => {
  if (isMatch) return texts.whyYes(String(fitScore))
  return clauses.every(({ holds }) => holds) ? texts.whyLow(String(fitScore)) : texts.whyNo
}

function whyPart(
  { language, query }: OrganizationRequest,
  action: string,
  { explained, called = [] }: Pick<BuilderView, 'explained' | 'called'>,
): Html {
  const texts = searchesTexts[language]
  const form = html`<form class="row" action="${action}#why">
    ${field({
      name: 'tender',
      label: texts.whyLabel,
      value: query.get('tender') ?? '',
      maxLength: 500,
      ...(explained === 'none' && { error: texts.whyNone }),
    })}
    <button>${texts.whyButton}</button>
  </form>`
  const answer =
    explained !== undefined &&
    explained !== 'none' &&
    html`<h3>${verdict(explained, texts)}</h3>${table({
      caption: texts.why,
      kind: 'mini',
      columns: [texts.clause, texts.holds, texts.shared.because],
      rows: explained.clauses.map((each) => [
        clauseTexts[language].names[each.clause],
        state(each.holds ? 'good' : 'bad', each.holds ? texts.yes : texts.no),
        clauseText(each, language),
      ]),
    })}`
  const choice =
    called.length > 1 &&
    html`<p>${texts.whyWhich}</p><ul>
      ${called.map(
        (record) => html`<li>
          <a href="${action}?tender=${record.id}#why">${quoted(titleOf(record).text, titleOf(record).lang)}</a>
          ${record.contractingAuthority && html` · ${quoted(record.contractingAuthority.name, record.language)}`}
        </li>`,
      )}
    </ul>`
  return html`<div id="why">${part(texts.why, html`${form}${choice}${answer}`)}</div>`
}

export const questionOf = ({ filter, profile }: ReadSearch & { readonly kind: 'read' }) => ({
  filter,
  profileId: profile?.profileId ?? null,
  profileVersion: profile?.version ?? 0,
})
