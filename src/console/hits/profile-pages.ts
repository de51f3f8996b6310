// Company profiles of an organization: list, new, edit.
import { addProfile, editProfile, type ProfileEdit } from '../../actions/profiles.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { inTransaction } from '../../store/database/database.ts'
import { listProfiles, listSearches, type StoredProfile } from '../../store/hits/searches.ts'
import { codePicker } from '../codes/code-picker.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { actingOf, fieldOf, formKey, once, Refused } from '../frame/forms.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import {
  type OrganizationRequest,
  organizationPage,
  orNotFound,
  type PageAnswer,
  type PageRoute,
  page,
  redirect,
} from '../frame/page.ts'
import { empty, field, noteBox, numbers, quoted, table, textArea, tick } from '../frame/parts.ts'
import { publishedRecords } from '../frame/published-record.ts'
import { titleOf } from '../frame/record-texts.ts'
import { copyPages } from './copy-pages.ts'
import type { FieldErrors } from './criteria.ts'
import { criteriaTexts } from './criteria-texts.ts'
import { isTenderId, winsCalled } from './named-tenders.ts'
import { formOfProfile, type ProfileForm, profileSent, readProfileForm } from './profile-form.ts'
import { profilesTexts } from './profiles-texts.ts'
import { copyLinks } from './search-builder.ts'
import { errorNote, lookButton, natureFields, valueFields } from './search-form-parts.ts'

export const profilePages = (context: ConsoleContext): PageRoute[] => [
  organizationPage('GET', '/o/:organization/profiles', 'member', (request) => listPage(context, request)),
  organizationPage('GET', '/o/:organization/profiles/new', 'member', (request) =>
    formPage(context, request, { form: formOfProfile() }),
  ),
  organizationPage('POST', '/o/:organization/profiles/new', 'member', (request) => create(context, request)),
  organizationPage('GET', '/o/:organization/profiles/:profile', 'member', async (request) => {
    const profile = await profileOf(context, request)
    return formPage(context, request, { form: formOfProfile(profile), profile })
  }),
  organizationPage('POST', '/o/:organization/profiles/:profile', 'member', (request) => edit(context, request)),
  ...copyPages(context, 'profiles'),
]

const addressOf = ({ organization }: OrganizationRequest): string => `/o/${organization.organizationId}/profiles`

async function profileOf({ store }: ConsoleContext, request: OrganizationRequest): Promise<StoredProfile> {
  const { organization, params, language } = request
  const all = await listProfiles(store.db, organization.organizationId)
  return orNotFound(
    all.find(({ profileId }) => profileId === params['profile']),
    profilesTexts[language].noProfile,
  )
}

async function listPage({ store }: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { organization, language } = request
  const texts = profilesTexts[language]
  const at = addressOf(request)
  const profiles = await listProfiles(store.db, organization.organizationId)
  const searches = profiles.length === 0 ? [] : await listSearches(store.db, organization.organizationId)
  const create = html`<a class="btn go" href="${at}/new">${texts.create}</a>`
  return page({
    title: texts.pageNames.profiles,
    lead: texts.lead,
    ...(profiles.length > 0 && { actions: create }),
    body:
      profiles.length === 0
        ? empty(texts.none, texts.noneDetail, create)
        : table({
            caption: texts.pageNames.profiles,
            columns: [texts.shared.name, numbers(texts.shared.version), texts.searches],
            rows: profiles.map(({ profileId, name, version }) => [
              html`<a href="${at}/${profileId}"><bdi>${name}</bdi></a>`,
              version,
              searches
                .filter((search) => search.profileId === profileId)
                .map(
                  (search, index) =>
                    html`${index > 0 && ', '}<a href="/o/${organization.organizationId}/searches/${search.searchId}"><bdi>${search.name}</bdi></a>`,
                ),
            ]),
          }),
  })
}

type FormView = {
  readonly form: ProfileForm
  readonly errors?: FieldErrors
  /** The profile being edited; absent for a new one. */
  readonly profile?: StoredProfile
  readonly notice?: Html
  readonly status?: number
}

async function formPage(context: ConsoleContext, request: OrganizationRequest, view: FormView): Promise<PageAnswer> {
  const { language } = request
  const texts = profilesTexts[language]
  const { form, errors = new Map(), profile, notice, status } = view
  const at = addressOf(request)
  const action = profile ? `${at}/${profile.profileId}` : `${at}/new`
  const hidden = profile ? html`<input type="hidden" name="version" value="${profile.version}">` : formKey(context)
  const wins = await winChoices(context, request, form)
  const save = profile ? texts.shared.saveVersion(profile.version + 1) : texts.save
  return page({
    title: profile?.name ?? texts.create,
    lead: profile ? texts.savedLead(profile.version) : texts.newLead,
    crumbs: [[texts.pageNames.profiles, at]],
    current: at,
    scripts: ['suggest'],
    ...(profile && { actions: copyLinks(action, language) }),
    ...(status !== undefined && { status }),
    body: html`
      ${notice}
      ${errorNote(errors, language)}
      <form method="post" action="${action}" novalidate>
        ${lookButton(language)}
        ${hidden}
        ${profileFields(request, form, errors, action, wins)}
        <div class="row">
          <button class="go" name="do" value="save">${save}</button>
          <a class="btn bare" href="${at}">${texts.shared.cancel}</a>
        </div>
      </form>
    `,
  })
}

function profileFields(
  { language }: OrganizationRequest,
  form: ProfileForm,
  errors: FieldErrors,
  action: string,
  wins: readonly WinChoice[],
): Html {
  const texts = profilesTexts[language]
  const common = criteriaTexts[language]
  const error = (name: string) => errors.get(name)
  const picker = (kind: 'cpv' | 'nuts', name: string, legend: string, picked: ProfileForm['cpv']) =>
    codePicker({ kind, name, legend, picked, action, language, error: error(name) })
  const name = field({
    name: 'name',
    label: texts.shared.name,
    value: form.name,
    maxLength: 200,
    isRequired: true,
    error: error('name'),
  })
  return html`<div class="set">${name}</div>
${picker('cpv', 'cpv', texts.sector, form.cpv)}
<div class="set">
  ${field({ name: 'words', label: texts.words, value: form.words, hint: common.wordsHint, error: error('words') })}
</div>
${picker('nuts', 'nuts', texts.region, form.nuts)}
<div class="set">
  ${field({
    name: 'countries',
    label: texts.countries,
    value: form.countries,
    hint: texts.countriesHint,
    error: error('countries'),
  })}
</div>
${valueFields(form, errors, language)}
${natureFields(form, texts.natureHint, language)}
${winFields(form, wins, error('wins'), action, language)}
<div class="set">
  ${textArea({
    name: 'authorities',
    label: texts.authorities,
    value: form.authorities,
    rows: 3,
    hint: common.oneLine,
    error: error('authorities'),
  })}
</div>
<div class="set">
  ${field({ name: 'not-words', label: texts.notWords, value: form.notWords, error: error('not-words') })}
</div>
${picker('cpv', 'not-cpv', texts.notSector, form.notCpv)}`
}

type WinChoice = { readonly id: string; readonly label: Html; readonly isOn: boolean }

/** What was won already, and what a company of the typed name won. */
async function winChoices(
  context: ConsoleContext,
  request: OrganizationRequest,
  { wins, winner }: ProfileForm,
): Promise<WinChoice[]> {
  const texts = profilesTexts[request.language]
  const label = (record: TenderRecord, name?: string): Html => {
    const { text, lang } = titleOf(record)
    const authority = record.contractingAuthority?.name
    const title = quoted(text || texts.untitled, text === '' ? undefined : lang)
    const buyer = authority !== undefined && html` · ${quoted(authority)}`
    return html`${title}${buyer}${name !== undefined && html` <span class="hint">${quoted(name)}</span>`}`
  }
  const records = await publishedRecords(context, wins.filter(isTenderId))
  const own = wins.map((id) => {
    const record = records.get(id.toLowerCase())
    return { id, isOn: true, label: record ? label(record) : html`${texts.unknownWin}` }
  })
  const found = winner === '' ? [] : await winsCalled(context, request, winner)
  return [
    ...own,
    ...found
      .filter(({ record }) => !wins.includes(record.id))
      .map(({ record, winner: { name } }) => ({ id: record.id, isOn: false, label: label(record, name) })),
  ]
}

function winFields(
  { winner }: ProfileForm,
  wins: readonly WinChoice[],
  error: string | undefined,
  action: string,
  language: Language,
): Html {
  const texts = profilesTexts[language]
  const isNothing = winner !== '' && wins.every(({ isOn }) => isOn)
  return html`<fieldset class="set" id="pick-wins">
    <legend>${texts.wins}</legend>
    <p class="hint">${texts.winsHint}</p>
    ${error !== undefined && html`<p class="why">${error}</p>`}
    ${wins.map(({ id, isOn, label }) => tick({ name: 'wins', value: id, label, isOn }))}
    <div class="row">
      ${field({
        name: 'winner',
        label: texts.winner,
        value: winner,
        maxLength: 200,
        autocomplete: 'organization',
        ...(isNothing && { error: texts.noWins }),
      })}
      <button name="do" value="find wins" formaction="${action}#pick-wins" formnovalidate>${texts.findWins}</button>
    </div>
  </fieldset>`
}

async function create(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language, organization, form: sent } = request
  const texts = profilesTexts[language]
  const form = profileSent(sent)
  if (sent.get('do') !== 'save') return formPage(context, request, { form })
  const read = readProfileForm(form, language)
  if (read.kind === 'wrong') return formPage(context, request, { form, errors: read.errors, status: 422 })
  const { organizationId } = organization
  const { name } = read
  const wanted = { organizationId, name, profile: read.profile }
  const outcome = await once(context, request, async (trx) => {
    const creation = await addProfile(trx, actingOf(context, request), wanted)
    return creation.kind === 'created' ? creation : new Refused(creation.kind)
  })
  if (outcome.kind === 'refused') {
    const errors = new Map([['name', criteriaTexts[language].nameTaken]])
    return formPage(context, request, { form, errors, status: 422 })
  }
  return redirect(addressOf(request), {
    notice: outcome.kind === 'sent' ? texts.shared.alreadySent : texts.created(name),
  })
}

async function edit(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language, form: sent } = request
  const texts = profilesTexts[language]
  const profile = await profileOf(context, request)
  const form = profileSent(sent)
  if (sent.get('do') !== 'save') return formPage(context, request, { form, profile })
  const read = readProfileForm(form, language)
  if (read.kind === 'wrong') return formPage(context, request, { form, profile, errors: read.errors, status: 422 })
  const seen = { profileId: profile.profileId, version: Number(fieldOf(sent, 'version')) }
  const outcome = await inTransaction(context.store, (trx) =>
    editProfile(trx, actingOf(context, request), { seen, name: read.name, profile: read.profile }),
  )
  if (outcome.kind === 'stale') {
    const notice = noteBox('bad', texts.elsewhere, texts.shared.readNewestFirst)
    return formPage(context, request, { form, profile: await profileOf(context, request), notice, status: 409 })
  }
  if (outcome.kind === 'nameTaken') {
    const errors = new Map([['name', criteriaTexts[language].nameTaken]])
    return formPage(context, request, { form, profile, errors, status: 422 })
  }
  const notice = outcome.kind === 'unchanged' ? texts.shared.nothingChanged : editNotice(outcome, language)
  return redirect(`${addressOf(request)}/${profile.profileId}`, { notice })
}

function editNotice(
  { profile, isRenamed, hasNewContent }: Extract<ProfileEdit, { kind: 'edited' }>,
  language: Language,
): string {
  const texts = profilesTexts[language]
  const renamed = isRenamed ? [texts.renamed(profile.name)] : []
  return [...renamed, ...(hasNewContent ? [texts.shared.versionSaved(profile.version)] : [])].join(' ')
}
