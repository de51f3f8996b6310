// What editions published, by source and UTC day, and how far the winners of a source reach: counted once for each
// entry, so that the cost follows the changes and not the stock.
import { sql } from 'kysely'
import { type OutcomeRow, outcomeFigures } from '../../domain/published-outcome.ts'
import { arrayText } from '../database/array-text.ts'
import type { Executor } from '../database/database.ts'
import { loadRedactor } from '../received/redactions.ts'

/** An award of a source. `winner`, `buyer`, `trade` are hashes of names and of a CPV group. */
export type WinnerRow = {
  readonly sourceId: string
  readonly winner: string
  readonly tenderId: string
  readonly buyer: number
  readonly trade: number
}

/** So many different buyers and trades are remembered for each winner; more say nothing more. */
const mostRemembered = 50

/** Up to which lastModified entries are counted. */
const markName = 'outcomes-counted'

/** Takes the mark for this transaction: others wait. Undefined if nothing was counted yet. */
export async function takeOutcomeMark(trx: Executor): Promise<number | undefined> {
  await sql`insert into setting (name, value) values (${markName}, '') on conflict (name) do nothing`.execute(trx)
  const { rows } = await sql<{ value: string }>`
    select value from setting where name = ${markName} for update`.execute(trx)
  return rows[0]!.value === '' ? undefined : Number(rows[0]!.value)
}

export async function moveOutcomeMark(trx: Executor, lastModified: number): Promise<void> {
  await sql`update setting set value = ${String(lastModified)}::text where name = ${markName}`.execute(trx)
}

export async function addOutcomes(trx: Executor, rows: readonly OutcomeRow[]): Promise<void> {
  const columns = sql.raw(outcomeFigures.join(', '))
  const sums = sql.raw(outcomeFigures.map((name) => `${name} = o.${name} + excluded.${name}`).join(', '))
  const types = sql.raw(outcomeFigures.map((name) => `${name} integer`).join(', '))
  await sql`
    insert into source_outcome as o (source_id, day, ${columns})
    select "sourceId", day, ${columns}
    from json_to_recordset(${JSON.stringify(rows)}::json) as n ("sourceId" text, day text, ${types})
    on conflict (source_id, day) do update set ${sums}`.execute(trx)
}

/** The numbers of the stored array and of the new one, as many as are remembered. */
const united = (column: string) => {
  const [stored, added] = [sql.ref(`w.${column}`), sql.ref(`excluded.${column}`)]
  return sql`(select json_agg(number)::text from (
    select value::integer as number from json_array_elements_text(${stored}::json) union
    select value::integer from json_array_elements_text(${added}::json) limit ${mostRemembered}::integer) as numbers)`
}

/** The same winner of a source may be in several rows. */
export async function addWinners(trx: Executor, rows: readonly WinnerRow[], day: string): Promise<void> {
  await sql`
    insert into source_winner as w (source_id, winner, tender_id, buyers, trades, seen_day)
    select "sourceId", winner, max("tenderId"), json_agg(distinct buyer)::text, json_agg(distinct trade)::text, ${day}::text
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as n ("sourceId" text, winner text, "tenderId" text, buyer integer, trade integer)
    group by 1, 2
    on conflict (source_id, winner) do update set tender_id = excluded.tender_id, seen_day = excluded.seen_day,
      buyers = ${united('buyers')}, trades = ${united('trades')}`.execute(trx)
}

/** Forgets days before `day`, and winners that reached few buyers until then. */
export async function forgetOutcomes(db: Executor, day: string): Promise<void> {
  await sql`delete from source_outcome where day < ${day}`.execute(db)
  await sql`delete from source_winner where seen_day < ${day} and json_array_length(buyers::json) < ${mostRemembered}`.execute(
    db,
  )
}

/** The counts of all sources since a day, oldest first. */
export async function outcomesSince(db: Executor, day: string): Promise<OutcomeRow[]> {
  const { rows } = await sql<OutcomeRow>`
    select source_id as "sourceId", day, ${sql.raw(outcomeFigures.join(', '))}
    from source_outcome where day >= ${day} order by day`.execute(db)
  return rows
}

/**
 * Winners with as many buyers and trades as are remembered, seen since a day: a record of each, without redacted data.
 */
export async function farReachingWinners(
  db: Executor,
  day: string,
): Promise<{ readonly sourceId: string; readonly winner: string; readonly body: string }[]> {
  const { rows } = await sql<{ sourceId: string; winner: string; body: string }>`
    select w.source_id as "sourceId", winner, e.body
    from source_winner w join published_tender p using (tender_id) join edition_entry e on e.last_modified = p.last_modified
    where seen_day >= ${day} and json_array_length(buyers::json) >= ${mostRemembered} and json_array_length(trades::json) >= ${mostRemembered}
    order by 1, 2 limit 100`.execute(db)
  const { json } = await loadRedactor(db)
  return rows.map((row) => ({ ...row, body: json(row.body) }))
}

/** For the entries of these editions: which of them follow a change of rules. */
export async function editionsAfterRules(db: Executor, editions: readonly number[]): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ edition: number }>`
    select edition from edition where edition = any (${arrayText([...new Set(editions)])}::integer[])
      and counts::json -> 'rules' is not null`.execute(db)
  return new Set(rows.map(({ edition }) => edition))
}
