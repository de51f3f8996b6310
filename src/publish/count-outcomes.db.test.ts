import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { engines, openTestStore, type TestStore } from '../../test/world.ts'
import { canonicalJson, contentHash } from '../consolidate/canonical.ts'
import type { TenderContent } from '../domain/tender.ts'
import { dayMs, hourMs } from '../domain/time.ts'
import { sourcesHealth } from '../ingest/watch-sources.ts'
import { loadSources } from '../sources/registry.ts'
import { noteRules } from '../store/stock/rules.ts'
import { upsertTenders } from '../store/stock/tenders.ts'
import { countOutcomes } from './count-outcomes.ts'
import { publish } from './publish.ts'

const start = Date.UTC(2026, 10, 25)
const idOf = (number: number): string => `${number.toString(16).padStart(8, '0')}-7d3e-8b64-9a10-5c2e7f4b9d31`

const tenderOf = (number: number, members: Partial<TenderContent>): TenderContent => ({
  contractAmount: null,
  cpvCodes: ['45233141'],
  id: idOf(number),
  lots: [],
  nutsCodes: [],
  originalSources: [],
  publicationDate: new Date(start - dayMs).toISOString(),
  status: 'open',
  title: `Road ${number}`,
  ...members,
})

async function put(store: TestStore, tenders: readonly TenderContent[]): Promise<void> {
  await upsertTenders(
    store.db,
    tenders.map((tender) => ({
      tenderId: tender.id,
      foundingKey: tender.id,
      content: canonicalJson(tender),
      contentHash: contentHash(canonicalJson(tender)),
      archiveReason: tender.archiveReason ?? null,
      nextTransitionMs: null,
      mergedInto: null,
      sources: '["doe"]',
    })),
  )
}

const winner = (name: string) => [
  { lotId: '1', status: 'awarded', cpvCodes: [], nutsCodes: [], winners: [{ name }] } as TenderContent['lots'][number],
]
const ended = (archiveReason: 'awarded' | 'cancelled' | 'expired', members: Partial<TenderContent> = {}) => ({
  archiveReason,
  status: archiveReason === 'expired' ? ('closed' as const) : archiveReason,
  ...members,
})

describe.each(engines)('what editions published (%s)', (engine) => {
  test('is counted once for each entry, and tells what looks wrong', async () => {
    await using store = await openTestStore(engine)
    const amount = { value: 41_000, currency: 'EUR' }
    const old = new Date(start - 90 * dayMs).toISOString()
    await put(store, [
      tenderOf(1, { submissionDate: new Date(start + dayMs).toISOString() }),
      tenderOf(2, { awardedAmount: amount }),
      tenderOf(3, { awardedAmount: amount, isFramework: true }),
      tenderOf(4, ended('awarded')),
      tenderOf(5, ended('awarded', { lots: winner('Acme') })),
      tenderOf(6, ended('cancelled', { lots: winner('Acme') })),
      tenderOf(7, ended('expired', { publicationDate: old })),
    ])
    const at = (hours: number) => ({ now: start + hours * hourMs, minIntervalMs: hourMs, overrideGate: true })
    expect(await countOutcomes(store, at(0))).toBe(0)
    await publish(store, at(0))
    expect(await countOutcomes(store, at(0))).toBe(7)
    expect(await countOutcomes(store, at(0))).toBe(0)
    const first = {
      source_id: 'doe',
      day: '2026-11-25',
      open: 3,
      open_with_result: 1,
      open_without_deadline: 1,
      awarded: 2,
      awarded_without_winner: 1,
      cancelled: 1,
      cancelled_with_award: 1,
      ended_awarded: 2,
      ended_cancelled: 1,
      ended_expired: 0,
    }
    const counts = () => store.db.selectFrom('source_outcome').selectAll().execute()
    expect(await counts()).toEqual([first])

    // ends that follow from changed rules are no change of what the source publishes
    await noteRules(store.db, { acts: 1 })
    await put(store, [tenderOf(1, ended('cancelled'))])
    await publish(store, at(1))
    expect(await countOutcomes(store, at(1))).toBe(1)
    expect(await counts()).toEqual([{ ...first, cancelled: 2 }])

    const everywhere = Array.from({ length: 50 }, (_, number) =>
      tenderOf(100 + number, {
        ...ended('awarded', { lots: winner(number % 2 === 0 ? 'Kein Zuschlag' : 'KEIN  ZUSCHLAG.') }),
        contractingAuthority: { name: `Town ${number}` },
        cpvCodes: [`${100 + number}00000`],
      }),
    )
    await put(store, everywhere.slice(1))
    await publish(store, at(2))
    await countOutcomes(store, at(2))
    await sql`insert into source_run (source_id, channel, slot, started_at, ended_at, outcome, requests, entries, documents, notices, rejections, detail)
      values ('doe', 'news', '1', ${start}, ${start}, 'complete', 1, 1, 1, 1, 0, '')`.execute(store.db)
    const sources = new Map([...(await loadSources())].filter(([id]) => id === 'doe'))
    const alarms = async () =>
      (await sourcesHealth(store, { sources, now: start + 3 * hourMs, hasKey: () => true }))[0]!.health.alarms
        .filter(({ kind }) => kind === 'winners')
        .map(({ detail }) => detail)
    expect(await alarms()).toEqual([])
    await put(store, everywhere)
    await publish(store, at(3))
    await countOutcomes(store, at(3))
    expect(await alarms()).toEqual([
      expect.stringMatching(/^Wins at 50 buyers .*: “(?:Kein Zuschlag|KEIN {2}ZUSCHLAG\.)”\.$/),
    ])
  })
})
