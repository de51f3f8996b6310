// A person's own settings: name, language, mails with hits, sessions.
import { oneLine } from '../../digests/digest-content.ts'
import { inTransaction } from '../../store/database/database.ts'
import { listPasskeys, type Passkey } from '../../store/people/passkeys.ts'
import { changePerson } from '../../store/people/people.ts'
import { endSessions } from '../../store/people/sessions.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatDay, formatMoment } from '../frame/format.ts'
import { fieldOf } from '../frame/forms.ts'
import { type Html, html } from '../frame/html.ts'
import { isLanguage } from '../frame/languages.ts'
import { type PageAnswer, type PageRoute, type PersonRequest, page, personPage, redirect } from '../frame/page.ts'
import { empty, field, moment, noteBox, part, select, table, unseen } from '../frame/parts.ts'
import { errorNote } from '../hits/search-form-parts.ts'
import { type LetterSent, letterPart, saveLetter, startLetter } from './letter-part.ts'
import { meTexts } from './me-texts.ts'

/** Maximum number of characters of a name. */
const maxLetters = 100
/** The person's choice of language counts from now on, not an earlier click. */
const noLanguageCookie = { name: 'language', value: '', maxAgeSeconds: 0 }

export const mePages = (context: ConsoleContext): PageRoute[] => [
  personPage('GET', '/me', (request) => mePage(context, request)),
  personPage('POST', '/me', (request) => save(context, request)),
  personPage('POST', '/me/letter', async (request) => {
    const saved = await saveLetter(context, request)
    return 'form' in saved ? mePage(context, request, saved) : saved
  }),
  personPage('POST', '/me/letter/start', (request) => startLetter(context, request)),
  personPage('POST', '/me/end', (request) => endOne(context, request)),
  personPage('POST', '/me/end-others', (request) => endOthers(context, request)),
]

async function mePage(
  context: ConsoleContext,
  request: PersonRequest,
  sent: LetterSent | undefined = undefined,
): Promise<PageAnswer> {
  const { viewer, language } = request
  const texts = meTexts[language]
  const passkeys = await listPasskeys(context.store.db, viewer.person.personId)
  return page({
    title: texts.pageNames.settings,
    lead: texts.lead(viewer.person.mail),
    actions: html`<a class="btn" href="/me/calendar">${texts.calendar}</a><a class="btn" href="/me/status-mails">${texts.statusMails}</a>`,
    ...(sent && { status: 422 }),
    body: html`
      ${sent && errorNote(sent.errors, language)}
      ${part(texts.you, personForm(request))}
      ${await letterPart(context, request, sent)}
      ${part(texts.passkeys, passkeyList(passkeys, request), texts.passkeysHint)}
      ${part(texts.sessions, sessionList(context, request), texts.sessionsHint)}
    `,
  })
}

function personForm({ viewer, language }: PersonRequest): Html {
  const texts = meTexts[language]
  const { person } = viewer
  const choices = Object.entries(texts.languages)
  return html`<form class="stack" method="post" action="/me">
    <div class="two">
      ${field({
        name: 'name',
        label: texts.shared.name,
        value: person.name,
        hint: texts.nameHint,
        maxLength: maxLetters,
        autocomplete: 'name',
      })}
      ${select({ name: 'language', label: texts.language, value: person.language ?? '', choices })}
    </div>
    <div><button class="go">${texts.shared.save}</button></div>
  </form>`
}

function passkeyList(passkeys: readonly Passkey[], { language }: PersonRequest): Html {
  const texts = meTexts[language]
  const add = html`<a class="btn" href="/me/passkeys/new">${texts.add}</a>`
  if (passkeys.length === 0) return empty(texts.noPasskeys, texts.noPasskeysHint, add)
  const blocked = passkeys.flatMap(({ name, blockedAt }) => (blockedAt === undefined ? [] : [{ name, blockedAt }]))
  return html`${blocked.map(({ name, blockedAt }) => noteBox('bad', texts.blockedTitle(name), texts.blockedBody(formatMoment(blockedAt, language))))}${table(
    {
      caption: texts.passkeys,
      kind: 'mid',
      columns: [texts.passkey, texts.added, texts.lastUsed, unseen(texts.shared.change)],
      rows: passkeys.map((passkey) => [
        html`${passkey.name}${passkey.blockedAt !== undefined && html` <span class="tag">${texts.blocked}</span>`}`,
        formatDay(passkey.createdAt, language),
        passkey.lastUsedAt === undefined ? texts.never : moment(passkey.lastUsedAt, language),
        html`<a class="btn tiny stop" href="/me/passkeys/remove?id=${encodeURIComponent(passkey.credentialId)}">${texts.shared.remove}</a>`,
      ]),
    },
  )}<p>${add}</p>`
}

function sessionList({ directory }: ConsoleContext, { viewer, language }: PersonRequest): Html {
  const texts = meTexts[language]
  const sessions = directory.sessionsOf(viewer.person.personId)
  return html`${table({
    caption: texts.sessions,
    kind: 'mid',
    columns: [texts.browser, texts.from, texts.since, texts.lastUsed, unseen(texts.shared.change)],
    rows: sessions.map((session) => [
      html`${session.agent || texts.shared.unknown}${session.sessionId === viewer.sessionId && html` <span class="tag">${texts.here}</span>`}`,
      session.addressPrefix,
      moment(session.createdAt, language),
      moment(session.seenAt, language),
      html`<form method="post" action="/me/end"><button class="tiny" name="session" value="${session.sessionId}">${texts.end}</button></form>`,
    ]),
  })}${sessions.length > 1 && html`<form method="post" action="/me/end-others"><button class="stop">${texts.endOthers}</button></form>`}`
}

async function save(
  { store, directory }: ConsoleContext,
  { viewer, form, language }: PersonRequest,
): Promise<PageAnswer> {
  const name = [...oneLine(fieldOf(form, 'name'))].slice(0, maxLetters).join('')
  const wanted = fieldOf(form, 'language')
  const chosen = isLanguage(wanted) ? wanted : undefined
  await inTransaction(store, (trx) => changePerson(trx, viewer.person.personId, { name, language: chosen }))
  await directory.refresh()
  return redirect('/me', { notice: meTexts[chosen ?? language].saved, cookies: [noLanguageCookie] })
}

async function endOne({ store, directory }: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const { viewer, form, language } = request
  const sessionId = fieldOf(form, 'session')
  const isOwn = directory.sessionsOf(viewer.person.personId).some((each) => each.sessionId === sessionId)
  if (sessionId === viewer.sessionId) return redirect('/', { isSigningOut: true })
  if (isOwn) {
    await inTransaction(store, (trx) => endSessions(trx, { sessionId }))
    await directory.refresh()
  }
  return redirect('/me', { notice: meTexts[language].ended })
}

async function endOthers(
  { store, directory }: ConsoleContext,
  { viewer, language }: PersonRequest,
): Promise<PageAnswer> {
  const { person, sessionId } = viewer
  await inTransaction(store, (trx) => endSessions(trx, { personId: person.personId, but: sessionId }))
  await directory.refresh()
  return redirect('/me', { notice: meTexts[language].endedOthers })
}
