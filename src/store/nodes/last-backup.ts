// When the newest backup of this stock was made: a setting of the stock, written once the backup is complete.
import type { Executor } from '../database/database.ts'
import { setSetting } from '../database/settings.ts'

/** Holds the moment of the state that the backup has, epoch milliseconds. */
export const lastBackupSetting = 'last-backup'

/** Notes a backup that was read back and found complete. */
export const saveLastBackup = (db: Executor, takenAt: number): Promise<void> =>
  setSetting(db, lastBackupSetting, String(takenAt))
