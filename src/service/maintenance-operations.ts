// `tenderstock maintenance`: closes the API of all nodes until a time, and opens it again.
import { dayMs, toInstant } from '../domain/time.ts'
import { OperatorError, wrongUse } from '../platform/errors.ts'
import { inTransaction } from '../store/database.ts'
import { loadMaintenance, saveMaintenance } from '../store/maintenance.ts'
import { noteCommand } from './command-note.ts'
import type { Operation, Operations } from './operation-context.ts'

/** Maximum number of days until the end. */
const longestDays = 7
/** Date, time and zone of ISO 8601; without a zone the time would be ambiguous. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/
const subject = 'API'

export const beginMaintenance: Operation = async (context, { options }, emit) => {
  const { store, clock } = context
  const until = readEnd(String(options['until']), clock())
  await inTransaction(store, async (trx) => {
    await saveMaintenance(trx, until)
    await noteCommand(trx, context, { action: 'maintenance.on', subject, detail: { until: toInstant(until) } })
  })
  emit({ event: 'maintenance', until })
  return 0
}

export const endMaintenance: Operation = async (context, _request, emit) => {
  const { store, clock } = context
  const wasOn = await inTransaction(store, async (trx) => {
    const until = await loadMaintenance(trx)
    if (until === undefined || until <= clock()) return false
    await saveMaintenance(trx, undefined)
    await noteCommand(trx, context, { action: 'maintenance.off', subject, detail: { until: toInstant(until) } })
    return true
  })
  if (wasOn) emit({ event: 'maintenance', until: null })
  else emit({ event: 'none', message: 'The API is not under maintenance.' })
  return 0
}

/** Throws OperatorError for a text that is not a time, or a time that is past or too far ahead. */
function readEnd(text: string, now: number): number {
  // Date.parse accepts the 31st of any month
  const day = Date.parse(`${text.slice(0, 10)}T00:00Z`)
  const isDay = timePattern.test(text) && !Number.isNaN(day) && toInstant(day).startsWith(text.slice(0, 10))
  const until = isDay ? Date.parse(text) : Number.NaN
  if (Number.isNaN(until))
    throw wrongUse(
      `--until takes a time with its zone, such as ${toInstant(now).slice(0, 11)}06:00Z or ` +
        `${toInstant(now).slice(0, 11)}06:00+01:00, not "${text.slice(0, 40)}".`,
    )
  if (until <= now)
    throw wrongUse(`${toInstant(until)} is in the past: it is now ${toInstant(now)}; name a later time.`)
  if (until - now > longestDays * dayMs)
    throw wrongUse(
      `Maintenance may last at most ${longestDays} days: name a time up to ${toInstant(now + longestDays * dayMs)}.`,
    )
  return until
}

export const operations = {
  'maintenance on': beginMaintenance,
  'maintenance off': endMaintenance,
  'clock advance': async ({ advanceClock }, { options }, emit) => {
    if (!advanceClock)
      throw new OperatorError('This command needs a running service that was started with --trial-clock.')
    emit({ event: 'clock', now: toInstant(await advanceClock(Number(options.ms))) })
    return 0
  },
} satisfies Operations
