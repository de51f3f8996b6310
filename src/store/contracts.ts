// What was agreed with an organization: when its access to the API begins and ends.
import { sql } from 'kysely'
import { bump } from './change-signal.ts'
import type { Executor } from './database.ts'

export type Contract = {
  readonly organizationId: string
  /** Times in epoch milliseconds. */
  readonly startsAt: number
  /** Undefined: no end is agreed. */
  readonly endsAt: number | undefined
  /** When its end took effect. */
  readonly endedAt: number | undefined
  readonly note: string
  /** A mail address, or `operator`. */
  readonly setUpBy: string
}

/** Organizations that have a contract, ended ones too. */
export async function listContracted(db: Executor): Promise<Set<string>> {
  const rows = await db.selectFrom('contract').select('organization_id').execute()
  return new Set(rows.map((row) => row.organization_id))
}

export async function listContracts(db: Executor): Promise<Contract[]> {
  const rows = await db.selectFrom('contract').selectAll().execute()
  return rows.map(contractOf)
}

export async function findContract(db: Executor, organizationId: string): Promise<Contract | undefined> {
  const row = await db
    .selectFrom('contract')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return row && contractOf(row)
}

/** Sets a contract up, or replaces its terms; one that had ended runs again. */
export async function putContract(trx: Executor, contract: Omit<Contract, 'endedAt'>): Promise<void> {
  const terms = {
    starts_at: contract.startsAt,
    ends_at: contract.endsAt ?? null,
    ended_at: null,
    note: contract.note,
    set_up_by: contract.setUpBy,
  }
  await trx
    .insertInto('contract')
    .values({ organization_id: contract.organizationId, ...terms })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(terms))
    .execute()
  await bump(trx, 'console')
}

/** Contracts whose last moment is over and that nobody has ended; each is returned to one caller only. */
export async function takeEndedContracts(trx: Executor, now: number): Promise<string[]> {
  const { rows } = await sql<{ organization_id: string }>`
    update contract set ended_at = ${now} where ended_at is null and ends_at <= ${now} returning organization_id`.execute(
    trx,
  )
  if (rows.length > 0) await bump(trx, 'console')
  return rows.map((row) => row.organization_id)
}

/** Ends a contract now. False where there is none that runs. */
export async function endContract(trx: Executor, organizationId: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('contract')
    .set({ ended_at: now, ends_at: now })
    .where('organization_id', '=', organizationId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  await bump(trx, 'console')
  return numUpdatedRows > 0n
}

function contractOf(row: {
  organization_id: string
  starts_at: number
  ends_at: number | null
  ended_at: number | null
  note: string
  set_up_by: string
}): Contract {
  return {
    organizationId: row.organization_id,
    startsAt: row.starts_at,
    endsAt: row.ends_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    note: row.note,
    setUpBy: row.set_up_by,
  }
}
