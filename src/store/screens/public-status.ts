// What the status page shows: when editions appeared and were held back, and which sources have problems.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'

/** Times in epoch milliseconds, ascending. */
export type PublicEditions = {
  readonly publishedAt: readonly number[]
  readonly heldAt: readonly number[]
  /** The first edition ever; null before it. */
  readonly firstAt: number | null
}

/** Returns editions and holds since `since`; the last edition before it comes first. Runs one statement. */
export async function editionsSince(db: Executor, since: number): Promise<PublicEditions> {
  const { rows } = await sql<PublicEditions>`
    select
      (select coalesce(json_agg(published_at order by published_at), '[]') from edition
        where published_at >= coalesce((select max(published_at) from edition where published_at < ${since}), ${since}))
        as "publishedAt",
      (select coalesce(json_agg(held_at order by held_at), '[]') from edition_hold where held_at >= ${since}) as "heldAt",
      (select min(published_at) from edition) as "firstAt"`.execute(db)
  return rows[0]!
}

export type PublicSource = {
  readonly sourceId: string
  /** When it last answered, epoch milliseconds. */
  readonly checkedAt: number
  /** Kinds of its open alarms, each with the moment it was raised. */
  readonly alarms: readonly { readonly kind: string; readonly raisedAt: number }[]
}

/** Returns every source that was ever read, by its ID. Runs one statement. */
export async function publicSources(db: Executor): Promise<PublicSource[]> {
  const { rows } = await sql<PublicSource>`
    select c.source_id as "sourceId", c.checked_at as "checkedAt",
      coalesce((select json_agg(json_build_object('kind', a.kind, 'raisedAt', a.raised_at) order by a.raised_at, a.kind)
        from source_alarm a where a.source_id = c.source_id and a.cleared_at is null), '[]') as alarms
    from source_check c order by c.source_id`.execute(db)
  return rows
}
