// Writes to an embedded stock and acknowledges each commit on stdout, until it is killed. Run by kill.system.test.ts.
import { createHash } from 'node:crypto'
import { writeSync } from 'node:fs'
import { sql } from 'kysely'
import { inTransaction, openStore } from '../../src/store/database/database.ts'

const dataFolder = process.argv[2]!
/** Rows of one transaction: either all of them exist, or none. */
const groupSize = 5

function bodyOf(row: number): string {
  return createHash('sha256')
    .update(`${row}`)
    .digest('hex')
    .repeat(1 + (row % 40))
}

/** Synchronous, so that an acknowledgement has left the process when the next write begins. */
function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

const store = await openStore({ dataFolder })
await sql`create table if not exists crash_row (row integer primary key, body text not null)`.execute(store.db)
const { rows } = await sql<{ row: number; body: string }>`select row, body from crash_row order by row`.execute(
  store.db,
)
const counter = await store.db.selectFrom('setting').select('value').where('name', '=', 'counter').executeTakeFirst()
say({
  event: 'ready',
  rows: rows.length,
  last: rows.at(-1)?.row ?? 0,
  wrong: rows.filter(({ row, body }, index) => row !== index + 1 || body !== bodyOf(row)).length,
  torn: rows.length % groupSize,
  counter: Number(counter?.value ?? 0),
})

for (let row = rows.length + 1; ; row += groupSize) {
  const last = row + groupSize - 1
  await inTransaction(store, async (trx) => {
    for (let next = row; next <= last; next++) {
      await sql`insert into crash_row (row, body) values (${next}, ${bodyOf(next)})`.execute(trx)
    }
    const counted = { name: 'counter', value: `${last}` }
    await trx
      .insertInto('setting')
      .values(counted)
      .onConflict((conflict) => conflict.column('name').doUpdateSet(counted))
      .execute()
  })
  say({ event: 'committed', last })
}
