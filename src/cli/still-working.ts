// Shows that a command still works while it prints nothing: the seconds for which it has been silent.
import type { CommandEvent, Emit } from '../service/events/command-event.ts'
import type { Reporter } from './reporter.ts'

const tickMs = 1000

/** What to pass events to while it is watched, and what ends that. */
export type Watched = { readonly emit: Emit; readonly end: () => void }

/**
 * Shows `doing` with the seconds of silence, each second until `end`, or until an event for which `endsWith` is true.
 * Every other event begins a new silence. Programs see nothing of it.
 */
export function watchSilence(
  { emit, showSilence }: Pick<Reporter, 'emit' | 'showSilence'>,
  doing: string,
  endsWith: (event: CommandEvent) => boolean = () => false,
): Watched {
  if (!showSilence) return { emit, end: () => {} }
  let seconds = 0
  const timer = setInterval(() => {
    seconds += 1
    showSilence(doing, seconds)
  }, tickMs)
  timer.unref()
  const end = () => clearInterval(timer)
  return {
    end,
    emit: (event) => {
      seconds = 0
      if (endsWith(event)) end()
      emit(event)
    },
  }
}
