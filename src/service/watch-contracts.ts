// Does what time brings to customers: contracts begin and end, Owners hear of tokens that end soon, what was kept long
// enough is forgotten.
import { hourMs } from '../domain/time.ts'
import type { Clock } from '../platform/clock.ts'
import { OperatorError } from '../platform/errors.ts'
import { Retryable } from '../platform/http.ts'
import type { Log } from '../platform/log.ts'
import { pruneApiUse } from '../store/api-use.ts'
import { pruneAuditEntries } from '../store/audit.ts'
import { turnContracts } from '../store/customers.ts'
import { inTransaction, type Store } from '../store/database.ts'
import type { DocumentStore } from '../store/document-store.ts'
import { pruneInvitations, pruneKept, type Retention } from '../store/retention.ts'
import { warnOfTokens } from '../store/token-changes.ts'
import { keepLooking } from './keep-looking.ts'

const lookMs = 5_000
/** Rows of one transaction. */
const pruneRows = 200
const lateConcern = 'Contracts do not begin and end on their dates'

/** Looks until it is closed. Any number of processes may look: each thing is done once. */
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
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly log: Log
  /** Of the mails to Owners. */
  readonly mailDomain: string
  /** How long things are kept. */
  readonly keep?: Retention
  /** Where raw documents are kept outside of the database. */
  readonly documentStore?: Pick<DocumentStore, 'remove'>
  /** Called with what is wrong; undefined when it is well again. */
  readonly report: (concern: string | undefined) => void
  readonly everyMs?: number
}): { readonly close: () => Promise<void> } {
  let prunedAt = Number.NEGATIVE_INFINITY
  return keepLooking({
    look: async (signal) => {
      const now = clock()
      await inTransaction(store, async (trx) => {
        await turnContracts(trx, now)
        await warnOfTokens(trx, { now, mailDomain })
      })
      if (now - prunedAt < hourMs) return
      await pruneAuditEntries(store.db, now, keep.auditMs)
      await pruneInvitations(store.db, now)
      await pruneApiUse(store.db, now)
      try {
        while (!signal.aborted && (await pruneKept(store.db, now, keep, pruneRows, documentStore)));
      } catch (error) {
        // a document storage that does not answer stops nothing else
        if (!(error instanceof Retryable || error instanceof OperatorError)) throw error
        log.error({ error: error.message }, 'Expired data was not deleted; retrying in an hour')
      }
      prunedAt = now
    },
    everyMs,
    log,
    concern: lateConcern,
    // why is for the log: `/readyz` is shown to everybody
    report: (concern) => report(concern === undefined ? undefined : `${lateConcern}.`),
  })
}
