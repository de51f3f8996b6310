// Numbers, times and long texts, as commands print them for people.
import { toInstant } from '../domain/time.ts'

export const number = (value: number): string => value.toLocaleString('en-US')

/** A number with its noun: `1 notice`, `1,200 notices`. */
export const count = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`

/** `2026-11-20 08:10`, in UTC; `never`. */
export const minute = (ms: number | null): string =>
  ms === null ? 'never' : toInstant(ms).slice(0, 16).replace('T', ' ')

/** A text in one line, with `…` for what is too long; `–` if there is none. */
export function cut(text: string | null | undefined, most: number): string {
  const line = (text ?? '–').replace(/\s+/g, ' ')
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
