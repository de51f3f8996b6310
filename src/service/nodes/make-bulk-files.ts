// Makes files of whole editions while the contract of an organization includes them, withdraws them after a redaction,
// and removes them when no contract includes them any more.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mayLoadFiles } from '../../api/bulk/bulk-serving.ts'
import type { TokenSource } from '../../api/tokens/token-table.ts'
import { BulkMaking, type BulkMakingOptions } from '../../edition/bulk/bulk-making.ts'
import { type BulkState, bulkFolder, bulkName, formats } from '../../edition/bulk/bulk-state.ts'
import type { LogFollower } from '../../edition/read/log-feed.ts'
import type { EditionLog } from '../../edition/write/edition-log.ts'
import type { Log } from '../../platform/log.ts'
import { keepLooking } from '../watch/keep-looking.ts'
import type { NodeState } from '../watch/node-state.ts'
import { type BulkBucket, keepInBucket } from './bulk-bucket.ts'

type Making = LogFollower & Pick<BulkMaking, 'noteRedaction' | 'close'>

const lookMs = 2000
const late = 'The files of whole editions are not up to date; the log says why.'
const concern = 'Contracts with files of editions cannot be looked up'

export function makeBulkFiles({
  editions,
  tokens,
  redactedAt,
  dataFolder,
  state,
  log,
  bucket,
  openMaking = (options) => new BulkMaking(options),
}: {
  readonly editions: EditionLog
  readonly tokens: Pick<TokenSource, 'serial' | 'load'>
  /** When the last redaction was applied; 0 before the first. */
  readonly redactedAt: () => Promise<number>
  readonly dataFolder: string
  readonly state: Pick<NodeState, 'setBulk' | 'report'>
  readonly log: Log
  /** From where the files are loaded as soon as it holds them. */
  readonly bucket?: BulkBucket | undefined
  /** Opens the thread. */
  readonly openMaking?: (options: BulkMakingOptions) => Making
}): { readonly close: () => Promise<void> } {
  const folder = join(dataFolder, bulkFolder)
  let serial: number | undefined
  let isWanted = false
  let isRemoved = false
  let redacted = 0
  let made: BulkState | undefined
  const show = () => state.setBulk(made && kept ? { ...made, inBucket: kept.names() } : made)
  let kept: ReturnType<typeof keepInBucket> | undefined
  const beginKeeping = (it: BulkBucket) =>
    keepInBucket({
      bucket: it,
      folder,
      // what may hold a redacted value is none of it, even before the thread withdraws it
      wanted: () => made && (made.base.publishedAt >= redacted ? made.files.map(bulkName) : []),
      isNeeded: () => isWanted,
      redactedAt: () => redacted,
      onChange: show,
      log,
    })
  let making: { readonly thread: Making; readonly unfollow: () => void } | undefined

  function begin(): void {
    const thread = openMaking({
      folder,
      onState: (bulk) => {
        made = bulk
        show()
        if (bulk?.formats.length === formats.length) state.report('bulk', undefined)
      },
      onWarning: (warning) => {
        log.warn(warning)
        state.report('bulk', late)
      },
      onDamage: () => editions.reportDamage(),
      onEnd: () => {
        making = undefined
        unfollow()
        made = undefined
        show()
      },
    })
    thread.noteRedaction(redacted)
    const unfollow = editions.follow(thread)
    making = { thread, unfollow }
    isRemoved = false
  }

  const looking = keepLooking({
    look: async () => {
      const found = await tokens.serial()
      if (found !== serial) {
        isWanted = (await tokens.load()).some(mayLoadFiles)
        serial = found
      }
      const at = await redactedAt()
      if (at !== redacted) making?.thread.noteRedaction(at)
      redacted = at
      if (isWanted) making ?? begin()
      else if (!isRemoved) {
        await making?.thread.close()
        await removeBulkFiles(dataFolder)
        state.report('bulk', undefined)
        isRemoved = true
      }
      // not before contracts and the last redaction are known: what is there may be another node's
      if (bucket) kept ??= beginKeeping(bucket)
    },
    everyMs: lookMs,
    log,
    concern,
    // the watch of the database says it already
    report: () => {},
  })
  return {
    close: async () => {
      await looking.close()
      await (kept ?? bucket)?.close()
      await making?.thread.close()
    },
  }
}

/** The files that an earlier contract, or an earlier process with other roles, left. */
export const removeBulkFiles = (dataFolder: string): Promise<void> =>
  rm(join(dataFolder, bulkFolder), { recursive: true, force: true, maxRetries: 5 })
