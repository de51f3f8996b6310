// An invitation's link: what it says, and joining.
import { joinHanded, join as joinNow } from '../../actions/members.ts'
import { inTransaction } from '../../store/database/database.ts'
import { findHandedInvitation, findInvitationOfLink } from '../../store/people/invitations.ts'
import { isKnownMail } from '../../store/people/people.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { keyHashOf } from '../frame/directory.ts'
import { newcomerOf } from '../frame/forms.ts'
import { type Html, html } from '../frame/html.ts'
import { type PageAnswer, type PageRequest, type PageRoute, publicPage, redirect } from '../frame/page.ts'
import { gatePage, passkeyAdvice } from './sign-in-page.ts'
import { signInTexts } from './sign-in-texts.ts'

export const invitationPages = (context: ConsoleContext): PageRoute[] => [
  publicPage('GET', '/invitation/:key', (request) => showInvitation(context, request)),
  publicPage('POST', '/invitation/:key', (request) => join(context, request)),
]

async function showInvitation({ store, directory }: ConsoleContext, request: PageRequest): Promise<PageAnswer> {
  const { params, language, now, viewer, url } = request
  const texts = signInTexts[language]
  const keyHash = keyHashOf(params['key'] ?? '')
  const mailed = await findInvitationOfLink(store.db, keyHash, now)
  const invitation = mailed ?? (await findHandedInvitation(store.db, keyHash, now))
  const organization = invitation && directory.organization(invitation.organizationId)
  if (!invitation || !organization) return gonePage(request)
  const { mail, role, invitedBy } = invitation
  const title = texts.invitationTitle(organization.name)
  const isOther = viewer !== undefined && viewer.person.mail !== mail
  const isOwn = viewer?.person.mail === mail
  if (!mailed && !isOwn && (await isKnownMail(store.db, mail)))
    return gatePage(title, texts.invitationLead(invitedBy, role === 'owner'), knownPart(url.pathname, mail, request))
  return gatePage(
    title,
    texts.invitationLead(invitedBy, role === 'owner'),
    html`
      <p>
        ${
          isOther
            ? texts.invitationOther(viewer.person.mail, mail)
            : isOwn
              ? texts.invitationStays(mail)
              : texts.invitationAs(mail)
        }
      </p>
      <form method="post" action="${url.pathname}">
        <button class="go full">${texts.invitationButton(organization.name)}</button>
      </form>
    `,
  )
}

/** A link that was handed over never signs in somebody who exists. */
function knownPart(path: string, mail: string, { language, viewer }: PageRequest): Html {
  const texts = signInTexts[language]
  const signIn = html`<p>
    <a class="btn go full" href="/sign-in?return=${encodeURIComponent(path)}">${texts.shared.signIn}</a>
  </p>`
  return html`<p>${texts.invitationKnown(mail)}</p>${!viewer && signIn}`
}

/**
 * Creates the person if there is none, and signs them in: having the mailed link proves having the mail address. One
 * that was handed over proves nothing, and adds the membership of whoever is signed in with that address.
 */
async function join(context: ConsoleContext, request: PageRequest): Promise<PageAnswer> {
  const { directory } = context
  const { params, language } = request
  const keyHash = keyHashOf(params['key'] ?? '')
  const viewer = request.viewer?.person
  const accepted = await inTransaction(context.store, async (trx) => {
    const newcomer = newcomerOf(context, request)
    const joined = await joinNow(trx, newcomer, { keyHash })
    return joined.kind === 'joined' ? { ...joined, signsIn: true } : joinHanded(trx, newcomer, { keyHash, viewer })
  })
  if (accepted.kind === 'gone') return gonePage(request)
  if (accepted.kind === 'known') return showInvitation(context, request)
  await directory.refresh()
  const { organizationId } = accepted.invitation
  const organization = directory.organization(organizationId)
  // three questions lead to the first hits, where there is something to find
  const hasStock = context.hasSamples || organization?.hasApiAccess === true
  const texts = signInTexts[language]
  const { personId } = accepted.person
  const advice = accepted.signsIn && (await passkeyAdvice(context, personId, language))
  return redirect(`/o/${organizationId}${hasStock ? '/start' : ''}`, {
    ...(accepted.signsIn && { signIn: { personId } }),
    notice: [texts.joined(organization?.name ?? ''), advice].filter(Boolean).join(' '),
  })
}

function gonePage({ language }: PageRequest): PageAnswer {
  const texts = signInTexts[language]
  const back = html`<p><a class="btn" href="/sign-in">${texts.backToSignIn}</a></p>`
  return gatePage(texts.invitationGone, texts.invitationGoneLead, back, { status: 404 })
}
