// Keeps the files of whole editions in the operator's bucket, from which they are then loaded. Nodes share it: the same
// editions give the same files, so each puts what is missing there. What one does not name, another may: each puts what
// it names again before it is old, and removes what it has not named for hours only if it is old.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAddresses } from '../../api/bulk/bulk-addresses.ts'
import { dayMs } from '../../domain/time.ts'
import { bulkNamePattern, linkLifeMs } from '../../edition/bulk/bulk-state.ts'
import { type Clock, every, systemClock, systemSleep } from '../../platform/clock.ts'
import type { BucketLocation } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { undefinedWhenMissing } from '../../platform/folders.ts'
import { openHttp } from '../../platform/http.ts'
import type { Log } from '../../platform/log.ts'
import { systemRandom } from '../../platform/random.ts'
import { type Bucket, openBucket } from '../../store/files/bucket.ts'
import { keepLooking } from '../watch/keep-looking.ts'

/** An object has up to 100 MB. */
const bucketTimeoutMs = 120_000
const lookMs = 5000
/** How often to look at what the bucket holds although nothing changed here. */
const listMs = 60_000
/** How long everything but an object may take: meanwhile links lead to the bucket. */
const longestAnswerMs = 30_000
/** How often to look whether other files are wanted while one is put. */
const changeMs = 1000
/** How old an object is, by the clock of the store, before a node removes it that does not name it. */
const keptMs = dayMs
/** How old an object may become while a node names it. */
const renewedMs = keptMs / 2
/** How much later than the database the clock of the store may be. */
const mostSkewMs = 10 * 60_000

export type BulkBucket = Pick<Bucket, 'put' | 'list' | 'remove' | 'close'> & {
  /** Throws where the address of an object does not open it. */
  readonly tryAddress: (path: string, signal: AbortSignal) => Promise<void>
}

export function openBulkBucket(location: BucketLocation, version: string): BulkBucket {
  const bucket = openBucket(location, {
    clock: systemClock,
    sleep: systemSleep,
    random: systemRandom,
    version,
    named: 'the address in TENDERSTOCK_BULK_FILES',
    timeoutMs: bucketTimeoutMs,
  })
  const http = openHttp({
    network: location.endpoint === undefined ? 'public' : 'any',
    userAgent: `Tenderstock/${version}`,
  })
  const addressOf = openAddresses(location, systemClock)
  return {
    ...bucket,
    tryAddress: async (path, signal) => {
      const url = await addressOf(path)
      const secrets = [new URL(url).search]
      const answer = await http.send({ url, headers: { range: 'bytes=0-0' }, redirects: 'leave', signal, secrets })
      await answer.discard()
      if (answer.status === 206 || answer.status === 200) return
      const code = `The bucket ${location.bucket} answered ${answer.status} to a signed address`
      throw new OperatorError('bucket-refuses', `${code}; let the key read objects (s3:GetObject).`)
    },
    close: async () => {
      await http.close()
      await bucket.close()
    },
  }
}

export function keepInBucket({
  bucket,
  folder,
  wanted,
  isNeeded,
  redactedAt,
  onChange,
  log,
  everyMs = lookMs,
  answerMs = longestAnswerMs,
  clock = systemClock,
}: {
  readonly bucket: BulkBucket
  readonly folder: string
  /** Names of the files that may be loaded now; undefined: not known yet. */
  readonly wanted: () => readonly string[] | undefined
  /** Whether any contract has files. */
  readonly isNeeded: () => boolean
  /** When the last redaction was applied. */
  readonly redactedAt: () => number
  /** Called when other files are there. */
  readonly onChange: () => void
  readonly log: Log
  readonly everyMs?: number
  readonly answerMs?: number
  readonly clock?: Clock
}): { readonly names: () => readonly string[]; readonly close: () => Promise<void> } {
  let there: ReadonlySet<string> = new Set()
  let looked: { readonly at: number; readonly print: string } | undefined
  /** The redaction after which everything that is not named was removed. */
  let cleared: number | undefined
  /** Since when this node knows that it does not name what is there. */
  let unnamed: ReadonlyMap<string, number> = new Map()
  /** When this node put what it names: the clock of the store may be wrong. */
  let putAt: ReadonlyMap<string, number> = new Map()
  const note = (names: Iterable<string>) => {
    there = new Set(names)
    onChange()
  }
  const within = (ms: number, signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(ms)])
  const soon = (signal: AbortSignal) => within(answerMs, signal)

  type Held = { readonly held: Set<string>; readonly aging: ReadonlySet<string> }

  /** Removes what has not been named for long. Resolves to what is there, and which of it is to be put again. */
  async function clean(names: readonly string[] | undefined, signal: AbortSignal): Promise<Held> {
    const [at, redacted] = [clock(), redactedAt()]
    const isAtOnce = !isNeeded() || (cleared !== undefined && cleared !== redacted)
    const objects = (await bucket.list('', soon(signal))).filter(({ path }) => bulkNamePattern.test(path))
    const held = new Set(objects.map(({ path }) => path).filter((path) => names?.includes(path)))
    note([...held].filter((name) => there.has(name)))
    const left = new Map<string, number>()
    for (const { path, modifiedAt } of objects) {
      if (held.has(path)) continue
      // another node may have made what this one does not name yet, or still name what this one does not
      const since = unnamed.get(path) ?? (names && at)
      const isUnnamed = names !== undefined && since !== undefined && at - since >= linkLifeMs
      const isOver = isUnnamed && at - modifiedAt >= keptMs
      if (isAtOnce || isOver || modifiedAt <= redacted + mostSkewMs) await bucket.remove(path, soon(signal))
      else if (since !== undefined) left.set(path, since)
    }
    unnamed = left
    cleared = redacted
    putAt = new Map([...putAt].filter(([path]) => held.has(path)))
    const lastPut = ({ path, modifiedAt }: (typeof objects)[number]) => Math.max(modifiedAt, putAt.get(path) ?? 0)
    const aging = objects.filter((each) => held.has(each.path) && at - lastPut(each) >= renewedMs)
    return { held, aging: new Set(aging.map(({ path }) => path)) }
  }

  /** Resolves to whether everything that is named is there. */
  async function bring(names: readonly string[] | undefined, signal: AbortSignal): Promise<boolean> {
    const { held, aging } = await clean(names, signal)
    let isTried = false
    const show = async () => {
      const [first] = held
      if (first !== undefined && !isTried) await bucket.tryAddress(first, soon(signal))
      isTried = first !== undefined
      note(held)
    }
    await show()
    // what is missing first
    const order = [...(names ?? [])].sort((one, other) => Number(held.has(one)) - Number(held.has(other)))
    for (const name of order) {
      if (held.has(name) && !aging.has(name)) continue
      const bytes = await readFile(join(folder, name)).catch(undefinedWhenMissing)
      if (!bytes) return false
      await bucket.put(name, bytes, within(bucketTimeoutMs, signal))
      held.add(name)
      putAt = new Map([...putAt, [name, clock()]])
    }
    await show()
    return true
  }

  const looking = keepLooking({
    look: async (stopping) => {
      const names = wanted()
      const printOf = () => [isNeeded(), redactedAt(), ...(wanted() ?? ['?'])].join()
      const now = { at: clock(), print: printOf() }
      if (now.print === looked?.print && now.at - looked.at < listMs) return
      const other = new AbortController()
      const end = every(Math.min(everyMs, changeMs), () => {
        if (printOf() !== now.print) other.abort(new Error('other files are wanted'))
      })
      looked = undefined
      try {
        if (await bring(names, AbortSignal.any([stopping, other.signal]))) looked = now
      } catch (error) {
        // the next look sees to them
        if (other.signal.aborted) return
        note([])
        throw error
      } finally {
        end()
      }
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
