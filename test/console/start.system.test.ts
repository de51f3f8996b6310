// From an invitation to the first hits over real HTTP: three pages, each answer corrected where it is wrong.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { minuteMs } from '../../src/domain/time.ts'
import { listProfiles, listSearches } from '../../src/store/hits/searches.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { marketTenderId, publishMarket } from './market.ts'
import { fieldsOf } from './plain-form.ts'

describe('the first steps', () => {
  let world: ConsoleWorld
  let organization: string
  let at: string
  let cookie: string
  beforeAll(async () => {
    world = await openConsoleWorld('embedded')
    organization = await world.organization('Glanz Gebäudereinigung', true)
    at = `/o/${organization}/start`
    cookie = (await world.person('anna@example.org', { memberOf: [[organization, 'member']] })).cookie
    await publishMarket(world)
  }, 120_000)
  afterAll(async () => {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  })
  const read = async (query: string) => (await world.get(`${at}${query}`, cookie)).text()

  test('ask what, where and which wins, and count what there is', async () => {
    expect(await read('')).toContain('name="what"')
    const second = await read('?step=2&what=kita')
    expect(second).toMatch(/name="cpv"\s+value="45214100" checked/)
    expect(second).toContain('1 open tender')
    const third = await read('?step=3&seen=yes&what=kita&place=Bayern&cpv=45214100')
    // of its own name: legal forms and people beside it do not matter
    expect(third).toContain(marketTenderId(1))
    expect(third).toContain('Stadt Lechfeld')
    expect(third).not.toContain(marketTenderId(3))
  })

  test('a place that nobody knows, or that there are several of, is said where it was typed', async () => {
    for (const [place, why] of [
      ['Nirgendwo', 'No region is called'],
      ['Neustadt', 'There are several'],
    ])
      expect(await read(`?step=3&seen=yes&what=kita&cpv=45214100&place=${place}`)).toContain(why)
    const answer = await world.get(`${at}?step=2&what=%20`, cookie)
    expect([answer.status, (await answer.text()).includes('Write at least one word')]).toEqual([422, true])
  })

  test('make a search, a profile with the wins, and hits of what is open', async () => {
    const third = await read('?step=3&seen=yes&what=kita&place=Bayern&cpv=45214100&cpv=90910000')
    const fields = fieldsOf(third.slice(third.indexOf('<form class="stack after"')), at)
    const sent = { ...fields, cpv: ['45214100', '90910000'], win: [marketTenderId(1)] }
    const answer = await world.post(at, sent, cookie)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/o/${organization}/hits`])
    const [search] = await listSearches(world.store.db, organization)
    expect(search).toMatchObject({ name: 'kita · Bayern', threshold: 1 })
    expect(JSON.parse(search!.filter)).toEqual({
      cpv: ['45214100', '90910000'],
      nuts: ['DE2'],
      status: ['open', 'planned'],
    })
    const [profile] = await listProfiles(world.store.db, organization)
    expect(JSON.parse(profile!.content)).toMatchObject({ pastWins: [marketTenderId(1)] })
    expect(await (await world.get(`/o/${organization}/hits`, cookie)).text()).toContain('Neubau Kita')
    // once more makes a second one with another name
    expect((await world.post(at, { ...sent, 'form-key': 'A'.repeat(22) }, cookie)).status).toBe(303)
    expect((await listSearches(world.store.db, organization)).map(({ name }) => name).sort()).toEqual([
      'kita · Bayern',
      'kita · Bayern 2',
    ])
  })

  test('are not for somebody without access to a live stock: what samples count says nothing about it', async () => {
    const other = await world.organization('Beta')
    const there = `/o/${other}`
    const { cookie: carl } = await world.person('carl@example.org', { memberOf: [[other, 'member']] })
    Object.assign(world.context, { hasSamples: false })
    const sent = { 'form-key': 'C'.repeat(22), what: 'kita', place: '', cpv: '45214100' }
    for (const answer of [
      await world.get(`${there}/start?step=2&what=kita`, carl),
      await world.post(`${there}/start`, sent, carl),
    ])
      expect([answer.status, answer.headers.get('location')]).toEqual([303, there])
    expect(await listSearches(world.store.db, other)).toEqual([])
    expect(await read('?step=2&what=kita')).toContain('1 open tender')
    Object.assign(world.context, { hasSamples: true })
  })

  test('count as pages of tenders, also the look-up of what a company won', async () => {
    world.wait(10 * minuteMs)
    const { cookie: dora } = await world.person('dora@example.org', { memberOf: [[organization, 'member']] })
    const looks = [`${at}?step=2&what=kita`, `${at}?step=3&seen=yes&what=kita&cpv=45214100&company=Glanz`]
    const statuses: number[] = []
    for (let count = 0; count < 61; count++) statuses.push((await world.get(looks[count % 2]!, dora)).status)
    expect([statuses.indexOf(429), statuses.length]).toEqual([60, 61])
    expect((await world.get('/tenders?words=kita', dora)).status).toBe(429)
    world.wait(minuteMs)
  })

  test('nothing to look for makes nothing', async () => {
    const sent = { 'form-key': 'B'.repeat(22), what: '', place: '' }
    expect((await world.post(at, sent, cookie)).status).toBe(400)
    expect(await listSearches(world.store.db, organization)).toHaveLength(2)
  })
})
