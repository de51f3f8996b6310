// The pages of authorities and companies over real HTTP: who reads them, whose notices they count, who has none.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { marketCompany, marketPerson, marketTenderId, marketTown, publishMarket } from './market.ts'

const addressOf = (kind: string, { name, nationalId }: { readonly name: string; readonly nationalId: string }) =>
  `/${kind}/de/${encodeURIComponent(name)}?id=${encodeURIComponent(nationalId)}`
const townAddress = addressOf('authorities', marketTown)
const companyAddress = addressOf('companies', marketCompany)
const textOf = (markup: string) => markup.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

describe('an authority and a company', () => {
  let world: ConsoleWorld
  let cookie: string
  beforeAll(async () => {
    world = await openConsoleWorld('embedded')
    const acme = await world.organization('Acme', true)
    cookie = (await world.person('anna@example.org', { memberOf: [[acme, 'member']] })).cookie
    await publishMarket(world)
  }, 120_000)
  afterAll(async () => {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  })
  const read = async (path: string, who: string | undefined = cookie) => {
    world.wait(2000)
    const answer = await world.get(path, who)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  test('are for people who are signed in, and not for search engines', async () => {
    for (const address of [townAddress, companyAddress]) {
      const stranger = await world.get(address)
      expect([stranger.status, stranger.headers.get('location')]).toEqual([
        303,
        `/sign-in?return=${encodeURIComponent(address)}`,
      ])
      const { status, headers } = await read(address)
      expect([status, headers.get('x-robots-tag'), headers.get('cache-control')]).toEqual([200, 'noindex', 'no-store'])
    }
  })

  test('the tender and the list of tenders link to them, but never to a person', async () => {
    const tender = await read(`/tenders/${marketTenderId(1)}`)
    for (const address of [townAddress, companyAddress]) expect(tender.text).toContain(`href="${address}"`)
    expect((await read('/tenders?status=any')).text).toContain(`href="${townAddress}"`)
    const third = await read(`/tenders/${marketTenderId(3)}`)
    expect(third.text).toContain(marketPerson.name)
    expect(third.text).not.toContain('/companies/')
    expect((await read(addressOf('companies', marketPerson))).status).toBe(404)
    // strangers see the names only
    expect((await (await world.get('/tenders?status=any')).text()).includes('/authorities/')).toBe(false)
  })

  test('an authority: what it awarded, to whom, how many notices say so, and what is not counted', async () => {
    const page = await read(townAddress)
    const text = textOf(page.text)
    expect(text).toContain('From 5 tenders, 8 notices')
    expect(text).toMatch(/Open now 1 1 announced · 2 notices/)
    expect(text).toMatch(/Awarded since 2022 3 to 1 company · 6 notices/)
    expect(text).toMatch(/Usual value € ?200,000 half lie between/)
    expect(text).toMatch(/Anna Glanz Gebäudereinigung GmbH 2 € ?300,000 of 2 4 Winners without a legal form 1/)
    expect(text).not.toMatch(/Straßenreinigung/)
    // its number stands beside a name that contradicts it
    expect(page.text).toMatch(/Not counted here.*Landkreis%20Auental/s)
  })

  test('the last award of a trade is one link away', async () => {
    const { text } = await read(townAddress)
    const chip = /href="([^"]*trade=90[^"]*)"/.exec(text)![1]!.replaceAll('&amp;', '&')
    const awards = textOf((await read(chip)).text.split('id="last"')[1]!)
    expect(awards).toMatch(/Unterhaltsreinigung Rathaus Anna Glanz Gebäudereinigung GmbH .*Glasreinigung Schulen/)
    expect(awards).not.toContain('Malerarbeiten')
  })

  test('a company: what it won, and for whom', async () => {
    const text = textOf((await read(companyAddress)).text)
    expect(text).toMatch(/Won since 2022 3 of 2 authorities · 6 notices/)
    expect(text).toMatch(/Stadt Lechfeld 2 .* Landkreis Auental 1/)
  })

  test('a name or number that nobody has gives an empty page', async () => {
    const { status, text } = await read('/authorities/de/Stadt%20Nirgendwo')
    expect(status).toBe(404)
    expect(text).toContain('No tender since 2022 has this name and number')
    expect((await read('/authorities/de/Stadt%20Nirgendwo?id=n%2Fa')).status).toBe(404)
  })

  test('redact empties both pages at once, and the search with the next edition', async () => {
    const name = [marketTown.name, 'Anna Glanz']
    await world.command({ command: 'redact', options: { name, reason: 'asked for' } })
    for (const address of [townAddress, companyAddress]) {
      const { status, text } = await read(address)
      expect(status).toBe(404)
      expect(text).toContain('No tender since 2022 has this name and number')
      expect(text).not.toContain('Unterhaltsreinigung')
    }
    await world.publish()
    await world.editions.indexed(30_000)
    const at = world.now()
    const counts = [{ winnerWords: ['glanz'] }, { authorities: [marketTown.name] }].map(
      (asked) => world.editions.findTenders({ ...asked, order: 'newest', offset: 0, limit: 1, at }).total,
    )
    expect(counts).toEqual([0, 0])
  })
})
