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

/** What clocks in the zone show at an instant, by the names of Intl. */
export function partsOf(instant: Instant, zone: string): { readonly [name: string]: string } {
  const two = '2-digit'
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    ...{ month: two, day: two, hour: two, minute: two, second: two },
    timeZoneName: 'longOffset',
  })
  return Object.fromEntries(format.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]))
}

/** An instant as clocks in the zone show it. */
export function localTimeOf(instant: Instant, zone: string): LocalTime {
  const { year, month, day, hour, minute, second, timeZoneName } = partsOf(instant, zone)
  return {
    date: `${year}-${month}-${day}`,
    time: `${hour}:${minute}:${second}`,
    offset: timeZoneName?.replace('GMT', '') || '+00:00',
    dotted: `${day}.${month}.${year}`,
    slashed: `${day}/${month}/${year}`,
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
