// What /metrics returns for a stock with some of everything, number by number: units, labels, and what is counted.
import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { drawnEngines, openTestStore } from '../../../test/world.ts'
import { RequestCounts } from '../../api/request-counts.ts'
import { dayMs } from '../../domain/time.ts'
import { systemRandom } from '../../platform/random.ts'
import type { Store } from '../../store/database/database.ts'
import { saveLastBackup, saveLastDrill } from '../../store/nodes/last-backup.ts'
import { createOrganization } from '../../store/people/organizations.ts'
import { ReaderMeters } from '../readers/reader-meters.ts'
import { openNodeState } from '../watch/node-state.ts'
import { Metrics } from './metrics.ts'
import { WorkCounts } from './work-counts.ts'

const now = Date.UTC(2026, 10, 24)

afterEach(() => void vi.useRealTimers())

async function fill(store: Store): Promise<void> {
  const { db } = store
  const { organization } = await createOrganization(db, { name: 'Acme' }, { now, random: systemRandom })
  await sql`insert into edition (edition, last_modified, published_at, records, changes, checks)
    select i, ${now - 10}::bigint + i, ${now - dayMs}::bigint + i, 1, 1, '{}' from generate_series(1, 5) i`.execute(db)
  await sql`update hit_mark set edition = 3`.execute(db)
  await saveLastBackup(db, 5000)
  await saveLastDrill(db, 4000)
  // before the newest edition, and after it
  await sql`insert into edition_hold values (${now - 2 * dayMs}, '[]'), (${now - 2}, '[]'), (${now - 1}, '[]')`.execute(
    db,
  )
  await sql`insert into source_check values ('ted', ${now - 90_000}), ('doe', ${now - 30_000}), ('gone', ${now})`.execute(
    db,
  )
  await sql`insert into source_alarm (source_id, kind, raised_at, cleared_at, detail, share) values
    ('doe', 'silent', 1, null, '', 1), ('doe', 'short', 1, null, '', 1), ('ted', 'silent', 1, 2, '', 1),
    ('gone', 'silent', 1, null, '', 1)`.execute(db)
  await sql`insert into source_run (source_id, channel, slot, started_at, ended_at, outcome, requests, entries, documents,
      notices, rejections, detail, reason) values
    ('ted', 'c', 'now', 1, ${now - 1}, 'complete', 1, 1, 1, 1, 0, '', null),
    ('doe', 'c', 'now', 1, ${now - 1}, 'failed', 1, 0, 0, 0, 0, 'nobody there', 'no-answer')`.execute(db)
  await sql`insert into source_slot (source_id, channel, slot, due_at) values
    ('ted', 'c', 'past', ${now - 1}), ('ted', 'c', 'now', ${now}), ('ted', 'c', 'next', ${now + 1}), ('ted', 'c', 'done', null)`.execute(
    db,
  )
  await sql`insert into source_document values ('d', 'ted', 'a', 0, 0, 1, null)`.execute(db)
  await sql`insert into notice (notice_id, document_id, pointer, notice_key, publisher, source_id, form_type, content, is_consolidated)
    select 'n' || i, 'd', '', 'k', 'ted', 'ted', 'competition', '{}', i > 3 from generate_series(1, 5) i`.execute(db)
  await sql`insert into mail (message_id, person, content, state, due_at, created_at)
    select state || due || i, 'a@b.c', '{}', state, due, 0 from (values
      ('due', ${now + 1}::bigint, 1), ('due', ${now}::bigint, 2), ('given-up', 0, 3), ('sent', 0, 4)) v (state, due, count)
    cross join generate_series(1, count) i`.execute(db)
  await sql`insert into delivery (message_id, endpoint_no, kind, state, due_at, created_at)
    select state || due || i, 1, 'search.hit', state, due, 0 from (values
      ('due', ${now + 1}::bigint, 1), ('due', ${now}::bigint, 2), ('held', 0, 3), ('given-up', 0, 4), ('delivered', 0, 5))
      v (state, due, count)
    cross join generate_series(1, count) i`.execute(db)
  // not late yet, and late only once its edition is matched
  await sql`insert into delivery (message_id, endpoint_no, kind, state, due_at, created_at, edition) values
    ('fresh', 1, 'search.hit', 'due', ${now + 1}, ${now - 14 * 60_000}, null),
    ('unmatched', 1, 'search.hit', 'due', ${now + 1}, 0, 1000)`.execute(db)
  await sql`insert into webhook_endpoint (endpoint_id, organization_id, address, description, from_edition, kinds, state,
      failing_since, requests_per_second, created_at)
    select state || coalesce(since, 0) || i, ${organization.organizationId}, 'a', '', 1, '[]', state, since, 1, 0
    from (values ('active', null::bigint, 1), ('active', 5, 2), ('disabled', 5, 3), ('removed', null, 4)) v (state, since, count)
    cross join generate_series(1, count) i`.execute(db)
}

describe.each(drawnEngines)('metrics (%s)', (engine) => {
  test('show the true figures of a stock, a node and its work', async () => {
    await using store = await openTestStore(engine)
    await fill(store)
    const state = openNodeState()
    state.setDatabaseTime({ clockDifferenceMs: 1500 })
    state.report('disk', 'It is low.')
    const meters = new ReaderMeters()
    meters.showThreads(() => [1, 2])
    new RequestCounts(meters.memoryOf(1)).isSharingLimits = true
    const second = new RequestCounts(meters.memoryOf(2))
    second.loopDelaySeconds = 0.25
    const counters = new WorkCounts()
    counters.noteRound('failed')
    for (const milliseconds of [1500, 500]) counters.noteStage('Matching', 'succeeded', milliseconds)
    counters.noteStage('Matching', 'failed', 1000)
    counters.noteReading({ sourceId: 'ted', outcome: 'complete', documents: 3, rejections: 2 })
    counters.hits = 6
    for (const isSuccess of [true, true, false]) counters.noteAttempt(isSuccess)
    counters.mailsGivenUp = 7
    const newest = { edition: 4, records: 8, publishedAt: now - 3_600_000, lastModified: now }
    const metrics = new Metrics(
      {
        store: { ...store, connections: () => ({ used: 3, idle: 2, limit: 12, waiting: 4 }) },
        dataFolder: store.options.dataFolder,
        version: '1.2.3',
        clock: () => now,
        editions: { newest } as ConstructorParameters<typeof Metrics>[0]['editions'],
        state,
        database: { isAnswering: () => false },
        meters,
        readers: 3,
        hasSharedLimits: true,
        lookedAt: () => now - 1000,
      },
      {
        counters,
        rounds: () => ({ failedRounds: 2, lastRoundAt: now - 5000, isStopped: false }),
        publishes: true,
        sources: () => ['ted', 'doe', 'no-doffin'],
      },
    )
    // however long a reading takes on this machine
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const text = await metrics.scrape()
    vi.useRealTimers()
    metrics.close()
    const shown = (sample: string) =>
      new Map(text.split('\n').map((line) => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)?.[0])])).get(
        `tenderstock_${sample}`,
      )
    const expected = {
      [`build_info{version="1.2.3",engine="${engine}"}`]: 1,
      edition_number: 4,
      edition_records: 8,
      edition_published_timestamp_seconds: now / 1000 - 3600,
      edition_age_seconds: 3600,
      edition_look_timestamp_seconds: now / 1000 - 1,
      degraded: 1,
      clock_difference_seconds: 1.5,
      readers: 2,
      readers_configured: 3,
      reader_deaths_total: 0,
      limiter_shared_configured: 1,
      limiter_shared: 0,
      'event_loop_delay_seconds{thread="reader-2"}': 0.25,
      database_up: 0,
      'database_connections{state="used"}': 3,
      'database_connections{state="idle"}': 2,
      database_connections_limit: 12,
      database_waiting: 4,
      'rounds_total{outcome="succeeded"}': 0,
      'rounds_total{outcome="failed"}': 1,
      failed_rounds: 2,
      last_round_timestamp_seconds: now / 1000 - 5,
      'stage_runs_total{stage="Publishing",outcome="succeeded"}': 0,
      'stage_runs_total{stage="Publishing",outcome="failed"}': 0,
      'stage_runs_total{stage="Matching",outcome="succeeded"}': 2,
      'stage_runs_total{stage="Matching",outcome="failed"}': 1,
      'stage_seconds_total{stage="Matching"}': 3,
      'source_readings_total{source="ted",outcome="complete"}': 1,
      'source_documents_total{source="ted"}': 3,
      'source_rejections_total{source="ted"}': 2,
      hits_total: 6,
      'webhook_attempts_total{outcome="succeeded"}': 2,
      'webhook_attempts_total{outcome="failed"}': 1,
      mails_given_up_total: 7,
      stock_figures_stale: 0,
      stock_figures_timestamp_seconds: now / 1000,
      stock_edition_number: 5,
      editions_held: 2,
      editions_unmatched: 2,
      notices_waiting: 3,
      notices_quarantined: 0,
      backup_timestamp_seconds: 5,
      backup_restored_timestamp_seconds: 4,
      'sources{state="ok"}': 1,
      'sources{state="no-answer"}': 1,
      'sources{state="not-tried"}': 1,
      'sources{state="refused"}': 0,
      'source_lag_seconds{source="ted"}': 90,
      'source_lag_seconds{source="doe"}': 30,
      'source_alarm{source="doe",kind="silent"}': 1,
      'source_alarm{source="doe",kind="short"}': 1,
      source_slots_due: 2,
      'mails{state="queued"}': 1,
      'mails{state="due"}': 2,
      'mails{state="late"}': 3,
      'mails{state="given-up"}': 3,
      'webhook_deliveries{state="due"}': 2,
      'webhook_deliveries{state="late"}': 3,
      'webhook_deliveries{state="held"}': 3,
      'webhook_endpoints{state="active"}': 1,
      'webhook_endpoints{state="failing"}': 2,
      'webhook_endpoints{state="disabled"}': 3,
    }
    expect(Object.fromEntries(Object.keys(expected).map((sample) => [sample, shown(sample)]))).toEqual(expected)
    // an unknown source is not shown, nor is an alarm that is over
    expect(text).not.toContain('gone')
    expect(text).not.toContain('source_alarm{source="ted"')
    expect(shown('process_start_time_seconds')).toBeCloseTo(performance.timeOrigin / 1000, 3)
    const { user, system } = process.cpuUsage()
    expect(shown('process_cpu_seconds_total')).toBeLessThanOrEqual((user + system) / 1e6)
    const { bavail, blocks, bsize } = await statfs(store.options.dataFolder)
    expect(shown('disk_size_bytes')).toBe(blocks * bsize)
    // others write to it meanwhile
    expect(shown('disk_free_bytes')! / (bavail * bsize)).toBeCloseTo(1, 0)
  })
})
