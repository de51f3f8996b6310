// How events are shown to people: what a table of texts is, and the lines that several of them print.
import type { Clock } from '../../platform/clock.ts'
import type { EventName, EventOf } from '../../service/events/command-event.ts'
import { minute } from '../figures.ts'
import type { Paint } from '../paint.ts'

/** The text of each of these events; undefined if there is nothing to say. */
export type EventTexts<Events> = {
  readonly [Name in keyof Events & EventName]: (event: EventOf<Name>, paint: Paint, clock: Clock) => string | undefined
}

/** What is done or found, behind its name. */
export const fact = (paint: Paint, name: string, text: string): string => done(paint, `${name.padEnd(20)} ${text}`)

/** What is done. */
export const done = (paint: Paint, text: string): string => `  ${paint.green('✓')} ${text}`

/** What a person should look at. */
export const concern = (paint: Paint, text: string): string => `  ${paint.yellow('!')} ${text}`

/** What is good to know. */
export const remark = (paint: Paint, text: string): string => `  ${paint.dim(`· ${text}`)}`

/** A row of a report. The label is padded before it is painted, as escape codes take no room. */
export const row = (label: string, text: string, tint: Paint['yellow'] = (plain) => plain): string =>
  `  ${tint(label.padEnd(22))} ${text}`

/** `2026-11-20 08:10 UTC`, `never`. */
export const utcMinute = (ms: number | null): string => (ms === null ? 'never' : `${minute(ms)} UTC`)
