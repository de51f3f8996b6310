// Keeps the bucket of TENDERSTOCK_EDITIONS up with the editions, the tokens and the keys of cursors, in the background:
// a failure is reported and retried, and no publication waits for it.
import { createSecretKey } from 'node:crypto'
import { accessPath, headPath } from '../../edition/format/bucket-files.ts'
import type { EditionLog } from '../../edition/write/edition-log.ts'
import { EditionExport, ExportLostError, type ExportRight, fenceOf } from '../../edition/write/export-editions.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Random } from '../../platform/random.ts'
import { createSealer } from '../../platform/sealing.ts'
import { readSerials } from '../../store/database/change-signal.ts'
import type { Store } from '../../store/database/database.ts'
import { loadCursorKeys } from '../../store/editions/cursor-keys.ts'
import {
  keepExport,
  lastRedaction,
  noteExportConcern,
  noteExported,
  releaseExport,
  takeExport,
  underExport,
} from '../../store/editions/edition-export.ts'
import { type EditionRow, newestEdition } from '../../store/editions/editions.ts'
import { epochsOf } from '../../store/editions/older-database.ts'
import type { Bucket } from '../../store/files/bucket.ts'
import { loadMaintenance } from '../../store/nodes/maintenance.ts'
import { loadTokens } from '../../store/people/organizations.ts'
import { keepLooking } from '../watch/keep-looking.ts'
import { addNodesUse } from './bucket-use.ts'
import { sealAccess } from './kept-access.ts'

const lookMs = 2000
/** How often the access is written without a change, so that nodes see that the publisher is alive. */
const accessEveryMs = 60_000
const useEveryMs = 10_000
const concern = 'Editions are not written to the bucket'
/** Shown to everybody: the reason is in the log and in the table edition_export. */
const shownConcern = 'Editions do not reach the bucket at the moment: nodes that read from it serve the last one.'

export type ExportOptions = {
  readonly store: Store
  readonly bucket: Bucket
  readonly editions: EditionLog
  /** The database's clock. */
  readonly clock: Clock
  readonly random: Random
  readonly secretKey: Uint8Array
  readonly log: Log
  readonly report: (concern: string | undefined) => void
  /** The signal to stop: the right to export passes on at once. */
  readonly stop?: AbortSignal
}

const isHeld = ({ newest }: EditionLog, row: EditionRow | undefined): boolean =>
  newest?.edition === row?.edition && (row?.checksum ?? newest?.checksum) === newest?.checksum

export function startExport({ store, bucket, editions, clock, random, secretKey, log, report, stop }: ExportOptions): {
  /** The newest edition that this process wrote; undefined if it has not written any. */
  readonly exported: () => number | undefined
  readonly close: () => Promise<void>
} {
  const sealer = createSealer(createSecretKey(secretKey), random.bytes)
  const exporting = new EditionExport({ bucket, log: editions, clock })
  let fence: number | undefined
  let written = {
    at: Number.NEGATIVE_INFINITY,
    serial: -1,
    maintenanceUntil: undefined as number | undefined,
    redactedAt: 0,
  }
  let usedAt = Number.NEGATIVE_INFINITY
  let exported = 0
  let reported: string | undefined

  const takeRight = async (): Promise<number | undefined> => {
    if (fence !== undefined && (await keepExport(store.db, fence))) return fence
    const head = await bucket.get(headPath)
    fence = await takeExport(store.db, head === undefined ? 0 : fenceOf(head))
    return fence
  }
  const rightOf = (held: number): ExportRight => ({
    fence: held,
    hold: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      let result: { readonly value: Result } | undefined
      const isHeld = await underExport(store, held, async () => {
        result = { value: await work() }
      })
      if (!isHeld || !result) throw new ExportLostError('another process writes the editions into the bucket now')
      return result.value
    },
  })
  const writeAccess = async (right: ExportRight) => {
    const now = clock()
    const [{ tokens: serial }, maintenanceUntil] = [await readSerials(store.looks), await loadMaintenance(store.looks)]
    const redactedAt = await lastRedaction(store.looks)
    const isSame =
      serial === written.serial && maintenanceUntil === written.maintenanceUntil && redactedAt === written.redactedAt
    if (isSame && now - written.at < accessEveryMs && now >= written.at) return
    const access = {
      writtenAt: now,
      tokenSerial: serial,
      epoch: (await epochsOf(store.looks)).at(-1)?.first ?? 0,
      tokens: await loadTokens(store.looks),
      cursorKeys: (await loadCursorKeys(store.looks, { now, randomBytes: random.bytes })).all,
      ...(maintenanceUntil !== undefined && { maintenanceUntil }),
      ...(redactedAt > 0 && { redactedAt }),
    }
    await right.hold(() => bucket.put(accessPath, sealAccess(sealer, access)))
    written = { at: now, serial, maintenanceUntil, redactedAt }
  }
  const look = async () => {
    const held = await takeRight()
    if (held === undefined) return
    const right = rightOf(held)
    try {
      // a revocation does not wait for an edition
      await writeAccess(right)
      // what this process has not loaded yet, or what the database has lost, is not exported
      const isCurrent = isHeld(editions, await newestEdition(store.looks))
      const state = isCurrent ? await exporting.round(right, await lastRedaction(store.db)) : undefined
      if (state && (state.edition !== exported || reported !== undefined)) {
        await noteExported(store.db, state.edition, clock())
        exported = state.edition
        reported = undefined
      }
      if (clock() - usedAt >= useEveryMs) {
        await addNodesUse(store, bucket, { sealer, now: clock() })
        usedAt = clock()
      }
    } catch (error) {
      if (error instanceof ExportLostError) {
        fence = undefined
        return
      }
      const why = error instanceof Error ? error.message : String(error)
      if (reported !== why) await noteExportConcern(store.db, why)
      reported = why
      throw error
    }
  }
  const looking = keepLooking({
    look,
    everyMs: lookMs,
    log,
    concern,
    report: (why) => report(why === undefined ? undefined : shownConcern),
  })
  let closing: Promise<void> | undefined
  const end = async () => {
    await looking.close()
    // a right that cannot be released expires
    if (fence !== undefined) await releaseExport(store.db, fence).catch(() => {})
  }
  const close = () => {
    closing ??= end()
    return closing
  }
  // the connections to the database end some seconds after the signal
  stop?.addEventListener('abort', () => void close(), { once: true })
  return { exported: () => (fence === undefined || exported === 0 ? undefined : exported), close }
}
