// Who holds which edition: processes with an edition log, and the bucket. A database that went back to an earlier state
// forgets what it published; those who saw it say so again, and nothing is published before an operator has decided.
import { sql } from 'kysely'
import { toInstant } from '../../domain/time.ts'
import { OperatorError } from '../../platform/errors.ts'
import type { Executor } from '../database/database.ts'
import { nowMs } from '../database/database-clock.ts'
import { getSetting, setSetting } from '../database/settings.ts'
import { stockIdOf } from './editions.ts'
import { epochsOf, epochWithout } from './older-database.ts'

const callName = 'roll-call'

export type SeenEdition = {
  readonly edition: number
  /** Its digest; empty where it is not known. */
  readonly checksum: string
  readonly lastModified: number
  readonly stockId: string
}

export type Witness = {
  readonly witnessId: string
  /** For people: `the process 17 on host`. */
  readonly name: string
}

/** An edition was published that the database does not hold, and no epoch gave it up. */
export class LostEditionError extends OperatorError {
  constructor(message: string) {
    super('older-database', message)
  }
}

/** Asks all witnesses to report again. `call`: never used before. */
export async function beginRollCall(db: Executor, call: string): Promise<void> {
  await setSetting(db, callName, call)
}

/** What the database knows of a witness, for the witness itself. */
export type WitnessView = {
  /** Another witness holds other content under the same number, and the database does not say who is right. */
  readonly isContested: boolean
  /** The latest roll call; null before the first. */
  readonly call: string | null
  /** As it was last reported; null where nothing is known. */
  readonly answered: string | null
  readonly edition: number | null
  readonly checksum: string | null
}

export async function viewOfWitness(db: Executor, witnessId: string): Promise<WitnessView> {
  const { rows } = await sql<WitnessView>`
    select (select value from setting where name = ${callName}) as call, w.call as answered, w.edition, w.checksum,
      exists (
        select from edition_witness o where o.stock_id = w.stock_id and o.edition = w.edition and o.checksum <> w.checksum
          and o.checksum <> '' and not exists (select from edition e where e.edition = w.edition)) as "isContested"
    from (select 1) as one left join edition_witness w on w.witness_id = ${witnessId}`.execute(db)
  return rows[0]!
}

/** Says what a witness holds, and that it has heard the latest roll call. */
export async function reportEdition(db: Executor, { witnessId, name }: Witness, seen: SeenEdition): Promise<void> {
  const call = (await getSetting(db, callName)) ?? ''
  const row = {
    name,
    call,
    edition: seen.edition,
    checksum: seen.checksum,
    last_modified: seen.lastModified,
    stock_id: seen.stockId,
    reported_at: nowMs,
  }
  await db
    .insertInto('edition_witness')
    .values({ witness_id: witnessId, ...row })
    .onConflict((conflict) => conflict.column('witness_id').doUpdateSet(row))
    .execute()
}

/** For a witness that ends, or holds nothing any more. */
export async function forgetWitness(db: Executor, witnessId: string): Promise<void> {
  await db.deleteFrom('edition_witness').where('witness_id', '=', witnessId).execute()
}

/** The witnesses other than this one that have not answered the call. */
export function unheardWitnesses(
  db: Executor,
  call: string,
  except: string,
): Promise<readonly (Witness & { readonly reportedAt: number })[]> {
  return db
    .selectFrom('edition_witness')
    .select(['witness_id as witnessId', 'name', 'reported_at as reportedAt'])
    .where('call', '<>', call)
    .where('witness_id', '<>', except)
    .orderBy('witness_id')
    .execute()
}

/**
 * Throws LostEditionError if a witness holds an edition of this stock above the newest one, and no epoch gave it up. A
 * database without an edition belongs to any stock.
 */
export async function assertNothingLost(db: Executor): Promise<void> {
  const epochs = await epochsOf(db)
  const stockId = await stockIdOf(db)
  const { rows } = await sql<Witness & SeenEdition>`
    select witness_id as "witnessId", name, edition, checksum, last_modified as "lastModified", stock_id as "stockId"
    from edition_witness
    where (stock_id = ${stockId} or ${stockId} = '') and edition > (select coalesce(max(edition), 0) from edition)
    order by edition desc`.execute(db)
  const lost = rows.find((seen) => epochWithout(epochs, 0, seen) === undefined)
  if (!lost) return
  const { name, edition, lastModified } = lost
  const found = `${name} holds edition ${edition} with changes up to ${toInstant(lastModified)}`
  throw new LostEditionError(
    stockId === ''
      ? `The database holds no edition, but ${found}. Clients may have seen it, so this stock publishes ` +
          'nothing. Restore the database; if the stock is to begin anew, give it an empty bucket and its nodes ' +
          'empty data folders.'
      : `The database was set back: ${found}, which the database lacks and clients may have seen. Nothing more ` +
          'is published, so that no number stands for two contents. Restore a newer state of the database, start ' +
          'a process that holds that edition once with --accept-older-database, or run `tenderstock database ' +
          'new-epoch` (docs/operations.md, "An older database").',
  )
}
