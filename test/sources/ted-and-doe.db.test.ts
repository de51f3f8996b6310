// TED and the German service through the runner into the stock: every day is complete or named as missing, and each
// procedure is one tender.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { afterAll, describe, expect, test } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { checkSource } from '../../src/ingest/check-source.ts'
import type { RunOptions } from '../../src/ingest/run-options.ts'
import { source as doe } from '../../src/sources/doe/doe.ts'
import type { SourceRequest } from '../../src/sources/fetch.ts'
import { source as ted } from '../../src/sources/ted/ted.ts'
import type { Store } from '../../src/store/database/database.ts'
import { listSlots } from '../../src/store/sources/source-ledger.ts'
import { runDueSlots } from '../scripted-source.ts'
import { engines, openTestStore } from '../world.ts'
import { replyOf, type Script } from './scripted-run.ts'
import { challenge, numbersFrom, ScriptedTed, tedNotice } from './scripted-ted.ts'

const scratchFolder = mkdtempSync(join(tmpdir(), 'tenderstock-two-'))
afterAll(() => rmSync(scratchFolder, { recursive: true, force: true }))

/** A Wednesday noon in Brussels and Berlin. */
const firstRun = Date.parse('2026-03-11T11:00:00Z')
const shared = '1b2c3d4e-0000-4000-8000-000000000077'

/** The notice of TED as the German service has it: the same ids, no number of the journal. */
const germanCopy = tedNotice('150-2026', '2026-03-10', { noticeId: shared })
  .replace(/<efac:Publication>.*<\/efac:Publication>/, '')
  .replace('eforms-sdk-1.13', 'eforms-de-2.1')

function germanAnswer({ url }: SourceRequest) {
  const day = new URL(url).searchParams.get('pubDay')
  const files = day === '2026-03-09' ? { [`${shared}-01.xml`]: new Uint8Array(Buffer.from(germanCopy)) } : {}
  if (day !== null && day >= '2026-03-11') return { status: 400, body: 'must lie in the past' }
  return { body: zipSync(files) }
}

/** Requests that a script answers; the process dies after a number of them. */
function optionsOf(script: Script, now: number, life = { requests: Number.POSITIVE_INFINITY }): RunOptions {
  const death = new AbortController()
  return {
    clock: () => now,
    hosts: {
      openConnection: () => {
        let count = 0
        return {
          requests: () => count,
          send: async (request) => {
            count++
            if (--life.requests < 0) death.abort(new Error('killed'))
            death.signal.throwIfAborted()
            return replyOf(request, script(request))
          },
        }
      },
    },
    keyOf: () => undefined,
    scratchFolder,
    worker: 'test worker',
    sleep: async () => {},
    signal: death.signal,
    backfillShare: 1,
  }
}

async function world() {
  const portal = new ScriptedTed({
    '2026-02-26': { issue: 40, numbers: numbersFrom(20, 30) },
    '2026-03-09': { issue: 47, numbers: numbersFrom(100, 40) },
    '2026-03-10': { issue: 48, numbers: numbersFrom(140, 40), packed: numbersFrom(140, 37) },
    '2026-03-11': { issue: 49, numbers: numbersFrom(180, 25), packed: null },
  })
  await portal.pack()
  const script: Script = (request) => {
    const { hostname, pathname } = new URL(request.url)
    if (hostname === 'oeffentlichevergabe.de') return germanAnswer(request)
    const reply = portal.answer(request)
    // In the package and alone the notice is the same; only here it has the id that the German service knows.
    return pathname === '/en/notice/178-2026/xml'
      ? { body: tedNotice('178-2026', '2026-03-10', { noticeId: shared }) }
      : reply
  }
  return { portal, script }
}

const stateOf = async (store: Store) => {
  const slots = (await Promise.all([listSlots(store.db, 'ted'), listSlots(store.db, 'doe')])).flat()
  return new Map(slots.map((each) => [`${each.sourceId} ${each.channel} ${each.slot}`, each]))
}

const numbersStored = async (store: Store): Promise<number> =>
  new Set(
    (await store.db.selectFrom('notice').select('notice_key').where('notice_key', 'like', 'ted:%').execute()).map(
      (row) => row.notice_key,
    ),
  ).size

describe.each(engines)('both sources through the runner (%s)', (engine) => {
  test('every publication day ends with counted = announced, and a notice on both portals is one tender', async () => {
    await using store = await openTestStore(engine)
    const { portal, script } = await world()
    await runDueSlots(store, [ted, doe], optionsOf(script, firstRun))
    expect(await numbersStored(store)).toBe(30 + 40 + 40 + 25)
    const slots = await stateOf(store)
    for (const [name, count] of [
      ['ted daily 2026-03-09', 40],
      ['ted daily 2026-03-10', 40],
      ['ted search 2026-03-11', 25],
      ['ted monthly 2026-02', 30],
    ] as const)
      expect({ name, ...slots.get(name) }).toMatchObject({ name, announced: count, delivered: count, missing: null })
    expect(slots.get('doe daily 2026-03-09')).toMatchObject({ delivered: 1, missing: null, failures: 0 })

    await consolidate(store, { now: firstRun })
    const tenders = await store.db
      .selectFrom('tender_notice')
      .innerJoin('notice', 'notice.notice_id', 'tender_notice.notice_id')
      .select(['tender_notice.tender_id', 'notice.notice_key', 'notice.source_id'])
      .where('notice.content', 'like', `%${shared}%`)
      .orderBy('notice.notice_key')
      .execute()
    expect(tenders.map((row) => row.notice_key)).toEqual([`doe:${shared}-01`, 'ted:178-2026'])
    expect(new Set(tenders.map((row) => row.tender_id)).size).toBe(1)

    // The day after, the package of the running day is out.
    portal.issues.set('2026-03-11', { issue: 49, numbers: numbersFrom(180, 28) })
    await portal.pack()
    await runDueSlots(store, [ted, doe], optionsOf(script, firstRun + 26 * 3_600_000))
    expect((await stateOf(store)).get('ted daily 2026-03-11')).toMatchObject({
      announced: 28,
      delivered: 28,
      missing: null,
    })
    expect(await numbersStored(store)).toBe(30 + 40 + 40 + 28)
  })

  test('a firewall that refuses makes no day empty or complete; when it admits us again nothing is missing', async () => {
    await using store = await openTestStore(engine)
    const { portal, script } = await world()
    portal.fault = ({ url }) => (url.startsWith('https://ted.europa.eu/') ? challenge : undefined)
    await runDueSlots(store, [ted], optionsOf(script, firstRun))
    expect(await numbersStored(store)).toBe(0)
    for (const slot of (await stateOf(store)).values())
      expect({ slot: slot.slot, at: slot.completedAt }).toEqual({ slot: slot.slot, at: null })
    portal.fault = () => undefined
    await runDueSlots(store, [ted], optionsOf(script, firstRun + 8 * 3_600_000))
    expect(await numbersStored(store)).toBe(30 + 40 + 40 + 25)
  })

  test('a run that is killed at every request in turn ends with the same notices', async () => {
    await using store = await openTestStore(engine)
    const { script } = await world()
    for (let requests = 1; requests < 60; requests += 3)
      await runDueSlots(store, [ted, doe], optionsOf(script, firstRun + requests * 1000, { requests }))
    await runDueSlots(store, [ted, doe], optionsOf(script, firstRun + 3_600_000))
    expect(await numbersStored(store)).toBe(30 + 40 + 40 + 25)
    const slots = await stateOf(store)
    expect(slots.get('ted daily 2026-03-10')).toMatchObject({ announced: 40, delivered: 40, missing: null })
    expect(slots.get('ted monthly 2026-02')).toMatchObject({ announced: 30, delivered: 30, missing: null })
  })
})

describe('the check of both sources', () => {
  test.each([
    ['a working day', '2026-03-11T11:00:00Z', 'ok', 37],
    ['a Monday, after a Sunday without an issue', '2026-03-09T11:00:00Z', 'quiet', 0],
  ] as const)('on %s finds what the cards state', async (_, now, verdict, documents) => {
    const { script } = await world()
    const options = optionsOf(script, Date.parse(now))
    const { send } = options.hosts.openConnection({ source: ted, signal: options.signal })
    const check = { send, key: undefined, now: () => Date.parse(now), scratchFolder, signal: options.signal }
    const found = await checkSource(ted, check)
    expect({ verdict: found.verdict, findings: found.findings }).toEqual({ verdict, findings: [] })
    expect(Math.min(20, documents)).toBe(found.documents)
    if (documents > 0)
      expect(await checkSource(doe, { ...check, now: () => Date.parse('2026-03-10T11:00:00Z') })).toMatchObject({
        verdict,
        documents: 1,
        notices: 1,
      })
  })
})
