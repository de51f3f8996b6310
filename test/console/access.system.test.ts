// API access through its page, with the API beside it: C111 to C119 as an Owner meets them.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { type AccountMail, renderAccountMail } from '../../src/console/mails/account-mails.ts'
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { listAuditEntries } from '../../src/store/people/audit.ts'
import { endContract, putContract } from '../../src/store/people/contracts.ts'
import { listTokens } from '../../src/store/people/organizations.ts'
import { openConnections } from '../testing/open-connections.ts'
import { drawnEngines } from '../world.ts'
import { type AccessWorld, openAccessWorld } from './access-world.ts'

const run = promisify(execFile)

const opened: AccessWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

const tokenPattern = /tdr_live_[0-9A-Za-z]{36}/
const statusOf = async (answer: Promise<Response>) => (await answer).status
const textOf = async (answer: Promise<Response>) => (await answer).text()

describe.each(drawnEngines)('API access (%s)', (engine) => {
  async function open() {
    const world = await openAccessWorld(engine)
    opened.push(world)
    const organization = await world.organization('Acme', true)
    const { personId, cookie: owner } = await world.person('own@example.org', { memberOf: [[organization, 'owner']] })
    const at = `/o/${organization}/settings/api-access`
    const create = async (name: string, days = '') =>
      world.post(`${at}/tokens`, { 'form-key': await world.formKeyOf(at, owner), name, days }, owner)
    const created = async (name: string) => tokenPattern.exec(await textOf(create(name)))![0]
    return { ...world, organizationId: organization, personId, owner, at, create, created }
  }

  test('C117, C118: is absent until it is set up, and visible to Owners only', async () => {
    const world = await open()
    const { get, post, person, context, store, now } = world
    const bare = await world.organization('Beta')
    const path = `/o/${bare}/settings/api-access`
    const owner = (await person('o@example.org', { memberOf: [[bare, 'owner']] })).cookie
    const member = (await person('m@example.org', { memberOf: [[bare, 'member']] })).cookie
    const operator = (await person('op@example.org', { isOperator: true })).cookie
    const statuses = (from: string) => Promise.all([owner, member, operator].map((who) => statusOf(get(from, who))))
    expect(await statuses(path)).toEqual([404, 404, 404])
    expect(await statusOf(post(`${path}/tokens`, { name: 'x' }, owner))).toBe(404)
    expect(await textOf(get(`/o/${bare}/nothing`, owner))).not.toContain(path)
    const contract = { organizationId: bare, startsAt: now(), endsAt: undefined, note: '', setUpBy: 'operator' }
    await inTransaction(store, (trx) => putContract(trx, contract, now()))
    await context.directory.refresh()
    expect(await statuses(path)).toEqual([200, 403, 404])
    const page = await textOf(get(path, owner))
    expect(page).toContain(`href="${path}"`)
    expect(page).toContain('First place is free')
    expect(await textOf(get(path, owner, { 'accept-language': 'de' }))).toContain('Der erste Platz ist frei')
    for (const who of [member, operator])
      expect(await statusOf(post(`${path}/tokens`, { name: 'x' }, who))).toBeGreaterThanOrEqual(403)
    expect(await listTokens(store.db, bare)).toEqual([])
  })

  test('C111, C112: shows a token once, with a request that works, and never again', async () => {
    const { get, post, at, owner, ask, api, formKeyOf, store, organizationId, create } = await open()
    const key = await formKeyOf(at, owner)
    const form = { 'form-key': key, name: 'CRM <b>', days: '90' }
    const answer = await post(`${at}/tokens`, form, owner)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const page = await answer.text()
    const token = tokenPattern.exec(page)![0]
    expect(page).toContain('CRM &lt;b&gt;')
    expect(await ask(token)).toBe(200)
    expect((await fetch(`${api}/v1/tenders`)).status).toBe(401)
    expect(await ask(`${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`)).toBe(401)
    const example = /<code id="first-request">([^<]*)<\/code>/.exec(page)![1]!
    const command = example.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replace('http://api.example.org', api)
    const { stdout } = await run('sh', ['-c', command.replace('curl ', 'curl -sS ')])
    expect(JSON.parse(stdout)).toHaveProperty('data')
    // a reload sends the same form
    const again = await post(`${at}/tokens`, form, owner)
    expect([again.status, again.headers.get('location')]).toEqual([303, at])
    const later = await textOf(get(at, owner))
    expect(later).toContain(`tdr_live_…${token.slice(-4)}`)
    expect(later).not.toMatch(tokenPattern)
    expect(later).toContain('own@example.org')
    expect((await listTokens(store.db, organizationId)).map(({ name, createdBy }) => [name, createdBy])).toEqual([
      ['CRM <b>', 'own@example.org'],
    ])
    const entries = await listAuditEntries(store.db, { organizationId, limit: 10 })
    expect(entries).toMatchObject([{ actor: 'own@example.org', action: 'token.create', subject: 'CRM <b>' }])
    expect(JSON.stringify(entries)).not.toMatch(tokenPattern)
    const mail = await store.db.selectFrom('mail').selectAll().executeTakeFirstOrThrow()
    expect([mail.person, mail.state]).toEqual(['own@example.org', 'due'])
    const letter = (language: 'en' | 'de') =>
      renderAccountMail(
        { ...(JSON.parse(mail.content) as AccountMail), language },
        { origin: 'https://c.example', key: '' },
      )
    expect(letter('en').subject).toBe('Token “CRM <b>” of Acme was created')
    expect(letter('en').text).toContain(`own@example.org created the token tdr_live_…${token.slice(-4)} for the API.`)
    expect(letter('de').text).toContain('Es endet am 21. Feb. 2027.')
    expect(letter('en').html).toContain('CRM &lt;b&gt;')
    expect(letter('en').html).toContain(`https://c.example${at}`)
    expect(JSON.stringify([mail, letter('en')])).not.toMatch(tokenPattern)
    // typed values stay if something is wrong with them
    const wrong = await create('', '365')
    expect(wrong.status).toBe(422)
    expect(await wrong.text()).toMatch(/value="365" selected/)
    expect(await statusOf(create('x'.repeat(61)))).toBe(422)
    expect(await statusOf(create('x', '7'))).toBe(422)
  })

  test('C115, C119: is rotated while a client asks, which sees no 401', async () => {
    const { get, post, at, owner, ask, created, store, organizationId, wait } = await open()
    let token = await created('ERP')
    const [old] = await listTokens(store.db, organizationId)
    const seen: number[] = []
    let isAsking = true
    const client = (async () => {
      while (isAsking) {
        seen.push(await ask(token))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    })()
    wait(minuteMs)
    const next = await created('ERP 2')
    const steps = await textOf(get(at, owner))
    expect(steps).toContain('Change a token without an outage')
    expect(steps).not.toContain('name="form-key"')
    const before = token
    expect(await ask(next)).toBe(200)
    token = next
    await new Promise((resolve) => setTimeout(resolve, 50))
    const question = await textOf(get(`${at}/revoke/${old!.tokenId}`, owner))
    expect(question).toContain('Revoke “ERP”?')
    // it was used a moment ago, which is known only later
    expect(question).toContain('It has not been used yet, or only within the last minute.')
    expect(await ask(before)).toBe(200)
    const done = await post(`${at}/revoke/${old!.tokenId}/yes`, {}, owner)
    expect([done.status, done.headers.get('location')]).toEqual([303, at])
    await expect.poll(() => ask(before), { timeout: 15_000 }).toBe(401)
    isAsking = false
    await client
    expect(seen.length).toBeGreaterThan(5)
    expect(new Set(seen)).toEqual(new Set([200]))
    expect(await statusOf(post(`${at}/revoke/${old!.tokenId}/yes`, {}, owner))).toBe(409)
    const page = await textOf(get(at, owner))
    expect(page).toContain('Second place is free')
    expect(page).toContain('Tokens that are no longer valid')
    expect((await listAuditEntries(store.db, { organizationId, limit: 10 })).map(({ action }) => action)).toEqual([
      'token.revoke',
      'token.create',
      'token.create',
    ])
  })

  test('C116: leaves two tokens after 50 parallel creations, 48 of which are answered with 409', async () => {
    const { post, at, owner, store, organizationId, ask, formKeyOf } = await open()
    const keys = [...'x'.repeat(50)].map((_, index) => String(index).padStart(22, 'k'))
    expect(await formKeyOf(at, owner)).toHaveLength(22)
    await openConnections(store.db)
    const answers = await Promise.all(
      keys.map((key) => post(`${at}/tokens`, { 'form-key': key, name: `n ${key}` }, owner)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(2)
    expect(statuses.filter((status) => status === 409)).toHaveLength(48)
    expect(await listTokens(store.db, organizationId)).toHaveLength(2)
    for (const answer of answers) {
      const text = await answer.text()
      if (answer.status === 200) expect(await ask(tokenPattern.exec(text)![0])).toBe(200)
      else expect(text).toContain('Both places are taken')
    }
  })

  test('C114: is read-only when the contract has ended: the API answers 403, and tokens are kept', async () => {
    const { get, at, owner, ask, created, store, organizationId, context, now, create, post } = await open()
    const contract = { organizationId, startsAt: now(), endsAt: undefined, note: '', setUpBy: 'op' }
    await inTransaction(store, (trx) => putContract(trx, contract, now()))
    const token = await created('ERP')
    const key = 'k'.repeat(22)
    const [made] = await listTokens(store.db, organizationId)
    expect(await ask(token)).toBe(200)
    await inTransaction(store, (trx) => endContract(trx, organizationId, now()))
    await context.directory.refresh()
    await expect.poll(() => ask(token), { timeout: 15_000 }).toBe(403)
    const page = await textOf(get(at, owner))
    expect(page).toContain('The contract has ended')
    expect(page).toContain(`tdr_live_…${token.slice(-4)}`)
    expect(page).not.toMatch(/<form[^>]*api-access/)
    expect(page).not.toContain('/revoke/')
    expect(await statusOf(post(`${at}/tokens`, { 'form-key': key, name: 'x' }, owner))).toBe(409)
    expect(await statusOf(post(`${at}/revoke/${made!.tokenId}/yes`, {}, owner))).toBe(409)
    expect(await listTokens(store.db, organizationId)).toMatchObject([{ revokedAt: null }])
    await inTransaction(store, (trx) => putContract(trx, contract, now()))
    await context.directory.refresh()
    await expect.poll(() => ask(token), { timeout: 15_000 }).toBe(200)
    expect(await statusOf(create('CRM'))).toBe(200)
    const steps = 'Change a token without an outage'
    expect(await textOf(get(at, owner))).toContain(steps)
    // they say that both tokens work
    await inTransaction(store, (trx) => endContract(trx, organizationId, now()))
    await context.directory.refresh()
    expect(await textOf(get(at, owner))).not.toContain(steps)
  })

  test('revokes no token of somebody else, and nothing without a fresh sign-in', async () => {
    const { organizationId, person, post, created, store, owner, at, wait, ...world } = await open()
    await created('ERP')
    const [token] = await listTokens(store.db, organizationId)
    const other = await world.organization('Beta', true)
    const stranger = (await person('b@example.org', { memberOf: [[other, 'owner']] })).cookie
    const theirs = `/o/${other}/settings/api-access/revoke/${token!.tokenId}`
    expect(await statusOf(post(`${theirs}/yes`, {}, stranger))).toBe(404)
    // nor through the organization where they are Owner what they only see as a member
    const both = await person('c@example.org', {
      memberOf: [
        [other, 'owner'],
        [organizationId, 'member'],
      ],
    })
    expect(await statusOf(post(`${theirs}/yes`, {}, both.cookie))).toBe(404)
    wait(20 * minuteMs)
    const late = await post(`${at}/revoke/${token!.tokenId}/yes`, {}, owner)
    expect(late.headers.get('location')).toBe(`/sign-in?return=${encodeURIComponent(`${at}/revoke/${token!.tokenId}`)}`)
    expect(await listTokens(store.db, organizationId)).toMatchObject([{ revokedAt: null }])
  })

  test('counts the requests of both tokens by hour, with the busiest minute of each', async () => {
    const { get, at, owner, ask, created, report, wait, ledger, store, signIn, personId } = await open()
    expect(await textOf(get(at, owner))).toContain('No requests yet')
    const [one, two] = [await created('one'), await created('two')]
    for (let turn = 0; turn < 7; turn++) await ask(turn % 2 === 0 ? one : two)
    report()
    wait(minuteMs)
    for (let turn = 0; turn < 3; turn++) await ask(one)
    report()
    wait(hourMs)
    for (let turn = 0; turn < 62; turn++) await ask(one)
    report()
    wait(dayMs)
    await ask(two)
    report()
    await ledger.close()
    // the session has ended meanwhile
    const again = await signIn(personId)
    const page = await textOf(get(at, again))
    expect(page).toMatch(
      /<svg[^>]*aria-label="Most requests in a minute by day. Highest: \d+ on 23 Nov 2026; the limit is 60."/,
    )
    const rows = [...page.matchAll(/<th scope="row">([^<]*)<\/th>((?:<td[^>]*>[^<]*<\/td>){3})/g)].map(
      ([, head, cells]) => [head, ...[...cells!.matchAll(/<td[^>]*>([^<]*)/g)].map(([, cell]) => cell)],
    )
    expect(rows[0]).toEqual(['24 Nov 2026', '1', '0', '1'])
    expect(rows[1]!.slice(0, 3)).toEqual(['23 Nov 2026', String(10 + 60), '2'])
    expect(rows).toHaveLength(30)
    const day = await textOf(get(`${at}?use=day`, again))
    expect(day).toContain('Requests by hour. Most:')
    expect(page).toContain('127.0.0.0/24 · node')
    const counted = await store.db.selectFrom('api_use').selectAll().execute()
    expect(
      counted.filter(({ token_id }) => token_id === '').map(({ answered, peak_minute }) => [answered, peak_minute]),
    ).toEqual(
      expect.arrayContaining([
        [10, 7],
        [1, 1],
      ]),
    )
  })
})
