// Until when the API is closed for maintenance. All nodes read it every second (look.ts).
import type { Executor } from '../database/database.ts'
import { getOrCreateSetting, getSetting, setSetting } from '../database/settings.ts'

/** The name of the setting: epoch milliseconds, `0` for none. The query of look.ts names it, too. */
export const maintenanceSetting = 'maintenance-until'

/** The end of maintenance according to the setting; it may have passed; undefined without one. */
export function readMaintenance(value: string | null | undefined): number | undefined {
  const until = Number(value ?? 0)
  return Number.isSafeInteger(until) && until > 0 ? until : undefined
}

export const loadMaintenance = async (db: Executor): Promise<number | undefined> =>
  readMaintenance(await getSetting(db, maintenanceSetting))

/** The same; others that lock it wait until the transaction ends. */
export async function lockMaintenance(trx: Executor): Promise<number | undefined> {
  await getOrCreateSetting(trx, maintenanceSetting, '0')
  const row = await trx
    .selectFrom('setting')
    .select('value')
    .where('name', '=', maintenanceSetting)
    .forUpdate()
    .executeTakeFirst()
  return readMaintenance(row?.value)
}

/** Saves the end of maintenance; undefined ends it. */
export const saveMaintenance = (db: Executor, until: number | undefined): Promise<void> =>
  setSetting(db, maintenanceSetting, String(until ?? 0))
