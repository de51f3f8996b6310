// The people of an organization: who is in it, who is invited, their roles, leaving.
import { mailAddressOf } from '../../platform/mail-address.ts'
import { inTransaction } from '../../store/database.ts'
import { createInvitation, listInvitations, withdrawInvitation } from '../../store/invitations.ts'
import { changeMember, listMembers, type Member, type Role } from '../../store/people.ts'
import { endSessions } from '../../store/sessions.ts'
import { queueAccountMail } from '../account-mails.ts'
import type { ConsoleContext } from '../console-context.ts'
import { formatDay } from '../format.ts'
import { fieldOf, formKey, note, once } from '../forms.ts'
import { homeOf } from '../frame.ts'
import { type Html, html } from '../html.ts'
import {
  type OrganizationRequest,
  organizationPage,
  type PageAnswer,
  PageError,
  type PageRoute,
  page,
  redirect,
} from '../page.ts'
import { empty, field, moment, noteBox, part, question, select, table, unseen } from '../parts.ts'
import { peopleTexts } from '../text/people-texts.ts'

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
    body: html`${mailError !== undefined && noteBox('bad', texts.shared.oneEntryToCorrect, html`<a href="#mail">${mailError}</a>`)}${part(texts.members, membersTable(members, request), texts.rolesHint)}${part(texts.shared.openInvitations, await invitationsTable(context, request, now))}${isOwner && inviteForm(context, request, mailError)}`,
  })
}

function membersTable(members: readonly Member[], request: OrganizationRequest): Html {
  const { language, viewer, organization } = request
  const texts = peopleTexts[language]
  const isOwner = organization.role === 'owner'
  const actions = ({ personId, role }: Member): Html => {
    const isSelf = personId === viewer.person.personId
    const other: Role = role === 'owner' ? 'member' : 'owner'
    return html`<div class="row">${isOwner && html`<form method="post" action="${pathOf(request)}/role"><input type="hidden" name="person" value="${personId}"><button class="tiny" name="role" value="${other}">${other === 'owner' ? texts.makeOwner : texts.makeMember}</button></form>`}${isSelf ? html`<a class="btn tiny stop" href="${pathOf(request)}/leave">${texts.leave}</a>` : isOwner && html`<a class="btn tiny stop" href="${pathOf(request)}/remove?person=${personId}">${texts.shared.remove}</a>`}</div>`
  }
  return table({
    caption: texts.members,
    kind: 'mid',
    columns: [texts.person, texts.shared.role, texts.shared.since, unseen(texts.shared.change)],
    rows: members.map((member) => [
      html`${member.name || member.mail}${member.personId === viewer.person.personId && html` <span class="tag">${texts.you}</span>`}${member.name !== '' && html`<br><span class="soft">${member.mail}</span>`}`,
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
        html`<form method="post" action="${pathOf(request)}/withdraw"><button class="tiny" name="invitation" value="${invitation.invitationId}">${texts.shared.withdraw}</button></form>`,
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
    context.config.mail ? texts.inviteHint : texts.inviteWaits,
  )
}

const roleOf = (form: URLSearchParams): Role => (form.get('role') === 'owner' ? 'owner' : 'member')

async function invite(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { form, language, now, organization, viewer } = request
  const texts = peopleTexts[language]
  const { organizationId, name } = organization
  const mail = mailAddressOf(fieldOf(form, 'mail'))?.toLowerCase()
  if (mail === undefined) return peoplePage(context, request, texts.shared.writeAddress)
  const members = await listMembers(context.store.db, organizationId)
  if (members.some((member) => member.mail === mail)) return peoplePage(context, request, texts.isMember)
  const role = roleOf(form)
  const invitedBy = viewer.person.name || viewer.person.mail
  await once(context, request, async (trx) => {
    const invitationId = context.random.uuid()
    const outcome = await createInvitation(trx, { invitationId, organizationId, mail, role, invitedBy }, now)
    if (outcome === 'tooMany') throw new PageError(409, texts.tooMany)
    const data = { invitationId, organization: name, invitedBy, role }
    await queueAccountMail(trx, context, { to: mail, mail: { kind: 'invitation', language, data }, now })
    await note(trx, request, { action: 'member.invite', subject: mail, detail: { role } })
  })
  return redirect(pathOf(request), { notice: texts.shared.isInvited(mail) })
}

async function withdraw(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { form, language, organization } = request
  const { organizationId } = organization
  const mail = await inTransaction(context.store, async (trx) => {
    const found = await withdrawInvitation(trx, { invitationId: fieldOf(form, 'invitation'), organizationId })
    if (found !== undefined) await note(trx, request, { action: 'member.withdraw', subject: found })
    return found
  })
  const texts = peopleTexts[language]
  return redirect(pathOf(request), mail === undefined ? {} : { notice: texts.withdrawn(mail) })
}

async function changeRole(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { form, language } = request
  const texts = peopleTexts[language]
  const member = memberOf(context, request, fieldOf(form, 'person'))
  const role = roleOf(form)
  if (member.role === role) return redirect(pathOf(request))
  await change(context, request, member, role)
  const isSelf = member.personId === request.viewer.person.personId
  return redirect(pathOf(request), {
    notice: texts.changed(member.mail, texts.roles[role]),
    ...(isSelf && { signIn: { personId: member.personId } }),
  })
}

function askToRemove(context: ConsoleContext, request: OrganizationRequest): PageAnswer {
  const texts = peopleTexts[request.language]
  const { personId, mail } = memberOf(context, request, request.query.get('person') ?? '')
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
  const member = memberOf(context, request, fieldOf(request.form, 'person'))
  await change(context, request, member, undefined)
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
  await change(context, request, { ...person, role: organization.role }, undefined)
  const memberships = context.directory.membershipsOf(person.personId)
  return redirect(homeOf({ person, memberships }), {
    notice: peopleTexts[language].left(organization.name),
    signIn: { personId: person.personId },
  })
}

type Changed = { readonly personId: string; readonly mail: string; readonly role: Role }

/** A member of the organization, as the directory knows them. Throws PageError for anybody else. */
function memberOf({ directory }: ConsoleContext, request: OrganizationRequest, personId: string): Changed {
  const person = directory.person(personId)
  const { organizationId } = request.organization
  const membership = directory.membershipsOf(personId).find((each) => each.organizationId === organizationId)
  if (!person || !membership) throw new PageError(404, peopleTexts[request.language].noMember)
  return { personId, mail: person.mail, role: membership.role }
}

/**
 * Changes or ends a membership, and with it the sessions of the person; that of the viewer is renewed by the answer.
 */
async function change(
  { store, directory }: ConsoleContext,
  request: OrganizationRequest,
  { personId, mail, role: from }: Changed,
  role: Role | undefined,
): Promise<void> {
  const { viewer, organization, language } = request
  const { organizationId } = organization
  const isSelf = personId === viewer.person.personId
  const outcome = await changeMember(store, { organizationId, personId }, role, async (trx) => {
    await endSessions(trx, isSelf ? { personId, but: viewer.sessionId } : { personId })
    await note(trx, request, {
      action: role === undefined ? (isSelf ? 'member.leave' : 'member.remove') : 'member.role',
      subject: mail,
      detail: { from, ...(role !== undefined && { to: role }) },
    })
  })
  const texts = peopleTexts[language]
  if (outcome === 'lastOwner') throw new PageError(409, texts.lastOwner)
  if (outcome === 'noMember') throw new PageError(404, texts.noMember)
  await directory.refresh()
}
