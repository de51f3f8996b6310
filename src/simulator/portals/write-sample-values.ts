// What the writers of made-up portal answers share: local times, XML text.
import type { Instant } from '../../domain/time.ts'

export type LocalTime = {
  /** `2026-11-20` */
  readonly date: string
  /** `12:00:00` */
  readonly time: string
  /** `+01:00` */
  readonly offset: string
  /** `20.11.2026` */
  readonly dotted: string
  /** `20/11/2026` */
  readonly slashed: string
}

/** An instant as clocks in the zone show it. */
export function localTimeOf(instant: Instant, zone: string): LocalTime {
  const at = new Date(instant)
  const part: Record<string, string> = {}
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  })
  for (const { type, value } of format.formatToParts(at)) part[type] = value
  const offset = part['timeZoneName']?.replace('GMT', '') || '+00:00'
  return {
    date: `${part['year']}-${part['month']}-${part['day']}`,
    time: `${part['hour']}:${part['minute']}:${part['second']}`,
    offset,
    dotted: `${part['day']}.${part['month']}.${part['year']}`,
    slashed: `${part['day']}/${part['month']}/${part['year']}`,
  }
}

/** Text as it is in XML, in content and in attributes. */
export function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** A cell of a table, quoted where it has to be. */
function csvCell(text: string | number | undefined, delimiter = ','): string {
  const cell = text === undefined ? '' : String(text)
  return cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** A header line and one row. */
export function csvRow(cells: { readonly [column: string]: string | number | undefined }, delimiter = ','): string {
  const columns = Object.keys(cells)
  const line = (values: readonly (string | number | undefined)[]) =>
    values.map((value) => csvCell(value, delimiter)).join(delimiter)
  return `${line(columns)}\n${line(columns.map((column) => cells[column]))}\n`
}
