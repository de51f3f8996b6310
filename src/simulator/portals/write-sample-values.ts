// What the writers of made-up portal answers share: local times, rows of tables.
import type { Instant } from '../../domain/time.ts'
import type { PortalSample } from '../samples/portal-sample.ts'
import { localParts } from '../samples/xml-text.ts'

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
  const { date, time, offset } = localParts(Date.parse(instant), zone)
  const [year, month, day] = date.split('-')
  return { date, time, offset, dotted: `${day}.${month}.${year}`, slashed: `${day}/${month}/${year}` }
}

/** The id of a notice at portals whose versions have ids of their own: its last byte is the version. */
export const idOfVersion = ({ id, version }: PortalSample): string =>
  version === 1 ? id : `${id.slice(0, -2)}${(version % 256).toString(16).padStart(2, '0')}`

/** A cell of a table, quoted where it has to be. */
export function csvCell(text: string | number | undefined, delimiter = ','): string {
  const cell = text === undefined ? '' : String(text)
  return cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** A header line and one row. */
export function csvRow(cells: { readonly [column: string]: string | number | undefined }, delimiter = ','): string {
  const line = (values: readonly (string | number | undefined)[]) =>
    values.map((value) => csvCell(value, delimiter)).join(delimiter)
  return `${line(Object.keys(cells))}\n${line(Object.values(cells))}\n`
}
