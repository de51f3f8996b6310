// Writes what the readers counted to the database or a bucket, one minute at a time: a killed process loses the current
// minute, and nothing is counted twice.
import { addressPrefix } from '../../api/limits/address-prefix.ts'
import type { TokenUse } from '../../api/tokens/use-counter.ts'
import { minuteMs } from '../../domain/time.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Random } from '../../platform/random.ts'
import { within } from '../../platform/within.ts'
import type { Store } from '../../store/database/database.ts'
import { addOnce, forgetAdded } from '../../store/editions/edition-export.ts'
import { addApiUse, allTokens, noteOrigins, type TokenOrigin, type UsedMinute } from '../../store/people/api-use.ts'
import { keepLooking } from '../watch/keep-looking.ts'

const lookMs = 1_000
/** How long after its end a minute is written: readers report every second. */
const graceMs = 3_000
/** Maximum number of minutes to keep while the database does not accept them; the oldest are lost first. */
const maxMinutes = 120
/** How long a close waits for the database. */
const closeMs = 2_000

export type UseLedger = {
  readonly add: (use: readonly TokenUse[]) => void
  /** Writes what is left. */
  readonly close: () => Promise<void>
}

/** Counts of one minute, under a name that no other ones have. */
export type UseBatch = { readonly name: string; readonly minuteMs: number; readonly minutes: readonly UsedMinute[] }

/** Where counts are written. */
export type UseSink = {
  /** May be called again with the same counts when it rejected: they are added once. */
  readonly add: (batch: UseBatch) => Promise<void>
  readonly note: (origins: readonly TokenOrigin[]) => Promise<void>
}

export const databaseUse = ({ db }: Pick<Store, 'db'>, clock: Clock): UseSink => ({
  add: async ({ name, minuteMs, minutes }) => {
    await addOnce({ db }, { name, now: clock() }, (trx) => addApiUse(trx, minuteMs, minutes))
    await forgetAdded(db, name)
  },
  note: (origins) => noteOrigins(db, origins),
})

export function openUseLedger({
  sink,
  clock,
  random,
  log,
}: {
  readonly sink: UseSink
  readonly clock: Clock
  readonly random: Pick<Random, 'uuid'>
  readonly log: Log
}): UseLedger {
  /** By minute, then by organization and token. */
  const minutes = new Map<number, Map<string, UsedMinute>>()
  /** Whole minutes that are to be written, the oldest first; one may have been written when its answer was lost. */
  const waiting: UseBatch[] = []
  const origins = new Map<string, TokenOrigin>()

  const addTo = (
    minute: number,
    { organizationId, tokenId, answered, refused, records = 0, bytes = 0 }: UsedMinute,
  ) => {
    const counts = minutes.get(minute) ?? new Map<string, UsedMinute>()
    minutes.set(minute, counts)
    const key = `${organizationId} ${tokenId}`
    const before = counts.get(key)
    counts.set(key, {
      organizationId,
      tokenId,
      answered: answered + (before?.answered ?? 0),
      refused: refused + (before?.refused ?? 0),
      records: records + (before?.records ?? 0),
      bytes: bytes + (before?.bytes ?? 0),
    })
  }
  const write = async (before: number) => {
    for (const minute of [...minutes.keys()].filter((each) => each < before).sort((left, right) => left - right)) {
      waiting.push({ name: random.uuid(), minuteMs: minute, minutes: [...minutes.get(minute)!.values()] })
      minutes.delete(minute)
    }
    while (waiting.length > maxMinutes) waiting.shift()
    for (let [batch] = waiting; batch; [batch] = waiting) {
      await sink.add(batch)
      waiting.shift()
    }
    const noted = [...origins.values()]
    origins.clear()
    if (noted.length > 0) await sink.note(noted)
  }
  const looking = keepLooking({
    look: async () => {
      const now = clock() - graceMs
      const present = now - (now % minuteMs)
      if (waiting.length > 0 || [...minutes.keys()].some((minute) => minute < present)) await write(present)
    },
    everyMs: lookMs,
    log,
    concern: 'Requests are not counted',
    // counts for people do not justify an alarm
    report: () => {},
  })
  return {
    add: (use) => {
      for (const each of use) {
        addTo(each.minute, each)
        addTo(each.minute, { ...each, tokenId: allTokens })
        origins.set(each.tokenId, { tokenId: each.tokenId, from: addressPrefix(each.address), agent: each.agent })
      }
      for (const minute of minutes.keys()) if (minutes.size > maxMinutes) minutes.delete(minute)
    },
    close: async () => {
      await looking.close()
      await within(write(Number.POSITIVE_INFINITY), closeMs).catch((error: unknown) =>
        log.error({ error: String(error) }, 'requests of the last minute are not counted'),
      )
    },
  }
}
