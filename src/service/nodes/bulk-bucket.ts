// Keeps the files of whole editions in the operator's bucket, from which they are then loaded. Nodes share it: the same
// editions give the same files, so each puts what is missing there and removes what it does not name.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bulkNamePattern, linkLifeMs } from '../../edition/bulk/bulk-state.ts'
import { type Clock, systemClock, systemSleep } from '../../platform/clock.ts'
import type { BucketLocation } from '../../platform/config.ts'
import { undefinedWhenMissing } from '../../platform/folders.ts'
import type { Log } from '../../platform/log.ts'
import { systemRandom } from '../../platform/random.ts'
import { type Bucket, openBucket } from '../../store/files/bucket.ts'
import { keepLooking } from '../watch/keep-looking.ts'

/** An object has up to 100 MB. */
const bucketTimeoutMs = 120_000
const lookMs = 5000
/** How often to look at what the bucket holds although nothing changed here. */
const listMs = 60_000
/** How much later than the database the clock of the store may be. */
const mostSkewMs = 10 * 60_000

export const openBulkBucket = (location: BucketLocation, version: string): Bucket =>
  openBucket(location, {
    clock: systemClock,
    sleep: systemSleep,
    random: systemRandom,
    version,
    named: 'the address in TENDERSTOCK_BULK_FILES',
    timeoutMs: bucketTimeoutMs,
  })

export function keepInBucket({
  bucket,
  folder,
  wanted,
  isNeeded,
  redactedAt,
  onChange,
  log,
  everyMs = lookMs,
  clock = systemClock,
}: {
  readonly bucket: Bucket
  readonly folder: string
  /** Names of the files that may be loaded now. */
  readonly wanted: () => readonly string[]
  /** Whether any contract has files, as far as is known. */
  readonly isNeeded: () => boolean
  /** When the last redaction was applied. */
  readonly redactedAt: () => number
  /** Called when other files are there. */
  readonly onChange: () => void
  readonly log: Log
  readonly everyMs?: number
  readonly clock?: Clock
}): { readonly names: () => readonly string[]; readonly close: () => Promise<void> } {
  let there: ReadonlySet<string> = new Set()
  let looked: { readonly at: number; readonly redactedAt: number; readonly print: string } | undefined
  const note = (names: ReadonlySet<string>) => {
    there = names
    onChange()
  }

  /** Removes what is named no more, and resolves to what is there. */
  async function clean(names: readonly string[]): Promise<Set<string>> {
    const held = new Set<string>()
    // another node may have made what this one does not name yet
    const isAtOnce = !isNeeded() || (looked !== undefined && looked.redactedAt !== redactedAt())
    const oldest = Math.max(clock() - linkLifeMs, redactedAt() + mostSkewMs)
    for (const { path, modifiedAt } of await bucket.list('')) {
      if (names.includes(path)) held.add(path)
      else if (bulkNamePattern.test(path) && (isAtOnce || modifiedAt <= oldest)) await bucket.remove(path)
    }
    return held
  }

  const looking = keepLooking({
    look: async (signal) => {
      const names = wanted()
      const printOf = () => [isNeeded(), redactedAt(), ...wanted()].join()
      const now = { at: clock(), redactedAt: redactedAt(), print: printOf() }
      if (now.print === looked?.print && now.at - looked.at < listMs) return
      const held = await clean(names)
      note(new Set(held))
      for (const name of names) {
        // other files are wanted: the next look sees to them
        if (signal.aborted || printOf() !== now.print) return
        if (held.has(name)) continue
        const bytes = await readFile(join(folder, name)).catch(undefinedWhenMissing)
        if (!bytes) return
        await bucket.put(name, bytes)
        held.add(name)
      }
      note(held)
      looked = now
    },
    everyMs,
    log,
    concern: 'Files of whole editions are not in the bucket, and come from this node',
    // they are served from here
    report: () => {},
  })
  return {
    names: () => [...there].sort(),
    close: async () => {
      await looking.close()
      await bucket.close()
    },
  }
}
