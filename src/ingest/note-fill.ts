// Counts which fields the new notices of a source have, and puts the source into quarantine when a share breaks: in the
// transaction that stores the notices, so that none of them is consolidated before.
import { dayMs } from '../domain/time.ts'
import type { Executor } from '../store/database/database.ts'
import { addFill, listFill, namesSince, quarantineKind, quarantineOf } from '../store/sources/source-fill.ts'
import { insertAlarm } from '../store/sources/source-health.ts'
import { brokenFills, type ExpectedFill, fillSentence, pastDays, tallyFill } from './fill-rates.ts'
import type { ReadDocument } from './read-document.ts'

/** Longer than the past and the days that are judged. */
const keptMs = (pastDays + 10) * dayMs
/** Names this new may be what a broken field is called now. */
const newNamesMs = 3 * dayMs
const maxNames = 5

export async function noteFill(
  trx: Executor,
  sourceId: string,
  documents: readonly Pick<ReadDocument, 'parts'>[],
  { now, expected }: { readonly now: number; readonly expected: ExpectedFill },
): Promise<void> {
  const notices = documents.flatMap(({ parts }) => parts.flatMap((part) => ('notice' in part ? [part.notice] : [])))
  const tallies = tallyFill(notices, now)
  if (tallies.length === 0) return
  await addFill(trx, sourceId, tallies, new Date(now - keptMs).toISOString().slice(0, 10))
  const { isHeld, releasedAt } = await quarantineOf(trx, sourceId)
  if (isHeld) return
  const broken = brokenFills(await listFill(trx, sourceId), { now, expected, acceptedUntil: releasedAt })
  if (broken.length === 0) return
  const names = await namesSince(trx, sourceId, now - newNamesMs, maxNames)
  await insertAlarm(trx, {
    sourceId,
    kind: quarantineKind,
    raisedAt: now,
    detail: fillSentence(broken, names),
    share: 1,
  })
}
