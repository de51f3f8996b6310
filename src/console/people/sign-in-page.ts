// The sign-in page, as shared by several ways of signing in: fresh, or with what went wrong.

import { listPasskeys } from '../../store/people/passkeys.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { fieldOf } from '../frame/forms.ts'
import { type Content, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { returnPath } from '../frame/own-path.ts'
import { type Page, type PageAnswer, type PageRequest, page } from '../frame/page.ts'
import { field, noteBox } from '../frame/parts.ts'
import { signInOptions } from './passkeys.ts'
import { signInTexts } from './sign-in-texts.ts'

export type SignInFailure = {
  /** What was typed. */
  readonly mail?: string
  /** What is wrong with it. */
  readonly mailError?: string
  /** What else went wrong: a heading and a sentence. */
  readonly problem?: readonly [heading: string, why: string]
}

/** For somebody who signed in by a link: undefined with a passkey, which spares the next one. */
export const passkeyAdvice = async (
  { store }: ConsoleContext,
  personId: string,
  language: Language,
): Promise<string | undefined> =>
  (await listPasskeys(store.db, personId)).length === 0 ? signInTexts[language].advice : undefined

/** Of plain and of secure consoles. */
const sessionCookies = ['session', '__Host-session'] as const

/** A narrow page with one thing to do. */
export const gatePage = (title: string, lead: Content, body: Content, how: Partial<Page> = {}): PageAnswer =>
  page({
    title,
    hasHead: false,
    body: html`<div class="gate"><div class="stack gap"><div><h1>${title}</h1><p class="soft">${lead}</p></div>${body}</div></div>`,
    ...how,
  })

/** While there are no people, no form signs in: the first link does. */
const nobodyPage = (texts: (typeof signInTexts)[Language]): PageAnswer =>
  gatePage(
    texts.shared.signIn,
    texts.nobody,
    html`<p>${texts.nobodyHelp}<br><code>tenderstock console link</code></p><p class="soft small">${texts.firstOperator}</p>`,
  )

/** The path to continue with is in the query, or in the form that failed. */
export async function signInPage(
  context: ConsoleContext,
  request: PageRequest,
  failure: SignInFailure = {},
): Promise<PageAnswer> {
  const { language, viewer, query, form, now, cookies } = request
  const texts = signInTexts[language]
  const { mailError, problem } = failure
  const back = returnPath(form.get('return') ?? query.get('return'))
  const mail = failure.mail ?? (fieldOf(form, 'mail') || (viewer?.person.mail ?? ''))
  if (!context.directory.hasPeople) return nobodyPage(texts)
  const title = viewer ? texts.again : texts.shared.signIn
  const { oidc } = context.config
  const hasFailed = mailError !== undefined || problem !== undefined
  // signing out removes the cookie
  const hasEnded = !viewer && !hasFailed && sessionCookies.some((name) => cookies[name] !== undefined)
  return gatePage(
    title,
    viewer ? texts.againLead(viewer.person.mail) : texts.lead,
    html`
      ${hasEnded && noteBox('info', texts.ended, texts.endedWhy)}
      ${problem && noteBox('bad', ...problem)}
      ${mailError !== undefined && noteBox('bad', texts.shared.oneToCorrect, html`<a href="#mail">${mailError}</a>`)}
      ${
        !context.config.mail &&
        noteBox(
          'warn',
          texts.mailMissing,
          html`${texts.askOperator} <code>tenderstock console link ${mail || 'MAIL'}</code>`,
        )
      }
      <form class="stack" method="post" action="/sign-in">
        <input type="hidden" name="return" value="${back}">
        ${field({
          name: 'mail',
          type: 'email',
          label: texts.mail,
          value: mail,
          error: mailError,
          isRequired: true,
          autocomplete: 'username webauthn',
        })}
        <button class="go full">${texts.send}</button>
      </form>
      <div hidden class="later">
        <form class="stack" method="post" action="/sign-in/passkey" data-passkey="get"
          data-options="${await signInOptions(context, now)}">
          <p class="or">${texts.or}</p>
          <input type="hidden" name="return" value="${back}">
          <input type="hidden" name="credential">
          <button class="full">${texts.passkey}</button>
        </form>
      </div>
      ${
        oidc &&
        html`<a class="btn full" href="/sign-in/oidc?return=${encodeURIComponent(back)}">${texts.company(new URL(oidc.issuer).host)}</a>`
      }
      <p class="soft small">${texts.needsInvitation}</p>
    `,
    { scripts: ['passkey'], ...(hasFailed && { status: 422, title: `${texts.shared.error}: ${title}` }) },
  )
}
