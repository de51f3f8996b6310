// The operator's customers and the organization's page on its contract, through the console, with the API beside it.
import { afterEach, describe, expect, test } from 'vitest'
import { auditTexts } from '../../src/console/desk/audit-texts.ts'
import { escapeHtml } from '../../src/console/frame/html.ts'
import { dayMs, hourMs } from '../../src/domain/time.ts'
import { openLog } from '../../src/platform/log.ts'
import { watchContracts } from '../../src/service/rounds/watch-contracts.ts'
import { openStore } from '../../src/store/database/database.ts'
import {
  type AuditAction,
  type AuditMember,
  addAuditEntry,
  auditAudiences,
  listAuditEntries,
} from '../../src/store/people/audit.ts'
import { findContract } from '../../src/store/people/contracts.ts'
import { listInvitations } from '../../src/store/people/invitations.ts'
import { findOrganization } from '../../src/store/people/organizations.ts'
import { crawlConsole } from '../testing/crawl-console.ts'
import { drawnEngines } from '../world.ts'
import { type AccessWorld, openAccessWorld } from './access-world.ts'
import { fieldsOf } from './plain-form.ts'

const opened: AccessWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

const root = '/operator/organizations'
const tokenPattern = /tdr_live_[0-9A-Za-z]{36}/
const textOf = async (answer: Promise<Response>) => (await answer).text()
const terms = { starts: '2026-11-23', 'last-day': '2026-12-31', limit: '120', note: 'V-17' }

describe.each(drawnEngines)('customers (%s)', (engine) => {
  async function open() {
    const world = await openAccessWorld(engine)
    opened.push(world)
    const operator = (await world.person('op@example.org', { isOperator: true })).cookie
    const save = async (form: { readonly [name: string]: string }) =>
      world.post(`${root}/new/save`, { 'form-key': await world.formKeyOf(`${root}/new`, operator), ...form }, operator)
    /** The version of the contract that its form shows. */
    const shown = async (organizationId: string) => {
      const at = `${root}/${organizationId}`
      return fieldsOf(await textOf(world.get(at, operator)), `${at}/contract`)['was']![0]!
    }
    return { ...world, operator, save, shown }
  }
  const audited = async ({ store }: Pick<AccessWorld, 'store'>, organizationId: string) =>
    (await listAuditEntries(store.db, { organizationId, limit: 20 })).map(({ actor, action }) => `${actor} ${action}`)

  test('are set up completely: contract, limit, access and the invitation of the first Owner', async () => {
    const world = await open()
    const { save, shown: versionOf, store, operator, get, post, now, person } = world
    expect(await textOf(get(root, operator))).toContain('No organization yet')
    expect(await textOf(get(root, operator, { 'accept-language': 'de' }))).toContain('Noch keine Organisation')
    const wrong = await save({ ...terms, name: 'Acme', owner: 'nobody', 'last-day': '2026-11-22', limit: '0' })
    expect(wrong.status).toBe(422)
    const shown = await wrong.text()
    for (const name of ['owner', 'last-day', 'limit']) expect(shown).toContain(`id="${name}-error"`)
    expect(shown).toContain('value="nobody"')
    expect(await findOrganization(store.db, 'Acme')).toBeUndefined()

    const answer = await save({ ...terms, name: 'Acme', owner: 'Anna@Example.org' })
    const page = await answer.text()
    const link = /<code id="link"[^>]*>([^<]+)</.exec(page)![1]!
    expect(link).toMatch(/\/[\w-]{43}$/)
    const { organizationId, ...organization } = (await findOrganization(store.db, 'Acme'))!
    expect(organization).toMatchObject({ hasApiAccess: true, requestsPerMinute: 120 })
    expect(await findContract(store.db, organizationId)).toMatchObject({
      startsAt: Date.UTC(2026, 10, 23),
      endsAt: Date.UTC(2027, 0, 1),
      note: 'V-17',
      setUpBy: 'op@example.org',
    })
    const [invitation] = await listInvitations(store.db, { organizationId }, now())
    expect(invitation).toMatchObject({ mail: 'anna@example.org', role: 'owner', until: now() + 7 * dayMs })
    expect(await audited(world, organizationId)).toEqual([
      'op@example.org member.invite',
      'op@example.org contract.set-up',
      'op@example.org organization.create',
    ])
    const at = `${root}/${organizationId}`
    const one = await textOf(get(at, operator))
    expect(one).not.toContain(link.split('/').at(-1)!)
    expect(one).toContain('anna@example.org')
    expect(one).toContain('31 Dec 2026')
    expect((await save({ ...terms, name: 'Acme', owner: 'b@example.org' })).status).toBe(422)

    const withdrawn = await post(`${at}/withdraw`, { invitation: invitation!.invitationId }, operator)
    expect(withdrawn.headers.get('location')).toBe(at)
    expect(await listInvitations(store.db, { organizationId }, now())).toEqual([])
    expect((await post(`${at}/withdraw`, { invitation: invitation!.invitationId }, operator)).status).toBe(409)

    // an operator sees hints and counts, and creates no token
    const owner = (await person('anna@example.org', { memberOf: [[organizationId, 'owner']] })).cookie
    const access = `/o/${organizationId}/settings/api-access`
    const key = await world.formKeyOf(access, owner)
    const token = tokenPattern.exec(await textOf(post(`${access}/tokens`, { 'form-key': key, name: 'ERP' }, owner)))![0]
    const forOperators = (await textOf(get(at, operator))) + (await textOf(get(root, operator)))
    expect(forOperators).toContain(`…${token.slice(-4)}`)
    expect(forOperators).not.toMatch(tokenPattern)
    expect((await post(`${access}/tokens`, { 'form-key': key, name: 'x' }, operator)).status).toBe(404)

    const was = await versionOf(organizationId)
    const changed = await post(`${at}/contract`, { ...terms, was, limit: '7', 'last-day': '' }, operator)
    expect(changed.status).toBe(303)
    expect((await findOrganization(store.db, organizationId))?.requestsPerMinute).toBe(7)
    // somebody who still has the page of before
    const late = await post(`${at}/contract`, { ...terms, was, limit: '9' }, operator)
    expect([late.status, await late.text()]).toEqual([409, expect.stringMatching(/has changed meanwhile.*value="9"/s)])
    expect((await findOrganization(store.db, organizationId))?.requestsPerMinute).toBe(7)
    const own = await textOf(get(`/o/${organizationId}/contract`, owner))
    expect(own).toContain('7 requests a minute')
    expect(own).toContain('No end')
  })

  test('what an operator writes for operators is on no page of the customer', async () => {
    const world = await open()
    const { save, shown, store, operator, get, post, person, origin } = world
    await save({ ...terms, name: 'Acme', owner: 'a@example.org', note: 'pays late, zebra' })
    const { organizationId } = (await findOrganization(store.db, 'Acme'))!
    const change = { ...terms, was: await shown(organizationId), limit: '7', note: 'renews never, zebra' }
    await post(`${root}/${organizationId}/contract`, change, operator)
    for (const role of ['owner', 'member'] as const) {
      const { cookie } = await person(`${role}@example.org`, { memberOf: [[organizationId, role]] })
      const home = `/o/${organizationId}`
      const { found } = await crawlConsole(origin, { cookie: `session=${cookie}`, home, allGuides: false })
      const paths = [...found.values()]
      expect(paths).toContain(`${home}/audit`)
      for (const path of paths)
        for (const language of ['en', 'de'])
          expect([path, await textOf(get(path, cookie, { 'accept-language': language }))]).not.toEqual([
            path,
            expect.stringContaining('zebra'),
          ])
      expect(await textOf(get(`${home}/audit`, cookie))).toContain('set up the contract of')
    }
    const own = await textOf(get('/operator/audit', operator))
    expect(own).toContain('pays late, zebra')
    expect(own).toContain('renews never, zebra')
    expect(await textOf(get(`${root}/${organizationId}`, operator))).toContain('renews never, zebra')
  })

  test('a member reads every action of the audit, and nothing of what is for operators', async () => {
    const { store, get, person, organization, operator } = await open()
    const organizationId = await organization('Acme')
    const { cookie } = await person('ben@example.org', { memberOf: [[organizationId, 'member']] })
    const members = Object.keys(auditAudiences) as AuditMember[]
    const canary = (member: AuditMember) => `${auditAudiences[member]}-${member}-canary`
    const detail = Object.fromEntries(members.map((member) => [member, canary(member)]))
    for (const action of Object.keys(auditTexts.en.actions) as AuditAction[]) {
      const entry = { at: 1, actor: 'op@example.org', subject: action, addressPrefix: '' }
      await addAuditEntry(store.db, { ...entry, organizationId, action, detail })
      for (const language of ['en', 'de'] as const) {
        const shown = await textOf(get(`/o/${organizationId}/audit`, cookie, { 'accept-language': language }))
        expect(shown).toContain(escapeHtml(auditTexts[language].actions[action]!))
        expect([action, shown.match(/operators-\w+-canary/g)]).toEqual([action, null])
        expect(shown).toContain('organization-role-canary')
      }
      expect(await textOf(get('/operator/audit', operator))).toContain('operators-note-canary')
    }
  })

  test('begin and end by their dates, once however many processes look', async () => {
    const world = await open()
    const { save, store, operator, get, post, now, wait, ask, person, context, signIn } = world
    await save({ ...terms, starts: '2026-11-24', 'last-day': '2026-11-25', name: 'Acme', owner: 'a@example.org' })
    const { organizationId } = (await findOrganization(store.db, 'Acme'))!
    const { cookie: owner, personId } = await person('a@example.org', { memberOf: [[organizationId, 'owner']] })
    const access = `/o/${organizationId}/settings/api-access`
    expect(await textOf(get(access, owner))).toContain('The contract has not begun')
    // two processes: on a server each has its own connections
    const other = engine === 'server' ? await openStore(store.options) : store
    const looks = [store, other, store].map((each) =>
      watchContracts({
        store: each,
        clock: now,
        log: openLog('error'),
        mailDomain: 'example.org',
        report: () => {},
        everyMs: 5,
      }),
    )
    const access24 = async () => (await findOrganization(store.db, organizationId))?.hasApiAccess
    expect(await access24()).toBe(false)
    wait(Date.UTC(2026, 10, 24) - now())
    await expect.poll(access24, { timeout: 15_000 }).toBe(true)
    await context.directory.refresh()
    const later = await signIn(personId)
    const key = await world.formKeyOf(access, later)
    const token = tokenPattern.exec(await textOf(post(`${access}/tokens`, { 'form-key': key, name: 'ERP' }, later)))![0]
    expect(await ask(token)).toBe(200)
    wait(Date.UTC(2026, 10, 26) - now() - 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await ask(token)).toBe(200)
    wait(1)
    await expect.poll(() => ask(token), { timeout: 15_000 }).toBe(403)
    await new Promise((resolve) => setTimeout(resolve, 100))
    for (const look of looks) await look.close()
    if (other !== store) await other.close()
    const entries = await audited(world, organizationId)
    expect(entries.filter((entry) => entry.startsWith('service'))).toEqual([
      'service contract.end',
      'service contract.begin',
    ])
    await context.directory.refresh()
    expect(await textOf(get(access, await signIn(personId)))).toContain('The contract has ended')
    expect(operator).toBeDefined()
  })

  test('lose their access when an operator ends the contract and confirms it', async () => {
    const world = await open()
    const { save, store, operator, get, post, context, wait } = world
    await save({ ...terms, name: 'Acme', owner: 'a@example.org' })
    const { organizationId } = (await findOrganization(store.db, 'Acme'))!
    const at = `${root}/${organizationId}`
    expect(await textOf(get(`${at}/end`, operator))).toContain('End the contract of Acme?')
    expect((await findOrganization(store.db, organizationId))?.hasApiAccess).toBe(true)
    wait(hourMs)
    const stale = await post(`${at}/end`, {}, operator)
    expect(stale.headers.get('location')).toContain('/sign-in')
    const again = await world.signIn(
      (await store.db.selectFrom('person').select('person_id').executeTakeFirstOrThrow()).person_id,
    )
    expect((await post(`${at}/end`, {}, again)).status).toBe(303)
    expect((await post(`${at}/end`, {}, again)).status).toBe(409)
    expect((await findOrganization(store.db, organizationId))?.hasApiAccess).toBe(false)
    expect(await audited(world, organizationId)).toContain('op@example.org contract.end')
    const owner = (await world.person('a@example.org', { memberOf: [[organizationId, 'owner']] })).cookie
    expect(await textOf(get(`/o/${organizationId}/contract`, owner))).toContain('Ended')
    expect(context.directory.organization(organizationId)?.hasApiAccess).toBe(false)
    expect((await get(`${root}/nothing`, again)).status).toBe(404)
  })
})
