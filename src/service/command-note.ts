// Who runs a command, and the audit log entry for what it changed.

import type { Acting } from '../actions/acting.ts'
import { type AuditEntry, addAuditEntry } from '../store/audit.ts'
import type { Executor } from '../store/database.ts'
import { type Actor, commandActor } from '../store/token-changes.ts'
import type { ServiceContext } from './operation-context.ts'

/** Who runs the command: the person who used the page, or the user of the command line. */
export const actorOf = ({ by = commandActor }: Pick<ServiceContext, 'by'>): Actor => by

/** The command as an action sees it. */
export const actingOf = (context: Pick<ServiceContext, 'by' | 'clock' | 'random'>): Acting => ({
  ...actorOf(context),
  now: context.clock(),
  random: context.random,
})

/**
 * Adds an entry about what the command did. Call it in the transaction of the change; if the work takes several
 * transactions, call it before, so that a process that dies leaves the entry as well.
 */
export const noteCommand = (
  trx: Executor,
  context: Pick<ServiceContext, 'clock' | 'by'>,
  {
    organizationId,
    detail = {},
    ...entry
  }: Pick<AuditEntry, 'action' | 'subject'> & Partial<Pick<AuditEntry, 'detail' | 'organizationId' | 'causes'>>,
): Promise<void> => addAuditEntry(trx, { at: context.clock(), ...actorOf(context), organizationId, ...entry, detail })
