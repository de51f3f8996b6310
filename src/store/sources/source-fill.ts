// How often the new notices of a source have each field, by day and form type; and its quarantine, which is an open
// alarm of the kind `fill`.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'

export type FillRow = {
  readonly day: string
  readonly formType: string
  readonly notices: number
  readonly deadline: number
  readonly cpv: number
  readonly value: number
  readonly authority: number
  readonly region: number
}

/** The kind of alarm that is the quarantine of a source while it is open. */
export const quarantineKind = 'fill'

/** Adds to the counts of a source, and deletes those of days before `keptSince`. */
export async function addFill(
  db: Executor,
  sourceId: string,
  tallies: readonly FillRow[],
  keptSince: string,
): Promise<void> {
  if (tallies.length === 0) return
  await sql`delete from source_fill where source_id = ${sourceId} and day < ${keptSince}`.execute(db)
  for (const { formType, ...counts } of tallies)
    await db
      .insertInto('source_fill')
      .values({ source_id: sourceId, form_type: formType, ...counts })
      .onConflict((conflict) =>
        conflict.columns(['source_id', 'day', 'form_type']).doUpdateSet(({ ref, eb }) => ({
          notices: eb('source_fill.notices', '+', ref('excluded.notices')),
          deadline: eb('source_fill.deadline', '+', ref('excluded.deadline')),
          cpv: eb('source_fill.cpv', '+', ref('excluded.cpv')),
          value: eb('source_fill.value', '+', ref('excluded.value')),
          authority: eb('source_fill.authority', '+', ref('excluded.authority')),
          region: eb('source_fill.region', '+', ref('excluded.region')),
        })),
      )
      .execute()
}

/** The counts of a source, newest day first. */
export function listFill(db: Executor, sourceId: string): Promise<FillRow[]> {
  return db
    .selectFrom('source_fill')
    .select(['day', 'form_type as formType', 'notices', 'deadline', 'cpv', 'value', 'authority', 'region'])
    .where('source_id', '=', sourceId)
    .orderBy('day', 'desc')
    .orderBy('form_type')
    .execute()
}

/** Whether a source is in quarantine, and when it was last released (epoch milliseconds). */
export async function quarantineOf(
  db: Executor,
  sourceId: string,
): Promise<{ readonly isHeld: boolean; readonly releasedAt: number | null }> {
  const { rows } = await sql<{ isHeld: boolean | null; releasedAt: number | null }>`
    select bool_or(cleared_at is null) as "isHeld", max(cleared_at) as "releasedAt"
    from source_alarm where source_id = ${sourceId} and kind = ${quarantineKind}`.execute(db)
  return { isHeld: rows[0]!.isHeld ?? false, releasedAt: rows[0]!.releasedAt }
}

/** Maximum notices that are counted for one source. */
const maxCounted = 10_000

/** The sources in quarantine, with the number of their notices that wait (up to 10,000). */
export async function listQuarantines(db: Executor): Promise<
  {
    readonly sourceId: string
    readonly since: number
    readonly detail: string
    readonly share: number
    readonly notices: number
  }[]
> {
  const { rows } = await sql<{ sourceId: string; since: number; detail: string; share: number; notices: number }>`
    select source_id as "sourceId", raised_at as since, detail, share,
      (select count(*)::integer from (
        select from notice n where not is_consolidated and n.source_id = a.source_id limit ${maxCounted}::integer) n
      ) as notices
    from source_alarm a where kind = ${quarantineKind} and cleared_at is null order by raised_at, source_id`.execute(db)
  return rows
}

/** Names that first appeared in the documents of a source since `since`, the most frequent first. */
export async function namesSince(db: Executor, sourceId: string, since: number, limit: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from source_drift where source_id = ${sourceId} and documents > 0 and name <> '' and first_seen_at >= ${since}
    order by documents desc, name limit ${limit}::integer`.execute(db)
  return rows.map(({ name }) => name)
}

/**
 * Ends the quarantine of a source: its notices are consolidated, and their shares count as usual. False if it is in
 * none.
 */
export async function releaseSource(
  trx: Executor,
  sourceId: string,
  { at, by, note }: { readonly at: number; readonly by: string; readonly note: string },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('source_alarm')
    .set({ cleared_at: at, acknowledged_at: at, acknowledged_by: by, note })
    .where('source_id', '=', sourceId)
    .where('kind', '=', quarantineKind)
    .where('cleared_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Ends all quarantines because every document is read again: what was counted since they began was counted by the
 * parsers of before, so it is deleted.
 */
export async function releaseForRebuild(trx: Executor, now: number): Promise<void> {
  await sql`
    delete from source_fill f using source_alarm a
    where a.source_id = f.source_id and a.kind = ${quarantineKind} and a.cleared_at is null
      and f.day >= to_char(to_timestamp(a.raised_at / 1000.0) at time zone 'UTC', 'YYYY-MM-DD')`.execute(trx)
  await sql`
    update source_alarm set cleared_at = ${now} where kind = ${quarantineKind} and cleared_at is null`.execute(trx)
}
