import { beforeEach, describe, expect, test } from 'vitest'
import { anna, logged, newOrganization, now, openActingWorld, run, store } from '../../test/acting-world.ts'
import { dayMs } from '../domain/time.ts'
import { systemRandom } from '../platform/random.ts'
import { listAuditEntries } from '../store/people/audit.ts'
import { findContract } from '../store/people/contracts.ts'
import { findOrganization } from '../store/people/organizations.ts'
import { listMembers } from '../store/people/people.ts'
import { createSignInLink } from '../store/people/sessions.ts'
import { addIncident, editIncident, endIncident, incidentVersion } from './incidents.ts'
import { closeApi, openApi } from './maintenance.ts'
import { editMember, inviteMember, join, withdrawInvitation } from './members.ts'
import {
  accessVersion,
  editOrganization,
  endAccess,
  renameOrganization,
  setUpAccess,
  setUpCustomer,
} from './organizations.ts'
import { importRedactions, undoRedaction } from './redactions.ts'
import { addToken, revokeToken, rotateToken } from './tokens.ts'

const terms = { startsAt: now, endsAt: now + 30 * dayMs, note: 'V-17', requestsPerMinute: 120, hasBulkFiles: false }

let name = ''
let organizationId = ''
openActingWorld()
beforeEach(async () => {
  ;({ name, organizationId } = await newOrganization())
})

const lastOfService = async () => (await listAuditEntries(store.db, { limit: 1 }))[0]

describe('an organization', () => {
  test('has an entry for what changed, and none for what was so already', async () => {
    const edit = (change: Parameters<typeof editOrganization>[3]) =>
      run((trx) => editOrganization(trx, anna, organizationId, change))
    expect(await edit({ hasApiAccess: true, requestsPerMinute: 60 })).toMatchObject({ kind: 'unchanged' })
    expect(await edit({ hasApiAccess: true, requestsPerMinute: 7 })).toMatchObject({ kind: 'edited' })
    const [entry] = await listAuditEntries(store.db, { organizationId, limit: 1 })
    expect(entry).toMatchObject({ action: 'organization.update', detail: { requestsPerMinute: 7 } })
    const rename = (to: string) => run((trx) => renameOrganization(trx, anna, organizationId, to))
    expect(await rename(name)).toMatchObject({ kind: 'unchanged' })
    expect(await rename(`${name} Ltd`)).toMatchObject({ kind: 'renamed' })
    expect(await logged(organizationId, 1)).toEqual(['organization.update', 'organization.rename'])
    expect(await run((trx) => editOrganization(trx, anna, 'nobody', {}))).toEqual({ kind: 'gone' })
  })

  test('receives its contract from whoever has seen the newest one', async () => {
    const version = async () =>
      accessVersion((await findOrganization(store.db, organizationId))!, await findContract(store.db, organizationId))
    const setUp = (seen: string, requestsPerMinute = 120) =>
      run((trx) => setUpAccess(trx, anna, { organizationId, terms: { ...terms, requestsPerMinute }, seen }))
    const first = await version()
    expect([await setUp(first), await setUp(first)]).toEqual([{ kind: 'setUp' }, { kind: 'stale' }])
    const second = await version()
    expect(await setUp(second)).toEqual({ kind: 'unchanged' })
    // another operator closes the access meanwhile: saving the same terms would open it
    await run((trx) => editOrganization(trx, anna, organizationId, { hasApiAccess: false }))
    expect([await setUp(second), await setUp(await version())]).toEqual([{ kind: 'stale' }, { kind: 'setUp' }])
    expect(await logged(organizationId, 1)).toEqual(['contract.set-up', 'organization.update', 'contract.set-up'])
  })

  test('ends with its contract, without one with its access, and once', async () => {
    const end = async () => (await run((trx) => endAccess(trx, anna, organizationId))).kind
    expect([await end(), await end()]).toEqual(['accessClosed', 'notOpen'])
    const organization = (await findOrganization(store.db, organizationId))!
    await run((trx) => setUpAccess(trx, anna, { organizationId, terms, seen: accessVersion(organization) }))
    expect([await end(), await end()]).toEqual(['contractEnded', 'notOpen'])
    expect(await logged(organizationId, 1)).toEqual(['organization.update', 'contract.set-up', 'contract.end'])
  })

  test('that is set up as a customer has the entry of its creation too', async () => {
    const wanted = { name: `${name} 2`, owner: 'Owner@example.org', terms }
    const setUp = () => run((trx) => setUpCustomer(trx, anna, wanted))
    const made = await setUp()
    expect([made.kind, await setUp()]).toEqual(['setUp', { kind: 'nameTaken' }])
    const { organizationId: id } = (await findOrganization(store.db, wanted.name))!
    const entries = (await listAuditEntries(store.db, { organizationId: id, limit: 9 })).reverse()
    expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
      ['organization.create', wanted.name],
      ['contract.set-up', id],
      ['member.invite', 'owner@example.org'],
    ])
  })
})

describe('members', () => {
  const joined = async (mail: string, role: 'owner' | 'member') => {
    const wanted = { organizationId, mail, role, by: 'Anna' }
    const invited = await run((trx) => inviteMember(trx, anna, wanted))
    if (invited.kind !== 'invited') throw new Error(invited.kind)
    const { invitationId } = invited
    const keyHash = Buffer.from(systemRandom.bytes(32)).toString('hex')
    await run((trx) => createSignInLink(trx, { keyHash, invitationId, now }))
    const joining = await run((trx) => join(trx, anna, { keyHash }))
    if (joining.kind !== 'joined') throw new Error(joining.kind)
    expect(await run((trx) => join(trx, anna, { keyHash }))).toEqual({ kind: 'gone' })
    return joining.person
  }

  test('are invited to a role that they do not have, by whoever invites', async () => {
    const id = systemRandom.uuid()
    await joined(`owner-${id}@example.org`, 'owner')
    await joined(`member-${id}@example.org`, 'member')
    const invite = async (who: 'Owner' | 'Member', role: 'owner' | 'member') =>
      (await run((trx) => inviteMember(trx, anna, { organizationId, mail: `${who}-${id}@example.org`, role, by: 'A' })))
        .kind
    expect([
      await invite('Owner', 'owner'),
      await invite('Owner', 'member'),
      await invite('Member', 'member'),
      await invite('Member', 'owner'),
    ]).toEqual(['isMember', 'isMember', 'isMember', 'invited'])
    expect((await logged(organizationId, 1)).filter((action) => action === 'member.invite')).toHaveLength(3)
  })

  test('leave an entry with the role that they had, and none for a role that they have', async () => {
    const { personId, mail } = await joined(`${systemRandom.uuid()}@example.org`, 'owner')
    const change = (role: 'owner' | 'member' | undefined) =>
      run((trx) => editMember(trx, anna, { organizationId, personId, role, but: '' }))
    expect([(await change('owner')).kind, (await change('member')).kind]).toEqual(['unchanged', 'lastOwner'])
    await joined(`${systemRandom.uuid()}@example.org`, 'owner')
    expect([(await change('member')).kind, (await change('member')).kind]).toEqual(['changed', 'unchanged'])
    const [entry] = await listAuditEntries(store.db, { organizationId, limit: 1 })
    expect(entry).toMatchObject({ action: 'member.role', subject: mail, detail: { from: 'owner', to: 'member' } })
    expect([(await change(undefined)).kind, (await change(undefined)).kind]).toEqual(['changed', 'noMember'])
    expect((await logged(organizationId, 1)).slice(-2)).toEqual(['member.role', 'member.remove'])
    expect(await listMembers(store.db, organizationId)).toHaveLength(1)
  })

  test('an invitation is withdrawn once, and only by its organization', async () => {
    const invited = await run((trx) =>
      inviteMember(trx, anna, { organizationId, mail: 'ida@example.org', role: 'member', by: 'Anna' }),
    )
    if (invited.kind !== 'invited') throw new Error(invited.kind)
    const { invitationId } = invited
    const withdraw = (id: string) => run((trx) => withdrawInvitation(trx, anna, { organizationId: id, invitationId }))
    expect([await withdraw('other'), await withdraw(organizationId), await withdraw(organizationId)]).toEqual([
      { kind: 'gone' },
      { kind: 'withdrawn', mail: 'ida@example.org' },
      { kind: 'gone' },
    ])
    expect(await logged(organizationId, 1)).toEqual(['member.invite', 'member.withdraw'])
  })
})

test('a token that has expired is not revoked, by command or by button; Owners make none while the access is closed', async () => {
  const made = await run((trx) => addToken(trx, anna, { organizationId, name: 'ERP', days: 1 }))
  if (made.kind !== 'created') throw new Error(made.kind)
  const { tokenId } = made.token
  const revoke = (later: number) => run((trx) => revokeToken(trx, { ...anna, now: now + later }, tokenId))
  expect([(await revoke(dayMs)).kind, (await revoke(dayMs - 1)).kind]).toEqual(['ended', 'revoked'])
  await run((trx) => editOrganization(trx, anna, organizationId, { hasApiAccess: false }))
  const add = (onlyWithAccess: boolean) =>
    run((trx) => addToken(trx, anna, { organizationId, name: 'ERP', onlyWithAccess }))
  const [refused, added] = [await add(true), await add(false)]
  expect([refused.kind, added.kind]).toEqual(['closed', 'created'])
  // the old one stays as it is, which is no change
  if (added.kind === 'created') {
    const wanted = { tokenId: added.token.tokenId, oldEndsInDays: undefined }
    expect((await run((trx) => rotateToken(trx, anna, wanted))).kind).toBe('rotated')
  }
  const actions = ['token.create', 'token.revoke', 'organization.update', 'token.create', 'token.create']
  expect(await logged(organizationId, 1)).toEqual(actions)
})

test('an incident is changed by whoever has seen the newest version, and ends once', async () => {
  const input = { title: 'Late', detail: 'TED answers slowly.', startedAt: now }
  const incidentId = await run((trx) => addIncident(trx, anna, input))
  const seen = incidentVersion(input)
  const edit = async (detail: string) =>
    (await run((trx) => editIncident(trx, anna, { incidentId, seen, input: { ...input, detail } }))).kind
  expect([await edit(input.detail), await edit('It answers.'), await edit('It is down.')]).toEqual([
    'unchanged',
    'edited',
    'stale',
  ])
  const end = () => run((trx) => endIncident(trx, anna, incidentId))
  expect([await end(), await end()]).toEqual([true, false])
  const [ended, changed, created] = await listAuditEntries(store.db, { limit: 3 })
  expect([created?.action, changed?.action, ended?.action]).toEqual([
    'incident.create',
    'incident.change',
    'incident.end',
  ])
})

test('maintenance and redactions leave an entry only if they changed something', async () => {
  const until = now + dayMs
  expect(await run((trx) => closeApi(trx, anna, until))).toBe(true)
  const closed = await lastOfService()
  expect(closed).toMatchObject({ action: 'maintenance.on' })
  expect(await run((trx) => closeApi(trx, anna, until))).toBe(false)
  expect(await run((trx) => undoRedaction(trx, anna, 'none'))).toBeUndefined()
  const nothing = { name: 'redactions.jsonl', wanted: new Map([['none', undefined]]) }
  expect(await run((trx) => importRedactions(trx, anna, nothing))).toEqual({ pending: [], undone: [] })
  expect((await lastOfService())?.entryNo).toBe(closed?.entryNo)
  expect([await run((trx) => openApi(trx, anna)), await run((trx) => openApi(trx, anna))]).toEqual([true, false])
})
