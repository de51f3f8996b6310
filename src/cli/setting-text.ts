// Settings as a person reads them.
import type { CommandEvent } from '../service/command-event.ts'
import type { Paint } from './paint.ts'

/** One event about settings; undefined when it is about something else. */
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
      const text = `${event.name.padEnd(31)} ${event.from.padEnd(12)}`
      return `  ${event.isSet ? `${text} ${shown}` : paint.dim(`${text} ${shown}`)}`
    }
    case 'unknownSetting':
      return `  ${paint.yellow('!')} ${event.name} is no setting${event.nearest === null ? '' : `; did you mean ${event.nearest}?`}`
    default:
      return undefined
  }
}
