// Writes what the readers counted to the database or a bucket, one minute at a time: a killed process loses the current
// minute.

import { addressPrefix } from '../../api/limits/address-prefix.ts'
import type { TokenUse } from '../../api/tokens/use-counter.ts'
import { minuteMs } from '../../domain/time.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { within } from '../../platform/within.ts'
import type { Store } from '../../store/database/database.ts'
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

/** Where counts are written. */
export type UseSink = {
  readonly add: (minuteMs: number, minutes: readonly UsedMinute[]) => Promise<void>
  readonly note: (origins: readonly TokenOrigin[]) => Promise<void>
}

export const databaseUse = ({ db }: Pick<Store, 'db'>): UseSink => ({
  add: (minuteMs, minutes) => addApiUse(db, minuteMs, minutes),
  note: (origins) => noteOrigins(db, origins),
})

export function openUseLedger({
  sink,
  clock,
  log,
}: {
  readonly sink: UseSink
  readonly clock: Clock
  readonly log: Log
}): UseLedger {
  /** By minute, then by organization and token. */
  const minutes = new Map<number, Map<string, UsedMinute>>()
  const origins = new Map<string, TokenOrigin>()

  const addTo = (minute: number, { organizationId, tokenId, answered, refused }: UsedMinute) => {
    const counts = minutes.get(minute) ?? new Map<string, UsedMinute>()
    minutes.set(minute, counts)
    const key = `${organizationId} ${tokenId}`
    const before = counts.get(key)
    counts.set(key, {
      organizationId,
      tokenId,
      answered: answered + (before?.answered ?? 0),
      refused: refused + (before?.refused ?? 0),
    })
  }
  const write = async (before: number) => {
    for (const minute of [...minutes.keys()].filter((each) => each < before).sort((left, right) => left - right)) {
      const counts = minutes.get(minute)!
      minutes.delete(minute)
      try {
        await sink.add(minute, [...counts.values()])
      } catch (error) {
        for (const each of counts.values()) addTo(minute, each)
        throw error
      }
    }
    const noted = [...origins.values()]
    origins.clear()
    if (noted.length > 0) await sink.note(noted)
  }
  const looking = keepLooking({
    look: async () => {
      const now = clock() - graceMs
      const present = now - (now % minuteMs)
      if ([...minutes.keys()].some((minute) => minute < present)) await write(present)
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
