// Makes the frozen samples in a separate process, whose memory is free again when it ends. It reads the sample portals
// into a database in its folder, publishes one edition, and leaves its edition log. Started with folder, epoch and
// version.
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../platform/clock.ts'

/** Sent when everything is made and closed. */
export type MadeSamples = { readonly records: number; readonly warnings: readonly string[] }

/** How much lower the priority of this process is than the service's, as `nice` counts. */
const lessUrgent = 10

const [folder, epochText, version] = process.argv.slice(2)
if (!process.send || folder === undefined || epochText === undefined || version === undefined)
  throw new Error('the sample process is a part of the service, not a program')
// samples are not needed when their service is gone
process.once('disconnect', () => process.exit(1))
giveWay()
const { consolidate } = await import('../../consolidate/consolidate.ts')
const { openEditionLog } = await import('../../edition/write/edition-log.ts')
const { systemRandom } = await import('../../platform/random.ts')
const { publish } = await import('../../publish/publish.ts')
const { openStore } = await import('../../store/database/database.ts')
const { openSampleSources } = await import('./sample-sources.ts')

const made = await makeSamples({ folder, epoch: Number(epochText), version })
process.send(made satisfies MadeSamples, () => process.exit())

/** The same epoch gives the same edition on every node, however often it is made: its clock does not move. */
async function makeSamples(task: {
  readonly folder: string
  /** When the made-up world begins; everything is read as of this time. Epoch milliseconds. */
  readonly epoch: number
  readonly version: string
}): Promise<MadeSamples> {
  const { epoch } = task
  const clock: Clock = () => epoch
  const warnings: string[] = []
  const store = await openStore({ dataFolder: task.folder })
  const sources = await openSampleSources({
    store,
    dataFolder: task.folder,
    clock,
    random: systemRandom,
    emit: (event) => {
      if (event.event === 'warning') warnings.push(event.message)
    },
    stop: new AbortController().signal,
    version: task.version,
    epoch,
    named: [],
  })
  await sources.read()
  await sources.close()
  await consolidate(store, { now: epoch })
  await publish(store, { now: epoch, minIntervalMs: 0 })
  const log = await openEditionLog(join(task.folder, 'editions'), {
    clock,
    onWarning: (warning) => void warnings.push(warning),
  })
  await log.catchUp(store)
  const records = log.newest?.records ?? 0
  await log.close()
  await store.close()
  return { records, warnings }
}

/** Yields to everything that answers requests; and if memory runs out, this process is the one to end. */
function giveWay(): void {
  try {
    setPriority(lessUrgent)
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // not available on this system: it works without
  }
}
