// Who changes something, when, and the entry of the audit log that each change leaves.
import { type AuditEntry, addAuditEntry } from '../store/audit.ts'
import type { Executor } from '../store/database.ts'
import type { Circumstances } from '../store/organizations.ts'
import type { Actor } from '../store/token-changes.ts'

/** Who acts, at what time, and with which random numbers. */
export type Acting = Actor & Circumstances

/** What an entry says besides who acted and when. `organizationId` is undefined for the whole service. */
export type Entry = Pick<AuditEntry, 'action' | 'subject' | 'organizationId'> & Partial<Pick<AuditEntry, 'detail'>>

/** Adds the entry of a change. Call it in the transaction of the change. */
export const record = (trx: Executor, { actor, addressPrefix, now }: Acting, entry: Entry): Promise<void> =>
  addAuditEntry(trx, { at: now, actor, addressPrefix, detail: {}, ...entry })
