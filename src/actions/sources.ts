// What operators do about sources. Each change runs in the transaction of its caller, and leaves one entry of the audit
// log if it changed something.
import type { Executor } from '../store/database/database.ts'
import { listQuarantines, releaseSource as release } from '../store/sources/source-fill.ts'
import { type AlarmRow, acknowledgeAlarm as acknowledge } from '../store/sources/source-health.ts'
import {
  sourcesTurnedOff,
  turnSourceOff as turnOff,
  turnSourceOn as turnOn,
} from '../store/sources/sources-turned-off.ts'
import { type ActingNow, record } from './acting.ts'

/** Records that somebody has seen an alarm. Returns false if there is none of this name. */
export async function acknowledgeAlarm(
  trx: Executor,
  acting: ActingNow,
  alarm: Pick<AlarmRow, 'sourceId' | 'kind' | 'raisedAt'>,
  note: string,
): Promise<boolean> {
  const { now: at, actor: by } = acting
  if (!(await acknowledge(trx, alarm, { at, by, note }))) return false
  const { sourceId, kind } = alarm
  await record(trx, acting, { action: 'alarm.acknowledge', subject: sourceId, detail: { kind, note } })
  return true
}

/** The quarantine that was ended. */
type Quarantine = Awaited<ReturnType<typeof listQuarantines>>[number]

/** `none`: the source is in no quarantine. `stale`: it is in another one than was seen. */
export type Release =
  | { readonly kind: 'released'; readonly quarantine: Quarantine }
  | { readonly kind: 'none' }
  | { readonly kind: 'stale' }

/** Ends the quarantine of a source. `seen`: when the one began that whoever acts had before them. */
export async function releaseSource(
  trx: Executor,
  acting: ActingNow,
  sourceId: string,
  { note, seen }: { readonly note: string; readonly seen?: number | undefined },
): Promise<Release> {
  const quarantine = (await listQuarantines(trx)).find((each) => each.sourceId === sourceId)
  const { now: at, actor: by } = acting
  if (quarantine && seen !== undefined && quarantine.since !== seen) return { kind: 'stale' }
  if (!quarantine || !(await release(trx, sourceId, { at, by, note }))) return { kind: 'none' }
  const detail = { notices: quarantine.notices, note }
  await record(trx, acting, { action: 'source.release', subject: sourceId, detail })
  return { kind: 'released', quarantine }
}

/** Turns a source off: no worker reads it until it is turned on. `same`: it is off for this reason already. */
export async function turnSourceOff(
  trx: Executor,
  acting: ActingNow,
  sourceId: string,
  reason: string,
): Promise<'off' | 'same'> {
  if ((await sourcesTurnedOff(trx)).get(sourceId)?.reason === reason) return 'same'
  await turnOff(trx, sourceId, { at: acting.now, by: acting.actor, reason })
  await record(trx, acting, { action: 'source.turnOff', subject: sourceId, detail: { reason } })
  return 'off'
}

/** Turns a source on again. Returns false if no operator had turned it off. */
export async function turnSourceOn(trx: Executor, acting: ActingNow, sourceId: string): Promise<boolean> {
  if (!(await turnOn(trx, sourceId))) return false
  await record(trx, acting, { action: 'source.turnOn', subject: sourceId })
  return true
}

/** Notes that a source is about to be read: a process that dies meanwhile leaves the entry. */
export const noteReading = (db: Executor, acting: ActingNow, sourceId: string): Promise<void> =>
  record(db, acting, { action: 'source.read', subject: sourceId })
