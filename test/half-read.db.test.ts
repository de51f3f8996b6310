// A node that lags behind many editions: until it has read the newest one, it serves the edition that it served before,
// and none of those on the way.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { minuteMs } from '../src/domain/time.ts'
import { FollowedLog } from '../src/edition/read/log-feed.ts'
import { catchUp, openEditionLog } from '../src/edition/write/edition-log.ts'
import { WrongEntriesError } from '../src/edition/write/log-state.ts'
import { publish } from '../src/publish/publish.ts'
import { putNumbered, readNewest, startOfStock } from './numbered-tenders.ts'
import { openTestStore } from './world.ts'

const editions = 9

test('readers of any thread never see a partly loaded edition, even after a failure or a restart', async () => {
  await using store = await openTestStore('embedded')
  const folder = mkdtempSync(join(tmpdir(), 'half-read-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = () => startOfStock + editions * minuteMs
  const open = () => openEditionLog(folder, { clock, toleratedEntries: 5, toleratedReplay: 5 })
  const publishNext = async (edition: number) => {
    await putNumbered(store, 0, 12 + edition, edition)
    await publish(store, { now: startOfStock + edition * minuteMs, minIntervalMs: minuteMs, overrideGate: true })
  }
  let log = await open()
  await publishNext(1)
  await catchUp(log, store)
  const first = readNewest(log)

  /** What readers show, in this thread and in another, after each message. */
  const shown = new Set<number | undefined>()
  const follow = () => {
    const reader = new FollowedLog({ clock, onDamage: () => {} })
    onTestFinished(() => reader.close())
    log.follow({
      send: (message) => {
        reader.apply(structuredClone(message))
        shown.add(log.newest?.edition).add(reader.newest?.edition)
      },
      settled: async () => {},
    })
    return reader
  }
  const reader = follow()
  for (let edition = 2; edition <= editions; edition++) await publishNext(edition)
  // the newest one does not arrive completely
  const { rows } = await sql<{ entry: string }>`
    with gone as (delete from edition_entry where edition = ${editions} and last_modified =
      (select max(last_modified) from edition_entry) returning *) select row_to_json(gone)::text as entry from gone`.execute(
    store.db,
  )
  expect(rows).toHaveLength(1)
  await expect(catchUp(log, store)).rejects.toThrow(WrongEntriesError)
  expect([...shown]).toEqual([1])
  expect(readNewest(log)).toEqual(first)
  // one that starts to read in the middle
  expect(follow().newest?.edition).toBe(1)

  await log.close()
  log = await open()
  expect(readNewest(log)).toEqual(first)
  await expect(catchUp(log, store)).rejects.toThrow(WrongEntriesError)
  shown.clear()
  const later = follow()
  expect(later.newest?.edition).toBe(1)

  await sql`insert into edition_entry select * from json_populate_record(null::edition_entry, ${rows[0]!.entry}::json)`.execute(
    store.db,
  )
  await catchUp(log, store)
  await log.idle()
  expect([...shown]).toEqual([1, editions])
  expect(log.newest).toMatchObject({ edition: editions })
  expect(later.newest).toMatchObject({ edition: editions })
  // a run that began on another node continues with its own edition
  expect(log.edition(editions - 1)).toMatchObject({ edition: editions - 1 })
  expect(readNewest(log)).toHaveLength(12 + editions)
  await log.close()
  expect(reader.newest?.edition).toBeUndefined()
  const again = await open()
  onTestFinished(() => again.close())
  expect(again.newest).toMatchObject({ edition: editions })
})
