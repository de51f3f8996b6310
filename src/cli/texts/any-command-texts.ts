// Events of any command, for people.
import type { AnyCommandEvents } from '../../service/events/any-command-events.ts'
import { count } from '../figures.ts'
import { concern, done, type EventTexts, remark } from './text-lines.ts'

/** A bar shows progress. */
export const anyCommandTexts: EventTexts<Omit<AnyCommandEvents, 'progress'>> = {
  waiting: ({ busyWith }, paint) => remark(paint, `Waiting: the service is busy with ${busyWith}`),
  warning: ({ message }, paint) => concern(paint, message),
  none: ({ message }, paint) => remark(paint, message),
  note: ({ message }, paint) => remark(paint, message),
  // only for programs: people read it where errors go
  error: () => undefined,
  completion: ({ script }) => script,
  finding: ({ state, check, message }, paint) => {
    const text = `${check.padEnd(14)} ${state === 'ok' ? '' : `${state}: `}${message}`
    if (state === 'ok') return done(paint, text)
    return state === 'warning' ? concern(paint, text) : `  ${paint.yellow('✗')} ${text}`
  },
  findings: ({ problems, warnings }) => `\n  ${count(problems, 'problem')}, ${count(warnings, 'warning')}`,
}
