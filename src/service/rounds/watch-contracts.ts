// Does what is due for customers: contracts begin and end, Owners are told about tokens that end soon, and expired data
// is deleted.
import { turnContracts } from '../../actions/organizations.ts'
import { hourMs, minuteMs } from '../../domain/time.ts'
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { Retryable } from '../../platform/http.ts'
import type { Log } from '../../platform/log.ts'
import { inTransaction, type Store } from '../../store/database/database.ts'
import { pruneAdded } from '../../store/editions/edition-export.ts'
import type { DocumentStore } from '../../store/files/document-store.ts'
import { pruneApiUse } from '../../store/people/api-use.ts'
import { pruneAuditEntries } from '../../store/people/audit.ts'
import { pruneQuotes } from '../../store/people/quotes.ts'
import { warnOfTokens } from '../../store/people/token-news.ts'
import { pruneInvitations, pruneKept, type Retention } from '../../store/upkeep/retention.ts'
import { keepLooking } from '../watch/keep-looking.ts'

const lookMs = 5_000
/** Maximum rows to delete in one transaction. */
const pruneRows = 200
const lateConcern = 'Contracts do not begin and end on their dates'

/**
 * Checks until it is closed; an embedded stock to which nothing is written, once a minute. Any number of processes may
 * check: each thing is done once.
 */
export function watchContracts({
  store,
  clock,
  log,
  mailDomain,
  keep = {},
  documentStore,
  report,
  everyMs = lookMs,
}: {
  readonly store: Pick<Store, 'db' | 'writes'>
  readonly clock: Clock
  readonly log: Log
  /** Domain of the mails to Owners. */
  readonly mailDomain: string
  /** How long things are kept. */
  readonly keep?: Retention
  /** Where raw documents are kept outside of the database. */
  readonly documentStore?: Pick<DocumentStore, 'remove'>
  /** Called with what is wrong; undefined when it works again. */
  readonly report: (concern: string | undefined) => void
  readonly everyMs?: number
}): { readonly close: () => Promise<void> } {
  let [prunedAt, turnedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let turnedWith: string | undefined
  return keepLooking({
    look: async (signal) => {
      const now = clock()
      const writes = store.writes?.()
      if (writes === undefined || writes !== turnedWith || now - turnedAt >= minuteMs) {
        await inTransaction(store, async (trx) => {
          await turnContracts(trx, now)
          await warnOfTokens(trx, { now, mailDomain })
        })
        turnedWith = writes
        turnedAt = now
      }
      if (now - prunedAt < hourMs) return
      await pruneAuditEntries(store.db, now, keep.auditMs)
      await pruneInvitations(store.db, now)
      await pruneQuotes(store.db, now)
      await pruneApiUse(store.db, now)
      await pruneAdded(store.db, now)
      try {
        while (!signal.aborted && (await pruneKept(store.db, now, keep, pruneRows, documentStore)));
      } catch (error) {
        // a document store that does not answer does not stop anything else
        if (!(error instanceof Retryable || error instanceof OperatorError)) throw error
        log.error({ error: error.message }, 'Expired data was not deleted; retrying in an hour')
      }
      prunedAt = now
    },
    everyMs,
    log,
    concern: lateConcern,
    // the reason is only logged: `/readyz` is public
    report: (concern) => report(concern === undefined ? undefined : `${lateConcern}.`),
  })
}
