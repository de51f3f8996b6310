// What the writers of made-up portal answers share: local times, rows of tables.
import type { Instant } from '../../domain/time.ts'
import type { PortalSample } from '../samples/portal-sample.ts'
import { localParts } from '../samples/xml-text.ts'

/** `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` and the offset `xxx` (`+01:00`) of the instant in the zone. */
export function localTime(instant: Instant, zone: string, pattern: string): string {
  const { date, time, offset } = localParts(Date.parse(instant), zone)
  const [yyyy, MM, dd, HH, mm, ss] = [...date.split('-'), ...time.split(':')]
  const parts: { readonly [name: string]: string | undefined } = { yyyy, MM, dd, HH, mm, ss, xxx: offset }
  return pattern.replace(/yyyy|MM|dd|HH|mm|ss|xxx/g, (name) => parts[name] ?? '')
}

/** Same as localTime; undefined if there is no instant. */
export function localTimeOf(instant: Instant | undefined, zone: string, pattern: string): string | undefined {
  return instant === undefined ? undefined : localTime(instant, zone, pattern)
}

/** The form type of an announcement: a change and a cancellation have that of the call. */
export const formTypeOf = ({ kind }: Pick<PortalSample, 'kind'>): 'planning' | 'competition' | 'result' =>
  kind === 'award' ? 'result' : kind === 'planning' ? 'planning' : 'competition'

/** The id of a notice at portals whose versions have ids of their own: its last byte is the version. */
export const idOfVersion = ({ id, version }: Pick<PortalSample, 'id' | 'version'>): string =>
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
