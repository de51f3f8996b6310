// Checks every source that runs, raises alarms and clears them; the operator and the publication gate read them.
import { nameKey, winnerHash, winnersOf } from '../domain/published-outcome.ts'
import type { TenderRecord } from '../domain/tender.ts'
import { dayMs } from '../domain/time.ts'
import type { Sources } from '../sources/registry.ts'
import type { Store } from '../store/database/database.ts'
import { listQuarantines, quarantineKind } from '../store/sources/source-fill.ts'
import {
  countDueSlots,
  insertAlarm,
  newDocumentsByDay,
  newNames,
  openAlarms,
  readingsBySource,
  rejectionsSince,
  shortSlots,
  updateAlarm,
} from '../store/sources/source-health.ts'
import { visitedSources } from '../store/sources/source-leases.ts'
import { sourcesTurnedOff } from '../store/sources/sources-turned-off.ts'
import { farReachingWinners, outcomesSince } from '../store/stock/published-outcomes.ts'
import { dayOf } from './fill-rates.ts'
import { outcomeDays } from './outcome-rates.ts'
import { type AlarmKind, type SourceHealth, type SourceRecord, sourceHealth } from './source-health.ts'

const countedDays = 30
const recentDays = 7
/** How long a slot may stay short before it is reported; it is reread soon. */
const shortMs = dayMs
const fewestDocuments = 5

export type WatchOptions = {
  readonly sources: Sources
  /** Epoch milliseconds. */
  readonly now: number
  readonly hasKey: (setting: string) => boolean
}

/** An alarm that was raised at this look. */
export type RaisedAlarm = { readonly sourceId: string; readonly kind: AlarmKind; readonly detail: string }

/** The health of every source, in the order of the ids. Reads only. */
export async function sourcesHealth(
  store: Pick<Store, 'db'>,
  options: WatchOptions,
): Promise<{ readonly health: SourceHealth; readonly record: SourceRecord }[]> {
  const records = await sourceRecords(store, options)
  const visited = await visitedSources(store.db, options.now)
  const turnedOff = await sourcesTurnedOff(store.db)
  return [...options.sources.values()].map((source) => {
    const record = {
      ...(records.get(source.id) ?? emptyRecord(source.id)),
      isVisited: visited.has(source.id),
      turnedOff: turnedOff.get(source.id) ?? null,
    }
    const hasKey = source.access.kind === 'open' || options.hasKey(source.access.setting)
    return { record, health: sourceHealth(source, record, { now: options.now, hasKey }) }
  })
}

/**
 * Raises and clears alarms so that they match the situation at `now`. Returns those that were raised or cleared;
 * quarantines that began since `watchedAt` are among them, raised by the readings themselves.
 */
export async function watchSources(
  store: Pick<Store, 'db'>,
  options: WatchOptions & { readonly watchedAt?: number },
): Promise<{ readonly raised: readonly RaisedAlarm[]; readonly cleared: readonly string[] }> {
  const judged = await sourcesHealth(store, options)
  const open = new Map((await openAlarms(store.db)).map((alarm) => [`${alarm.sourceId} ${alarm.kind}`, alarm]))
  const raised: RaisedAlarm[] = []
  const cleared: string[] = []
  for (const { health } of judged) {
    for (const { kind, detail, share } of health.alarms) {
      const name = `${health.sourceId} ${kind}`
      const known = open.get(name)
      open.delete(name)
      if (!known) {
        await insertAlarm(store.db, { sourceId: health.sourceId, kind, raisedAt: options.now, detail, share })
        raised.push({ sourceId: health.sourceId, kind, detail })
      } else if (kind === quarantineKind) {
        if (known.raisedAt > (options.watchedAt ?? 0)) raised.push({ sourceId: health.sourceId, kind, detail })
      } else if (known.detail !== detail) {
        await updateAlarm(store.db, known, { detail, share })
      }
    }
  }
  for (const alarm of open.values()) {
    // only an operator ends a quarantine, also if the source was turned off
    if (alarm.kind === quarantineKind) continue
    await updateAlarm(store.db, alarm, { clearedAt: options.now })
    cleared.push(`${alarm.sourceId}: ${alarm.kind}`)
  }
  return { raised, cleared }
}

const emptyRecord = (sourceId: string): SourceRecord => ({
  sourceId,
  firstReadAt: null,
  lastReadAt: null,
  lastSuccessAt: null,
  lastNewAt: null,
  failures: 0,
  lastError: null,
  lastReason: null,
  isVisited: false,
  turnedOff: null,
  newByDay: {},
  recentDocuments: 0,
  recentRejections: {},
  short: [],
  waitingSlots: 0,
  newNames: [],
  outcomes: [],
  farWinners: [],
  quarantine: null,
})

async function sourceRecords(
  { db }: Pick<Store, 'db'>,
  { sources, now }: WatchOptions,
): Promise<ReadonlyMap<string, Omit<SourceRecord, 'isVisited' | 'turnedOff'>>> {
  const ids = [...sources.keys()]
  const zones = new Map([...sources.values()].map(({ id, zone }) => [id, zone]))
  const recentSince = now - recentDays * dayMs
  const readings = await readingsBySource(db, ids)
  const brought = await newDocumentsByDay(db, zones, { since: now - countedDays * dayMs, recentSince })
  const rejected = await rejectionsSince(db, ids, recentSince)
  const short = (await shortSlots(db)).filter(
    ({ missingSince }) => missingSince !== null && now - missingSince >= shortMs,
  )
  const waiting = await countDueSlots(db, now)
  const names = await newNames(db, fewestDocuments)
  const quarantines = new Map((await listQuarantines(db)).map(({ sourceId, ...held }) => [sourceId, held]))
  const outcomes = Map.groupBy(await outcomesSince(db, dayOf(now - outcomeDays * dayMs)), ({ sourceId }) => sourceId)
  const winners = await farWinners(db, dayOf(now - recentDays * dayMs))
  const broughtBySource = Map.groupBy(brought, ({ sourceId }) => sourceId)
  return new Map(
    readings.map(({ sourceId, ...reading }) => {
      const days = broughtBySource.get(sourceId) ?? []
      const record = {
        ...reading,
        sourceId,
        newByDay: Object.fromEntries(days.map(({ day, documents }) => [day, documents])),
        recentDocuments: days.reduce((sum, { recent }) => sum + recent, 0),
        recentRejections: Object.fromEntries(
          rejected.filter((each) => each.sourceId === sourceId).map(({ reason, count }) => [reason, count]),
        ),
        short: short
          .filter((each) => each.sourceId === sourceId)
          .map(({ channel, slot, announced, delivered, missing, missingSince }) => ({
            slot: `${channel} ${slot}`,
            announced,
            delivered,
            missing,
            since: missingSince ?? now,
          })),
        waitingSlots: waiting.get(sourceId) ?? 0,
        newNames: names
          .filter((each) => each.sourceId === sourceId)
          .map(({ name, documents, firstSeenAt }) => ({ name, documents, since: firstSeenAt })),
        outcomes: outcomes.get(sourceId) ?? [],
        farWinners: winners.get(sourceId) ?? [],
        quarantine: quarantines.get(sourceId) ?? null,
      }
      return [sourceId, record]
    }),
  )
}

/** By source, the names of winners that reach too far, as one of their records has them. */
async function farWinners(db: Store['db'], day: string): Promise<ReadonlyMap<string, string[]>> {
  const names = new Map<string, string[]>()
  for (const { sourceId, winner, body } of await farReachingWinners(db, day)) {
    const found = [...winnersOf(JSON.parse(body) as TenderRecord).values()].find(
      (name) => winnerHash(nameKey(name)) === winner,
    )
    if (found !== undefined) names.set(sourceId, [...(names.get(sourceId) ?? []), found])
  }
  return names
}
