// Passkeys: signing in with one, adding and removing them.

import { removePasskey } from '../../actions/people.ts'
import { oneLine } from '../../digests/digest-content.ts'
import { type Executor, inTransaction } from '../../store/database/database.ts'
import { listPasskeys, type Passkey } from '../../store/people/passkeys.ts'
import type { Person } from '../../store/people/people.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { actingOf, fieldOf } from '../frame/forms.ts'
import { homeOf } from '../frame/frame.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { html } from '../frame/html.ts'
import { returnPath } from '../frame/own-path.ts'
import {
  type PageAnswer,
  PageError,
  type PageRequest,
  type PageRoute,
  type PersonRequest,
  page,
  personPage,
  publicPage,
  redirect,
} from '../frame/page.ts'
import { field, noteBox, question } from '../frame/parts.ts'
import { queueAccountMail } from '../mails/account-mails.ts'
import { meTexts } from './me-texts.ts'
import { type Addition, addOptions, addPasskeyOf, signInByPasskey } from './passkeys.ts'
import { signInPage } from './sign-in-page.ts'
import { signInTexts } from './sign-in-texts.ts'

const maxLetters = 60

export const passkeyPages = (context: ConsoleContext): PageRoute[] => [
  publicPage('POST', '/sign-in/passkey', (request) => signIn(context, request)),
  personPage('GET', '/me/passkeys/new', (request) => newPage(context, request), { isSensitive: true }),
  personPage('POST', '/me/add-passkey', (request) => add(context, request), { isSensitive: true }),
  personPage('GET', '/me/passkeys/remove', (request) => askToRemove(context, request), { isSensitive: true }),
  personPage('POST', '/me/remove-passkey', (request) => remove(context, request), { isSensitive: true }),
]

async function signIn(context: ConsoleContext, request: PageRequest): Promise<PageAnswer> {
  const { form, language } = request
  const { directory } = context
  const outcome = await signInByPasskey(context, request, (trx, passkey, person) =>
    tellOfBlocked(trx, context, request, { passkey, person }),
  )
  const texts = signInTexts[language]
  if (outcome.kind === 'blocked')
    return signInPage(context, request, { problem: [texts.passkeyBlocked, texts.passkeyBlockedWhy] })
  const person = outcome.kind === 'signedIn' ? directory.person(outcome.personId) : undefined
  if (!person) return signInPage(context, request, { problem: [texts.passkeyFailed, texts.passkeyFailedWhy] })
  const back = returnPath(form.get('return'))
  const home = homeOf({ person, memberships: directory.membershipsOf(person.personId) })
  return redirect(back === '/' ? home : back, { signIn: { personId: person.personId } })
}

/** Mails the person whose passkey is blocked. */
async function tellOfBlocked(
  trx: Executor,
  context: ConsoleContext,
  { language, now, addressPrefix }: PageRequest,
  { passkey: { name }, person }: { readonly passkey: Passkey; readonly person: Person },
): Promise<void> {
  await queueAccountMail(trx, context, {
    to: person.mail,
    mail: { kind: 'passkeyBlocked', language: person.language ?? language, data: { name, at: now, addressPrefix } },
    now,
  })
}

async function newPage(
  context: ConsoleContext,
  request: PersonRequest,
  problem?: Exclude<Addition, 'added'>,
): Promise<PageAnswer> {
  const { language, viewer, now, form } = request
  const texts = meTexts[language]
  const options = await addOptions(context, viewer, now)
  return page({
    title: texts.add,
    lead: texts.addLead,
    crumbs: [[texts.pageNames.settings, '/me']],
    scripts: ['passkey'],
    ...(problem !== undefined && { status: 422 }),
    body: html`
      ${problem !== undefined && noteBox('bad', texts.notAdded, texts.passkeyProblem[problem])}
      <div hidden class="later">
        <form class="stack" method="post" action="/me/add-passkey" data-passkey="add" data-options="${options}">
          <input type="hidden" name="credential">
          ${field({
            name: 'name',
            label: texts.passkeyName,
            value: fieldOf(form, 'name') || texts.usualName,
            hint: texts.passkeyNameHint,
            maxLength: maxLetters,
          })}
          <div class="row">
            <button class="go">${texts.addButton}</button>
            <a class="btn bare" href="/me">${texts.shared.cancel}</a>
          </div>
        </form>
      </div>
      <noscript>${noteBox('warn', texts.notAdded, texts.needsScript)}</noscript>
    `,
  })
}

async function add(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const { form, language } = request
  const texts = meTexts[language]
  const name = [...oneLine(fieldOf(form, 'name'))].slice(0, maxLetters).join('') || texts.usualName
  const outcome = await addPasskeyOf(context, request, name)
  if (outcome !== 'added') return newPage(context, request, outcome)
  return redirect('/me', { notice: texts.passkeyAdded(name) })
}

async function askToRemove({ store }: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const { language, viewer, query } = request
  const texts = meTexts[language]
  const own = await listPasskeys(store.db, viewer.person.personId)
  const passkey = own.find(({ credentialId }) => credentialId === query.get('id'))
  if (!passkey) throw new PageError(404, frameTexts[language].noPage)
  return page({
    title: texts.removeTitle(passkey.name),
    crumbs: [[texts.pageNames.settings, '/me']],
    body: question({
      action: '/me/remove-passkey',
      body: html`<p>${texts.removeBody}</p>`,
      fields: html`<input type="hidden" name="id" value="${passkey.credentialId}">`,
      button: texts.shared.removeButton,
      cancel: [texts.keep, '/me'],
    }),
  })
}

async function remove(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const { language, viewer, form } = request
  const { personId } = viewer.person
  const name = await inTransaction(context.store, (trx) =>
    removePasskey(trx, actingOf(context, request), { credentialId: fieldOf(form, 'id'), personId }),
  )
  return redirect('/me', name === undefined ? {} : { notice: meTexts[language].removed(name) })
}
