// Who did what when. Entries are added in the transaction of the change, and never altered.
import { sql } from 'kysely'
import type { HoldReason } from '../../domain/hold-reason.ts'
import { dayMs } from '../../domain/time.ts'
import type { Executor } from '../database/database.ts'

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
  | 'calendar.create'
  | 'calendar.revoke'
  | 'identity.link'
  | 'organization.create'
  | 'organization.update'
  | 'organization.rename'
  | 'contract.set-up'
  | 'contract.begin'
  | 'contract.end'
  | 'quote.accept'
  | 'quote.decline'
  | 'quote.erase'
  | 'audit.correct'
  | 'token.create'
  | 'token.limit'
  | 'token.revoke'
  | 'profile.create'
  | 'profile.edit'
  | 'profile.delete'
  | 'search.create'
  | 'search.edit'
  | 'search.pause'
  | 'search.resume'
  | 'search.release'
  | 'search.delete'
  | 'hit.mark'
  | 'digest.create'
  | 'digest.edit'
  | 'digest.remove'
  | 'digest.end'
  | 'digest.start'
  | 'webhook.create'
  | 'webhook.update'
  | 'webhook.test'
  | 'webhook.rotate'
  | 'webhook.readdress'
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
  | 'stock.drill'
  | 'stock.newEpoch'
  | 'edition.publishAnyway'
  | 'edition.acceptFuture'
  | 'source.read'
  | 'source.release'
  | 'source.turnOff'
  | 'source.turnOn'
  | 'alarm.acknowledge'
  | 'review.merge'
  | 'review.split'
  | 'review.undo'
  | 'values.fit'
  | 'incident.create'
  | 'incident.change'
  | 'incident.end'

/**
 * What an entry says besides its subject, and who may read it in the log of an organization: its members too, or only
 * operators. What was there before a change has `Before` behind its name.
 */
export const auditAudiences = {
  added: 'organization',
  address: 'organization',
  before: 'operators',
  copyOf: 'organization',
  deliveries: 'organization',
  edition: 'organization',
  email: 'operators',
  endsAt: 'organization',
  entries: 'organization',
  expiresAt: 'organization',
  from: 'organization',
  hasApiAccess: 'organization',
  hasBulkFiles: 'organization',
  held: 'operators',
  hint: 'organization',
  hits: 'organization',
  hour: 'organization',
  incident: 'operators',
  issuer: 'organization',
  kind: 'operators',
  kinds: 'organization',
  language: 'organization',
  messages: 'organization',
  name: 'organization',
  note: 'operators',
  notices: 'operators',
  operator: 'organization',
  organization: 'operators',
  phone: 'operators',
  rate: 'organization',
  reason: 'operators',
  requestsPerMinute: 'organization',
  rhythm: 'organization',
  role: 'organization',
  search: 'organization',
  searches: 'organization',
  startsAt: 'organization',
  state: 'organization',
  takenAt: 'operators',
  threshold: 'organization',
  to: 'organization',
  tokenId: 'organization',
  undone: 'operators',
  until: 'organization',
  version: 'organization',
  weekday: 'organization',
  zone: 'organization',
} as const satisfies { readonly [member: string]: 'organization' | 'operators' }

export type AuditMember = keyof typeof auditAudiences

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
  /** What `held` of the detail says, as codes with values. */
  readonly causes?: readonly HoldReason[]
  readonly addressPrefix: string
}

/** As it was written, perhaps by an older version. */
export type ListedAuditEntry = Omit<AuditEntry, 'action' | 'detail'> & {
  readonly entryNo: number
  readonly action: string
  readonly detail: { readonly [name: string]: string | number | boolean | null }
}

/**
 * Adds an entry. What only operators may read of an organization's entry goes into an entry of the operators' own log,
 * under the same action. Call it in the transaction of the change.
 */
export async function addAuditEntry(trx: Executor, entry: AuditEntry): Promise<void> {
  const { organizationId } = entry
  if (organizationId === undefined) return insertEntry(trx, entry)
  const members = Object.entries(entry.detail)
  await insertEntry(trx, { ...entry, detail: Object.fromEntries(members.filter(([name]) => isForOrganization(name))) })
  const others = members.filter(([name, value]) => !isForOrganization(name) && value !== null && value !== '')
  if (others.length === 0) return
  const detail = { ...Object.fromEntries(others), organization: organizationId }
  await insertEntry(trx, { ...entry, organizationId: undefined, detail })
}

/** Whether members of an organization may read this detail; not what this version does not know. */
const isForOrganization = (name: string): boolean =>
  (auditAudiences as { readonly [name: string]: string })[name.replace(/Before$/, '')] === 'organization'

async function insertEntry(trx: Executor, entry: AuditEntry): Promise<void> {
  await trx
    .insertInto('audit_entry')
    .values({
      at: entry.at,
      actor: entry.actor,
      organization_id: entry.organizationId ?? null,
      action: entry.action,
      subject: entry.subject,
      detail: JSON.stringify(entry.detail),
      causes: entry.causes === undefined ? null : JSON.stringify(entry.causes),
      address_prefix: entry.addressPrefix,
    })
    .execute()
}

/**
 * Entries, the newest first, below `before`: of one organization as its members may read them, or of all with every
 * detail.
 */
export async function listAuditEntries(
  db: Executor,
  which: { readonly organizationId?: string; readonly before?: number; readonly limit: number },
): Promise<ListedAuditEntry[]> {
  let query = db
    .selectFrom('audit_entry')
    .select(['entry_no as entryNo', 'at', 'actor', 'organization_id as organizationId', 'action', 'subject', 'detail'])
    .select(['address_prefix as addressPrefix', 'causes'])
    .orderBy('entry_no', 'desc')
    .limit(which.limit)
  if (which.organizationId !== undefined) query = query.where('organization_id', '=', which.organizationId)
  if (which.before !== undefined) query = query.where('entry_no', '<', which.before)
  const rows = await query.execute()
  // an older version, running beside this one, may have written what its members may not read
  const shown = (detail: AuditEntry['detail']): AuditEntry['detail'] =>
    which.organizationId === undefined
      ? detail
      : Object.fromEntries(Object.entries(detail).filter(([name]) => isForOrganization(name)))
  return rows.map(({ causes, ...row }) => ({
    ...row,
    ...(causes !== null && { causes: JSON.parse(causes) as HoldReason[] }),
    organizationId: row.organizationId ?? undefined,
    detail: shown(JSON.parse(row.detail) as AuditEntry['detail']),
  }))
}

/** Maximum time until the end of a maintenance: the status page finds it in the log. */
const maintenanceMs = 7 * dayMs

/** Deletes entries older than that, and none of a maintenance that may go on. */
export async function pruneAuditEntries(db: Executor, now: number, auditMs = usualAuditMs): Promise<void> {
  const mayGoOn = now - Math.max(auditMs, maintenanceMs)
  await sql`delete from audit_entry where at < ${now - auditMs}
    and (action not in ('maintenance.on', 'maintenance.off') or at < ${mayGoOn})`.execute(db)
}
