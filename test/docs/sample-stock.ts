// The sample stock as `tenderstock start` makes it, at one fixed hour, so that everything in it is always the same.
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { openSampleSources } from '../../src/service/samples/sample-sources.ts'
import type { Store } from '../../src/store/database/database.ts'

/** The hour of the examples in the documentation. */
export const sampleHour = Date.UTC(2026, 10, 2, 8)

/** Reads the usual sample portals into an empty stock, and consolidates it. `dataFolder` is for scratch files. */
export async function fillSampleStock(store: Store, dataFolder: string): Promise<void> {
  const samples = await openSampleSources({
    store,
    dataFolder,
    clock: () => sampleHour,
    random: systemRandom,
    emit: () => {},
    stop: new AbortController().signal,
    version: '0.0.0-test',
    epoch: sampleHour,
    named: [],
  })
  try {
    await samples.read()
  } finally {
    await samples.close()
  }
  await consolidate(store, { now: sampleHour })
}
