// What a node needs besides the editions to answer without a database: tokens, limits and the keys of cursors, sealed.
// The publisher writes it into the bucket; each node has a copy in its data folder, with which it starts when the
// database or bucket is unreachable.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { CursorKeySource } from '../../api/cursors/cursor-key-ring.ts'
import type { TokenSource } from '../../api/tokens/token-table.ts'
import { toInstant } from '../../domain/time.ts'
import { accessPath } from '../../edition/format/bucket-files.ts'
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { Sealer } from '../../platform/sealing.ts'
import type { CursorKey } from '../../store/editions/cursor-keys.ts'
import type { TokenGrant } from '../../store/people/organizations.ts'

export type Access = {
  /** Host and name of the database that it came from; absent: it came from a bucket. */
  readonly address?: string
  /** By the clock of the database, epoch milliseconds. */
  readonly writtenAt: number
  /** Serial of the tokens (store/database/change-signal.ts). */
  readonly tokenSerial: number
  /** First number of the newest epoch of the stock, 0 before; absent: written by a version that did not say. */
  readonly epoch?: number
  readonly tokens: readonly TokenGrant[]
  /** Newest first. */
  readonly cursorKeys: readonly CursorKey[]
  /** The end of maintenance, epoch milliseconds; absent without one. */
  readonly maintenanceUntil?: number
  /** When the last redaction was applied; absent: there was none. */
  readonly redactedAt?: number
}

const context = 'access 1'

/**
 * Whether what was found lacks changes that are known. Within an epoch serials only rise: with a smaller one, tokens
 * that were revoked would work again, whatever its time. A restored stock has smaller ones, and begins an epoch.
 */
export function lacksChanges(found: Access, known: Access): boolean {
  const later = (found.epoch ?? known.epoch ?? 0) - (known.epoch ?? 0)
  return later < 0 || (later === 0 && found.tokenSerial < known.tokenSerial)
}

export const sealAccess = (sealer: Sealer, access: Access): Buffer =>
  sealer.seal(gzipSync(JSON.stringify(access)), context)

/** Undefined when it was sealed with another key, or altered. */
export function openAccess(sealer: Sealer, sealed: Uint8Array): Access | undefined {
  const bytes = sealer.open(sealed, context)
  return bytes && (JSON.parse(gunzipSync(bytes).toString()) as Access)
}

/** Reads the copy in a data folder. Undefined when there is none from this place that this key opens. */
export async function readAccess(dataFolder: string, sealer: Sealer, address?: string): Promise<Access | undefined> {
  const sealed = await readFile(join(dataFolder, accessPath)).catch(() => undefined)
  const access = sealed && openAccess(sealer, sealed)
  return access?.address === address ? access : undefined
}

export async function writeAccess(dataFolder: string, sealed: Uint8Array): Promise<void> {
  const path = join(dataFolder, accessPath)
  await writeFile(`${path}.new`, sealed, { mode: 0o600, flush: true })
  await rename(`${path}.new`, path)
}

/** How often it is confirmed when nothing changed. */
const confirmEveryMs = 60_000

export type KeptAccess = {
  /**
   * When the database last confirmed what is kept. Throws OperatorError when there is nothing, or it is too old to
   * start with.
   */
  readonly assertUsable: (limits: { readonly now: number; readonly maxStalenessMs: number }) => number
  /**
   * Wraps the source: what it delivers is kept, and is delivered if the source fails before it has delivered anything.
   */
  readonly keepTokens: (source: TokenSource) => TokenSource
  readonly keepCursorKeys: (source: CursorKeySource) => CursorKeySource
  /** Confirms the copy from now on while the database answers. Returns a function that ends that. */
  readonly follow: (options: {
    /** The database's clock. */
    readonly clock: Clock
    readonly isAnswering: () => boolean
  }) => () => Promise<void>
}

export async function openKeptAccess(options: {
  readonly dataFolder: string
  readonly address: string
  readonly sealer: Sealer
  readonly log: Log
}): Promise<KeptAccess> {
  const { dataFolder, address, sealer, log } = options
  const found = await readAccess(dataFolder, sealer, address)
  let tokenSerial = 0
  let tokens: readonly TokenGrant[] | undefined
  let cursorKeys: readonly CursorKey[] | undefined
  let writing: Promise<void> | undefined
  let isChanged = false
  let isFailing = false
  let clock: Clock | undefined

  async function write(): Promise<void> {
    while (isChanged && tokens && cursorKeys && clock) {
      isChanged = false
      const access = { address, writtenAt: clock(), tokenSerial, tokens, cursorKeys }
      try {
        await writeAccess(dataFolder, sealAccess(sealer, access))
        isFailing = false
      } catch (error) {
        if (!isFailing)
          log.warn(
            { error: String(error) },
            'tokens cannot be stored: this node could not restart without the database',
          )
        isFailing = true
      }
    }
  }
  const save = () => {
    isChanged = true
    writing ??= write().finally(() => {
      writing = undefined
    })
  }

  return {
    assertUsable: ({ now, maxStalenessMs }) => {
      if (found === undefined)
        throw new OperatorError(
          'nothing-to-serve',
          `The database ${address} does not answer, and ${dataFolder} holds nothing to start with; start the database first.`,
        )
      if (now - found.writtenAt > maxStalenessMs)
        throw new OperatorError(
          'nothing-to-serve',
          `The database ${address} does not answer, and what this node has stored dates from ` +
            `${toInstant(found.writtenAt)}, longer ago than --max-staleness; start the database first.`,
        )
      return found.writtenAt
    },
    keepTokens: (source) => ({
      ...source,
      serial: async () => {
        tokenSerial = await source.serial()
        return tokenSerial
      },
      load: async () => {
        try {
          tokens = await source.load()
        } catch (error) {
          if (tokens || !found) throw error
          return found.tokens
        }
        save()
        return tokens
      },
    }),
    keepCursorKeys: (source) => async () => {
      try {
        cursorKeys = await source()
      } catch (error) {
        if (cursorKeys || !found) throw error
        return found.cursorKeys
      }
      save()
      return cursorKeys
    },
    follow: (watch) => {
      clock = watch.clock
      const timer = setInterval(() => {
        if (watch.isAnswering()) save()
      }, confirmEveryMs)
      timer.unref()
      return async () => {
        clearInterval(timer)
        await writing
      }
    },
  }
}
