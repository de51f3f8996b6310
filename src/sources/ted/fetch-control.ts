// The search as a witness: each day's announced total against what is held, and the notices of the day that has no
// package yet.
import { epochMs } from '../../domain/time.ts'
import { Retryable } from '../../platform/http.ts'
import type { Fetch } from '../fetch.ts'
import { fetchMissing, nameMissing } from './complete-day.ts'
import { DayLedger } from './day-ledger.ts'
import { issueOn, releaseCalendar } from './release-calendar.ts'
import { announcedOn } from './search.ts'
import { SlotProgress, StepBatch } from './step-batch.ts'

/**
 * Compares one day. The current day is fetched notice by notice while its package is not published. A past day whose
 * package was not read yet is not checked: `notYet`. A count of zero for a day that has an issue is no empty day.
 */
export const fetchControl: Fetch = async function* (context) {
  const day = context.slot.key
  // a mistake in the card: the control is read by day
  if (context.slot.to === undefined) throw new Error(`the slot ${day} is no span of time`)
  const isRunning = context.now() < epochMs(context.slot.to)
  const ledger = new DayLedger(context)
  await ledger.open([day])
  const held = ledger.day(day)

  const { calendar, items } = await releaseCalendar(context, day)
  if (items.length > 0) yield { documents: [], entries: 0, items }
  const hasIssue = issueOn(calendar, day) !== 'none'
  if (hasIssue && !isRunning && !held.isPackageRead) return { kind: 'notYet' }

  const batch = new StepBatch(ledger, new SlotProgress(context.checkpoint))
  const announced = await announcedOn(context, day)
  if (announced === 0) {
    if (!hasIssue) {
      // An earlier run of the slot may have noted another total.
      if (context.checkpoint !== undefined) yield batch.take(0)
      return { kind: 'empty' }
    }
    if (isRunning && !held.isPackageRead) return { kind: 'notYet' }
    throw new Retryable(`the search of TED counts nothing for ${day}, which has an issue`)
  }
  batch.countUpTo(held.numbers.size)
  yield batch.take(announced)
  if (held.numbers.size >= announced) return { kind: 'complete' }
  const balance = yield* fetchMissing(context, ledger, batch, day)
  return balance.missing.size === 0 ? { kind: 'complete' } : { kind: 'short', missing: nameMissing(day, balance) }
}
