// Long files: kills, faults and planted mistakes of whole programs, and whatever else takes a quarter of a minute.
// `npm run test:all` and `.ci/run` run a tenth of them. A short case of each main path runs every time.
import { hash } from 'node:crypto'

/**
 * Folders and files, with the seconds that each file takes: measured together while the machine had other work, so only
 * their proportions count. The longest path that fits a file is its own.
 */
const long: { readonly [path: string]: number } = {
  'test/backup-command.': 50,
  'test/closed-files/closed-stock': 50,
  'test/console/access-program.': 30,
  'test/console/access.': 25,
  'test/console/busy.': 30,
  'test/console/customers.': 20,
  'test/console/desk.': 25,
  'test/console/explorer.': 20,
  'test/console/first-link': 50,
  'test/console/flows.': 65,
  'test/console/hits.': 35,
  'test/console/hostile': 50,
  'test/console/kept-form.': 25,
  'test/console/kill': 100,
  'test/console/newcomer.': 80,
  'test/console/newcomer-tasks.': 60,
  'test/console/passkey-in-chromium.': 25,
  'test/console/screens': 60,
  'test/console/sign-in.': 20,
  'test/console/strangers': 35,
  'test/console/tasks.': 120,
  'test/corpus/consolidate': 20,
  'test/crash/': 80,
  'test/crash/client-power-cut': 20,
  'test/crash/receiver-kill': 210,
  'test/database-faults/': 30,
  'test/database-faults/frozen-writer': 75,
  'test/database-faults/full-server-disk': 150,
  'test/database-faults/half-open': 70,
  'test/database-faults/readiness': 130,
  'test/digests/digests.': 45,
  'test/digests/kill': 50,
  'test/digests/whole-way': 60,
  'test/docs/examples.': 40,
  'test/doctor': 60,
  'test/edition-log-': 40,
  'test/editions-in-a-bucket': 70,
  'test/examples/examples.': 45,
  'test/export/export.': 55,
  'test/files/files': 20,
  'test/hits/deadlines-of-before.': 45,
  'test/hits/hit-model.': 20,
  'test/hits/kill': 100,
  'test/hits/planted': 55,
  'test/hits/rebuilt-stock.': 20,
  'test/integrations/airbyte.': 35,
  'test/integrations/dlt.': 25,
  'test/integrations/singer.': 40,
  'test/lacking-log.': 15,
  'test/large-publication.': 40,
  'test/limiter/': 30,
  'test/limiter/held-limit': 170,
  'test/live/': 60,
  'test/live/first-day.': 240,
  'test/live/simulated-month.': 240,
  'test/lost-editions.': 65,
  'test/metrics/metrics.': 30,
  'test/metrics/planted-faults': 290,
  'test/metrics/prometheus': 35,
  'test/metrics/spans.': 40,
  'test/migrated-stock.': 55,
  'test/model/model.': 70,
  'test/package/': 50,
  'test/proxies/': 40,
  'test/python/bulk': 60,
  'test/python/faults': 120,
  'test/python/python-client': 120,
  'test/published-editions.': 110,
  'test/redaction/redaction-in-a-stock': 30,
  'test/replaced-editions': 35,
  'test/restore-drill': 75,
  'test/revoked-tokens': 40,
  'test/rules/': 10,
  'test/several-consolidators.': 35,
  'test/several-nodes.': 55,
  'test/several-roles.': 140,
  'test/simulation/planted-edits': 45,
  'test/simulation/simulation.': 115,
  'test/sources/month': 130,
  'test/sources/portals': 100,
  'test/sources/quarantine.': 30,
  'test/sources/ted-and-doe': 15,
  'test/targets/targets.': 45,
  'test/tender-sync/bulk-kill': 120,
  'test/tender-sync/bulk.': 25,
  'test/tender-sync/digest.': 20,
  'test/tender-sync/faults': 25,
  'test/tender-sync/kill': 250,
  'test/tender-sync/webhooks': 70,
  'test/tools/inspector.': 30,
  'test/upgrade/': 60,
  'test/webhooks/deliver-kill': 85,
  'test/webhooks/deliver.': 120,
  'src/actions/tokens.': 20,
  'src/bin/starting': 60,
  'src/cli/ask': 55,
  'src/cli/shown-waiting': 25,
  'src/consolidate/consolidate.': 30,
  'src/consolidate/estimate/apply-estimates.': 20,
  'src/consolidate/rematch.': 25,
  'src/edition/write/edition-log.': 25,
  'src/hits/match-editions.': 65,
  'src/ingest/ingest.': 45,
  'src/ingest/run-sources.': 25,
  'src/publish/publish.': 55,
  'src/service/nodes/process-count.': 25,
  'src/service/operations/backup-operations': 130,
  'src/service/operations/dry-run.': 25,
  'src/service/operations/redact-operations.': 35,
  'src/service/operations/review-while-running.': 25,
  'src/service/operations/simulate.': 15,
  'src/service/operations/token-secrecy.': 160,
  'src/service/operations/webhook-operations.': 25,
  'src/service/readers/readers.': 55,
  'src/service/start/failing-stages': 30,
  'src/service/start/start.': 205,
  'src/store/backup/backup.': 115,
  'src/store/backup/export.': 35,
  'src/store/embedded/durability.': 30,
  'src/store/embedded/engine.': 90,
  'src/store/files/document-store.': 20,
  'src/store/hits/hit-lists.': 30,
  'src/store/people/organizations.': 25,
  'src/store/sources/source-ledger.': 25,
  'client/src/sinks/postgres-sink.': 35,
  'client/test/pack.': 60,
}

/**
 * Those of these files that do not run. `share` is the part of their time that may be spent: 1 runs all of them, 0.1
 * draws files by the seed until a tenth of the time is filled. Another seed draws others, so that after some runs each
 * has tested the program.
 */
export function filesLeftOut(files: readonly string[], share: number, seed: number): readonly string[] {
  if (!(share > 0 && share <= 1)) throw new Error(`TEST_DRAW is not a share like 0.1: up to 1, which runs all tests`)
  const candidates = files
    .map((file) => ({ file, seconds: secondsOf(file), rank: hash('sha256', `${seed} ${file}`) }))
    .filter(({ seconds }) => seconds > 0)
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
  let room = share * candidates.reduce((sum, { seconds }) => sum + seconds, 0)
  const leftOut = candidates.filter(({ seconds }) => {
    if (seconds > room) return true
    room -= seconds
    return false
  })
  return leftOut.map(({ file }) => file).sort()
}

/** 0 if the test is none of the long ones. */
function secondsOf(file: string): number {
  const own = Object.keys(long).filter((path) => file.startsWith(path))
  return long[own.sort((a, b) => b.length - a.length)[0] ?? ''] ?? 0
}
