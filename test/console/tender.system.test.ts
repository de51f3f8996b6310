// The page of a tender from outside: record, deadlines, estimate, merged copies, and what each notice changed.
import { afterEach, describe, expect, test } from 'vitest'
import { fieldTexts } from '../../src/console/tenders/field-texts.ts'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { tenderId } from '../../src/consolidate/tender-id.ts'
import { tenderRecordSchema } from '../../src/domain/tender.ts'
import { receiveNotices } from '../receive-notices.ts'
import { at, lot, notice } from '../testing/generate/notices.ts'
import { drawnEngines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'

const opened: ConsoleWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

const textOf = (text: string): string =>
  text
    .replace(/<(?!\/?(?:del|ins)\b)[^>]*>/g, ' ')
    .replace(/&#39;/g, "'")
    .replace(/\s+/g, ' ')

const call = notice({
  noticeKey: 'ted:1-2026',
  publicationNumber: '1-2026',
  title: { de: 'Deckenerneuerung Kreisstraße AU 14' },
  description: { de: 'Erneuerung auf 3,2 km.' },
  internalReference: '2026-TB-118',
  contractingAuthorities: [{ name: 'Landkreis Aurenbach', nationalId: 'DE811111111', country: 'DE' }],
  publicationDate: at('2026-11-03'),
  url: 'https://ted.europa.eu/en/notice/1-2026',
  lots: [
    lot('LOT-0001', {
      title: { de: 'Straßenbau' },
      cpvCodes: ['45233141'],
      submissionDate: at('2026-11-27T11:00'),
      estimatedValue: { value: 1_102_000, currency: 'EUR' },
    }),
  ],
  documentsUrl: 'https://vergabe.example.org/118',
})
const moved = {
  ...call,
  noticeKey: 'ted:9-2026',
  publicationNumber: '9-2026',
  formType: 'change' as const,
  noticeVersion: '02',
  publicationDate: at('2026-11-20'),
  changeReasons: ['update-add'],
  references: [{ kind: 'changes' as const, publicationNumber: '1-2026' }],
  lots: [{ ...call.lots[0]!, submissionDate: at('2026-12-04T11:00') }],
}
const copy = notice({
  noticeKey: 'doe:7',
  title: { de: 'Winterdienst auf Wegen' },
  publicationDate: at('2026-11-10'),
})

describe.each(drawnEngines)('the page of a tender (%s)', (engine) => {
  test('shows the record, its deadlines, its history and the tender into which it was merged', async () => {
    const world = await openConsoleWorld(engine)
    opened.push(world)
    const { store, get, person, waits, context } = world
    await receiveNotices(store, [call, moved, copy])
    await consolidate(store, { now: world.now() })
    await world.publish()
    const { cookie } = await person('reader@example.org')
    const [id, other] = [tenderId('ted:1-2026'), tenderId('doe:7')]
    waits()
    const answer = await get(`/tenders/${id}`, cookie)
    expect(waits().waits).toBeLessThanOrEqual(3)
    expect(answer.status).toBe(200)
    const markup = await answer.text()
    const text = textOf(markup)
    // the deadline in the authority's zone, in UTC, and how far it is; German winter time is UTC + 1
    expect(text).toMatch(
      /Submission deadline 4 Dec 2026, 12:00 CET Friday, local time in Europe\/Berlin · 4 Dec 2026, 11:00 UTC · in 11 days/,
    )
    expect(text).toMatch(/Value €1,102,000 published, without VAT/)
    expect(text).toContain('Nothing: every figure here comes from a notice.')
    expect(text).toContain('LOT-0001 Road-maintenance works')
    expect(text).toContain('As of 23 Nov 2026, 08:00 UTC')
    // the newest first, with what it changed and why it belongs here
    expect(text).toMatch(
      new RegExp(
        '2 notices, newest first\\. 20 Nov 2026 Change notice .*' +
          String.raw`Submission deadline moved from <del> ?27 Nov 2026, 12:00 CET ?</del> to <ins> ?4 Dec 2026, 12:00 CET ?</ins>\..*` +
          'joined by a reference to the publication number, with ted:1-2026 .*' +
          '3 Nov 2026 Contract notice The record begins with this notice\\.',
      ),
    )
    expect(markup).toContain('<a href="https://ted.europa.eu/en/notice/1-2026" rel="noopener noreferrer nofollow ugc">')
    // every member of the record, and of what is in it, has a label in both languages
    const members = JSON.stringify(tenderRecordSchema).match(/"(\w+)":\{"(?:type|anyOf|description)/g) ?? []
    expect(members.length).toBeGreaterThan(70)
    for (const member of members.map((each) => each.split('"')[1]!).filter((name) => name !== 'items'))
      for (const language of ['en', 'de'] as const)
        expect([member, fieldTexts[language][member]]).not.toContain(undefined)
    const record = JSON.parse(
      Buffer.from(context.editions.record(context.editions.find(id)!, 'identity').bytes).toString(),
    ) as object
    for (const member of Object.keys(record)) expect(text).toContain(fieldTexts.en[member])
    const german = textOf(await (await get(`/tenders/${id}`, cookie, { 'accept-language': 'de' })).text())
    expect(german).toMatch(
      /Angebotsfrist 4\. Dez\. 2026, 12:00 MEZ Freitag, Ortszeit Europe\/Berlin .*Lose 1 1 offen .*Verlauf/,
    )
    expect(german).toContain('Änderungsbekanntmachung')

    // strangers have to sign in first; what no edition holds does not exist
    expect((await get(`/tenders/${id}`)).headers.get('location')).toMatch(/^\/sign-in/)
    for (const path of ['/tenders/nothing', `/tenders/${tenderId('ted:404')}`, '/tenders/%00'])
      expect((await get(path, cookie)).status).toBe(404)

    // both pages show a merge
    await world.command({ command: 'review merge', operands: ['ted:1-2026', 'doe:7'] })
    world.wait(3_600_000)
    await world.publish()
    const gone = await (await get(`/tenders/${other}`, cookie)).text()
    expect(gone).toContain(`href="/tenders/${id}"`)
    expect(textOf(gone)).toContain('This record was merged into another one')
    waits()
    const kept = await (await get(`/tenders/${id}`, cookie)).text()
    expect(waits().waits).toBeLessThanOrEqual(3)
    expect(kept).toContain(`href="/tenders/${other}"`)
    expect(textOf(kept)).toMatch(/joined by the decision of an operator, with/)
    expect(textOf(kept)).not.toContain('an operator joined them')
    // an operator sees what is not published yet; nobody else does
    await receiveNotices(store, [notice({ noticeKey: 'ted:5-2026', title: { de: 'Neubau der Kläranlage' } })])
    await consolidate(store, { now: world.now() })
    const operator = await person('op@example.org', { isOperator: true })
    const early = `/tenders/${tenderId('ted:5-2026')}`
    expect((await get(early, cookie)).status).toBe(404)
    expect(textOf(await (await get(early, operator.cookie)).text())).toContain('Not published yet')
  })

  test('is public where the operator set it so, and then shows only what is published', async () => {
    const world = await openConsoleWorld(engine, { config: { hasPublicTenders: true } })
    opened.push(world)
    const { store, get, person } = world
    await receiveNotices(store, [call])
    await consolidate(store, { now: world.now() })
    await world.publish()
    await receiveNotices(store, [copy])
    await consolidate(store, { now: world.now() })
    const published = `/tenders/${tenderId('ted:1-2026')}`
    const answer = await get(published)
    expect(answer.status).toBe(200)
    expect(textOf(await answer.text())).toMatch(
      /Deckenerneuerung Kreisstraße AU 14 .*The record begins with this notice\./,
    )
    for (const path of [`/tenders/${tenderId('doe:7')}`, '/tenders/nothing']) expect((await get(path)).status).toBe(404)
    const { cookie } = await person('reader@example.org')
    expect((await get(published, cookie)).headers.get('cache-control')).toBe('no-store')
  })

  test('says on what an estimated value is based, and when a deadline is unknown', async () => {
    const world = await openConsoleWorld(engine)
    opened.push(world)
    const { store, get, person } = world
    await receiveNotices(store, [copy])
    await consolidate(store, { now: world.now() })
    const row = await store.db.selectFrom('tender').select(['tender_id', 'content']).executeTakeFirstOrThrow()
    const content = JSON.parse(row.content) as object
    const contractAmount = {
      value: 250_000,
      currency: 'EUR',
      estimated: true,
      low: 90_000,
      high: 700_000,
      confidence: 'high',
      basis: '34 similar tenders under 90620000',
      modelVersion: 'v1-abc',
    }
    await store.db
      .updateTable('tender')
      .set({ content: JSON.stringify({ ...content, contractAmount }), content_hash: 'other' })
      .execute()
    await world.publish()
    const { cookie } = await person('reader@example.org')
    const text = textOf(await (await get(`/tenders/${row.tender_id}`, cookie)).text())
    expect(text).toContain('estimated: €90,000 to €700,000 in four of five cases; confidence high')
    expect(text).toMatch(/From 34 similar tenders under 90620000 Model v1-abc/)
    expect(text).toMatch(/Submission deadline unknown no notice has one/)
  })
})
