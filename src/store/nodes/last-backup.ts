// When the newest backup of this stock was made, and which a drill has restored: settings of the stock.
import type { Executor } from '../database/database.ts'
import { getSetting, setSetting } from '../database/settings.ts'

/** Holds the moment of the state that the backup has, epoch milliseconds. */
export const lastBackupSetting = 'last-backup'

/** Notes a backup that was read back and found complete. */
export const saveLastBackup = (db: Executor, takenAt: number): Promise<void> =>
  setSetting(db, lastBackupSetting, String(takenAt))

/** Holds the moment of the newest state that a drill has restored, epoch milliseconds. */
export const lastDrillSetting = 'last-drill'

/** Notes a backup that was restored into a scratch database and found equal. */
export const saveLastDrill = (db: Executor, takenAt: number): Promise<void> =>
  setSetting(db, lastDrillSetting, String(takenAt))

/** Epoch milliseconds; null where there is none. */
export type LastBackups = { readonly madeAt: number | null; readonly restoredAt: number | null }

/** The newest backup, and the newest that a drill has restored: when their states were taken. */
export async function readLastBackups(db: Executor): Promise<LastBackups> {
  const at = async (name: string) => Number((await getSetting(db, name)) ?? 0) || null
  return { madeAt: await at(lastBackupSetting), restoredAt: await at(lastDrillSetting) }
}
