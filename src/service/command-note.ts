// The entry of the audit log for what a command changed.
import { type AuditEntry, addAuditEntry } from '../store/audit.ts'
import type { Executor } from '../store/database.ts'
import { commandActor } from '../store/token-changes.ts'
import type { ServiceContext } from './operation-context.ts'

/** Notes what whoever runs the command did. Call it in the transaction of the change. */
export const noteCommand = (
  trx: Executor,
  { clock, by = commandActor }: Pick<ServiceContext, 'clock' | 'by'>,
  {
    detail = {},
    ...entry
  }: Pick<AuditEntry, 'action' | 'subject' | 'organizationId'> & Partial<Pick<AuditEntry, 'detail'>>,
): Promise<void> => addAuditEntry(trx, { at: clock(), ...by, ...entry, detail })
