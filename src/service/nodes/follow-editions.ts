// The editions that this node serves, kept up to date with those in the database or in a bucket.

import { dayMs } from '../../domain/time.ts'
import { type CatchUpOptions, catchUp, type EditionLog } from '../../edition/write/edition-log.ts'
import type { EditionSource, SourceStore } from '../../edition/write/edition-source.ts'
import { WrongEntriesError } from '../../edition/write/log-state.ts'
import { OlderDatabaseError } from '../../edition/write/take-over.ts'
import { every } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { DatabaseWatch } from '../watch/database-watch.ts'
import type { NodeState } from '../watch/node-state.ts'

const serialPollMs = 1000
/** Maximum number of rounds between two attempts to load an edition that was incomplete. */
const longestRefusedRounds = 60
/** How long one cycle of checks takes, which compares every piece of the edition log with its checksum. */
const checkRoundMs = dayMs
const lackingConcern =
  'The source of the editions lacks the newest ones that this node serves: the node still serves them, until an operator decides.'
const replacedConcern =
  'Other editions were published in place of the newest ones that this node holds: it answers 503 until an operator decides.'
const refusedConcern = 'An edition arrived incomplete; the previous one is still served.'

type ServedEditions = {
  readonly editions: EditionLog
  readonly source: SourceStore | EditionSource
  readonly log: Log
}

/**
 * Loads what is new. When the disk is full, or an edition was incomplete, the log continues to serve what it holds, and
 * `followEditions` tries again. Throws OlderDatabaseError.
 */
export async function takeOver({ editions, source, log }: ServedEditions, options: CatchUpOptions = {}): Promise<void> {
  try {
    await catchUp(editions, source, options)
  } catch (error) {
    if (error instanceof OlderDatabaseError) log.error(error.message)
    const isWaitedFor = error instanceof WrongEntriesError || editions.newest !== undefined
    if (!(error instanceof OperatorError) || error instanceof OlderDatabaseError || !isWaitedFor) throw error
    log.warn(error.message)
  }
}

function concernOf(error: unknown, editions: EditionLog): string {
  if (!(error instanceof OlderDatabaseError)) return refusedConcern
  return editions.isReplaced ? replacedConcern : lackingConcern
}

/**
 * Loads editions that other processes publish, and those that could not be loaded before; maintains the files. Returns
 * a function that ends it.
 */
export function followEditions({
  editions,
  source,
  database,
  state,
  log,
  onLook,
}: ServedEditions & {
  readonly database: Pick<DatabaseWatch, 'look'>
  readonly state: NodeState
  /** Called when the database was queried for newer editions, and all of them were loaded. */
  readonly onLook?: () => void
}): () => void {
  let isBusy = false
  /** An incomplete edition is requested again after 1, 2, 4 … rounds. */
  let pause = 0
  let waiting = 0
  let reported = ''
  const look = async () => {
    if (isBusy) return
    if (waiting > 0) {
      waiting--
      return
    }
    isBusy = true
    try {
      const { edition } = await database.look()
      if (edition !== editions.serial || editions.isDamaged || editions.olderDatabase !== undefined)
        await catchUp(editions, source)
      onLook?.()
      reported = ''
      pause = 0
      state.report('editions', undefined)
    } catch (error) {
      const isRefusal = error instanceof WrongEntriesError || error instanceof OlderDatabaseError
      if (reported !== String(error)) {
        if (isRefusal) log.error(error.message)
        else log.warn({ error: String(error) }, 'cannot see new editions; the last one is still served')
      }
      reported = String(error)
      if (isRefusal) {
        pause = Math.min(longestRefusedRounds, Math.max(1, 2 * pause))
        waiting = pause
        state.report('editions', concernOf(error, editions))
      }
    } finally {
      editions.checkSome(serialPollMs / checkRoundMs)
      isBusy = false
    }
  }
  return every(serialPollMs, () => void look())
}
