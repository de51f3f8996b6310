// Settings, for people.
import type { CommandEvent } from '../service/command-event.ts'
import type { Paint } from './paint.ts'

/** Describes an event about settings; undefined for any other event. */
export function describeSetting(event: CommandEvent, paint: Paint): string | undefined {
  switch (event.event) {
    case 'settingsOf':
      return paint.bold(
        event.isRunning
          ? `Settings of the running service (pid ${event.pid})`
          : 'Settings of a command that starts here',
      )
    case 'setting': {
      const shown = event.isSet ? (event.isSecret ? 'set' : (event.value ?? 'set')) : (event.default ?? 'not set')
      const text = `${event.name.padEnd(32)} ${event.from.padEnd(12)}`
      return `  ${event.isSet ? `${text} ${shown}` : paint.dim(`${text} ${shown}`)}`
    }
    case 'unknownSetting':
      return `  ${paint.yellow('!')} ${event.name} is not a setting${event.nearest === null ? '' : `; did you mean ${event.nearest}?`}`
    default:
      return undefined
  }
}
