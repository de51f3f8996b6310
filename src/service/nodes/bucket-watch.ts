// What a node without a database knows: the head of the bucket and the sealed access beside it, read repeatedly. A copy
// of the access in the data folder lets the node start while the bucket is unreachable, and tells it which tokens were
// revoked if the bucket returns an older one.
import type { CursorKeySource } from '../../api/cursors/cursor-key-ring.ts'
import type { TokenSource } from '../../api/tokens/token-table.ts'
import { minuteMs, toInstant } from '../../domain/time.ts'
import { accessPath } from '../../edition/format/bucket-files.ts'
import type { BucketSource } from '../../edition/write/bucket-source.ts'
import { type Clock, every } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { Retryable } from '../../platform/http.ts'
import type { Log } from '../../platform/log.ts'
import type { Sealer } from '../../platform/sealing.ts'
import type { Bucket } from '../../store/files/bucket.ts'
import type { DatabaseWatch } from '../watch/database-watch.ts'
import type { NodeState } from '../watch/node-state.ts'
import { type Access, lacksChanges, openAccess, readAccess as readKept, writeAccess } from './kept-access.ts'

const headEveryMs = 2000
/** How often to read the access. A revocation takes effect within 60 s: it is written within a few seconds. */
const accessEveryMs = 5_000
/** How long the bucket may be silent before it is reported. */
const quietMs = 10_000
/** Maximum age of the access, which the publisher writes every minute. */
const oldestAccessMs = 10 * minuteMs

export type BucketWatch = DatabaseWatch & {
  readonly tokens: TokenSource
  readonly cursorKeys: CursorKeySource
  /** When the last redaction was applied; 0 before the first. */
  readonly redactedAt: () => Promise<number>
}

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
  const kept = await readKept(dataFolder, sealer)
  let access: Access | undefined
  /** Its bytes in the bucket. */
  let taken: Buffer = Buffer.alloc(0)
  let takes = 0
  /** When `access` was written, by the steady clock. */
  let writtenAt = Number.NEGATIVE_INFINITY
  let accessAt = Number.NEGATIVE_INFINITY
  let refused: string | undefined
  let readingAccess: Promise<void> | undefined
  let newestKnown = 0
  let headAt = Number.NEGATIVE_INFINITY
  let answeredAt = steadyClock()
  let isReported = false
  let unread: unknown

  const take = (found: Access) => {
    access = found
    takes++
    writtenAt = steadyClock() - Math.max(0, clock() - found.writtenAt)
    state.setMaintenance(found.maintenanceUntil)
  }
  /** Keeps it first: what this node has acted upon must hold after a restart. */
  const keepAndTake = async (found: Access, sealed: Buffer) => {
    taken = sealed
    await writeAccess(dataFolder, sealed).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'the tokens cannot be stored: a restart could revive those revoked since'),
    )
    take(found)
  }
  const refuse = (why: string | undefined) => {
    if (why !== refused && why !== undefined) log.error(why)
    refused = why
  }
  const readAccess = async () => {
    const sealed = await bucket.get(accessPath)
    accessAt = steadyClock()
    if (sealed === undefined)
      throw new OperatorError(
        'bucket-empty',
        'The bucket holds no tokens yet: start the publisher with TENDERSTOCK_EDITIONS first.',
      )
    const opened = openAccess(sealer, sealed)
    if (!opened) throw new OperatorError('bucket-unreadable', kept ? damaged : unopened)
    refuse(access && lacksChanges(opened, access) ? olderAccess(opened, access) : undefined)
    if (refused !== undefined) return
    if (!taken.equals(sealed)) await keepAndTake(opened, sealed)
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
      const head = await source.look().catch((error: unknown) => {
        unread = error
        throw error
      })
      headAt = steadyClock()
      answeredAt = headAt
      newestKnown = head?.newest.edition ?? 0
    }
    return { tokens: access?.tokenSerial ?? 0, edition: newestKnown, console: 0 }
  }
  const judge = () => {
    const silentMs = steadyClock() - answeredAt
    const isSilent = silentMs > quietMs
    const seconds = Math.round(silentMs / 1000)
    state.report('database', isSilent ? silence(unread, seconds) : undefined)
    if (isSilent !== isReported)
      log.warn(
        { ...(isSilent && { error: String(unread) }) },
        isSilent ? 'the head of the bucket cannot be read; retrying' : 'the head of the bucket can be read again',
      )
    isReported = isSilent
    const isOld = steadyClock() - writtenAt > oldestAccessMs
    state.report('access', refused ?? (isOld ? silentPublisher : undefined))
  }

  if (kept) take(kept)
  await readAccess().catch((error: unknown) => {
    if (!kept) throw error
    log.warn({ error: String(error) }, 'the tokens in the bucket cannot be read; those known before are used')
  })
  const close = every(1000, () => {
    freshAccess().catch(() => {})
    judge()
  })
  return {
    look,
    newestKnown: () => newestKnown,
    answeredAt: () => answeredAt,
    accessAt: () => writtenAt,
    isAnswering: () => steadyClock() - answeredAt <= quietMs,
    close,
    tokens: {
      serial: async () => {
        await freshAccess()
        return takes
      },
      load: async () => access!.tokens,
      // the publisher notes the use from the counts
      touch: async () => {},
    },
    cursorKeys: async () => (await freshAccess()).cursorKeys,
    redactedAt: async () => (await freshAccess()).redactedAt ?? 0,
  }
}

/** What a store answered, such as a refusal, is the reason only where it answered. */
const silence = (error: unknown, seconds: number): string =>
  error === undefined || error instanceof Retryable
    ? `The bucket has not answered for ${seconds} seconds; the last edition is still served, but new editions and token changes do not arrive.`
    : `The bucket answers, but its head has not been usable for ${seconds} seconds; the last edition is still ` +
      'served, but new ones do not arrive. The log has the reason.'
const damaged = `The object ${accessPath} in the bucket is damaged; the publisher writes it again within a minute.`
const unopened =
  `The tokens in the bucket (${accessPath}) cannot be opened: TENDERSTOCK_SECRET_KEY is not the publisher's, ` +
  'or the object is damaged; the publisher writes it again every minute.'
const silentPublisher =
  'The publisher has not written tokens into the bucket for 10 minutes: revocations do not arrive.'

function olderAccess(found: Access, known: Access): string {
  return (
    `The bucket returns tokens of ${toInstant(found.writtenAt)} that lack changes known here since ` +
    `${toInstant(known.writtenAt)}: they are refused, because revoked tokens would work again. Look for a ` +
    `cache or an earlier version of ${accessPath} there; if the database was set back on purpose, run ` +
    '`tenderstock database new-epoch`.'
  )
}
