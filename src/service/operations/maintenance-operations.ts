// `tenderstock maintenance`: closes the API of all nodes until a time, and opens it again.
import { closeApi, openApi } from '../../actions/maintenance.ts'
import { dayMs, toInstant } from '../../domain/time.ts'
import { OperatorError } from '../../platform/errors.ts'
import { mailDomainOf } from '../../platform/mail-address.ts'
import { inTransaction } from '../../store/database/database.ts'
import { actingNow, type Operation, type Operations, type ServiceContext } from '../control/operation-context.ts'

/** Maximum number of days until the end. */
const longestDays = 7
/** Date, time and zone of ISO 8601; without a zone the time would be ambiguous. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/

const actingOn = (context: ServiceContext) => ({
  ...actingNow(context),
  mailDomain: mailDomainOf(context.config.mail?.from),
})

export const beginMaintenance: Operation = async (context, { options }, emit) => {
  const until = readEnd(String(options['until']), context.clock())
  await inTransaction(context.store, (trx) => closeApi(trx, actingOn(context), until))
  emit({ event: 'maintenance', until })
  return 0
}

export const endMaintenance: Operation = async (context, _request, emit) => {
  const wasOn = await inTransaction(context.store, (trx) => openApi(trx, actingOn(context)))
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
    throw new OperatorError(
      'invalid-option',
      `--until takes a time with its zone, such as ${toInstant(now).slice(0, 11)}06:00Z or ` +
        `${toInstant(now).slice(0, 11)}06:00+01:00, not "${text.slice(0, 40)}".`,
    )
  if (until <= now)
    throw new OperatorError(
      'invalid-option',
      `${toInstant(until)} is in the past: it is now ${toInstant(now)}; name a later time.`,
    )
  if (until - now > longestDays * dayMs)
    throw new OperatorError(
      'invalid-option',
      `Maintenance may last at most ${longestDays} days: name a time up to ${toInstant(now + longestDays * dayMs)}.`,
    )
  return until
}

export const operations = {
  'maintenance on': beginMaintenance,
  'maintenance off': endMaintenance,
  'clock advance': async ({ advanceClock }, { options }, emit) => {
    if (!advanceClock)
      throw new OperatorError(
        'no-trial-clock',
        'This command needs a running service that was started with --trial-clock.',
      )
    emit({ event: 'clock', now: toInstant(await advanceClock(Number(options.ms))) })
    return 0
  },
} satisfies Operations
