// An invitation's link: what it says, and joining.
import { join as joinNow } from '../../actions/members.ts'
import { inTransaction } from '../../store/database/database.ts'
import { findInvitationOfLink } from '../../store/people/invitations.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { keyHashOf } from '../frame/directory.ts'
import { newcomerOf } from '../frame/forms.ts'
import { html } from '../frame/html.ts'
import { type PageAnswer, type PageRequest, type PageRoute, publicPage, redirect } from '../frame/page.ts'
import { gatePage } from './sign-in-page.ts'
import { signInTexts } from './sign-in-texts.ts'

export const invitationPages = (context: ConsoleContext): PageRoute[] => [
  publicPage('GET', '/invitation/:key', (request) => showInvitation(context, request)),
  publicPage('POST', '/invitation/:key', (request) => join(context, request)),
]

async function showInvitation({ store, directory }: ConsoleContext, request: PageRequest): Promise<PageAnswer> {
  const { params, language, now, viewer, url } = request
  const texts = signInTexts[language]
  const invitation = await findInvitationOfLink(store.db, keyHashOf(params['key'] ?? ''), now)
  const organization = invitation && directory.organization(invitation.organizationId)
  if (!invitation || !organization) return gonePage(request)
  const { mail, role, invitedBy } = invitation
  const title = texts.invitationTitle(organization.name)
  const isOther = viewer !== undefined && viewer.person.mail !== mail
  return gatePage(
    title,
    texts.invitationLead(invitedBy, role === 'owner'),
    html`
      <p>${isOther ? texts.invitationOther(viewer.person.mail, mail) : texts.invitationAs(mail)}</p>
      <form method="post" action="${url.pathname}">
        <button class="go full">${texts.invitationButton(organization.name)}</button>
      </form>
    `,
  )
}

/** Creates the person if there is none, and signs them in: having the link proves having the mail address. */
async function join(context: ConsoleContext, request: PageRequest): Promise<PageAnswer> {
  const { directory } = context
  const { params, language } = request
  const keyHash = keyHashOf(params['key'] ?? '')
  const accepted = await inTransaction(context.store, (trx) => joinNow(trx, newcomerOf(context, request), { keyHash }))
  if (accepted.kind === 'gone') return gonePage(request)
  await directory.refresh()
  const { organizationId } = accepted.invitation
  const name = directory.organization(organizationId)?.name ?? ''
  return redirect(`/o/${organizationId}`, {
    signIn: { personId: accepted.person.personId },
    notice: signInTexts[language].joined(name),
  })
}

function gonePage({ language }: PageRequest): PageAnswer {
  const texts = signInTexts[language]
  const back = html`<p><a class="btn" href="/sign-in">${texts.backToSignIn}</a></p>`
  return gatePage(texts.invitationGone, texts.invitationGoneLead, back, { status: 404 })
}
