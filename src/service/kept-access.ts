// What `serve` needs of the database to start without it: the hashes of the tokens and the keys of cursors, sealed in a file of
// the data folder, for a bounded time.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CursorKeySource } from '../api/cursors/cursor-key-ring.ts'
import type { TokenSource } from '../api/token-table.ts'
import { toInstant } from '../domain/time.ts'
import type { Clock } from '../platform/clock.ts'
import { OperatorError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Sealer } from '../platform/sealing.ts'
import type { CursorKey } from '../store/cursor-keys.ts'
import type { TokenGrant } from '../store/organizations.ts'

type Access = {
  /** When the database last confirmed it, epoch milliseconds of its clock. */
  readonly savedAt: number
  /** Host and name of the database. */
  readonly place: string
  readonly tokens: readonly TokenGrant[]
  readonly cursorKeys: readonly CursorKey[]
}

export const keptAccessFile = 'kept-access'
const context = 'kept access'
/** How often it is confirmed without a change. */
const confirmEveryMs = 60_000

export type KeptAccess = {
  /** When the database last confirmed what is kept. Throws OperatorError where that is nothing, or too old to start with. */
  readonly assertUsable: (limits: { readonly now: number; readonly maxStalenessMs: number }) => number
  /** The same source: what it delivers is kept, and delivered where it fails before it has delivered anything. */
  readonly keepTokens: (source: TokenSource) => TokenSource
  readonly keepCursorKeys: (source: CursorKeySource) => CursorKeySource
  /** From now on it is confirmed while the database answers. Returns what ends that. */
  readonly follow: (options: {
    /** The database's. */
    readonly clock: Clock
    readonly isAnswering: () => boolean
  }) => () => Promise<void>
}

export async function openKeptAccess(options: {
  readonly dataFolder: string
  readonly place: string
  readonly sealer: Sealer
  readonly log: Log
}): Promise<KeptAccess> {
  const { dataFolder, place, sealer, log } = options
  const path = join(dataFolder, keptAccessFile)
  const found = await readAccess(path, place, sealer)
  let tokens: readonly TokenGrant[] | undefined
  let cursorKeys: readonly CursorKey[] | undefined
  let writing: Promise<void> | undefined
  let isChanged = false
  let isFailing = false
  let clock: Clock | undefined

  async function write(): Promise<void> {
    while (isChanged && tokens && cursorKeys && clock) {
      isChanged = false
      const access: Access = { savedAt: clock(), place, tokens, cursorKeys }
      try {
        await writeFile(`${path}.new`, sealer.seal(Buffer.from(JSON.stringify(access)), context), {
          mode: 0o600,
          flush: true,
        })
        await rename(`${path}.new`, path)
        isFailing = false
      } catch (error) {
        if (!isFailing)
          log.warn({ error: String(error) }, 'tokens cannot be kept: this node could not start without the database')
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
          `The database ${place} does not answer, and ${dataFolder} holds nothing with which to start without it; start the database first.`,
        )
      if (now - found.savedAt > maxStalenessMs)
        throw new OperatorError(
          `The database ${place} does not answer, and what this node kept of it is of ${toInstant(found.savedAt)}, which is longer ago than --max-staleness; start the database first.`,
        )
      return found.savedAt
    },
    keepTokens: (source) => ({
      ...source,
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

/** Undefined where there is none of this database that this key opens. */
async function readAccess(path: string, place: string, sealer: Sealer): Promise<Access | undefined> {
  const sealed = await readFile(path).catch(() => undefined)
  const text = sealed && sealer.open(sealed, context)
  if (text === undefined) return undefined
  const access = JSON.parse(text.toString()) as Access
  return access.place === place ? access : undefined
}
