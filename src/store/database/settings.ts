// Small values that all processes of an installation share.
import type { Executor } from './database.ts'

/** Where a stock keeps the print of the secret key with which its secrets were sealed (`printOfKey`). */
export const keyPrintSetting = 'secret-key-print'

export async function getSetting(db: Executor, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

export async function setSetting(db: Executor, name: string, value: string): Promise<void> {
  await db
    .insertInto('setting')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/**
 * Returns the stored value; stores `value` if there is none. All processes that call it at the same time receive the
 * same one.
 */
export async function getOrCreateSetting(db: Executor, name: string, value: string): Promise<string> {
  await db
    .insertInto('setting')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await getSetting(db, name))!
}
