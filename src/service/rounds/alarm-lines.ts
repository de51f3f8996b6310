// What the log says about alarms that were raised together: one line for all sources that fail, and one for each other.
import type { RaisedAlarm } from '../../ingest/watch-sources.ts'

/** How many sources a line names. */
const named = 10
/** How many failing sources have a line of their own. */
const single = 3

/** One line for each alarm; more than three failing sources share one. */
export function alarmLines(raised: readonly RaisedAlarm[]): string[] {
  const failing = raised.filter(({ kind }) => kind === 'failing')
  const isMany = failing.length > single
  const own = isMany ? raised.filter(({ kind }) => kind !== 'failing') : raised
  const lines = own.map(({ sourceId, detail }) => `${sourceId}: ${detail}`)
  if (!isMany) return lines
  const ids = failing.map(({ sourceId }) => sourceId)
  const more = ids.length > named ? ` and ${ids.length - named} more` : ''
  const list = `${ids.slice(0, named).join(', ')}${more}`
  return [
    `No reading of ${ids.length} sources has succeeded for 6 hours: ${list}. \`tenderstock source list\` says why.`,
    ...lines,
  ]
}
