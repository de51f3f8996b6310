// The people of an organization: who is in it, who is invited, their roles, leaving.
import { editMember, inviteMember, type MemberChange, withdrawInvitation } from '../../actions/members.ts'
import { mailAddressOf } from '../../platform/mail-address.ts'
import { inTransaction } from '../../store/database/database.ts'
import { giveHandedLink, listInvitations } from '../../store/people/invitations.ts'
import { listMembers, type Member, type Role } from '../../store/people/people.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { keyHashOf } from '../frame/directory.ts'
import { formatDay } from '../frame/format.ts'
import { actingOf, fieldOf, formKey, once, Refused } from '../frame/forms.ts'
import { homeOf } from '../frame/frame.ts'
import { type Html, html } from '../frame/html.ts'
import { linkCard } from '../frame/link-card.ts'
import {
  type OrganizationRequest,
  organizationPage,
  type PageAnswer,
  PageError,
  type PageRoute,
  page,
  redirect,
} from '../frame/page.ts'
import { empty, field, moment, noteBox, part, question, select, table, unseen } from '../frame/parts.ts'
import { queueAccountMail } from '../mails/account-mails.ts'
import { newKey } from '../mails/write-mails.ts'
import { peopleTexts } from './people-texts.ts'

export const peoplePages = (context: ConsoleContext): PageRoute[] => {
  const base = '/o/:organization/people'
  const isSensitive = { isSensitive: true }
  return [
    organizationPage('GET', base, 'member', (request) => peoplePage(context, request)),
    organizationPage('POST', `${base}/invite`, 'owner', (request) => invite(context, request), isSensitive),
    organizationPage('POST', `${base}/withdraw`, 'owner', (request) => withdraw(context, request)),
    organizationPage('POST', `${base}/role`, 'owner', (request) => changeRole(context, request), isSensitive),
    organizationPage('GET', `${base}/remove`, 'owner', (request) => askToRemove(context, request), isSensitive),
    organizationPage('POST', `${base}/remove`, 'owner', (request) => remove(context, request), isSensitive),
    organizationPage('GET', `${base}/leave`, 'member', (request) => askToLeave(request)),
    organizationPage('POST', `${base}/leave`, 'member', (request) => leave(context, request)),
  ]
}

const pathOf = ({ organization }: OrganizationRequest): string => `/o/${organization.organizationId}/people`

async function peoplePage(
  context: ConsoleContext,
  request: OrganizationRequest,
  mailError?: string,
  invited?: { readonly mail: string; readonly link: string },
): Promise<PageAnswer> {
  const { organization, language, now } = request
  const texts = peopleTexts[language]
  const { organizationId, name } = organization
  const members = await listMembers(context.store.db, organizationId)
  const isOwner = organization.role === 'owner'
  return page({
    title: mailError === undefined ? texts.pageNames.people : `${texts.shared.error}: ${texts.pageNames.people}`,
    lead: texts.lead(name),
    current: pathOf(request),
    ...(mailError !== undefined && { status: 422 }),
    body: html`
      ${mailError !== undefined && noteBox('bad', texts.shared.oneToCorrect, html`<a href="#mail">${mailError}</a>`)}
      ${invited && linkCard(invited, language)}
      ${part(texts.members, membersTable(members, request), texts.rolesHint)}
      ${part(texts.shared.openInvitations, await invitationsTable(context, request, now))}
      ${isOwner && inviteForm(context, request, mailError)}
    `,
  })
}

function membersTable(members: readonly Member[], request: OrganizationRequest): Html {
  const { language, viewer, organization } = request
  const texts = peopleTexts[language]
  const isOwner = organization.role === 'owner'
  const actions = ({ personId, role }: Member): Html => {
    const isSelf = personId === viewer.person.personId
    const other: Role = role === 'owner' ? 'member' : 'owner'
    return html`<div class="row">
      ${
        isOwner &&
        html`<form method="post" action="${pathOf(request)}/role">
          <input type="hidden" name="person" value="${personId}">
          <button class="tiny" name="role" value="${other}">
            ${other === 'owner' ? texts.makeOwner : texts.makeMember}
          </button>
        </form>`
      }
      ${
        isSelf
          ? html`<a class="btn tiny stop" href="${pathOf(request)}/leave">${texts.leave}</a>`
          : isOwner &&
            html`<a class="btn tiny stop" href="${pathOf(request)}/remove?person=${personId}">${texts.shared.remove}</a>`
      }
    </div>`
  }
  return table({
    caption: texts.members,
    kind: 'mid',
    columns: [texts.person, texts.shared.role, texts.shared.since, unseen(texts.shared.change)],
    rows: members.map((member) => [
      html`
        ${member.name || member.mail}
        ${member.personId === viewer.person.personId && html` <span class="tag">${texts.you}</span>`}
        ${member.name !== '' && html`<br><span class="soft">${member.mail}</span>`}
      `,
      texts.roles[member.role],
      formatDay(member.since, language),
      actions(member),
    ]),
  })
}

async function invitationsTable({ store }: ConsoleContext, request: OrganizationRequest, now: number): Promise<Html> {
  const { language, organization } = request
  const texts = peopleTexts[language]
  const { organizationId, role } = organization
  const invitations = await listInvitations(store.db, { organizationId }, now)
  if (invitations.length === 0) return empty(texts.nobodyInvited, texts.nobodyInvitedHint)
  return table({
    caption: texts.shared.openInvitations,
    kind: 'mid',
    columns: [texts.mail, texts.shared.role, texts.invitedBy, texts.until, unseen(texts.shared.change)],
    rows: invitations.map((invitation) => [
      invitation.mail,
      texts.roles[invitation.role],
      invitation.invitedBy,
      moment(invitation.until, language),
      role === 'owner' &&
        html`<form method="post" action="${pathOf(request)}/withdraw">
          <button class="tiny" name="invitation" value="${invitation.invitationId}">
            ${texts.shared.withdraw}
          </button>
        </form>`,
    ]),
  })
}

function inviteForm(context: ConsoleContext, request: OrganizationRequest, mailError: string | undefined): Html {
  const { language, form } = request
  const texts = peopleTexts[language]
  return part(
    texts.invite,
    html`<form class="stack" method="post" action="${pathOf(request)}/invite">${formKey(context)}<div class="two">${field(
      {
        name: 'mail',
        type: 'email',
        label: texts.mail,
        value: fieldOf(form, 'mail'),
        isRequired: true,
        autocomplete: 'off',
        error: mailError,
      },
    )}${select({
      name: 'role',
      label: texts.shared.role,
      value: roleOf(form),
      choices: [
        ['member', texts.roles.member],
        ['owner', texts.roles.owner],
      ],
    })}</div><div><button class="go">${texts.send}</button></div></form>`,
    context.config.mail ? texts.inviteHint : texts.inviteHands,
  )
}

const roleOf = (form: URLSearchParams): Role => (form.get('role') === 'owner' ? 'owner' : 'member')

async function invite(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { form, language, now, organization, viewer } = request
  const texts = peopleTexts[language]
  const { organizationId, name } = organization
  const mail = mailAddressOf(fieldOf(form, 'mail'))?.toLowerCase()
  if (mail === undefined) return peoplePage(context, request, texts.shared.writeAddress)
  const role = roleOf(form)
  const by = viewer.person.name || viewer.person.mail
  const key = newKey(context.random)
  const sent = await once(context, request, async (trx) => {
    const outcome = await inviteMember(trx, actingOf(context, request), { organizationId, mail, role, by })
    if (outcome.kind !== 'invited') return new Refused(outcome.kind)
    const data = { invitationId: outcome.invitationId, organization: name, invitedBy: by, role }
    await queueAccountMail(trx, context, { to: mail, mail: { kind: 'invitation', language, data }, now })
    if (!context.config.mail) await giveHandedLink(trx, outcome.invitationId, keyHashOf(key))
    return outcome
  })
  if (sent.kind === 'refused' && sent.reason === 'isMember') return peoplePage(context, request, texts.isMember)
  if (sent.kind === 'refused') throw new PageError(409, texts.tooMany)
  // the link itself is shown only where no mail can bring it
  if (!context.config.mail && sent.kind === 'done')
    return peoplePage(context, { ...request, form: new URLSearchParams() }, undefined, {
      mail,
      link: `${context.origin}/invitation/${key}`,
    })
  return redirect(pathOf(request), { notice: texts.shared.isInvited(mail) })
}

async function withdraw(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { form, language, organization } = request
  const { organizationId } = organization
  const invitation = { invitationId: fieldOf(form, 'invitation'), organizationId }
  const outcome = await inTransaction(context.store, (trx) =>
    withdrawInvitation(trx, actingOf(context, request), invitation),
  )
  const texts = peopleTexts[language]
  return redirect(pathOf(request), outcome.kind === 'gone' ? {} : { notice: texts.withdrawn(outcome.mail) })
}

async function changeRole(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { form, language } = request
  const texts = peopleTexts[language]
  const personId = fieldOf(form, 'person')
  const role = roleOf(form)
  const { kind, member } = await change(context, request, personId, role)
  if (kind === 'unchanged') return redirect(pathOf(request))
  const isSelf = personId === request.viewer.person.personId
  return redirect(pathOf(request), {
    notice: texts.changed(member.mail, texts.roles[role]),
    ...(isSelf && { signIn: { personId } }),
  })
}

function askToRemove(context: ConsoleContext, request: OrganizationRequest): PageAnswer {
  const texts = peopleTexts[request.language]
  const personId = request.query.get('person') ?? ''
  const mail = addressOfMember(context, request, personId)
  return page({
    title: texts.removeTitle(mail),
    crumbs: [[texts.pageNames.people, pathOf(request)]],
    current: pathOf(request),
    body: question({
      action: `${pathOf(request)}/remove`,
      body: html`<p>${texts.removeBody}</p>`,
      fields: html`<input type="hidden" name="person" value="${personId}">`,
      button: texts.shared.removeButton,
      cancel: [texts.keep, pathOf(request)],
    }),
  })
}

async function remove(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { member } = await change(context, request, fieldOf(request.form, 'person'), undefined)
  return redirect(pathOf(request), { notice: peopleTexts[request.language].removed(member.mail) })
}

function askToLeave(request: OrganizationRequest): PageAnswer {
  const texts = peopleTexts[request.language]
  return page({
    title: texts.leaveTitle(request.organization.name),
    crumbs: [[texts.pageNames.people, pathOf(request)]],
    current: pathOf(request),
    body: question({
      action: `${pathOf(request)}/leave`,
      body: html`<p>${texts.leaveBody}</p>`,
      button: texts.leaveButton,
      cancel: [texts.keep, pathOf(request)],
    }),
  })
}

async function leave(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { viewer, organization, language } = request
  const { person } = viewer
  await change(context, request, person.personId, undefined)
  const memberships = context.directory.membershipsOf(person.personId)
  return redirect(homeOf({ person, memberships }), {
    notice: peopleTexts[language].left(organization.name),
    signIn: { personId: person.personId },
  })
}

/** The address of a member, as the directory knows them. Throws PageError for anybody else. */
function addressOfMember({ directory }: ConsoleContext, request: OrganizationRequest, personId: string): string {
  const { organizationId } = request.organization
  const isMember = directory.membershipsOf(personId).some((each) => each.organizationId === organizationId)
  const person = isMember ? directory.person(personId) : undefined
  if (!person) throw new PageError(404, peopleTexts[request.language].noMember)
  return person.mail
}

/**
 * Changes or ends a membership, and with it the sessions of the person; that of the viewer is renewed by the answer.
 * Throws PageError for somebody who is no member, and for the last Owner.
 */
async function change(
  context: ConsoleContext,
  request: OrganizationRequest,
  personId: string,
  role: Role | undefined,
): Promise<MemberChange & { readonly member: Member }> {
  const { organizationId } = request.organization
  const wanted = { organizationId, personId, role, but: request.viewer.sessionId }
  const outcome = await inTransaction(context.store, (trx) => editMember(trx, actingOf(context, request), wanted))
  const texts = peopleTexts[request.language]
  if (outcome.kind === 'lastOwner') throw new PageError(409, texts.lastOwner)
  if (outcome.kind === 'noMember') throw new PageError(404, texts.noMember)
  await context.directory.refresh()
  return outcome
}
