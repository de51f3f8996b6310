// Serials that increase with every change of a kind, so that API processes notice changes with one cheap query.
import { sql } from 'kysely'
import type { Executor } from './database.ts'

/**
 * `tokens`: tokens, limits and access of organizations; `edition`: a new edition; `console`: people, sessions and their
 * organizations.
 */
export type SignalTopic = 'tokens' | 'edition' | 'console'

export type Serials = { readonly [topic in SignalTopic]: number }

/**
 * Increases a topic's serial. Call it in the transaction of the change: a process that sees the new serial sees the
 * change.
 */
export async function bump(db: Executor, topic: SignalTopic): Promise<void> {
  await db.updateTable('change_signal').set({ serial: sql<number>`serial + 1` }).where('topic', '=', topic).execute()
}

/** Increases a topic's serial above those that a lost state of this database can have reached. */
export async function jumpSerial(db: Executor, topic: SignalTopic): Promise<void> {
  await db
    .updateTable('change_signal')
    .set({ serial: sql<number>`serial + 1000000` })
    .where('topic', '=', topic)
    .execute()
}

/** The current serials. */
export async function readSerials(db: Executor): Promise<Serials> {
  const rows = await db.selectFrom('change_signal').select(['topic', 'serial']).execute()
  const serialOf = (topic: SignalTopic) => {
    const row = rows.find((candidate) => candidate.topic === topic)
    // not ours: a migration makes the rows, and nothing removes them; somebody changed the database
    if (!row) throw new Error(`the change signal ${topic} is missing`)
    return row.serial
  }
  return { tokens: serialOf('tokens'), edition: serialOf('edition'), console: serialOf('console') }
}
