// Signing in by a link: the page that asks for the address, the links themselves, the first person, signing out.

import { addFirstPerson } from '../../actions/people.ts'
import { mailAddressOf } from '../../platform/mail-address.ts'
import { type Executor, inTransaction } from '../../store/database/database.ts'
import { listInvitations } from '../../store/people/invitations.ts'
import { findPersonByMail } from '../../store/people/people.ts'
import { findSignInLink, takeSignInLink } from '../../store/people/sessions.ts'
import { takeSignInAttempt } from '../../store/people/sign-in-attempts.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { keyHashOf } from '../frame/directory.ts'
import { fieldOf, newcomerOf } from '../frame/forms.ts'
import { homeOf } from '../frame/frame.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { html } from '../frame/html.ts'
import { signedInPath } from '../frame/kept-form.ts'
import { returnPath } from '../frame/own-path.ts'
import {
  type PageAnswer,
  PageError,
  type PageRequest,
  type PageRoute,
  page,
  personPage,
  publicPage,
  redirect,
} from '../frame/page.ts'
import { field } from '../frame/parts.ts'
import { queueAccountMail } from '../mails/account-mails.ts'
import { gatePage, passkeyAdvice, signInPage } from './sign-in-page.ts'
import { signInTexts } from './sign-in-texts.ts'

/** The address of a first person who gave none: no mail reaches it. */
const firstMail = 'operator@localhost'

export function signInPages(context: ConsoleContext): PageRoute[] {
  return [
    publicPage('GET', '/sign-in', (request) => signInPage(context, request)),
    publicPage('POST', '/sign-in', (request) => askForLink(context, request)),
    publicPage('GET', '/sign-in/sent', (request) => sentPage(request)),
    personPage('GET', signedInPath, ({ language }) =>
      page({ title: frameTexts[language].signedIn, lead: frameTexts[language].signedInLead, body: html`` }),
    ),
    publicPage('GET', '/sign-in/link/:key', (request) => linkPage(context, request)),
    publicPage('POST', '/sign-in/link/:key', (request) => useLink(context, request)),
    publicPage('GET', '/first/:key', (request) => linkPage(context, request)),
    publicPage('POST', '/first/:key', (request) => useLink(context, request)),
    publicPage('POST', '/sign-out', ({ language }) =>
      redirect('/', { isSigningOut: true, notice: signInTexts[language].signedOut }),
    ),
  ]
}

/**
 * Answers the same for every address: its owner is looked up when the mail is written. Only a network that tried many
 * addresses has them looked up before, so that no mails wait in vain.
 */
async function askForLink(context: ConsoleContext, request: PageRequest): Promise<PageAnswer> {
  const { form, language, now, addressPrefix } = request
  const texts = signInTexts[language]
  const typed = fieldOf(form, 'mail')
  const address = mailAddressOf(typed)?.toLowerCase()
  if (address === undefined) return signInPage(context, request, { mail: typed, mailError: texts.shared.writeAddress })
  const back = returnPath(form.get('return'))
  // without a mail server, a link would expire before it was sent
  if (!context.config.mail) return signInPage(context, request, { mail: typed })
  const attempt = {
    networkHash: keyHashOf(`network ${addressPrefix}`),
    pairHash: keyHashOf(`network ${addressPrefix} address ${address}`),
  }
  await inTransaction(context.store, async (trx) => {
    const taken = await takeSignInAttempt(trx, attempt, now)
    if (taken === 'refused') throw new PageError(429, texts.tooMany)
    if (taken === 'crowded' && !(await isKnown(trx, address, now))) return
    await queueAccountMail(trx, context, {
      to: address,
      mail: { kind: 'signIn', language, data: { return: back } },
      now,
    })
  })
  return redirect('/sign-in/sent')
}

const isKnown = async (trx: Executor, mail: string, now: number): Promise<boolean> =>
  (await findPersonByMail(trx, mail)) !== undefined || (await listInvitations(trx, { mail }, now)).length > 0

function sentPage({ language }: PageRequest): PageAnswer {
  const texts = signInTexts[language]
  return gatePage(
    texts.sent,
    texts.sentLead,
    html`<p class="soft small">${texts.sentHelp}</p><p><a class="btn" href="/sign-in">${texts.backToSignIn}</a></p>`,
  )
}

/** Only a button: mail programs open every link. */
async function linkPage(
  { store, hasSamples }: ConsoleContext,
  request: PageRequest,
  mailError?: string,
): Promise<PageAnswer> {
  const { params, language, now, url, query, form } = request
  const texts = signInTexts[language]
  const link = await findSignInLink(store.db, keyHashOf(params['key'] ?? ''), now)
  if (!link) return gonePage(request)
  const isFirst = link.mail === undefined
  const title = isFirst ? texts.firstTitle : texts.linkTitle(link.mail)
  const lead = isFirst ? `${texts.firstLead}${hasSamples ? ` ${texts.firstTrial}` : ''}` : texts.linkLead
  const mailField =
    isFirst &&
    field({
      name: 'mail',
      type: 'email',
      label: texts.firstMail,
      hint: texts.firstMailHint,
      value: form.get('mail') ?? query.get('mail') ?? '',
      autocomplete: 'email',
      error: mailError,
    })
  return gatePage(
    title,
    lead,
    html`<form class="stack" method="post" action="${url.pathname}">
      <input type="hidden" name="return" value="${returnPath(form.get('return') ?? query.get('return'))}">
      ${mailField}
      <button class="go full">${isFirst ? texts.firstButton : texts.shared.signIn}</button>
    </form>`,
    mailError === undefined ? {} : { status: 422, title: `${texts.shared.error}: ${title}` },
  )
}

async function useLink(context: ConsoleContext, request: PageRequest): Promise<PageAnswer> {
  const { store, directory } = context
  const { params, form, now, language } = request
  const typed = fieldOf(form, 'mail')
  const mail = typed === '' ? firstMail : mailAddressOf(typed)?.toLowerCase()
  if (mail === undefined) return linkPage(context, request, signInTexts[language].shared.writeAddress)
  const taken = await takeSignInLink(store, { keyHash: keyHashOf(params['key'] ?? ''), now }, (trx) =>
    addFirstPerson(trx, newcomerOf(context, request), mail),
  )
  if (taken.kind === 'gone') return gonePage(request)
  const { personId } = taken
  await directory.refresh()
  const person = directory.person(personId)
  if (!person) return gonePage(request)
  const back = returnPath(form.get('return'))
  const notice = await passkeyAdvice(context, personId, language)
  return redirect(back === '/' ? homeOf({ person, memberships: directory.membershipsOf(personId) }) : back, {
    signIn: { personId },
    ...(notice !== undefined && { notice }),
  })
}

function gonePage({ language }: PageRequest): PageAnswer {
  const texts = signInTexts[language]
  const back = html`<p><a class="btn" href="/sign-in">${texts.newLink}</a></p>`
  return gatePage(texts.gone, texts.goneLead, back, { status: 404 })
}
