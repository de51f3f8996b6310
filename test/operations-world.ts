// The context of the service's operations in tests: a store of the test, and nothing that runs.
import { openReporter } from '../src/cli/reporter.ts'
import { systemRandom } from '../src/platform/random.ts'
import type { ServiceContext } from '../src/service/control/operation-context.ts'
import { workQueue } from '../src/service/control/work-queue.ts'
import { runOperation as run } from '../src/service/operations/operations.ts'
import { openDatabaseClock } from '../src/store/database/database-clock.ts'
import { readPrintedEvent } from './testing/printed-event.ts'

/** `given` replaces what a newly opened service would have. */
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

const write = (line: string) => void readPrintedEvent(line)
const screen = { write, isTerminal: false, hasColors: false }
const { emit: print } = openReporter({ json: true, out: screen, err: screen, clock: Date.now })

/** The service's `runOperation`; each event is checked against the published schema in its printed form. */
export const runOperation: typeof run = (context, command, emit) =>
  run(context, command, (event) => {
    print(event)
    emit(event)
  })
