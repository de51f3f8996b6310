// The pages that copy and delete a search or a profile: both ask first, and deleting asks for the name.
import type { Acting } from '../../actions/acting.ts'
import { copyProfile, deleteProfile } from '../../actions/profiles.ts'
import { copySearch, type Deletion, deleteSearch } from '../../actions/searches.ts'
import { type Executor, inTransaction } from '../../store/database/database.ts'
import { findProfile, findSearch, maxSearches } from '../../store/hits/searches.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatNumber } from '../frame/format.ts'
import { actingOf, fieldOf, formKey, once, Refused } from '../frame/forms.ts'
import { html } from '../frame/html.ts'
import {
  type OrganizationRequest,
  organizationPage,
  orNotFound,
  type PageAnswer,
  type PageRoute,
  page,
  redirect,
} from '../frame/page.ts'
import { field, noteBox, question } from '../frame/parts.ts'
import { copyTexts } from './copy-texts.ts'
import type { FieldErrors } from './criteria.ts'
import { criteriaTexts } from './criteria-texts.ts'
import { profilesTexts } from './profiles-texts.ts'
import { errorNote } from './search-form-parts.ts'
import { searchesTexts } from './searches-texts.ts'

/** A search or a profile, and what can be done with it. */
type Thing = {
  readonly id: string
  readonly name: string
  readonly copy: (
    trx: Executor,
    acting: Acting,
    name: string,
  ) => Promise<{ readonly kind: 'created'; readonly id: string } | { readonly kind: 'nameTaken' | 'tooMany' | 'gone' }>
  readonly delete: (
    trx: Executor,
    acting: Acting,
    confirmed: string,
  ) => Promise<Deletion<{ readonly hits?: number }> | { readonly kind: 'inUse'; readonly searches: readonly string[] }>
}

type Kind = 'searches' | 'profiles'
type Desk = { readonly context: ConsoleContext; readonly kind: Kind; readonly request: OrganizationRequest }

/** The four pages of a kind, below the address of one of it. */
export const copyPages = (context: ConsoleContext, kind: Kind): PageRoute[] =>
  (['copy', 'delete'] as const).flatMap((verb) =>
    (['GET', 'POST'] as const).map((method) =>
      organizationPage(method, `/o/:organization/${kind}/:thing/${verb}`, 'member', (request) => {
        const desk = { context, kind, request }
        if (verb === 'copy') return method === 'GET' ? copyPage(desk) : copy(desk)
        return method === 'GET' ? deletePage(desk) : remove(desk)
      }),
    ),
  )

const listOf = ({ kind, request }: Desk): string => `/o/${request.organization.organizationId}/${kind}`

async function thingOf({ context, kind, request }: Desk): Promise<Thing> {
  const { organization, params, language } = request
  const id = params['thing'] ?? ''
  const [db, organizationId] = [context.store.db, organization.organizationId]
  return kind === 'searches'
    ? searchAsThing(orNotFound(await findSearch(db, organizationId, id), searchesTexts[language].noSearch))
    : profileAsThing(orNotFound(await findProfile(db, organizationId, id), profilesTexts[language].noProfile))
}

const searchAsThing = ({ searchId, searchNo, name }: { searchId: string; searchNo: number; name: string }): Thing => ({
  id: searchId,
  name,
  copy: async (trx, acting, newName) => {
    const made = await copySearch(trx, acting, searchNo, newName)
    return made.kind === 'created' ? { kind: 'created', id: made.search.searchId } : made
  },
  delete: (trx, acting, confirmed) => deleteSearch(trx, acting, searchNo, confirmed),
})

const profileAsThing = ({ profileId, name }: { profileId: string; name: string }): Thing => ({
  id: profileId,
  name,
  copy: async (trx, acting, newName) => {
    const made = await copyProfile(trx, acting, profileId, newName)
    return made.kind === 'created' ? { kind: 'created', id: made.profile.profileId } : made
  },
  delete: (trx, acting, confirmed) => deleteProfile(trx, acting, profileId, confirmed),
})

type Asked = { readonly typed?: string; readonly errors?: FieldErrors }

async function copyPage(desk: Desk, { typed, errors = new Map() }: Asked = {}): Promise<PageAnswer> {
  const texts = copyTexts[desk.request.language]
  const { id, name } = await thingOf(desk)
  const value = typed ?? texts.copyName(name).slice(0, 200)
  const asked = field({
    name: 'name',
    label: texts.shared.name,
    value,
    maxLength: 200,
    isRequired: true,
    error: errors.get('name'),
  })
  return asking(desk, { id, name }, errors, {
    title: texts.copyTitle(name),
    verb: 'copy',
    body: html`<p>${texts.copyBody[desk.kind]}</p>`,
    button: texts.copyButton,
    fields: html`${formKey(desk.context)}${asked}`,
  })
}

async function deletePage(desk: Desk, { typed = '', errors = new Map() }: Asked = {}): Promise<PageAnswer> {
  const texts = copyTexts[desk.request.language]
  const { id, name } = await thingOf(desk)
  return asking(desk, { id, name }, errors, {
    title: texts.deleteTitle(name),
    verb: 'delete',
    body: html`<p>${texts.deleteBody[desk.kind]}</p>`,
    button: texts.deleteButton,
    fields: field({
      name: 'confirm',
      label: texts.deleteLabel,
      value: typed,
      hint: name,
      isRequired: true,
      error: errors.get('confirm'),
    }),
  })
}

function asking(
  desk: Desk,
  { id, name }: Pick<Thing, 'id' | 'name'>,
  errors: FieldErrors,
  {
    title,
    verb,
    ...rest
  }: Pick<Parameters<typeof question>[0], 'body' | 'button' | 'fields'> & {
    readonly title: string
    readonly verb: 'copy' | 'delete'
  },
): PageAnswer {
  const { language } = desk.request
  const { pageNames, shared } = copyTexts[language]
  const at = `${listOf(desk)}/${id}`
  return page({
    title,
    ...(errors.size > 0 && { status: 422 }),
    crumbs: [
      [pageNames[desk.kind], listOf(desk)],
      [name, at],
    ],
    current: listOf(desk),
    body: html`${errorNote(errors, language)}${question({ action: `${at}/${verb}`, cancel: [shared.cancel, at], ...rest })}`,
  })
}

async function copy(desk: Desk): Promise<PageAnswer> {
  const { context, request } = desk
  const texts = copyTexts[request.language]
  const thing = await thingOf(desk)
  const typed = fieldOf(request.form, 'name')
  const wrong = (error: string) => copyPage(desk, { typed, errors: new Map([['name', error]]) })
  if (typed === '' || typed.length > 200) return wrong(texts.noName)
  const outcome = await once(context, request, async (trx) => {
    const made = await thing.copy(trx, actingOf(context, request), typed)
    return made.kind === 'created' ? made.id : new Refused(made.kind)
  })
  if (outcome.kind === 'sent') return redirect(listOf(desk), { notice: texts.shared.alreadySent })
  if (outcome.kind === 'done') return redirect(`${listOf(desk)}/${outcome.result}`, { notice: texts.copied(typed) })
  if (outcome.reason === 'tooMany') return wrong(searchesTexts[request.language].tooMany(maxSearches))
  if (outcome.reason === 'nameTaken') return wrong(criteriaTexts[request.language].nameTaken)
  return copyPage(desk)
}

async function remove(desk: Desk): Promise<PageAnswer> {
  const { context, request } = desk
  const { language } = request
  const texts = copyTexts[language]
  const thing = await thingOf(desk)
  const typed = fieldOf(request.form, 'confirm')
  const outcome = await inTransaction(context.store, (trx) => thing.delete(trx, actingOf(context, request), typed))
  if (outcome.kind === 'gone') return deletePage(desk)
  if (outcome.kind === 'unconfirmed')
    return deletePage(desk, { typed, errors: new Map([['confirm', texts.wrongName(outcome.name)]]) })
  if (outcome.kind === 'inUse') return inUsePage(desk, thing, outcome.searches)
  const hits = outcome.hits ? ` ${texts.withHits(formatNumber(outcome.hits, language))}` : ''
  return redirect(listOf(desk), { notice: texts.deleted(outcome.name) + hits })
}

function inUsePage(desk: Desk, { id, name }: Thing, searches: readonly string[]): PageAnswer {
  const { pageNames, inUse, inUseDetail, deleteTitle } = copyTexts[desk.request.language]
  const { organizationId } = desk.request.organization
  const names = searches.map((each) => html`<li><bdi>${each}</bdi></li>`)
  return page({
    title: deleteTitle(name),
    status: 409,
    crumbs: [
      [pageNames.profiles, listOf(desk)],
      [name, `${listOf(desk)}/${id}`],
    ],
    current: listOf(desk),
    body: html`${noteBox('bad', inUse, inUseDetail)}<ul>${names}</ul>
<p><a class="btn" href="/o/${organizationId}/searches">${pageNames.searches}</a></p>`,
  })
}
