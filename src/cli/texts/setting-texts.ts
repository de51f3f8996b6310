// Events about settings, for people.
import type { SettingEvents } from '../../service/events/setting-events.ts'
import { concern, type EventTexts } from './text-lines.ts'

export const settingTexts: EventTexts<SettingEvents> = {
  settingsOf: ({ isRunning, pid }, paint) =>
    paint.bold(isRunning ? `Settings of the running service (pid ${pid})` : 'Settings of a command that starts here'),
  setting: (event, paint) => {
    const shown = event.isSet ? (event.isSecret ? 'set' : (event.value ?? 'set')) : (event.default ?? 'not set')
    const text = `${event.name.padEnd(32)} ${event.from.padEnd(12)} ${shown}`
    return `  ${event.isSet ? text : paint.dim(text)}`
  },
  unknownSetting: ({ name, nearest }, paint) =>
    concern(paint, `${name} is not a setting${nearest === null ? '' : `; did you mean ${nearest}?`}`),
}
