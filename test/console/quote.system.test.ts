// A company asks for a quote, honestly and not; operators hear of it, accept it with contract and invitation, or
// decline.
import { afterEach, describe, expect, test } from 'vitest'
import { escapeHtml } from '../../src/console/frame/html.ts'
import { dayMs, hourMs } from '../../src/domain/time.ts'
import { listAuditEntries } from '../../src/store/people/audit.ts'
import { listInvitations } from '../../src/store/people/invitations.ts'
import { listOrganizations } from '../../src/store/people/organizations.ts'
import { listQuotes, pruneQuotes } from '../../src/store/people/quotes.ts'
import { drawnEngines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { fieldsOf } from './plain-form.ts'

const opened: ConsoleWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

const honest = {
  name: 'Anna Roth',
  company: 'Roth Dachbau GmbH',
  mail: 'anna@roth.example',
  need: ['search', 'webhooks'],
  message: 'Dächer in Sachsen.\nFünf Leute, ab Januar.',
}
const textOf = async (answer: Promise<Response>) => (await answer).text()

describe.each(drawnEngines)('a request for a quote (%s)', (engine) => {
  async function open() {
    const world = await openConsoleWorld(engine, {
      config: { mail: { host: 'mail.example.org', port: 25, security: 'none', from: 'tenders@example.org' } },
    })
    opened.push(world)
    const operator = (await world.person('op@example.org', { isOperator: true })).cookie
    await world.person('mem@example.org', {})
    const { store } = world
    const fresh = async () => {
      const fields = fieldsOf(await textOf(world.get('/quote')), '/quote')
      const { 'form-key': key = [], opened = [] } = fields
      return { 'form-key': key[0]!, opened: opened[0]! }
    }
    type Form = Parameters<ConsoleWorld['post']>[1]
    /** As a person fills it in: it takes a while. */
    const ask = async (form: Form = {}) => {
      const page = await fresh()
      world.wait(20_000)
      return world.post('/quote', { ...page, ...honest, ...form })
    }
    const quotes = () => listQuotes(store.db, 100)
    const mails = () => store.db.selectFrom('mail').select(['person', 'content']).orderBy('created_at').execute()
    return { ...world, operator, fresh, ask, quotes, mails }
  }

  test('reaches the desk and the mail of every operator, and nobody else', async () => {
    const { ask, get, post, operator, quotes, mails, store } = await open()
    expect(await textOf(get('/operator/quotes', operator))).toContain('Nobody has asked yet')
    expect((await ask()).headers.get('location')).toBe('/quote/sent')
    expect(await textOf(get('/quote/sent'))).toContain('Your request has arrived')
    const [quote] = await quotes()
    const { need, ...said } = honest
    expect(quote).toMatchObject({ ...said, needs: need, state: 'open', language: 'en' })
    const sent = await mails()
    expect(sent.map(({ person }) => person)).toEqual(['op@example.org'])
    expect(sent[0]!.content).toContain('Roth Dachbau GmbH')
    expect(await textOf(get('/operator', operator))).toContain('company asks for a quote')
    expect(await textOf(get('/operator/quotes', operator))).toContain('Roth Dachbau GmbH')
    const page = await textOf(get(`/operator/quotes/${quote!.quoteId}`, operator))
    for (const text of ['Anna Roth', 'anna@roth.example', 'Fünf Leute, ab Januar.', 'Hits as webhooks'])
      expect(page, text).toContain(escapeHtml(text))
    const declined = await post(`/operator/quotes/${quote!.quoteId}/decline`, {}, operator)
    expect(declined.headers.get('location')).toBe('/operator/quotes')
    expect((await quotes())[0]).toMatchObject({ state: 'declined', closedBy: 'op@example.org', organizationId: null })
    expect(await textOf(get(`/operator/quotes/${quote!.quoteId}`, operator))).not.toContain('/organizations/new')
    // the log outlives the request, and names nobody who asked
    const entries = (await listAuditEntries(store.db, { limit: 9 })).filter(({ action }) => action.startsWith('quote'))
    expect(entries).toMatchObject([{ action: 'quote.decline', subject: quote!.quoteId, actor: 'op@example.org' }])
    expect((await post('/operator/quotes/nothing/decline', {}, operator)).status).toBe(404)
    expect((await get('/operator/quotes/nothing', operator)).status).toBe(404)
  })

  test('is accepted together with organization, contract and the invitation of its Owner, once', async () => {
    const { ask, get, post, operator, quotes, store, now } = await open()
    await ask()
    const [quote] = await quotes()
    const address = `/operator/organizations/new?quote=${quote!.quoteId}`
    const shown = fieldsOf(await textOf(get(address, operator)), '/operator/organizations/new/save')
    expect(shown).toMatchObject({ name: [honest.company], owner: [honest.mail], quote: [quote!.quoteId] })
    const other = fieldsOf(await textOf(get(address, operator)), '/operator/organizations/new/save')
    const save = (fields: typeof shown, change = {}) =>
      post('/operator/organizations/new/save', { ...fields, bulk: undefined, ...change }, operator)
    expect((await save(shown, { limit: '0' })).status).toBe(422)
    expect((await quotes())[0]!.state).toBe('open')
    await save(shown)
    const [organization] = await listOrganizations(store.db)
    const { organizationId } = organization!
    expect((await quotes())[0]).toMatchObject({ state: 'accepted', organizationId })
    expect(await listInvitations(store.db, { organizationId }, now())).toMatchObject([
      { mail: honest.mail, role: 'owner' },
    ])
    // another operator, with the page from before
    const late = await save(other, { name: 'Roth again' })
    expect(late.headers.get('location')).toBe('/operator/quotes')
    expect(await listOrganizations(store.db)).toHaveLength(1)
    const answered = await listAuditEntries(store.db, { limit: 20 })
    expect(answered.filter(({ action }) => action === 'quote.accept')).toHaveLength(1)
  })

  test('is erased early with its mails, once, and only its number stays in the log', async () => {
    const { ask, get, post, operator, quotes, mails, store } = await open()
    await ask()
    await ask({ company: 'Another' })
    const quote = (await quotes()).find(({ company }) => company === honest.company)!
    const at = `/operator/quotes/${quote.quoteId}/erase`
    expect(await textOf(get(at, operator))).toContain('Erase this request?')
    expect((await post(at, {}, operator)).headers.get('location')).toBe('/operator/quotes')
    expect((await post(at, {}, operator)).status).toBe(404)
    expect((await quotes()).map(({ company }) => company)).toEqual(['Another'])
    expect((await mails()).map(({ content }) => JSON.parse(content).data.company)).toEqual(['Another'])
    const entries = await listAuditEntries(store.db, { limit: 20 })
    expect(entries.filter(({ action }) => action === 'quote.erase')).toMatchObject([{ subject: quote.quoteId }])
    expect(JSON.stringify(entries)).not.toContain(honest.company)
  })

  test('mistakes come back at their fields with what was typed, and nothing is stored', async () => {
    const { ask, quotes, mails } = await open()
    const wrong = await ask({ mail: 'nobody', company: ' ', message: 'x'.repeat(2_001) })
    expect(wrong.status).toBe(422)
    const page = await wrong.text()
    for (const text of ['Write the address like', 'Write the name of your company', 'This is too long', 'Anna Roth'])
      expect(page, text).toContain(text)
    expect(await quotes()).toEqual([])
    expect(await mails()).toEqual([])
  })

  test('programs are not heard: the trap, a form sent at once, days later, or never opened here', async () => {
    const { ask, fresh, post, wait, quotes, mails } = await open()
    expect((await ask({ website: 'https://spam.example' })).headers.get('location')).toBe('/quote/sent')
    const page = await fresh()
    const atOnce = await post('/quote', { ...page, ...honest })
    expect([atOnce.status, (await atOnce.text()).includes('Not sent yet')]).toEqual([422, true])
    wait(dayMs + hourMs)
    expect((await post('/quote', { ...page, ...honest })).status).toBe(422)
    for (const opened of ['', 'x', Buffer.alloc(40).toString('base64url')])
      expect((await post('/quote', { ...page, ...honest, opened })).status).toBe(422)
    expect(await quotes()).toEqual([])
    expect(await mails()).toEqual([])
  })

  test('a network asks five times an hour; the same form counts once; a flood reaches no mailbox', async () => {
    const { ask, fresh, post, wait, quotes, mails } = await open()
    const page = await fresh()
    wait(20_000)
    for (let time = 0; time < 3; time++) await post('/quote', { ...page, ...honest })
    expect(await quotes()).toHaveLength(1)
    for (let time = 0; time < 4; time++) expect((await ask()).status).toBe(303)
    expect((await ask()).status).toBe(429)
    expect(await quotes()).toHaveLength(5)
    for (let hour = 0; hour < 5; hour++) {
      wait(hourMs)
      for (let time = 0; time < 4; time++) expect((await ask()).status).toBe(303)
    }
    expect(await quotes()).toHaveLength(25)
    expect(await mails()).toHaveLength(20)
  })

  test('attacks stay text, lines stay lines, and a megabyte is refused', async () => {
    const { ask, get, post, operator, quotes, mails } = await open()
    const script = '<script>alert(1)</script>'
    await ask({
      name: `Eve\r\nBcc: all@example.org ${script}`,
      company: `\u202e${script}\u0000\nSubject: x`,
      message: `${script}\u0007\u202e\r\n-- \r\nX`,
    })
    const [quote] = await quotes()
    expect(quote).toMatchObject({
      name: `Eve Bcc: all@example.org ${script}`,
      company: `${script} Subject: x`,
      message: `${script}  \n-- \nX`,
    })
    for (const path of ['/operator/quotes', `/operator/quotes/${quote!.quoteId}`])
      expect(await textOf(get(path, operator))).not.toContain(script)
    expect(JSON.parse((await mails())[0]!.content)).toMatchObject({ kind: 'quoteAsked' })
    for (const mail of [
      'a@b.example\r\nBcc: c@d.example',
      'a@b.example, c@d.example',
      '<a@b.example>',
      'a b@c.example',
    ])
      expect((await ask({ mail })).status, mail).toBe(422)
    // filled in as by a person: only its size is wrong, wherever that is
    for (const field of ['message', 'company', 'anything']) {
      const large = await ask({ [field]: 'x'.repeat(1_000_000) })
      expect([large.status, await large.text()], field).toEqual([413, expect.stringContaining('request is too large')])
    }
    expect((await post('/quote', honest, undefined, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect(await quotes()).toHaveLength(1)
  })

  test('is removed after 180 days, answered or not', async () => {
    const { ask, quotes, store, now } = await open()
    await ask()
    await pruneQuotes(store.db, now() + 180 * dayMs)
    expect(await quotes()).toHaveLength(1)
    await pruneQuotes(store.db, now() + 180 * dayMs + 1)
    expect(await quotes()).toEqual([])
  })
})
