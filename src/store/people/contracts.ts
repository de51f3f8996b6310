// What was agreed with an organization: when its access to the API begins and ends.
import { sql } from 'kysely'
import { bump } from '../database/change-signal.ts'
import type { Executor } from '../database/database.ts'
import { changeOrganization } from './organizations.ts'

export type Contract = {
  readonly organizationId: string
  /** Times in epoch milliseconds. */
  readonly startsAt: number
  /** Undefined: no end was agreed. */
  readonly endsAt: number | undefined
  /** When its beginning took effect and the access was opened. */
  readonly startedAt: number | undefined
  /** When its end took effect. */
  readonly endedAt: number | undefined
  readonly note: string
  /** A mail address, or `operator`. */
  readonly setUpBy: string
}

/** Organizations that have a contract, even an ended one. */
export async function listContracted(db: Executor): Promise<Set<string>> {
  const rows = await db.selectFrom('contract').select('organization_id').execute()
  return new Set(rows.map((row) => row.organization_id))
}

export async function findContract(db: Executor, organizationId: string): Promise<Contract | undefined> {
  const row = await db
    .selectFrom('contract')
    .select(['organization_id as organizationId', 'starts_at as startsAt', 'ends_at as endsAt', 'note'])
    .select(['started_at as startedAt', 'ended_at as endedAt', 'set_up_by as setUpBy'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (!row) return undefined
  const { endsAt, startedAt, endedAt } = row
  return {
    ...row,
    endsAt: endsAt ?? undefined,
    startedAt: startedAt ?? undefined,
    endedAt: endedAt ?? undefined,
  }
}

/** The contract as it is now; others that change it wait until the transaction ends. */
export async function lockContract(trx: Executor, organizationId: string): Promise<Contract | undefined> {
  await sql`select from contract where organization_id = ${organizationId} for update`.execute(trx)
  return findContract(trx, organizationId)
}

/** What an operator agreed. Times in epoch milliseconds. */
export type ContractTerms = Pick<Contract, 'organizationId' | 'startsAt' | 'endsAt' | 'note' | 'setUpBy'>

/**
 * Sets a contract up, or replaces its terms; an ended one is in force again. The access to the API is open while it
 * runs. Call it in the transaction of its cause.
 */
export async function putContract(trx: Executor, contract: ContractTerms, now: number): Promise<void> {
  const { organizationId, startsAt, endsAt } = contract
  const hasBegun = startsAt <= now
  const hasEnded = endsAt !== undefined && endsAt <= now
  const terms = {
    starts_at: startsAt,
    ends_at: endsAt ?? null,
    started_at: hasBegun ? now : null,
    ended_at: hasEnded ? now : null,
    note: contract.note,
    set_up_by: contract.setUpBy,
  }
  await trx
    .insertInto('contract')
    .values({ organization_id: organizationId, ...terms })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(terms))
    .execute()
  // signals are raised in the same order everywhere, so that no deadlock can occur
  await changeOrganization({ db: trx }, organizationId, { hasApiAccess: hasBegun && !hasEnded })
  await bump(trx, 'console')
}

/** Contracts that began or ended, and whose organizations gained or lost access. */
export type ContractChanges = { readonly begun: readonly string[]; readonly ended: readonly string[] }

/**
 * Opens the access for contracts that begin, and ends it for those that end. Each organization is returned to one
 * caller only. Call it in a transaction.
 */
export async function takeContractChanges(trx: Executor, now: number): Promise<ContractChanges> {
  const { rows: begun } = await sql<{ organizationId: string }>`
    update contract set started_at = ${now}
    where started_at is null and ended_at is null and starts_at <= ${now} and (ends_at is null or ends_at > ${now})
    returning organization_id as "organizationId"`.execute(trx)
  const { rows: ended } = await sql<{ organizationId: string }>`
    update contract set ended_at = ${now} where ended_at is null and ends_at <= ${now}
    returning organization_id as "organizationId"`.execute(trx)
  for (const { organizationId } of begun) await changeOrganization({ db: trx }, organizationId, { hasApiAccess: true })
  for (const { organizationId } of ended) await changeOrganization({ db: trx }, organizationId, { hasApiAccess: false })
  if (begun.length + ended.length > 0) await bump(trx, 'console')
  const idsOf = (rows: readonly { readonly organizationId: string }[]) => rows.map((row) => row.organizationId)
  return { begun: idsOf(begun), ended: idsOf(ended) }
}

/** Ends a contract and its access now. False when none is in force. Call it in the transaction of its cause. */
export async function endContract(trx: Executor, organizationId: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('contract')
    .set({ ended_at: now, ends_at: now })
    .where('organization_id', '=', organizationId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await changeOrganization({ db: trx }, organizationId, { hasApiAccess: false })
  await bump(trx, 'console')
  return true
}
