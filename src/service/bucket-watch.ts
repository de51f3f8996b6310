// What a node without a database knows: the head of the bucket and the sealed access beside it, read repeatedly. A copy
// of the access in the data folder lets the node start while the bucket is unreachable.
import type { CursorKeySource } from '../api/cursors/cursor-key-ring.ts'
import type { TokenSource } from '../api/token-table.ts'
import { minuteMs } from '../domain/time.ts'
import { accessPath } from '../edition/format/bucket-files.ts'
import type { BucketSource } from '../edition/write/bucket-source.ts'
import type { Clock } from '../platform/clock.ts'
import { OperatorError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Sealer } from '../platform/sealing.ts'
import type { Bucket } from '../store/bucket.ts'
import type { DatabaseWatch } from './database-watch.ts'
import { type Access, openAccess, readAccess as readKept, writeAccess } from './kept-access.ts'
import type { NodeState } from './node-state.ts'

const headEveryMs = 2000
/** How often to read the access. A revocation takes effect within 60 s: it is written within a few seconds. */
const accessEveryMs = 5_000
/** How long the bucket may be silent before it is reported. */
const quietMs = 10_000
/** Maximum age of the access, which the publisher writes every minute. */
const oldestAccessMs = 10 * minuteMs

export type BucketWatch = DatabaseWatch & { readonly tokens: TokenSource; readonly cursorKeys: CursorKeySource }

/** Throws OperatorError when neither the bucket nor the data folder has an access that can be opened. */
export async function watchBucket(options: {
  readonly bucket: Pick<Bucket, 'get'>
  readonly source: BucketSource
  readonly sealer: Sealer
  readonly dataFolder: string
  readonly clock: Clock
  readonly steadyClock: Clock
  readonly state: NodeState
  readonly log: Log
}): Promise<BucketWatch> {
  const { bucket, source, sealer, dataFolder, clock, steadyClock, state, log } = options
  let access: Access | undefined
  let accessAt = Number.NEGATIVE_INFINITY
  let readingAccess: Promise<void> | undefined
  let newestKnown = 0
  let headAt = Number.NEGATIVE_INFINITY
  let answeredAt = steadyClock()
  let isReported = false

  const take = (found: Access): boolean => {
    // an older object that was put back must not make a revoked token valid again
    if (access && found.writtenAt < access.writtenAt && found.tokenSerial < access.tokenSerial) return false
    access = found
    state.setMaintenance(found.maintenanceUntil)
    return true
  }
  const readAccess = async () => {
    const sealed = await bucket.get(accessPath)
    accessAt = steadyClock()
    if (sealed === undefined)
      throw new OperatorError('The bucket holds no tokens yet: start the publisher with TENDERSTOCK_EDITIONS first.')
    const opened = openAccess(sealer, sealed)
    if (!opened)
      throw new OperatorError(
        "The tokens in the bucket cannot be opened: TENDERSTOCK_SECRET_KEY must be the publisher's.",
      )
    const before = access
    if (!take(opened) || (before && contentOf(before) === contentOf(opened))) return
    await writeAccess(dataFolder, sealed)
  }
  const freshAccess = async () => {
    if (steadyClock() - accessAt >= accessEveryMs)
      readingAccess ??= readAccess().finally(() => {
        readingAccess = undefined
      })
    await readingAccess
    return access!
  }
  const look = async () => {
    if (steadyClock() - headAt >= headEveryMs) {
      const head = await source.look()
      headAt = steadyClock()
      answeredAt = headAt
      newestKnown = head?.newest.edition ?? 0
    }
    return { tokens: access?.tokenSerial ?? 0, edition: newestKnown, console: 0 }
  }
  const judge = () => {
    const silentMs = steadyClock() - answeredAt
    const isSilent = silentMs > quietMs
    state.report(
      'database',
      isSilent
        ? `The bucket has not answered for ${Math.round(silentMs / 1000)} seconds; the last edition is still served, but new editions and token changes do not arrive.`
        : undefined,
    )
    if (isSilent !== isReported)
      log.warn(isSilent ? 'the bucket does not answer; retrying' : 'the bucket answers again')
    isReported = isSilent
    const ageMs = clock() - (access?.writtenAt ?? 0)
    state.report(
      'access',
      ageMs > oldestAccessMs
        ? 'The publisher has not written tokens into the bucket for 10 minutes: revocations do not arrive.'
        : undefined,
    )
  }

  await readAccess().catch(async (error: unknown) => {
    const kept = await readKept(dataFolder, sealer)
    if (!kept) throw error
    take(kept)
    log.warn({ error: String(error) }, 'the bucket does not answer; the tokens known before are used')
  })
  const timer = setInterval(() => {
    freshAccess().catch(() => {})
    judge()
  }, 1000)
  timer.unref()
  return {
    look,
    newestKnown: () => newestKnown,
    answeredAt: () => answeredAt,
    isAnswering: () => steadyClock() - answeredAt <= quietMs,
    close: () => clearInterval(timer),
    tokens: {
      serial: async () => (await freshAccess()).writtenAt,
      load: async () => access!.tokens,
      // the publisher notes the use from the counts
      touch: async () => {},
    },
    cursorKeys: async () => (await freshAccess()).cursorKeys,
  }
}

const contentOf = ({ tokens, cursorKeys }: Access): string => JSON.stringify([tokens, cursorKeys])
