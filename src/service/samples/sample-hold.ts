// The one edition of the sample stock that the gate holds back, so that a newcomer meets a hold on the desk: an hour
// after an edition, one sample portal counts as having delivered less than it announced, for an hour.
import { hourMs } from '../../domain/time.ts'
import type { Store } from '../../store/database/database.ts'
import { newestEdition } from '../../store/editions/editions.ts'
import { alarmsOf, insertAlarm, updateAlarm } from '../../store/sources/source-health.ts'

/** Names more of the records than an alarm needs to hold an edition, and is read without a key of one's own. */
const heldSource = 'no-doffin'
const [announced, delivered] = [24, 18]

/**
 * Raises the alarm once in the life of a stock and clears it an hour later. Call it after publishing: an edition that
 * was due at a start is never held, nor is one of a service that publishes more often than hourly.
 */
export async function plantHold(
  { db }: Pick<Store, 'db'>,
  { now, sources }: { readonly now: number; readonly sources: readonly string[] },
): Promise<void> {
  if (!sources.includes(heldSource)) return
  const alarms = await alarmsOf(db, heldSource, 1)
  const open = alarms.find(({ clearedAt }) => clearedAt === null)
  if (open && now - open.raisedAt >= hourMs) await updateAlarm(db, open, { clearedAt: now })
  if (alarms.length > 0) return
  const edition = await newestEdition(db)
  if (!edition || now - edition.publishedAt < hourMs) return
  await insertAlarm(db, {
    sourceId: heldSource,
    kind: 'totals',
    raisedAt: now,
    detail: `The portal announced ${announced} and delivered ${delivered}. This alarm is part of the samples and ends after an hour.`,
    share: 1 - delivered / announced,
  })
}
