// Searches, hits, profiles, webhooks and digests through their pages, without script, to a real receiver.
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test } from 'vitest'
import type { TenderContent } from '../../src/domain/tender.ts'
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts'
import { matchEditions } from '../../src/hits/match-editions.ts'
import { openMatcher } from '../../src/hits/matcher.ts'
import { allowLoopbackWebhooks } from '../../src/service/hits/loopback-webhooks.ts'
import { listEndpoints } from '../../src/store/hits/webhook-endpoints.ts'
import { listAuditEntries } from '../../src/store/people/audit.ts'
import { deliverDue } from '../../src/webhooks/deliver.ts'
import { openSender } from '../../src/webhooks/send-attempt.ts'
import { crawlConsole } from '../testing/crawl-console.ts'
import { startReceiver } from '../webhooks/delivery-world.ts'
import { drawnEngines, type Engine } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { type Fields, fieldsOf } from './plain-form.ts'
import { putTenders } from './put-tenders.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** What a page says to people, a line for each element that stands alone; not what is folded or typed. */
const bodyOf = (markup: string): string =>
  markup
    .slice(markup.indexOf('<main'), markup.indexOf('</main>'))
    .replace(/<details class="more">[\s\S]*?<\/details>/g, '')
    .replace(/<textarea[\s\S]*?<\/textarea>/g, '')
    .replace(/<\/?(?:a|b|code|bdi|span|time|small)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, '\n')

const idOf = (number: number): string => `${number.toString(16).padStart(8, '0')}-7d3e-8b64-9a10-5c2e7f4b9d31`

async function put({ store }: ConsoleWorld, number: number, members: Partial<TenderContent> = {}): Promise<void> {
  const tender: TenderContent = {
    contractAmount: { value: 1_284_000, currency: 'EUR', estimated: false },
    contractingAuthority: { name: 'Landkreis Aurenbach' },
    cpvCodes: ['45233141'],
    id: idOf(number),
    language: 'de',
    lots: [],
    nutsCodes: ['DE212'],
    originalSources: [],
    status: 'open',
    title: `Asphalt road ${number}`,
    ...members,
  } as TenderContent
  await putTenders(store, [tender])
}

async function open(engine: Engine) {
  const world = await openConsoleWorld(engine)
  closers.push(async () => {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  })
  await allowLoopbackWebhooks(world.store, true)
  const acme = await world.organization('Acme')
  const owner = { ...(await world.person('owner@example.org', { memberOf: [[acme, 'owner']] })) }
  /** Secrets need a fresh sign-in. */
  const signInAgain = async () => {
    owner.cookie = await world.signIn(owner.personId)
  }
  const member = await world.person('member@example.org', { memberOf: [[acme, 'member']] })
  const at = `/o/${acme}`
  const read = async (path: string, who = owner.cookie, language = 'en'): Promise<string> => {
    const answer = await world.get(path, who, { 'accept-language': language })
    expect(answer.status, path).toBe(200)
    return answer.text()
  }
  /** Sends the form of a page unchanged, except for `changed`. */
  const send = (page: string, action: string, changed: Fields, who = owner.cookie) =>
    world.post(action, { ...fieldsOf(page, action), ...changed }, who)
  const publish = async () => {
    world.wait(hourMs)
    await world.publish()
    const matcher = openMatcher()
    await matchEditions(world.store, { matcher, clock: world.now })
    await matcher.close()
  }
  const deliver = async () => {
    const sender = openSender({ version: 'test', now: world.now, timeoutMs: 2000 })
    await deliverDue(
      {
        store: world.store,
        clock: world.now,
        wallClock: Date.now,
        random: () => 0.5,
        send: sender.send,
        sealer: await world.context.webhooks.sealer(),
        addresses: { allowsLoopback: true },
        worker: 'test',
        mailDomain: 'example.org',
        onDisabled: () => {},
      },
      new AbortController().signal,
    )
    await sender.close()
  }
  const audit = async () => (await listAuditEntries(world.store.db, { organizationId: acme, limit: 50 })).reverse()
  /** Creates a search for asphalt. Returns its path. */
  const addSearch = async (changed: Fields = {}): Promise<string> => {
    const action = `${at}/searches/new`
    const saved = await send(await read(action), action, {
      name: ['Asphalt'],
      words: ['asphalt'],
      'cpv-q': ['45233000'],
      threshold: ['40'],
      do: ['save'],
      ...changed,
    })
    expect(saved.status).toBe(303)
    return saved.headers.get('location')!
  }
  return { world, acme, at, owner, member, signInAgain, read, send, publish, deliver, audit, addSearch }
}

/** What the next page will say first. */
const noticeOf = ({ headers }: Response): string =>
  decodeURIComponent(/notice=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1] ?? '')

/** Creates an endpoint for a receiver through its page; returns its path and its secret. */
async function addEndpoint({ at, read, send, signInAgain }: Awaited<ReturnType<typeof open>>, url: string) {
  await signInAgain()
  const action = `${at}/webhooks/new`
  const made = await send(await read(action), action, { address: [url], description: ['CRM'] })
  const page = await made.text()
  expect(made.status).toBe(200)
  const secret = /whsec_[A-Za-z0-9+/=]+/.exec(page)![0]
  return { path: new RegExp(`${at}/webhooks/[0-9a-f-]{36}`).exec(page)![0], secret }
}

describe.each(drawnEngines)('the pages of hits (%s)', (engine) => {
  test('a search is created without JavaScript, and its first hit reaches a receiver that verifies it', async () => {
    const opened = await open(engine)
    const { world, at, owner, read, send, publish, deliver, audit } = opened
    await put(world, 1)
    await put(world, 2, { cpvCodes: ['90000000'], title: 'Cleaning' })
    await publish()
    const receiver = await startReceiver()
    closers.push(() => receiver[Symbol.dispose]())
    const action = `${at}/searches/new`
    const typed = {
      name: ['Roads <b>&"\''],
      words: ['asphalt, deckenbau'],
      'not-words': ['reinigung'],
      authorities: ['Landkreis A\nStadt B'],
      'value-min': ['250.000'],
      nature: ['works'],
      'cpv-q': ['road maintenance'],
      do: ['find cpv'],
    }
    const found = await (await send(await read(action), action, typed)).text()
    expect(found).toContain('value="45233141"')
    const kept = fieldsOf(found, action)
    for (const name of ['name', 'words', 'not-words', 'authorities', 'value-min', 'nature', 'cpv-q'] as const)
      expect(kept[name], name).toEqual(typed[name])
    // ticked and sent by Enter
    const ticked = await (await send(found, action, { cpv: ['45233141'], do: ['look'] })).text()
    expect(fieldsOf(ticked, action)['cpv']).toEqual(['45233141'])
    expect(ticked).toContain('Road-maintenance works')
    // words that find more stay; they are gone when everything is chosen
    expect(fieldsOf(ticked, action)['cpv-q']).toEqual(['road maintenance'])
    const one = await (await send(ticked, action, { 'nuts-q': ['Oberbayern'], nuts: ['DE21'], do: ['look'] })).text()
    expect(fieldsOf(one, action)).toMatchObject({ nuts: ['DE21'], 'nuts-q': [''] })
    const plain = await (await send(ticked, action, { 'cpv-q': ['45'], 'nuts-q': ['DE2'], do: ['find nuts'] })).text()
    expect(fieldsOf(plain, action)).toMatchObject({ cpv: ['45233141', '45000000'], nuts: ['DE2'] })
    // codes as people know them: all digits, with their names
    for (const chip of ['<code>45000000</code> Construction work', '<code>DE2</code> Bavaria'])
      expect(plain).toContain(`${chip}<svg`)
    const dropped = await (await send(plain, action, { do: ['drop cpv 45000000'] })).text()
    expect(fieldsOf(dropped, action)['cpv']).toEqual(['45233141'])
    expect((await audit()).length).toBe(0)

    const ready = { authorities: [''], nature: [], 'value-min': ['250,000'], words: ['asphalt'], threshold: ['40'] }
    let counted = await (await send(dropped, action, { ...ready, do: ['count'] })).text()
    while (counted.includes('Count again in a moment'))
      counted = await (await send(counted, action, { do: ['count'] })).text()
    const [command] = (
      await world.command({
        command: 'search create',
        options: {
          organization: 'Acme',
          name: 'x',
          cpv: ['45233141'],
          nuts: ['DE2'],
          word: ['asphalt'],
          'exclude-word': ['reinigung'],
          'value-min': 250_000,
          preview: true,
        },
      })
    ).events
    const { open: openNow, lastDays } = command as unknown as {
      readonly open: { readonly any: number; readonly '40': number }
      readonly lastDays: { readonly [score: string]: number }
    }
    expect(openNow.any).toBe(1)
    expect(counted).toContain(`<b class="big">${openNow.any}</b>`)
    expect(counted).toContain(`${openNow['40']} of them from score 40`)
    for (const each of ['any', '40', '50', '60'])
      expect(counted).toMatch(
        new RegExp(
          `<th scope="row">(?:<b>)?${each}[^<]*(?:</b>)?</th><td class="num" data-l="30 days">${lastDays[each]}<`,
        ),
      )
    expect(counted).toContain(`href="/tenders/${idOf(1)}"`)

    const saved = await send(counted, action, { do: ['save'] })
    expect([saved.status, await saved.text()]).toEqual([303, ''])
    const twice = await send(counted, action, { do: ['save'] })
    expect([twice.status, twice.headers.get('location')]).toEqual([303, `${at}/searches`])
    const list = await read(`${at}/searches`)
    expect(list.match(/Roads &lt;b&gt;&amp;&quot;&#39;/g)).toHaveLength(1)
    expect(await audit()).toMatchObject([
      { action: 'search.create', subject: 'Roads <b>&"\'', actor: 'owner@example.org' },
    ])

    const { path, secret } = await addEndpoint(opened, receiver.url)
    await put(world, 3, {
      title: '<img src=x onerror=alert(1)> Asphalt \u202e',
      submissionDate: new Date(world.now() + 3 * dayMs).toISOString(),
    })
    await publish()
    await deliver()
    expect(receiver.received).toHaveLength(1)
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[number]]
    // the library reads the real clock, as the deliverer stamps by it
    const message = new Webhook(secret).verify(body, headers as Record<string, string>) as {
      readonly data: { readonly fitScore: number; readonly tender: { readonly id: string } }
    }
    expect(message.data.tender.id).toBe(idOf(3))
    const hits = await read(`${at}/hits`)
    expect(hits).toContain('&lt;img src=x onerror=alert(1)&gt; Asphalt')
    expect(hits).not.toMatch(/<img|\u202e/)
    expect(hits).toContain(`Why ${message.data.fitScore}?`)
    expect(hits).toContain('Road-maintenance works – one of your trades')
    expect(hits).toMatch(/Delivered to <a href="[^"]+"><bdi>CRM</)
    expect(await read(`${at}/hits?closing=7&order=deadline`)).toContain(idOf(3))
    const endpoint = await read(path)
    expect(endpoint).not.toContain(secret)
    expect(endpoint).toMatch(/<dt>Delivered, 24 h<\/dt><dd>1<\/dd>/)
    const messagePath = new RegExp(`${path}/messages/msg_[0-9a-f]+`).exec(endpoint)![0]
    expect(await read(messagePath)).toContain('&quot;type&quot;: &quot;search.hit&quot;')
    expect((await audit()).map((entry) => entry.action)).toEqual(['search.create', 'webhook.create'])
    expect(await read(`${at}/hits`, owner.cookie, 'de')).toContain(
      'Straßeninstandhaltungsarbeiten – eine Ihrer Branchen',
    )
  })

  test('a search that matches nothing says what excludes the most', async () => {
    const { world, at, owner, read, publish } = await open(engine)
    await put(world, 1)
    await put(world, 2)
    await put(world, 3, { title: 'Bridge', nutsCodes: ['DE300'] })
    await publish()
    const action = `${at}/searches/new`
    const count = async (fields: Fields, language = 'en') => {
      const form = { ...fieldsOf(await read(action), action), ...fields, do: ['count'] }
      const counted = async () => (await world.post(action, form, owner.cookie, { 'accept-language': language })).text()
      await expect.poll(counted, { timeout: 20_000 }).toContain('<b class="big">')
      return (await counted()).split('<b class="big">')[1]!.split('<table')[0]!
    }
    const narrow = { 'cpv-q': ['45233000'], 'nuts-q': ['DE3'], words: ['asphalt'], 'value-min': ['5'] }
    expect([...(await count(narrow)).matchAll(/<li>(.*?)<\/li>/g)].map(([, line]) => line)).toEqual([
      '2 without the region',
      '1 without the words',
    ])
    expect(await count(narrow, 'de')).toContain('<li>2 ohne die Region</li>')
    // alone, no part can be left out
    expect(await count({ words: ['zebra'] })).toContain('No open tender matches. Try a code')
    expect(await count({ words: ['bridge'] })).not.toContain('No open tender matches')
  })

  test('errors are shown at their fields, input is kept, and so are versions', async () => {
    const { world, acme, at, member, read, send, publish, audit, addSearch } = await open(engine)
    const action = `${at}/searches/new`
    const wrong = { 'value-min': ['250000'], 'value-max': ['50.000'], words: ['a.b*'], 'min-days': ['x'], do: ['save'] }
    const answer = await send(await read(action, member.cookie), action, wrong, member.cookie)
    const page = await answer.text()
    expect(answer.status).toBe(422)
    for (const [id, text] of [
      ['name', 'Give it a name'],
      ['words', 'cannot be searched for'],
      ['value-max', 'must be higher than 250000'],
      ['min-days', 'a whole number from 0 to 365'],
    ] as const) {
      expect(page).toMatch(new RegExp(`id="${id}-error">[^<]*${text}`))
      expect(page).toContain(`<a href="#${id}">`)
    }
    expect(fieldsOf(page, action)).toMatchObject({ 'value-max': ['50.000'], words: ['a.b*'], 'min-days': ['x'] })
    const nothing = await send(await read(action), action, { name: ['x'], do: ['save'] })
    expect(await nothing.text()).toContain('Choose at least one code')

    await put(world, 1)
    await publish()
    const path = await addSearch({ 'deliver-open': [] })
    const again = await send(await read(action), action, { name: ['Asphalt'], words: ['x1'], do: ['save'] })
    expect([again.status, await again.text()]).toEqual([422, expect.stringContaining('This name is already in use')])
    const form = await read(path)
    const edited = await send(form, path, { name: ['Roads'], threshold: ['60'], do: ['save'] })
    expect(edited.status).toBe(303)
    const late = await send(form, path, { name: ['Lost'], threshold: ['80'], do: ['save'] })
    expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('Somebody else has changed')])
    expect((await world.post(`${path}/pause`, {}, member.cookie)).status).toBe(303)
    const paused = await read(path)
    expect(paused).toContain('This search is paused')
    expect(paused.match(/<th scope="row">[123]<\/th>/g) ?? [], 'rows of searches').toHaveLength(3)
    await put(world, 2)
    await publish()
    expect(await read(`${at}/hits`)).toContain('No hits here')
    await world.post(`${path}/resume`, {}, member.cookie)
    expect(await read(`${path}?tender=${idOf(2)}`)).toContain('It matches, with score')
    const german = await read(`${path}?tender=${idOf(2)}`, member.cookie, 'de')
    expect(german).toContain('Straßeninstandhaltungsarbeiten – in Bauarbeiten')
    expect(german).toContain('„asphalt“ im Titel')
    expect(german).toContain('Wörter <bdi>asphalt</bdi>')
    expect(german.slice(german.indexOf('id="why"'), german.indexOf('</main>'))).not.toMatch(
      /lang="en"| by |in the title/,
    )
    for (const nothing of ['%00', idOf(404), 'atlantis'])
      expect(await read(`${path}?tender=${nothing}`)).toContain('No published tender is called like this')
    // a link or a title names it, too; of several, one is chosen
    const link = encodeURIComponent(`${world.origin}/tenders/${idOf(2)}?hit=1`)
    expect(await read(`${path}?tender=${link}`)).toContain('It matches, with score')
    await world.editions.indexed(30_000)
    expect(await read(`${path}?tender=Asphalt+road+2`)).toContain('It matches, with score')
    const several = await read(`${path}?tender=asphalt+road`)
    expect(several).toContain('Several tenders are called like this')
    expect(several).toContain(`href="${path}?tender=${idOf(2)}#why"`)
    expect((await audit()).map(({ action: each }) => each)).toEqual([
      'search.create',
      'search.edit',
      'search.pause',
      'search.resume',
    ])
    const stranger = await world.organization('Other')
    const other = await world.person('other@example.org', { memberOf: [[stranger, 'owner']] })
    for (const foreign of [path, path.replace(acme, stranger)])
      expect((await world.get(foreign, other.cookie)).status).toBe(404)
    expect((await world.post(`${path.replace(acme, stranger)}/pause`, {}, other.cookie)).status).toBe(404)
    expect(await read(`${at}/searches`, member.cookie, 'de')).toContain('Eine gespeicherte Suche macht')
  })

  test('open tenders become hits at once; hits are kept, dismissed and seen, in pages', async () => {
    const { world, at, member, read, publish, audit, addSearch } = await open(engine)
    for (let number = 1; number <= 35; number++) await put(world, number)
    await publish()
    const path = await addSearch({ 'deliver-open': ['yes'] })
    const { searchId } = /(?<searchId>[0-9a-f-]{36})$/.exec(path)!.groups as { searchId: string }
    const first = await read(`${at}/hits?search=${searchId}`)
    expect(first).toContain('1 to 30 of 35')
    const idsOn = (page: string) => [...page.matchAll(/name="hit" value="([0-9a-f-]{36})"/g)].map(([, id]) => id!)
    const next = /rel="next" href="([^"]+)"/.exec(first)![1]!.replaceAll('&amp;', '&')
    const second = await read(next)
    expect(second).toContain('31 to 35 of 35')
    expect(new Set([...idsOn(first), ...idsOn(second)]).size).toBe(35)
    const back = /rel="prev" href="([^"]+)"/.exec(second)![1]!.replaceAll('&amp;', '&')
    expect(idsOn(await read(back))).toEqual(idsOn(first))
    const byDeadline = await read(`${at}/hits?order=deadline`)
    const nextByDeadline = /rel="next" href="([^"]+)"/.exec(byDeadline)![1]!.replaceAll('&amp;', '&')
    expect(new Set([...idsOn(byDeadline), ...idsOn(await read(nextByDeadline))]).size).toBe(35)

    const ids = idsOn(first)
    const one = await world.post(`${at}/hits`, { do: `kept ${ids[0]}`, return: `${at}/hits?n=1` }, member.cookie)
    expect([one.status, one.headers.get('location')]).toEqual([303, `${at}/hits?n=1&undo=new.${ids[0]}`])
    // each decision can be undone from the page that it leads to, and shows neighbors whatever was decided
    const undo = fieldsOf(await read(one.headers.get('location')!, member.cookie), `${at}/hits`)
    const undone = await world.post(`${at}/hits`, { ...undo, do: 'undo' }, member.cookie)
    expect([undone.status, undone.headers.get('location')]).toEqual([303, `${at}/hits?n=1`])
    expect(idsOn(await read(`${at}/hits?state=kept`))).toEqual([])
    const quiet = await world.post(`${at}/hits`, { do: `kept ${ids[0]}`, answer: 'none' }, member.cookie)
    expect([quiet.status, quiet.headers.get('set-cookie')]).toEqual([204, null])
    const step = async (from: string, to: string) =>
      (await world.get(`${at}/hits/${from}/${to}?search=${searchId}`, member.cookie)).headers.get('location')
    expect(await step(ids[0]!, 'next')).toMatch(new RegExp(`^/tenders/[0-9a-f-]{36}\\?hit=${ids[1]}&list=search%3D`))
    expect(await step(ids[2]!, 'previous')).toContain(`?hit=${ids[1]}&`)
    expect(await step(idsOn(second).at(-1)!, 'next')).toBe(`${at}/hits?search=${searchId}`)
    await world.post(
      `${at}/hits`,
      { do: 'dismissed', hit: ids.slice(1, 4), return: 'https://evil.example' },
      member.cookie,
    )
    await world.post(`${at}/hits`, { do: 'seen', hit: [ids[4]!, 'x', "'\u0000"] }, member.cookie)
    expect(idsOn(await read(`${at}/hits?state=kept`))).toEqual([ids[0]])
    expect(new Set(idsOn(await read(`${at}/hits?state=dismissed`)))).toEqual(new Set(ids.slice(1, 4)))
    expect(await read(`${at}/hits`)).toContain('1 to 30 of 30')
    // hits of others stay unchanged
    const stranger = await world.organization('Other')
    const other = await world.person('other@example.org', { memberOf: [[stranger, 'owner']] })
    await world.post(`/o/${stranger}/hits`, { do: 'dismissed', hit: ids }, other.cookie)
    expect((await world.get(`/o/${stranger}/hits/${ids[0]}/next`, other.cookie)).status).toBe(404)
    expect(await read(`${at}/hits`)).toContain('1 to 30 of 30')
    await put(world, 1, { status: 'awarded' })
    await publish()
    expect((await audit()).map(({ action, detail }) => [action, detail['hits']])).toEqual([
      ['search.create', undefined],
      ['hit.mark', 1],
      ['hit.mark', 1],
      ['hit.mark', 1],
      ['hit.mark', 3],
      ['hit.mark', 1],
    ])
  })

  test('a new search reports what is open unless the box is empty, and says how many messages leave at most', async () => {
    const opened = await open(engine)
    const { world, at, read, publish, addSearch } = opened
    for (const number of [1, 2, 3]) await put(world, number)
    await put(world, 4, { status: 'planned' })
    await publish()
    const form = `${at}/searches/new`
    const box = async (language = 'en') => {
      const markup = /<label class="tick">\s*<input[^>]*name="deliver-open"[\s\S]*?<\/label>/.exec(
        await read(form, undefined, language),
      )![0]
      return markup
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim()
    }
    expect(await box()).toBe(
      'Also report the tenders that are open now At most 500, the best first. Otherwise only what the next edition brings.',
    )
    await addEndpoint(opened, 'http://127.0.0.1:9/one')
    expect(await box()).toContain('Each is a message to your webhook: at most 500.')
    await addEndpoint(opened, 'http://127.0.0.1:9/other')
    expect(await box()).toContain('Each is a message to each of your 2 webhooks: at most 1,000.')
    expect(await box('de')).toMatch(/Webhooks.*höchstens 1\.000/)
    // whoever opens the form finds the box ticked
    expect(fieldsOf(await read(form), form)['deliver-open']).toEqual(['yes'])

    const counts = async () => {
      const hits = [...(await read(`${at}/hits`)).matchAll(/name="hit" value="/g)].length
      const { rows } = await sql<{ count: number }>`select count(*)::integer as count from delivery`.execute(
        world.store.db,
      )
      return [hits, rows[0]!.count]
    }
    await addSearch({ name: ['Quiet'], 'deliver-open': [] })
    expect(await counts()).toEqual([0, 0])
    const loud = await addSearch({ name: ['Loud'] })
    // one message for each hit and webhook
    expect(await counts()).toEqual([3, 6])
    expect(await read(loud)).toContain('Loud')
  })

  test('a channel is created by the form, and nobody sees its address again', async () => {
    const { at, read, send, signInAgain } = await open(engine)
    const posted: string[] = []
    const channel = await startReceiver((response, { body }) => {
      posted.push(body)
      response.end('ok')
    })
    closers.push(() => channel[Symbol.dispose]())
    await signInAgain()
    const action = `${at}/webhooks/new`
    const form = await read(action)
    const bare = await send(form, action, { address: [new URL(channel.url).origin], chat: ['slack'] })
    expect([bare.status, await bare.text()]).toEqual([422, expect.stringContaining('Copy the address of the channel')])
    const made = await send(form, action, { address: [channel.url], chat: ['slack'] })
    expect(made.status).toBe(303)
    const path = made.headers.get('location')!.split('?')[0]!
    const pages = [await read(path), await read(`${path}/edit`), await read(`${at}/webhooks`)]
    expect(pages.join()).toContain(`${new URL(channel.url).origin}/`)
    expect(pages.join()).not.toMatch(/\/hook\b|whsec_|Replace the secret/)
    const edited = await send(pages[1]!, `${path}/edit`, { description: ['Sales'] })
    expect(edited.status).toBe(303)
    const fast = await send(await read(`${path}/edit`), `${path}/edit`, { rate: ['50'] })
    expect([fast.status, await fast.text()]).toEqual([
      422,
      expect.stringContaining('A channel gets at most 1 a second'),
    ])
    await send(await read(path), `${path}/test`, {})
    expect(JSON.parse(posted[0]!)).toMatchObject({ blocks: [{ type: 'header' }, { type: 'section' }] })
  })

  test('a channel whose key is lost says so, and takes its address again from Owners', async () => {
    const { world, acme, at, member, read, send, signInAgain } = await open(engine)
    const channel = await startReceiver((response) => response.end('ok'))
    closers.push(() => channel[Symbol.dispose]())
    await signInAgain()
    const made = await send(await read(`${at}/webhooks/new`), `${at}/webhooks/new`, {
      address: [channel.url],
      chat: ['slack'],
    })
    const path = made.headers.get('location')!.split('?')[0]!
    const [endpoint] = await listEndpoints(world.store.db, acme)
    const { db } = world.store
    await sql`update webhook_secret set sealed = ${Buffer.alloc(64)}`.execute(db)
    await sql`update webhook_endpoint set state = 'disabled', disabled_why = 'address'`.execute(db)
    const page = await read(path)
    expect(page).toContain('Enter the address again.')
    expect(page).toContain(`href="${path}/secret"`)
    expect(await read(path, member.cookie)).not.toContain(`href="${path}/secret"`)
    const tested = await send(page, `${path}/test`, {})
    expect(noticeOf(tested)).toContain('no longer has the key to its address')
    const form = await read(`${path}/secret`)
    expect(form).not.toContain('/hook')
    const enter = (address: string) => send(form, `${path}/secret`, { address: [address] })
    const elsewhere = await enter('http://127.0.0.1:1/hook')
    expect([elsewhere.status, await elsewhere.text()]).toEqual([422, expect.stringContaining('This channel is at')])
    for (const [address, text] of [
      [endpoint!.address, 'Copy the address of the channel'],
      ['nonsense', 'not a usable address'],
    ] as const)
      expect(await (await enter(address)).text()).toMatch(new RegExp(`id="address-error">[^<]*${text}`))
    expect((await enter(channel.url)).status).toBe(303)
    expect(await read(path)).toMatch(/new secret or address, and was not tested yet\. Hits are held/)
    await send(await read(path), `${path}/test`, {})
    expect(channel.received).toHaveLength(1)
    expect((await listEndpoints(db, acme))[0]).toMatchObject({ state: 'active' })
    const audited = await listAuditEntries(db, { organizationId: acme, limit: 10 })
    expect(audited.filter(({ action }) => action === 'webhook.readdress')).toHaveLength(1)
    expect((await world.post(`${path}/secret`, fieldsOf(form, `${path}/secret`), member.cookie)).status).toBe(403)
    await sql`update webhook_endpoint set chat = 'newer'`.execute(db)
    const unknown = await send(await read(path), `${path}/test`, {})
    expect(noticeOf(unknown)).toContain('cannot write to channels of this kind')
    expect(channel.received).toHaveLength(1)
  })

  test('endpoints are written by Owners and read by members; a failing one is tested, replayed, rotated and removed', async () => {
    const opened = await open(engine)
    const { world, acme, at, owner, member, read, send, publish, deliver, audit, addSearch } = opened
    const action = `${at}/webhooks/new`
    expect((await world.get(action, member.cookie)).status).toBe(403)
    const form = await read(action)
    for (const [address, text, german] of [
      ['http://hooks.example.org/', 'must begin with https', 'muss mit https:// beginnen'],
      ['https://10.0.0.1/', 'private network', 'in einem privaten Netz'],
      ['https://hooks.example.org:22/', '443 and 8443', 'Nur die Ports'],
      ['nonsense', 'not a usable address', 'keine brauchbare Adresse'],
      ['https://a:b@hooks.example.org/', 'the user name', 'Benutzername und Passwort'],
      ['https://hooks.example.org/#a', 'from # on', 'ab # weg'],
      ['https://intranet/', 'lacks its domain', 'fehlt die Domain'],
      ['https://hooks.acme.test/', 'can ever be reached', 'nie erreichbar'],
      [`https://hooks.example.org/${'a'.repeat(2000)}`, '2,000 characters', 'mehr als 2.000 Zeichen'],
    ] as const) {
      const refused = await send(form, action, { address: [address], description: ['Keep <me>'] })
      const page = await refused.text()
      expect([refused.status, fieldsOf(page, action)['description']], address).toEqual([422, ['Keep <me>']])
      expect(page).toMatch(new RegExp(`id="address-error">[^<]*${text}`))
      const inGerman = await world.post(action, { ...fieldsOf(form, action), address }, owner.cookie, {
        'accept-language': 'de',
      })
      expect(await inGerman.text()).toMatch(new RegExp(`id="address-error">[^<]*${german}`))
    }
    let status = 500
    const receiver = await startReceiver((response) => void response.writeHead(status).end('<b>no</b>'))
    closers.push(() => receiver[Symbol.dispose]())
    const { path, secret } = await addEndpoint(opened, receiver.url)
    expect((await world.post(`${path}/disable`, {}, member.cookie)).status).toBe(403)
    expect((await world.get(`${path}/secret`, member.cookie)).status).toBe(403)
    await addSearch()
    await put(world, 1)
    await publish()
    await deliver()
    const failing = await read(path, member.cookie)
    expect(failing).toContain('Failing since')
    expect(failing).toContain('<span class="st bad">500</span>')
    // what waits for a retry can be sent now, until it is due anyway
    expect(await read(path)).toContain(`action="${path}/replay"><input type="hidden" name="message"`)
    expect(failing).not.toMatch(/whsec_|Remove…/)
    const messagePath = new RegExp(`${path}/messages/msg_[0-9a-f]+`).exec(failing)![0]
    expect(await read(messagePath, member.cookie)).toContain('&lt;b&gt;no&lt;/b&gt;')
    expect(await read(`${at}/webhooks`, member.cookie, 'de')).toContain('Gestört')

    status = 204
    const noticeAfter = async (path_: string, fields: { readonly [name: string]: string } = {}) => {
      const answer = await world.post(path_, fields, owner.cookie)
      expect(answer.status).toBe(303)
      return noticeOf(answer)
    }
    const [tested, disabled] = [await noticeAfter(`${path}/test`), await noticeAfter(`${path}/disable`)]
    expect([tested, disabled]).toEqual([expect.stringContaining('204'), expect.stringContaining('disabled')])
    expect(await read(path)).toContain('An Owner disabled it.')
    expect(await noticeAfter(`${path}/test`, { wrong: 'yes' })).toContain('accepted a wrong signature')
    await noticeAfter(`${path}/enable`)
    expect(await read(path)).toContain('Held deliveries: 1')
    expect(await noticeAfter(`${path}/release`)).toContain('Deliveries sent now: 1')
    await deliver()
    const before = receiver.received.length
    const messageId = messagePath.split('/').at(-1)!
    expect(await noticeAfter(`${path}/replay`, { message: messageId })).toContain('its id: 1')
    await deliver()
    expect(receiver.received.length).toBe(before + 1)
    expect(receiver.received.at(-1)!.headers['webhook-id']).toBe(messageId)
    const day = new Date(world.now()).toISOString().slice(0, 10)
    expect(await noticeAfter(`${path}/replay`, { since: day, which: 'failed' })).toContain('Nothing')
    expect(await noticeAfter(`${path}/replay`, { since: day, which: 'all' })).toContain('its id: 1')
    expect(await noticeAfter(`${path}/replay`, { since: 'x' })).toContain('Choose a day')

    await opened.signInAgain()
    const page = await read(`${path}/secret`)
    const rolled = await send(page, `${path}/secret`, {})
    const shown = await rolled.text()
    expect(shown).toContain('Requests on their way still carry the old signature only')
    const second = /whsec_[A-Za-z0-9+/=]+/.exec(shown)![0]
    expect(second).not.toBe(secret)
    expect((await send(page, `${path}/secret`, {})).status).toBe(303)
    await deliver()
    const { body, headers } = receiver.received.at(-1)!
    for (const key of [secret, second]) new Webhook(key).verify(body, headers as Record<string, string>)
    expect(await read(path)).toMatch(/Created [^<]+, ends /)
    receiver[Symbol.dispose]()
    expect(await noticeAfter(`${path}/test`, { wrong: 'yes' })).toContain('The test event failed')
    world.wait(16 * minuteMs)
    const stale = await world.get(`${path}/secret`, owner.cookie)
    expect([stale.status, stale.headers.get('location')]).toEqual([303, expect.stringContaining('/sign-in?return=')])
    const stranger = await world.organization('Other')
    const other = await world.person('other@example.org', { memberOf: [[stranger, 'owner']] })
    const foreign = path.replace(acme, stranger)
    for (const each of ['', '/remove', `/messages/${messageId}`])
      expect((await world.get(`${foreign}${each}`, other.cookie)).status).toBe(404)
    for (const each of ['remove', 'test', 'replay', 'secret'])
      expect((await world.post(`${foreign}/${each}`, { message: messageId }, other.cookie)).status).toBe(404)
    expect(await read(`${path}/remove`)).toContain('Remove CRM?')
    await noticeAfter(`${path}/remove`)
    expect((await world.get(path, owner.cookie)).status).toBe(404)
    expect((await audit()).map((entry) => entry.action).filter((each) => each.startsWith('webhook'))).toEqual([
      'webhook.create',
      'webhook.test',
      'webhook.disable',
      'webhook.test',
      'webhook.enable',
      'webhook.release',
      // a replay of nothing is none
      'webhook.replay',
      'webhook.replay',
      'webhook.rotate',
      'webhook.test',
      'webhook.remove',
    ])
    expect(JSON.stringify(await audit())).not.toContain('whsec_')
  })

  test('an endpoint is changed: errors store nothing, a concurrent change is refused, and the audit log has the old value', async () => {
    const opened = await open(engine)
    const { world, acme, owner, member, read, send, publish, deliver, audit, addSearch } = opened
    const [former, next] = [await startReceiver(), await startReceiver()]
    for (const each of [former, next]) closers.push(() => each[Symbol.dispose]())
    const search = (await addSearch()).split('/').at(-1)!
    await addSearch({ name: ['Other'], words: ['beton'] })
    const { path } = await addEndpoint(opened, `${former.url}?key=hidden`)
    const action = `${path}/edit`
    expect(await read(path)).toContain(`href="${action}"`)
    expect(await read(path, member.cookie)).not.toContain('/edit"')
    expect((await world.get(action, member.cookie)).status).toBe(403)
    expect((await world.post(action, {}, member.cookie)).status).toBe(403)
    const rows = async () => (await listEndpoints(world.store.db, acme))[0]
    const before = await rows()
    const form = await read(action)
    expect(fieldsOf(form, action)).toMatchObject({ address: [before!.address], kind: ['search.hit'], which: ['all'] })
    const typed = { description: ['Keep <me>'], rate: ['3'] }
    const mistakes: readonly [wrong: Fields, id: string, text: string][] = [
      [{ address: ['https://192.168.0.7/'] }, 'address', 'private network'],
      [{ address: ['http://hooks.example.org/'] }, 'address', 'must begin with https'],
      [{ rate: ['0'] }, 'rate', 'from 1 to 1000'],
      [{ kind: [] }, 'kind', 'Tick at least one type'],
      [{ which: ['some'], search: ['00000000-0000-8000-8000-000000000000'] }, 'which', 'Tick at least one search'],
    ]
    for (const [wrong, id, text] of mistakes) {
      const refused = await send(form, action, { ...typed, ...wrong })
      const page = await refused.text()
      expect([refused.status, fieldsOf(page, action)['description']], text).toEqual([422, ['Keep <me>']])
      expect(page).toMatch(new RegExp(`id="${id}-error">[^<]*${text}`))
    }
    expect(await rows()).toEqual(before)

    const saved = await send(form, action, {
      address: [next.url],
      kind: ['search.hit', 'search.hit.changed'],
      which: ['some'],
      search: [search],
      rate: ['3'],
    })
    expect([saved.status, saved.headers.get('location')]).toEqual([303, path])
    expect(await rows()).toMatchObject({
      address: next.url,
      kinds: ['search.hit', 'search.hit.changed'],
      searches: [search],
      requestsPerSecond: 3,
      description: 'CRM',
    })
    // the same page again: somebody else was faster
    const late = await send(form, action, { description: ['Mine'] })
    const page = await late.text()
    expect([late.status, page, fieldsOf(page, action)['description']]).toEqual([
      409,
      expect.stringContaining('Somebody else has changed'),
      ['Mine'],
    ])
    expect(await rows()).toMatchObject({ description: 'CRM' })
    expect((await send(await read(action), action, {})).status).toBe(303)
    expect((await audit()).slice(2)).toMatchObject([
      { action: 'webhook.create', subject: 'CRM' },
      {
        action: 'webhook.update',
        subject: 'CRM',
        actor: 'owner@example.org',
        detail: {
          address: new URL(next.url).host,
          addressBefore: new URL(former.url).host,
          kindsBefore: 'search.hit',
          searches: 'Asphalt',
          searchesBefore: 'all',
          rate: 3,
          rateBefore: 10,
        },
      },
    ])
    expect(JSON.stringify(await audit())).not.toContain('hidden')
    await put(world, 1)
    await publish()
    await deliver()
    expect([former.received.length, next.received.length]).toEqual([0, 1])

    world.wait(16 * minuteMs)
    for (const stale of [await world.get(action, owner.cookie), await world.post(action, {}, owner.cookie)])
      expect([stale.status, stale.headers.get('location')]).toEqual([303, expect.stringContaining('/sign-in')])
    const stranger = await world.organization('Other')
    const other = await world.person('other@example.org', { memberOf: [[stranger, 'owner']] })
    expect((await world.get(action.replace(acme, stranger), other.cookie)).status).toBe(404)
    expect((await world.post(action.replace(acme, stranger), {}, other.cookie)).status).toBe(404)
  })

  test('a search and a profile are copied, renamed and deleted by pages; deleting asks for the name', async () => {
    const { world, acme, at, member, read, send, audit, addSearch } = await open(engine)
    const action = `${at}/profiles/new`
    await send(await read(action), action, { name: ['We'], cpv: ['45233141'], do: ['save'] })
    const profile = new RegExp(`${at}/profiles/[0-9a-f-]{36}`).exec(await read(`${at}/profiles`))![0]
    const search = await addSearch({ name: ['Streets'], profile: [profile.split('/').at(-1)!] })
    await send(await read(`${at}/digests`), `${at}/digests`, { person: ['anna@example.org'] })

    const page = await read(`${search}/copy`, member.cookie, 'de')
    expect(fieldsOf(page, `${search}/copy`)).toMatchObject({ name: ['Streets (Kopie)'] })
    const taken = await send(page, `${search}/copy`, { name: ['Streets'] })
    expect([taken.status, await taken.text()]).toEqual([422, expect.stringContaining('This name is already in use')])
    const copied = await send(page, `${search}/copy`, { name: ['Paths'] })
    expect([copied.status, copied.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/searches\/[0-9a-f-]{36}/),
    ])
    expect((await send(page, `${search}/copy`, { name: ['Paths again'] })).headers.get('location')).toContain(
      `${at}/searches`,
    )
    expect(await read(`${at}/searches`)).not.toContain('Paths again')

    const inUse = await send(await read(`${profile}/delete`), `${profile}/delete`, { confirm: ['We'] })
    expect([inUse.status, await inUse.text()]).toEqual([409, expect.stringMatching(/Paths.*Streets/s)])
    const renamed = await send(await read(profile), profile, { name: ['They'], do: ['save'] })
    expect([renamed.status, await read(profile)]).toEqual([303, expect.stringContaining('They')])

    const stranger = await world.organization('Other')
    const other = await world.person('other@example.org', { memberOf: [[stranger, 'owner']] })
    for (const each of [search, profile].flatMap((path) => [`${path}/copy`, `${path}/delete`]))
      expect((await world.get(each.replace(acme, stranger), other.cookie)).status, each).toBe(404)

    const asked = await read(`${search}/delete`)
    const wrong = await send(asked, `${search}/delete`, { confirm: ['streets'] })
    expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining('This is not its name')])
    expect((await send(asked, `${search}/delete`, { confirm: ['Streets'] })).status).toBe(303)
    expect((await world.get(search, member.cookie)).status).toBe(404)
    expect(await read(`${at}/digests`)).toContain('Nothing: its search was deleted')
    expect((await audit()).map((entry) => entry.action)).toEqual([
      ...['profile.create', 'search.create', 'digest.create', 'search.create', 'profile.edit', 'search.delete'],
    ])
  })

  test('profiles and digests are created, changed and kept separate', async () => {
    const { world, acme, at, owner, member, read, send, publish, audit, addSearch } = await open(engine)
    await put(world, 1)
    const lots = [{ lotId: '1', cpvCodes: [], nutsCodes: [], status: 'awarded', winners: [{ name: 'Strabau GmbH' }] }]
    await put(world, 2, { title: 'Ring road', status: 'awarded', archiveReason: 'awarded', lots } as never)
    await publish()
    const action = `${at}/profiles/new`
    const none = await send(await read(action), action, { name: ['Roads'], countries: ['ZZZ'], do: ['save'] })
    const page = await none.text()
    expect([none.status, page]).toEqual([422, expect.stringContaining('is not a country')])
    const found = await (await send(page, action, { 'cpv-q': ['road maintenance'], do: ['find cpv'] })).text()
    expect(fieldsOf(found, action)).toMatchObject({ name: ['Roads'], countries: ['ZZZ'] })
    // past wins are found by the name of the company, and ticked
    await world.editions.indexed(30_000)
    const winning = await (await send(found, action, { winner: ['strabau'], do: ['find wins'] })).text()
    expect(winning).toMatch(
      new RegExp(
        `value="${idOf(2)}"><span><bdi lang="de">Ring road</bdi> · <bdi>Landkreis Aurenbach</bdi>.*Strabau GmbH`,
      ),
    )
    expect(fieldsOf(winning, action)['wins']).toBeUndefined()
    const nobody = await send(found, action, { winner: ['Nobody'], do: ['find wins'] })
    expect(await nobody.text()).toContain('No award names a company like this')
    const filled = { cpv: ['45233141'], countries: ['de, at'], winner: [''], wins: [idOf(2)], do: ['save'] }
    expect((await send(winning, action, filled)).status).toBe(303)
    const profile = new RegExp(`${at}/profiles/[0-9a-f-]{36}`).exec(await read(`${at}/profiles`))![0]
    const kept = await read(profile)
    expect(fieldsOf(kept, profile)).toMatchObject({ cpv: ['45233141'], countries: ['AT, DE'], wins: [idOf(2)] })
    // by its title, not its id
    expect(bodyOf(kept)).toContain('Ring road · Landkreis Aurenbach')
    expect(bodyOf(kept)).not.toContain(idOf(2))
    expect((await send(kept, profile, { words: ['asphalt'], do: ['save'] })).status).toBe(303)
    expect((await send(kept, profile, { words: ['beton'], do: ['save'] })).status).toBe(409)
    const path = await addSearch({ profile: [profile.split('/').at(-1)!] })
    expect(await read(path)).toContain('selected>Roads<')

    const stranger = await world.organization('Other')
    const other = await world.person('other@example.org', { memberOf: [[stranger, 'owner']] })
    const theirs = action.replace(acme, stranger)
    const their = { name: ['Bridges'], cpv: ['45221111'], do: ['save'] }
    expect((await send(await read(theirs, other.cookie), theirs, their, other.cookie)).status).toBe(303)
    const theirProfile = /profiles\/([0-9a-f-]{36})/.exec(await read(theirs.replace('/new', ''), other.cookie))![1]!
    const searches = `${at}/searches/new`
    const mistakes: readonly (readonly [wrong: Fields, text: string])[] = [
      [{ profile: [theirProfile] }, 'This profile no longer exists'],
      [{ cpv: Array.from({ length: 10_000 }, (_, index) => String(10_000_000 + index)) }, '10000 items are too many'],
    ]
    for (const [wrong, text] of mistakes) {
      const typed = { name: ['Foreign'], words: ['bridge'], do: ['save'], ...wrong }
      const refused = await send(await read(searches), searches, typed)
      expect([refused.status, await refused.text()], text).toEqual([422, expect.stringContaining(text)])
    }
    expect(await read(`${at}/searches`)).not.toContain('Foreign')

    const digests = `${at}/digests`
    expect(await read(digests)).toContain('Mails wait')
    const bad = await send(await read(digests), digests, { person: ['nobody'], zone: ['+01:00'] })
    const badPage = await bad.text()
    expect([bad.status, badPage]).toEqual([422, expect.stringContaining('This is not a mail address')])
    expect(badPage).toContain('There is no such time zone')
    const terms = { person: ['anna@example.org'], zone: ['Europe/Berlin'], hour: ['6'] }
    expect((await send(await read(digests), digests, terms, member.cookie)).status).toBe(303)
    const twice = await send(await read(digests), digests, terms)
    expect([twice.status, await twice.text()]).toEqual([
      422,
      expect.stringContaining('already receives mails for this search'),
    ])
    const list = await read(digests, member.cookie, 'de')
    expect(list).toMatch(/Jeden Tag <span class="soft">6:00, Europe\/Berlin/)
    const digest = new RegExp(`${digests}/[0-9a-f-]{36}`).exec(list)![0]
    expect((await send(await read(digest), digest, { rhythm: ['atOnce'] })).status).toBe(303)
    const waiting = await read(digests)
    expect(waiting).toContain('With the next hits')
    expect(waiting).not.toContain('is given up')
    await sql`
      insert into mail (message_id, digest_id, content, state, last_error, due_at, created_at)
      select 'x', digest_id, '{}', 'given-up', 'Timeout', 0, 0 from digest`.execute(world.store.db)
    expect(await read(digests)).toMatch(
      /0 sent, 1 given up, Timeout[\s\S]*never answers while it accepts others, is given up/,
    )
    expect(await read(digests, owner.cookie, 'de')).toMatch(/beantwortet er sie nie, obwohl er andere annimmt/)
    for (const each of [digest, `${digest}/remove`, profile])
      expect((await world.get(each.replace(acme, stranger), other.cookie)).status).toBe(404)
    expect((await send(await read(`${digest}/remove`), `${digest}/remove`, {})).status).toBe(303)
    expect(await read(digests)).toContain('No mails are sent yet')
    expect((await audit()).map((entry) => entry.action)).toEqual([
      'profile.create',
      'profile.edit',
      'search.create',
      'digest.create',
      'digest.edit',
      'digest.remove',
    ])
  })
  test('every page of a member is in words: no id, no number of an edition, no code alone, in both languages', async () => {
    const { world, at, owner, read, send, publish, addSearch } = await open(engine)
    const profile = `${at}/profiles/new`
    await send(await read(profile), profile, { name: ['We'], cpv: ['45233000'], nuts: ['DE21'], do: ['save'] })
    await addSearch()
    await put(world, 1)
    await publish()
    const { found } = await crawlConsole(world.origin, {
      cookie: `session=${owner.cookie}`,
      home: at,
      allGuides: false,
    })
    const pages = [...found].filter(([route]) => /^\/(?:o\/|tenders|me$)/.test(route))
    expect(pages.map(([route]) => route)).toEqual(
      expect.arrayContaining(['/o/:organization/hits', '/o/:organization/searches/:search', '/tenders/:id']),
    )
    for (const [route, path] of pages)
      for (const language of ['en', 'de']) {
        const text = bodyOf(await read(path, owner.cookie, language))
        expect(text, `${route} (${language})`).not.toMatch(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/)
        expect(text, `${route} (${language})`).not.toMatch(/(?:edition|Ausgabe) \d/i)
        for (const code of ['45233141', '45233000', 'DE212', 'DE21'])
          expect(text, `${route} (${language})`).not.toMatch(new RegExp(`(?:^|\n)\\W*${code}\\W*(?:\n|$)`))
        expect(text, `${route} (${language})`).not.toMatch(/\b(?:neg-w-call|cn-standard|awardIntended|given-up)\b/)
      }
  })
})
