// What the operations of the service have to work with in tests: a store of the test, and nothing that runs.
import { systemRandom } from '../src/platform/random.ts'
import type { ServiceContext } from '../src/service/operation-context.ts'
import { workQueue } from '../src/service/work-queue.ts'
import { openDatabaseClock } from '../src/store/database-clock.ts'

/** `given` takes the place of what a service that was just opened would have. */
export const serviceContext = (
  given: Pick<ServiceContext, 'store' | 'dataFolder'> & Partial<ServiceContext>,
): ServiceContext => ({
  clock: Date.now,
  wallClock: Date.now,
  random: systemRandom,
  queue: workQueue(),
  keyOf: () => undefined,
  config: {},
  version: 'test',
  databaseClock: openDatabaseClock(Date.now),
  ...given,
})
