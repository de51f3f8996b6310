// The operator's desk from outside: what is wrong now, and buttons that change the stock as the commands do.
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { firstReadingText } from '../../src/cli/texts/source-state-texts.ts'
import { canonicalText } from '../../src/consolidate/canonical.ts'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { minPricedTenders } from '../../src/consolidate/estimate/fit-stock.ts'
import type { Notice } from '../../src/domain/notice.ts'
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts'
import { inTransaction, type Store } from '../../src/store/database/database.ts'
import { setSetting } from '../../src/store/database/settings.ts'
import { recordHold } from '../../src/store/editions/editions.ts'
import { noteHistory } from '../../src/store/editions/older-database.ts'
import { saveMaintenance } from '../../src/store/nodes/maintenance.ts'
import { saveRounds } from '../../src/store/nodes/rounds.ts'
import { listAuditEntries } from '../../src/store/people/audit.ts'
import { putContract } from '../../src/store/people/contracts.ts'
import { insertDocuments, insertRejections, packDocument } from '../../src/store/received/documents.ts'
import { alarmsOf, insertAlarm, openAlarms } from '../../src/store/sources/source-health.ts'
import { insertModel } from '../../src/store/stock/estimates.ts'
import { upsertEdges } from '../../src/store/stock/matches.ts'
import { upsertTenders } from '../../src/store/stock/tenders.ts'
import { receiveNotices } from '../receive-notices.ts'
import { at, notice } from '../testing/generate/notices.ts'
import { generateTender } from '../testing/generate/stock.ts'
import { drawnEngines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld, startOfConsole } from './console-world.ts'
import { fieldsOf } from './plain-form.ts'
import { putRejections } from './put-rejections.ts'

const opened: ConsoleWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

const school = (given: Partial<Notice> & { readonly noticeKey: string }) =>
  notice({
    title: { de: 'Sanierung der Grundschule Beispielhausen, Fenster' },
    submissionDate: at('2026-12-20T10:00'),
    publicationDate: at('2026-11-05'),
    ...given,
  })

const pair: readonly Notice[] = [
  school({ noticeKey: 'ted:1-2026' }),
  notice({ noticeKey: 'doe:2', title: { de: 'Sanierung der Grundschule, Türen' }, publicationDate: at('2026-11-09') }),
]
const edge = { left: 'doe:2', right: 'ted:1-2026', kind: 'review', rule: 'uncorroborated', score: 7.5 } as const
const evidence = 'title +5.1, buyer equal +2.4'

const textOf = async (answer: Response): Promise<string> => {
  const text = await answer.text()
  return text.replace(/<(?!del|ins|\/del|\/ins)[^>]*>/g, ' ').replace(/\s+/g, ' ')
}

describe.each(drawnEngines)("the operator's desk (%s)", (engine) => {
  async function open() {
    const world = await openConsoleWorld(engine)
    opened.push(world)
    const { cookie } = await world.person('op@example.org', { isOperator: true })
    // the cards of all sources are loaded once in a process
    await world.context.reads.titles()
    return {
      ...world,
      operator: cookie,
      apply: async () => void (await consolidate(world.store, { now: world.now() })),
      page: async (path: string, headers = {}) => textOf(await world.get(path, cookie, headers)),
    }
  }

  test('tells how far the first reading is, as the terminal does, until the first edition', async () => {
    const { page, context, now, apply, store, publish } = await open()
    expect(await page('/operator')).toContain('the first one follows the first notices')
    const reading = { total: 104, read: 11, failing: 6, waitsFor: ['ted', 'doe'] }
    Object.assign(context.reads, { firstReading: () => ({ ...reading, latestAt: now() + 14 * minuteMs }) })
    expect(firstReadingText(reading)).toBe('read 11 of 104 portals, 6 fail, not yet: ted, doe')
    const shown = await page('/operator')
    for (const text of [firstReadingText(reading), '08:14 UTC', 'at the latest']) expect(shown).toContain(text)
    expect(await page('/operator', { 'accept-language': 'de' })).toMatch(
      /11 von 104 Portalen gelesen, 6 gestört, noch nicht: ted, doe.*08:14 UTC +spätestens/,
    )
    Object.assign(context.reads, { firstReading: () => undefined })
    await receiveNotices(store, pair)
    await apply()
    await publish()
    expect(await page('/operator')).not.toMatch(/portals, 6 fail|at the latest/)
  })

  test('says that nothing is wrong, then names each problem, since when it exists and what follows', async () => {
    const world = await open()
    const { store, page, get, post, operator, organization, context, now, waits } = world
    expect(await page('/operator')).toMatch(
      /Nothing needs attention\. Checked at 08:00 UTC.*Nothing is wrong.*18 checks passed/,
    )
    await receiveNotices(store, pair)
    await world.apply()
    await world.publish()
    const since = now()
    world.wait(3 * hourMs)
    const archiving = { code: 'archiving', values: { live: 38400, cancelled: 9, merged: 3602, most: 0.05 } } as const
    const alarmOf = (detail: string) =>
      ({ code: 'alarm', values: { sourceId: 'doe', kind: 'silent', detail, share: 1 } }) as const
    await recordHold(store.db, since + hourMs, [archiving, alarmOf('It answers, but has delivered <b>nothing</b>')])
    await recordHold(store.db, since + 2 * hourMs, [archiving])
    await insertAlarm(store.db, {
      sourceId: 'doe',
      kind: 'silent',
      raisedAt: since,
      detail: 'It answers, but has delivered nothing new for 5 days.',
      share: 1,
    })
    await saveRounds(store.db, {
      lastRoundAt: since,
      failedRounds: 4,
      lastFailure: { code: 'disk-full', stage: 'publish', detail: 'The disk is full.' },
      isStopped: false,
    })
    const organizationId = await organization('Klinikum Isarwinkel')
    await inTransaction(store, (trx) =>
      putContract(
        trx,
        { organizationId, startsAt: since - dayMs, endsAt: now() + 12 * dayMs, note: '', setUpBy: 'operator' },
        now(),
      ),
    )
    await upsertEdges(store.db, [{ ...edge, evidence }])
    await saveMaintenance(store.db, now() + 2 * hourMs)
    waits()
    const text = await page('/operator')
    expect(waits().waits).toBeLessThanOrEqual(4)
    expect(text).toMatch(/6 things need attention, 4 of them hold something up\. Checked at 11:00 UTC/)
    for (const said of [
      'The API is closed for maintenance',
      '23 Nov 2026, 13:00 UTC, in 2 hours',
      'Edition 2 waits for a decision',
      'since 23 Nov 2026, 09:00 UTC, 2 hours ago',
      'tried 2 times',
      'Rounds are failing',
      'Publishing fails.',
      'The disk is full.',
      '4 in a row',
      'delivers nothing',
      'not acknowledged',
      'The contract of Klinikum Isarwinkel ends in 12 days',
      '1 pair waits for review',
    ])
      expect(text).toContain(said)
    const german = await page('/operator', { 'accept-language': 'de' })
    expect(german).toContain('6 Punkte brauchen Aufmerksamkeit, 4 davon halten etwas auf')
    expect(german).toContain('Ausgabe 2 wartet auf eine Entscheidung')
    expect(german).toContain('Die API ist für Wartung geschlossen')
    expect(german).toContain('Dieser Schritt scheitert: veröffentlichen.')

    // the hold: each reason with its figure; a member and a stranger see none of it
    const hold = await page('/operator/editions/hold')
    expect(hold).toMatch(/3611 of 38400 live records.* 9 % 5 %/)
    expect(await page('/operator/editions/hold', { 'accept-language': 'de' })).toContain(
      '3611 von 38400 laufenden Datensätzen',
    )
    const member = await world.person('member@example.org', { memberOf: [[organizationId, 'owner']] })
    for (const path of ['/operator', '/operator/editions', '/operator/reviews', '/operator/audit']) {
      expect((await get(path, member.cookie)).status).toBe(403)
      expect((await get(path)).headers.get('location')).toMatch(/^\/sign-in\?return=/)
    }
    const form = { reason: 'Nordland confirmed the clean-up by phone' }
    for (const who of [member.cookie, undefined]) {
      const refused = await post('/operator/editions/hold/publish', form, who)
      expect(refused.status === 403 || refused.headers.get('location')?.startsWith('/sign-in')).toBe(true)
    }
    expect(context.editions.newest?.edition).toBe(1)

    // after a loss of editions an epoch begins: the next one has a number far above
    await setSetting(store.db, 'history', 'another server')
    for (const path of ['/operator', '/operator/editions', '/operator/editions/hold'])
      expect(await page(path)).toMatch(/Edition 2,001 (?:waits for a decision|is held back)/)
    const { rows } = await sql`select 1 from setting where name = 'epochs'`.execute(store.db)
    expect(rows).toEqual([])
    await noteHistory(store.db)

    // publish anyway: a typed reason, a fresh sign-in, an entry in the log
    const old = await post('/operator/editions/hold/publish', form, operator)
    expect([old.status, fieldsOf(await old.text(), '/operator/editions/hold/publish')['reason']]).toEqual([
      403,
      [form.reason],
    ])
    expect(context.editions.newest?.edition).toBe(1)
    const { cookie: fresh } = await world.person('op@example.org', { isOperator: true })
    const short = await post('/operator/editions/hold/publish', { reason: 'because' }, fresh)
    expect(short.status).toBe(422)
    expect(await short.text()).toMatch(/value="because".*aria-invalid="true"/)
    await receiveNotices(store, [school({ noticeKey: 'ted:7-2026', title: { de: 'Neubau der Kläranlage' } })])
    await world.apply()
    // the gate itself holds it, so that only an override publishes
    await putRejections(store, now(), 0)
    const held = await world.command({ command: 'publish', options: { 'publish-interval-minutes': 60 } })
    expect(held.exitCode).toBe(3)
    expect(await page('/operator/editions/hold')).toMatch(/60 of 60 documents .* 100 % 10 %/)
    const done = await post('/operator/editions/hold/publish', form, fresh)
    expect(done.headers.get('location')).toBe('/operator/editions/2')
    expect(context.editions.newest).toMatchObject({ edition: 2, records: 3 })
    const audit = await page('/operator/audit')
    expect(audit).toMatch(
      /op@example\.org.* requested publication despite the gate edition 2 .*Nordland confirmed the clean-up by phone/,
    )
    const edition = await page('/operator/editions/2')
    expect(edition).toMatch(/It was held back/)
    expect(edition).toMatch(/made-up 1 0 0 1.*All records 1 0 0 1/)
    expect(await page('/operator/editions')).toMatch(/2 23 Nov 2026, 11:00.* 3 1 3 .*1 23 Nov 2026, 08:00.* 2 2 0/)
    expect((await get('/operator/editions/99', operator)).status).toBe(404)
    expect(await page('/operator/editions/hold')).toContain('Nothing is held back')
  })

  test('offers no split of what exact references join, and says which they are', async () => {
    const { store, post, page, operator, ...world } = await open()
    const procedureId = '6f1c0c9e-2f0a-4c55-9d55-0a61f2a3b0c1'
    await receiveNotices(store, [
      school({ noticeKey: 'ted:1-2026', procedureId, internalReference: 'WBG 26_01' }),
      school({ noticeKey: 'doe:2', procedureId, internalReference: 'WBG 26_02' }),
    ])
    await world.apply()
    await world.publish()
    const path = '/operator/reviews/pair?left=doe:2&right=ted:1-2026'
    expect((await post('/operator/reviews/split', { left: 'doe:2', right: 'ted:1-2026' }, operator)).status).toBe(409)
    // the command refuses in English; the page says it in the reader's language
    for (const [what, left, sentence] of [
      ['split', 'doe:2', 'doe:2 und ted:1-2026 gehören durch genaue Verweise zusammen'],
      ['undo', 'doe:2', 'Über doe:2 und ted:1-2026 wurde noch nicht entschieden'],
      ['merge', 'doe:9', 'Es gibt keinen Datensatz und keine Bekanntmachung „doe:9“'],
      ['merge', 'ted:1-2026', 'Nennen Sie zwei verschiedene Datensätze.'],
    ] as const) {
      const form = { left, right: 'ted:1-2026' }
      const refused = await post(`/operator/reviews/${what}`, form, operator, { 'accept-language': 'de' })
      expect([refused.status, await textOf(refused)]).toEqual([409, expect.stringContaining(sentence)])
    }
    expect(await page('/operator/reviews')).toContain('cannot be split')
    const text = await page(path)
    expect(text).not.toContain('Split: two tenders')
    expect(text).toContain('They cannot be split: exact references join them.')
    expect(text).toMatch(new RegExp(`with (ted:1-2026|doe:2) : the same procedure id bt-04/${procedureId}`))
    const german = await page(path, { 'accept-language': 'de' })
    expect(german).toContain('Trennen lassen sie sich nicht')
    expect(german).toContain('dieselbe Verfahrenskennung')
  })

  test('merges, undoes and splits a pair as the commands do', async () => {
    const stocks: unknown[] = []
    for (const way of ['buttons', 'commands'] as const) {
      const world = await open()
      const { store, post, page, get, operator, waits } = world
      await receiveNotices(store, pair)
      await world.apply()
      await world.publish()
      await upsertEdges(store.db, [{ ...edge, evidence }])
      /** The version in the forms of the pair. */
      const seen = async (): Promise<string> => {
        const shown = await (await get('/operator/reviews/pair?left=doe:2&right=ted:1-2026', operator)).text()
        return /action="\/operator\/reviews\/merge"[\s\S]*?name="seen" value="([^"]+)"/.exec(shown)![1]!
      }
      const decide = async (what: string) => {
        if (way === 'commands') {
          const options = what === 'undo' ? {} : { note: 'op@example.org' }
          await world.command({ command: `review ${what}`, operands: ['doe:2', 'ted:1-2026'], options })
          return
        }
        const form = { left: 'doe:2', right: 'ted:1-2026', seen: await seen() }
        expect((await post(`/operator/reviews/${what}`, form, operator)).status).toBe(303)
      }
      if (way === 'buttons') {
        const member = await world.person('m@example.org')
        expect((await post('/operator/reviews/merge', {}, member.cookie)).status).toBe(403)
        expect(await page('/operator/reviews')).toMatch(/1 pair is waiting.*Türen/)
        waits()
        const text = await page('/operator/reviews/pair?left=doe:2&right=ted:1-2026')
        expect(waits()).toMatchObject({ waits: 1 })
        expect(text).toContain('<del>Türen</del>')
        expect(text).toContain('<ins>Fenster</ins>')
        expect(text).toMatch(/title \+5\.1 buyer equal \+2\.4/)
        const german = await page('/operator/reviews/pair?left=doe:2&right=ted:1-2026', { 'accept-language': 'de' })
        expect(german).toMatch(/Titel \+5,1 Auftraggeber gleich \+2,4/)
        expect(german).toContain('Regel: außer Titel und Auftraggeber stimmt wenig überein uncorroborated')
        waits()
        expect((await get('/operator/reviews/pair?left=doe:2&right=nothing', operator)).status).toBe(404)
        // numbers that differ are not the weight of a sign
        await upsertEdges(store.db, [{ ...edge, evidence: '4711 and 4712' }])
        expect(await page('/operator/reviews/pair?left=doe:2&right=ted:1-2026')).toContain('4711 and 4712 –')
      }
      const states: unknown[] = [await stockOf(store)]
      for (const what of ['merge', 'undo', 'split', 'undo']) {
        await decide(what)
        states.push(await stockOf(store))
      }
      expect(states[2]).toEqual(states[0])
      expect(states[4]).toEqual(states[0])
      expect(states[1]).not.toEqual(states[0])
      if (way === 'buttons') {
        const before = await seen()
        await decide('split')
        for (const what of ['merge', 'split', 'undo']) {
          const late = await post(
            `/operator/reviews/${what}`,
            { left: 'doe:2', right: 'ted:1-2026', seen: before },
            operator,
          )
          expect([late.status, await textOf(late)]).toEqual([409, expect.stringContaining('Somebody changed this')])
        }
        expect(await page('/operator/reviews')).toMatch(/No pairs are waiting.*Two tenders.*op@example\.org Undo/)
        const audit = await page('/operator/audit')
        for (const said of ['merged', 'split', 'undid the decision on']) expect(audit).toContain(said)
      }
      stocks.push(states)
    }
    expect(stocks[0]).toEqual(stocks[1])
  })

  test('releases, fits and publishes in spite of the gate as the commands do, with the same entries', {
    timeout: 120_000,
  }, async () => {
    const ways: unknown[] = []
    for (const way of ['buttons', 'commands'] as const) {
      const world = await open()
      const { store, post, context, now } = world
      await receiveNotices(store, pair)
      await putPricedTenders(store, minPricedTenders + 20, now())
      await world.apply()
      await world.publish()
      world.wait(3 * hourMs)
      const { cookie: operator } = await world.person('op@example.org', { isOperator: true })
      // the notices of a source in quarantine wait
      const held = { source_id: 'ted', kind: 'fill', raised_at: now(), detail: 'no CPV', share: 1 }
      await store.db
        .insertInto('source_alarm')
        .values({ ...held, cleared_at: null })
        .execute()
      const fresh = school({ noticeKey: 'ted:9-2026', title: { de: 'Neubau der Kläranlage' } })
      await receiveNotices(store, [fresh], 'ted')
      await putRejections(store, now(), 0)
      await world.apply()
      const waiting = await effectsOf(world)
      const reason = 'The portal confirmed it by phone'
      const run = async (
        address: string,
        form: Record<string, string>,
        request: Parameters<typeof world.command>[0],
      ) => {
        if (way === 'commands') expect((await world.command(request)).exitCode).toBe(0)
        else expect((await post(address, form, operator)).status).toBe(303)
      }
      const steps: unknown[] = [waiting]
      await run(
        '/operator/sources/ted/release',
        { kind: 'fill', raised: String(now()), note: reason },
        { command: 'source release', operands: ['ted'], options: { note: reason } },
      )
      steps.push(await effectsOf(world))
      await run('/operator/values/fit', {}, { command: 'values fit' })
      steps.push(await effectsOf(world))
      expect((await world.command({ command: 'publish', options: { 'publish-interval-minutes': 60 } })).exitCode).toBe(
        3,
      )
      await run(
        '/operator/editions/hold/publish',
        { reason },
        { command: 'publish', options: { 'override-gate': true, reason, 'publish-interval-minutes': 60 } },
      )
      steps.push(await effectsOf(world))
      // each step changed something, and only what it is for
      expect(new Set(steps.map((step) => JSON.stringify(step))).size).toBe(4)
      expect(context.editions.newest?.edition).toBe(2)
      const entries = await listAuditEntries(store.db, { limit: 20 })
      expect(new Set(entries.map(({ actor, addressPrefix }) => `${actor} ${addressPrefix}`))).toEqual(
        new Set([way === 'buttons' ? 'op@example.org 127.0.0.0/24' : 'operator ']),
      )
      ways.push([steps, entries.map(({ action, subject, detail }) => ({ action, subject, detail }))])
    }
    expect(ways[0]).toEqual(ways[1])
    expect(ways[0]).toMatchObject([
      {},
      [
        {
          action: 'edition.publishAnyway',
          subject: 'edition 2',
          detail: { held: expect.stringContaining('60 of 60') },
        },
        { action: 'values.fit' },
        { action: 'source.release', subject: 'ted', detail: { notices: 1, note: 'The portal confirmed it by phone' } },
      ],
    ])
  })

  test('an acknowledged alarm stays open until its cause is gone, with one entry', async () => {
    const world = await open()
    const { store, post, operator } = world
    await insertAlarm(store.db, { sourceId: 'doe', kind: 'silent', raisedAt: 5, detail: 'It answers.', share: 1 })
    await insertAlarm(store.db, { sourceId: 'doe', kind: 'drift', raisedAt: 5, detail: 'New names.', share: 0 })
    const form = { kind: 'silent', raised: '5', note: ' Phoned ' }
    expect((await post('/operator/sources/doe/acknowledge', form, operator)).status).toBe(303)
    for (const wrong of [{ raised: '6' }, { kind: 'fill' }, { raised: 'x' }])
      await post('/operator/sources/doe/acknowledge', { ...form, ...wrong }, operator)
    await post('/operator/sources/ted/acknowledge', form, operator)
    const acknowledged = { at: world.now(), by: 'op@example.org', note: 'Phoned' }
    expect(await openAlarms(store.db)).toEqual([
      { sourceId: 'doe', kind: 'drift', raisedAt: 5, clearedAt: null, detail: 'New names.', share: 0 },
      { sourceId: 'doe', kind: 'silent', raisedAt: 5, clearedAt: null, detail: 'It answers.', share: 1, acknowledged },
    ])
    expect(await listAuditEntries(store.db, { limit: 9 })).toMatchObject([
      {
        action: 'alarm.acknowledge',
        subject: 'doe',
        detail: { kind: 'silent', note: 'Phoned' },
        actor: 'op@example.org',
      },
    ])
  })

  test('shows sources, reads and checks them as the commands do, and stores a note on an alarm', async () => {
    const world = await open()
    const { store, post, page, get, operator, waits, now } = world
    await insertAlarm(store.db, { sourceId: 'doe', kind: 'silent', raisedAt: 5, detail: 'It answers.', share: 1 })
    await store.db
      .insertInto('source_slot')
      .values([
        {
          source_id: 'doe',
          channel: 'daily',
          slot: '2026-11-20',
          announced: 212,
          delivered: 187,
          missing: '25 notices',
          missing_since: 9,
        },
        { source_id: 'doe', channel: 'daily', slot: '2026-11-21', announced: 10, delivered: 10, completed_at: now() },
      ])
      .execute()
    waits()
    const list = await page('/operator/sources')
    expect(waits().waits).toBe(1)
    expect(list).toMatch(/Not tried yet/)
    expect(list).toMatch(/Key missing/)
    const one = await page('/operator/sources/doe')
    expect(waits().waits).toBe(1)
    expect(one).toMatch(/Announced 222.*Delivered 197 25 missing/)
    expect(one).toMatch(/It delivers nothing new.*Acknowledge with a note/)
    expect(one).toMatch(/2026-11-20 daily 212 187 25 notices/)
    expect((await get('/operator/sources/nowhere', operator)).status).toBe(404)

    const form = { kind: 'silent', raised: '5', note: '' }
    const wrong = await post('/operator/sources/doe/acknowledge', form, operator)
    expect(wrong.status).toBe(422)
    expect(await wrong.text()).toContain('Write what you found.')
    await post('/operator/sources/doe/acknowledge', { ...form, note: 'Phoned: moved to a new server' }, operator)
    expect(await page('/operator/sources/doe')).toMatch(
      /acknowledged by op@example\.org.*Phoned: moved to a new server/,
    )
    expect(await page('/operator')).toMatch(/acknowledged by op@example\.org/)
    expect(await page('/operator/audit')).toMatch(/acknowledged an alarm of doe/)

    const row = { source_id: 'doe', form_type: 'competition', notices: 40, deadline: 40, cpv: 0 }
    await store.db
      .insertInto('source_fill')
      .values({ ...row, day: '2026-11-21', value: 10, authority: 40, region: 30 })
      .execute()
    const held = {
      source_id: 'doe',
      kind: 'fill',
      raised_at: 7,
      cleared_at: null,
      detail: '0 of 40 with CPV',
      share: 1,
    }
    await store.db.insertInto('source_alarm').values(held).execute()
    expect(await page('/operator')).toMatch(/Notices of .* wait in quarantine/)
    const broken = await page('/operator/sources/doe')
    expect(broken).toMatch(/Fields are missing; new notices wait in quarantine 0 of 40 with CPV/)
    // a portal that states no totals lacks nothing and has nothing
    expect(await page('/operator/sources/ted')).toMatch(
      /Announced – the portal states no totals Delivered – nothing to compare with/,
    )
    expect(broken).toMatch(/Contract notice 40 100 ?% 0 ?% 25 ?% 100 ?% 75 ?%/)
    const release = '/operator/sources/doe/release'
    expect((await post(release, { kind: 'fill', raised: '7', note: '' }, operator)).status).toBe(422)
    const other = await post(release, { kind: 'fill', raised: '6', note: 'Seen on the portal' }, operator)
    expect([other.status, await textOf(other)]).toEqual([409, expect.stringContaining('Somebody changed this')])
    await post(release, { kind: 'fill', raised: '7', note: 'Seen on the portal' }, operator)
    expect(await page('/operator/sources/doe')).toMatch(/over since .*“ ?Seen on the portal ?”/)
    expect(await page('/operator/audit')).toMatch(/ended the quarantine of doe/)
    const german = await page('/operator/audit', { 'accept-language': 'de' })
    expect(german).toMatch(/hat die Quarantäne beendet von doe .*Bekanntmachungen: 0, Notiz: Seen on the portal/)
    expect((await post(release, { kind: 'fill', raised: '7', note: 'again' }, operator)).status).toBe(409)

    // without a contact neither the command nor the button contacts a portal, for the same reason
    for (const [what, command] of [
      ['read', 'source run'],
      ['check', 'source check'],
    ] as const) {
      const said = await world.command({ command, operands: ['doe'] }).catch((error: Error) => error.message)
      const answer = await post(`/operator/sources/doe/${what}`, {}, operator)
      expect(answer.status).toBe(409)
      expect(await textOf(answer)).toContain(said)
      const german = await (
        await post(`/operator/sources/doe/${what}`, {}, operator, { 'accept-language': 'de' })
      ).text()
      expect(german).toContain('Portale müssen wissen, wer sie liest')
      expect(german).toContain('href="/operator/sources/doe">Zurück zur Seite<')
    }
    const again = { kind: 'fill', raised: '7', note: 'again' }
    expect(await textOf(await post(release, again, operator, { 'accept-language': 'de' }))).toContain(
      'Die Quelle doe ist nicht in Quarantäne',
    )
    const card = await page('/operator/sources/doe', { 'accept-language': 'de' })
    expect(card).toMatch(/Kanäle .* laufend Tagen .* jede Stunde/)
  })

  test('shows rejections by reason with the raw document as text in a sandbox', async () => {
    const world = await open()
    const { store, page, get, operator, waits } = world
    const script = '<html><script>alert(1)</script></html>'
    const documents = [script, 'x'.repeat(1_000_001)].map((text, index) => ({
      documentId: String(index).repeat(64),
      sourceId: 'doe',
      address: `https://example.org/${index}?"><script>alert(2)</script>`,
      receivedAt: startOfConsole,
      byteSize: text.length,
      packed: packDocument(Buffer.from(text)),
      parserVersion: 1,
    }))
    await insertDocuments(store.db, documents)
    await insertRejections(
      store.db,
      documents.map(({ documentId }) => ({
        documentId,
        pointer: '',
        rejection: { reason: 'malformed', path: '/a', detail: 'not well-formed' },
        rejectedAt: startOfConsole,
      })),
    )
    waits()
    const text = await page('/operator/rejections')
    expect(waits().waits).toBeLessThanOrEqual(3)
    expect(text).toMatch(/malformed doe 2/)
    const german = await page('/operator/rejections?reason=malformed', { 'accept-language': 'de' })
    expect(german).toMatch(/beschädigt doe 2.*beschädigt · Alle anzeigen.* doe beschädigt \/a not well-formed/)
    expect(await page('/operator/rejections?reason=too-deep')).not.toContain('not well-formed')
    const raw = await get(`/operator/documents/${'0'.repeat(64)}`, operator)
    expect(raw.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(raw.headers.get('content-security-policy')).toMatch(/default-src 'none'.*; sandbox$/)
    expect(raw.headers.get('content-disposition')).toBeNull()
    expect(await raw.text()).toBe(script)
    const large = await get(`/operator/documents/${'1'.repeat(64)}`, operator)
    expect(large.headers.get('content-disposition')).toBe(`attachment; filename="${'1'.repeat(64)}.txt"`)
    expect((await large.text()).length).toBe(1_000_001)
    expect((await get(`/operator/documents/${'2'.repeat(64)}`, operator)).status).toBe(404)
    expect((await get('/operator/documents/..%2f..%2fetc%2fpasswd', operator)).status).toBe(404)
  })

  test('shows the value model, fits it, and announces incidents to everybody', async () => {
    const world = await open()
    const { store, page, post, get, operator, now } = world
    expect(await page('/operator/values')).toContain('No model yet')
    const answer = await post('/operator/values/fit', {}, operator)
    expect(answer.headers.get('set-cookie')).toContain(encodeURIComponent('There are 0 priced tenders'))
    await insertModel(store.db, {
      version: 'v1-abc',
      fittedAt: now(),
      parameters: '{}',
      figures: { priced: 1200, spread: 0.3, low: -1.5, high: 1.5 },
    })
    await store.db
      .insertInto('tender_estimate')
      .values([
        {
          tender_id: 'a',
          inputs_hash: 'a',
          model_version: 'v1-abc',
          estimate: '{"kind":"refusal","reason":"tooMixed"}',
        },
        { tender_id: 'b', inputs_hash: 'b', model_version: 'v1-abc', estimate: '{"kind":"estimate"}' },
      ])
      .execute()
    const values = await page('/operator/values')
    expect(values).toMatch(/1,200 in the model.*Usual error × 2 .*Refused 50%/)
    expect(values).toMatch(/v1-abc .*× 0\.35 to × 2\.8/)
    expect(values).toContain('Refused: similar tenders differ too much')

    const key = /name="form-key" value="([^"]+)"/.exec(await (await get('/operator/incidents', operator)).text())![1]!
    const form = { title: 'New notices arrive late', detail: 'TED answers slowly.', started: '2026-11-23 07:30' }
    const wrong = await post('/operator/incidents', { ...form, started: '2026-11-24 07:30', 'form-key': key }, operator)
    expect(wrong.status).toBe(422)
    for (const _twice of [1, 2]) await post('/operator/incidents', { ...form, 'form-key': key }, operator)
    expect(await store.db.selectFrom('incident').selectAll().execute()).toMatchObject([
      { title: form.title, started_at: Date.UTC(2026, 10, 23, 7, 30), ended_at: null },
    ])
    const status = await textOf(await get('/status'))
    expect(status).toContain('New notices arrive late')
    const id = (await store.db.selectFrom('incident').select('incident_id').executeTakeFirstOrThrow()).incident_id
    const at = `/operator/incidents/${id}`
    const was = fieldsOf(await (await get(at, operator)).text(), at)['was']![0]!
    await post(at, { ...form, was, detail: 'TED answers again.' }, operator)
    // somebody who still has the page of before
    const late = await post(at, { ...form, was, detail: 'TED is down.' }, operator)
    expect([late.status, await late.text()]).toEqual([409, expect.stringMatching(/Somebody else.*TED is down\./s)])
    // the status page is at most a minute old
    world.wait(minuteMs + 1)
    expect(await textOf(await get('/status'))).toContain('TED answers again.')
    expect(await page(`/operator/incidents/${id}/end`)).toContain('Is it over?')
    await post(`/operator/incidents/${id}/end`, {}, operator)
    expect(await page('/operator/incidents')).toMatch(/Over 23 Nov 2026, 08:01/)
    expect(await page('/operator/audit')).toMatch(/ended the incident .*changed the incident .*announced/)
    expect((await post(`/operator/incidents/${id}/end`, {}, (await world.person('x@example.org')).cookie)).status).toBe(
      403,
    )
  })
})

const stockOf = async (store: Store) => ({
  tenders: await store.db
    .selectFrom('tender')
    .select(['tender_id', 'content', 'merged_into'])
    .orderBy('tender_id')
    .execute(),
  decisions: await store.db.selectFrom('review_decision').select(['left_key', 'decision', 'note']).execute(),
})

/** What the operator's actions change: the stock, its alarms, models and editions. */
async function effectsOf({ store, context }: ConsoleWorld) {
  const models = await store.db.selectFrom('value_model').select('version').orderBy('version').execute()
  const tenders = await store.db.selectFrom('tender').select(['tender_id', 'content']).orderBy('tender_id').execute()
  const alarms = await alarmsOf(store.db, 'ted', 9)
  const edition = context.editions.newest
  return {
    models,
    tenders,
    alarms: alarms.map(({ acknowledged, ...alarm }) => ({ ...alarm, note: acknowledged?.note })),
    edition: [edition?.edition, edition?.records],
  }
}

/** Made-up tenders with a published value, enough for a model. */
async function putPricedTenders(store: Store, count: number, now: number): Promise<void> {
  const options = { seed: 5, count: count * 9, now }
  const priced = Array.from({ length: options.count }, (_, index) => generateTender(options, index)).filter(
    ({ contractAmount }) => contractAmount?.estimated === false,
  )
  expect(priced.length).toBeGreaterThanOrEqual(count)
  await upsertTenders(
    store.db,
    priced.slice(0, count).map(({ archiveReason: _reason, ...content }, index) => ({
      tenderId: content.id,
      foundingKey: `priced:${index}`,
      content: canonicalText(content),
      contentHash: `${index}`,
      archiveReason: null,
      nextTransitionMs: null,
      mergedInto: null,
      sources: '["made-up"]',
    })),
  )
}
