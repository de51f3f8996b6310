// Changed records of a stock, generated in separate processes, as later editions contain them.
import { join } from 'node:path'
import { runToEnd } from '../processes.ts'
import type { FillTask } from './fill-part.ts'
import type { Stock } from './stock.ts'

/** Number of changes in the large edition; a small stock changes completely. */
export const changesOf = ({ records }: Pick<Stock, 'records'>): number => Math.min(100_000, records)

export async function newestEditionOf({ cluster, database }: Stock): Promise<{
  readonly edition: number
  readonly lastModified: number
}> {
  const text = cluster.psql(database, 'select edition, last_modified from edition order by edition desc limit 1')
  const [edition, lastModified] = text.trim().split('|').map(Number) as [number, number]
  return { edition, lastModified }
}

/** Writes `changes` of the records, in the version of `edition`, to a target. */
export async function writeChanges(
  { records, seed, now }: Stock,
  { changes, edition, firstStamp }: { readonly changes: number; readonly edition: number; readonly firstStamp: number },
  target: Pick<FillTask, 'entry' | 'change'>,
): Promise<void> {
  const task: FillTask = {
    seed,
    now,
    count: records,
    from: 0,
    to: changes,
    step: Math.floor(records / changes),
    version: edition,
    firstStamp,
    edition,
    ...target,
  }
  await runToEnd(process.execPath, [join(import.meta.dirname, 'fill-part.ts'), JSON.stringify(task)], () => {})
}
