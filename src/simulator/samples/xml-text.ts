// Writing XML as text, for the sample notices.
import { minuteMs } from '../../domain/time.ts'

export type Attributes = { readonly [name: string]: string | undefined }

/** An element; content is text already escaped, or elements. Nothing, `undefined` and `''` are left out. */
export function element(name: string, ...parts: readonly (Attributes | string | undefined)[]): string {
  const list = parts
    .flatMap((part) => (typeof part === 'object' ? Object.entries(part) : []))
    .map(([key, value]) => (value === undefined ? '' : ` ${key}="${escapeXml(value)}"`))
    .join('')
  return `<${name}${list}>${parts.filter((part) => typeof part === 'string').join('')}</${name}>`
}

/** An element with text; nothing when there is no text. */
export function leaf(name: string, text: string | undefined, attributes: Attributes = {}): string {
  return text === undefined ? '' : element(name, attributes, escapeXml(text))
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character]!)
}

/** Date, time and offset of an instant on the clocks of a zone: `2026-03-01`, `10:00:00`, `+01:00`. */
export function localParts(
  ms: number,
  zone: string,
): { readonly date: string; readonly time: string; readonly offset: string } {
  let formatter = formatters.get(zone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    formatters.set(zone, formatter)
  }
  const name = formatter.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
  const offset = name === 'GMT' ? '+00:00' : name.slice(3)
  const sign = offset.startsWith('-') ? -1 : 1
  const offsetMs = sign * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6))) * minuteMs
  const local = new Date(ms + offsetMs).toISOString()
  return { date: local.slice(0, 10), time: local.slice(11, 19), offset }
}

const formatters = new Map<string, Intl.DateTimeFormat>()
