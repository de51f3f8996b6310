// Settings.
import type { SettingOrigin } from '../../platform/config.ts'

export type SettingEvents = {
  /** Whose settings follow: those of the service that runs on the data folder, or those of the command. */
  settingsOf: { isRunning: boolean; pid: number }
  setting: {
    name: string
    from: SettingOrigin
    /** Null for secrets, and when it is not given. */
    value: string | null
    /** What applies without it, in words; null when nothing does. */
    default: string | null
    isSecret: boolean
    isSet: boolean
    /** The source whose key it is. */
    source: string | null
  }
  /** A variable that begins with TENDERSTOCK_ but is not a setting, and the setting that it resembles. */
  unknownSetting: { name: string; nearest: string | null }
}
