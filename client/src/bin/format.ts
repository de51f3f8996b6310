// Numbers, times and durations for people.

/** `12,345`. */
export const count = (value: number): string => Math.round(value).toLocaleString('en-US')

/** `1 record`, `2 records`. */
export const counted = (value: number, noun: string, plural = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : plural}`

/** `0.4 s`, `12 s`, `2 min 05 s`, `3 h 12 min`, `2 d 4 h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** Records per second, with a digit after the point while there are few. */
export const rate = (records: number, ms: number): string => {
  const perSecond = ms > 0 ? (records * 1000) / ms : 0
  return `${perSecond < 10 ? perSecond.toFixed(1) : count(perSecond)}/s`
}

/** `2026-11-21 06:00:01 UTC` of an ISO text or epoch milliseconds. */
export const moment = (at: string | number): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** Cuts a line to a width. */
export const fitted = (line: string, columns: number): string =>
  line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`

/**
 * Wraps a text at spaces to the width of the terminal; every line begins with the indent. For a log it stays one line.
 */
export function wrapped(text: string, columns: number | undefined, indent = '  '): string {
  if (columns === undefined) return indent + text
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && indent.length + line.length + 1 + word.length > columns) {
      lines.push(indent + line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, indent + line].join('\n')
}
