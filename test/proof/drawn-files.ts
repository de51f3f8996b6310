// Tests that start, kill or freeze whole programs for minutes: `.ci/run` runs a tenth of these files, drawn for each
// commit.
import { hash } from 'node:crypto'

/** Folders and files. */
const long = [
  'test/backup-command',
  'test/console/explorer',
  'test/console/first-link',
  'test/console/hostile',
  'test/console/kill',
  'test/console/screens',
  'test/console/strangers',
  'test/corpus/consolidate',
  'test/crash/',
  'test/database-faults/',
  'test/deploy/',
  'test/digests/kill',
  'test/digests/whole-way',
  'test/docs/examples',
  'test/doctor',
  'test/edition-log-',
  'test/editions-in-a-bucket',
  'test/failover',
  'test/export/',
  'test/files/files',
  'test/hits/kill',
  'test/hits/planted',
  'test/large-publication',
  'test/limiter/',
  'test/live/',
  'test/lost-editions',
  'test/metrics/metrics.',
  'test/metrics/planted-faults',
  'test/metrics/prometheus',
  'test/migrated-stock',
  'test/package/',
  'test/patroni/',
  'test/proxies/',
  'test/restore-drill',
  'test/restored-backup',
  'test/rules/',
  'test/several-nodes',
  'test/several-roles',
  'test/simulation/planted-edits',
  'test/sources/month',
  'test/sources/portals',
  'test/sources/ted-and-doe',
  'test/tender-sync/faults',
  'test/tender-sync/kill',
  'test/tender-sync/webhooks',
  'test/upgrade/',
  'test/webhooks/deliver-kill',
  'src/bin/starting',
  'src/cli/ask',
  'src/service/backup-operations',
  'src/service/failing-stages',
  'src/service/process-count',
  'src/service/redact-operations',
  'src/service/review-while-running',
  'src/service/start.',
  'src/service/token-secrecy',
  'src/store/backup/',
  'src/store/embedded/engine.',
  'src/store/export.',
]

/**
 * Those of these files that do not run. `draw`: `0.5 of 1234` runs half of the long ones, those that the seed 1234
 * draws. Another seed draws others, so that after a few runs each has tested every change.
 */
export function filesLeftOut(files: readonly string[], draw: string): readonly string[] {
  const [, share, seed] = /^(0\.\d+|1) of (\d+)$/.exec(draw) ?? []
  if (share === undefined) throw new Error(`TEST_DRAW is "${draw}", and not like "0.5 of 1234"`)
  const candidates = files.filter((file) => long.some((path) => file.startsWith(path)))
  const order = (file: string) => hash('sha256', `${seed} ${file}`)
  const drawn = candidates.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
  return drawn.slice(Math.ceil(candidates.length * Number(share))).sort()
}
