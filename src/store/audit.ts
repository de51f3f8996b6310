// Who did what when. Entries are added in the transaction of the change, and never altered.
import { sql } from 'kysely'
import { dayMs } from '../domain/time.ts'
import type { Executor } from './database.ts'

/** How long entries are kept by default. */
const usualAuditMs = 730 * dayMs

/** All actions in the audit log. */
export type AuditAction =
  | 'person.first'
  | 'console.link'
  | 'member.invite'
  | 'member.withdraw'
  | 'member.join'
  | 'member.role'
  | 'member.remove'
  | 'member.leave'
  | 'passkey.add'
  | 'passkey.remove'
  | 'passkey.block'
  | 'identity.link'
  | 'organization.create'
  | 'organization.update'
  | 'organization.rename'
  | 'contract.set-up'
  | 'contract.begin'
  | 'contract.end'
  | 'token.create'
  | 'token.limit'
  | 'token.revoke'
  | 'profile.create'
  | 'profile.edit'
  | 'search.create'
  | 'search.edit'
  | 'search.pause'
  | 'search.resume'
  | 'search.release'
  | 'hit.mark'
  | 'digest.create'
  | 'digest.edit'
  | 'digest.remove'
  | 'webhook.create'
  | 'webhook.update'
  | 'webhook.test'
  | 'webhook.rotate'
  | 'webhook.enable'
  | 'webhook.disable'
  | 'webhook.remove'
  | 'webhook.replay'
  | 'webhook.release'
  | 'documents.ingest'
  | 'maintenance.on'
  | 'maintenance.off'
  | 'stock.rebuild'
  | 'stock.export'
  | 'redaction.create'
  | 'redaction.undo'
  | 'redaction.import'
  | 'stock.backUp'
  | 'stock.restore'
  | 'stock.newEpoch'
  | 'edition.publishAnyway'
  | 'edition.acceptFuture'
  | 'source.read'
  | 'source.release'
  | 'alarm.acknowledge'
  | 'review.merge'
  | 'review.split'
  | 'review.undo'
  | 'values.fit'
  | 'incident.create'
  | 'incident.change'
  | 'incident.end'

/** Names of what an entry says besides its subject; what was there before a change has `Before` behind its name. */
export type AuditMember =
  | 'added'
  | 'address'
  | 'before'
  | 'deliveries'
  | 'edition'
  | 'email'
  | 'endsAt'
  | 'expiresAt'
  | 'from'
  | 'hasApiAccess'
  | 'held'
  | 'hint'
  | 'hits'
  | 'hour'
  | 'incident'
  | 'issuer'
  | 'kind'
  | 'kinds'
  | 'name'
  | 'note'
  | 'notices'
  | 'operator'
  | 'phone'
  | 'rate'
  | 'reason'
  | 'requestsPerMinute'
  | 'rhythm'
  | 'role'
  | 'search'
  | 'searches'
  | 'startsAt'
  | 'state'
  | 'takenAt'
  | 'threshold'
  | 'to'
  | 'tokenId'
  | 'undone'
  | 'until'
  | 'version'
  | 'zone'

/** Figures and names; never a secret. */
type AuditDetail = {
  readonly [name in AuditMember | `${AuditMember}Before`]?: string | number | boolean | null
}

export type AuditEntry = {
  readonly at: number
  /** A mail address, or `operator` for the command line. */
  readonly actor: string
  /** Undefined: the whole service. */
  readonly organizationId: string | undefined
  readonly action: AuditAction
  /** What was changed: a name or ID. */
  readonly subject: string
  readonly detail: AuditDetail
  readonly addressPrefix: string
}

/** As it was written, perhaps by an older version. */
export type ListedAuditEntry = Omit<AuditEntry, 'action' | 'detail'> & {
  readonly entryNo: number
  readonly action: string
  readonly detail: { readonly [name: string]: string | number | boolean | null }
}

/** Adds an entry. Call it in the transaction of the change. */
export async function addAuditEntry(trx: Executor, entry: AuditEntry): Promise<void> {
  await trx
    .insertInto('audit_entry')
    .values({
      at: entry.at,
      actor: entry.actor,
      organization_id: entry.organizationId ?? null,
      action: entry.action,
      subject: entry.subject,
      detail: JSON.stringify(entry.detail),
      address_prefix: entry.addressPrefix,
    })
    .execute()
}

/** Entries of one organization, or of all, the newest first, below `before`. */
export async function listAuditEntries(
  db: Executor,
  which: { readonly organizationId?: string; readonly before?: number; readonly limit: number },
): Promise<ListedAuditEntry[]> {
  let query = db
    .selectFrom('audit_entry')
    .select(['entry_no as entryNo', 'at', 'actor', 'organization_id as organizationId', 'action', 'subject', 'detail'])
    .select('address_prefix as addressPrefix')
    .orderBy('entry_no', 'desc')
    .limit(which.limit)
  if (which.organizationId !== undefined) query = query.where('organization_id', '=', which.organizationId)
  if (which.before !== undefined) query = query.where('entry_no', '<', which.before)
  const rows = await query.execute()
  return rows.map((row) => ({
    ...row,
    organizationId: row.organizationId ?? undefined,
    detail: JSON.parse(row.detail) as AuditEntry['detail'],
  }))
}

/** Deletes entries older than that. */
export async function pruneAuditEntries(db: Executor, now: number, auditMs = usualAuditMs): Promise<void> {
  await sql`delete from audit_entry where at < ${now - auditMs}`.execute(db)
}
