// Mistakes that are written into the source while the services of a cluster run load it: its checks, which do not know
// about them, must find each.
import type { PlantedEdit } from '../../planted-edit.ts'

/** `kinds`: the faults that may show it. `finding`: what the checks then say. */
export const plantedClusterEdits: readonly (PlantedEdit & {
  readonly kinds: readonly string[]
  readonly finding: RegExp
})[] = [
  {
    name: 'a cursor continues in the newest edition',
    file: 'src/api/tender-answers.ts',
    from: `    const edition = pinned ?? newest.edition
    const held = pinned === undefined ? newest : this.#reader.edition(pinned)
`,
    to: `    const edition = newest.edition
    const held = pinned === -1 ? undefined : newest
`,
    kinds: ['node frozen'],
    finding: /it began in edition|was read as open=|over its pages/,
  },
  {
    name: 'a delta begins one millisecond late',
    file: 'src/edition/read/log-view.ts',
    from: 'table.lowerBound(filter.updatedSince, end)',
    to: 'table.lowerBound(filter.updatedSince + 1, end)',
    kinds: ['node killed'],
    finding: /delta: since .* are missing|a run of the client: .*differs/,
  },
  {
    name: 'records were checked when a node reads them',
    file: 'src/edition/read/held-log.ts',
    from: 'timeStampOf(toInstant(Math.max(...times)))',
    to: 'timeStampOf(toInstant(Date.now()))',
    kinds: ['node killed'],
    finding: /was (?:shown as )?checked at/,
  },
  {
    name: 'cursors are dated by the clock of the machine',
    file: 'src/service/readers/reader.ts',
    from: 'sharedTime(nodeState.databaseAheadMs, systemClock)',
    to: 'sharedTime(undefined, systemClock)',
    kinds: ['clock of a node 5 min off'],
    finding: /error-cursor-invalid/,
  },
  {
    name: 'editions are dated by the clock of the machine',
    file: 'src/store/database/database-clock.ts',
    from: 'const now = () => sharedTime(aheadMs, own, steady)',
    to: 'const now = () => sharedTime(undefined, own, steady)',
    kinds: ['clock of a publisher 5 min off'],
    finding: /is dated \d+ ms in the future|and dated \d+ ms ago/,
  },
  {
    name: 'alone, a process has the whole limit',
    file: 'src/api/limits/limiter-shared.ts',
    from: 'Math.floor(limit / Math.max(1, processes))',
    to: 'limit',
    kinds: ['Redis killed', 'Redis silent'],
    finding: /requests were admitted in a minute/,
  },
  {
    name: 'an answer of the database that never comes is waited for',
    file: 'src/store/server/statement-watch.ts',
    from: "return { why: 'the database did not answer a small question' }",
    to: "return 'wait'",
    kinds: ['connections to the database half-open'],
    finding: /shows edition \d+ \d+ ms after/,
  },
  {
    name: 'ids of hits are random',
    file: 'src/hits/hit-id.ts',
    from: 'hashOf(identity)\n',
    to: 'hashOf(identity, String(Math.random()))\n',
    kinds: ['publisher killed'],
    finding: /msg_\w+ differs/,
  },
]
