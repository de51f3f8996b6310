// Sources that an operator has turned off, with when, by whom and why: one setting of the stock for each.
import type { Executor } from '../database/database.ts'
import { setSetting } from '../database/settings.ts'

/** `at`: epoch milliseconds. */
export type TurnedOff = { readonly at: number; readonly by: string; readonly reason: string }

const prefix = 'source-off:'

/** By the ID of the source. */
export async function sourcesTurnedOff(db: Executor): Promise<ReadonlyMap<string, TurnedOff>> {
  const rows = await db.selectFrom('setting').selectAll().where('name', 'like', `${prefix}%`).execute()
  return new Map(rows.map(({ name, value }) => [name.slice(prefix.length), JSON.parse(value) as TurnedOff]))
}

/** Turns a source off; one that is off keeps its newest reason. */
export async function turnSourceOff(trx: Executor, sourceId: string, off: TurnedOff): Promise<void> {
  await setSetting(trx, prefix + sourceId, JSON.stringify(off))
}

/** Returns false if it was not off. */
export async function turnSourceOn(trx: Executor, sourceId: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('setting')
    .where('name', '=', prefix + sourceId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
