// Long repetitions: kills, faults and planted mistakes of whole programs. `npm run test:all` runs a tenth of them, and
// `.ci/run` a twentieth. Main paths are not among them: a short case of each runs every time.
import { hash } from 'node:crypto'

/**
 * Folders and files, with the seconds that each file takes: measured together while the machine had other work, so only
 * their proportions count. The longest path that fits a file is its own.
 */
const long: { readonly [path: string]: number } = {
  'test/closed-files/closed-stock': 50,
  'test/console/first-link': 50,
  'test/console/hostile': 50,
  'test/console/kill': 100,
  'test/console/screens': 60,
  'test/console/strangers': 35,
  'test/corpus/consolidate': 20,
  'test/crash/': 80,
  'test/crash/client-power-cut': 20,
  'test/crash/receiver-kill': 210,
  'test/database-faults/': 30,
  'test/database-faults/frozen-writer': 75,
  'test/database-faults/full-server-disk': 150,
  'test/database-faults/half-open': 70,
  'test/database-faults/readiness': 130,
  'test/digests/kill': 50,
  'test/digests/whole-way': 60,
  'test/doctor': 60,
  'test/edition-log-': 40,
  'test/editions-in-a-bucket': 70,
  'test/files/files': 20,
  'test/hits/kill': 100,
  'test/hits/planted': 55,
  'test/limiter/': 30,
  'test/limiter/held-limit': 170,
  'test/live/': 60,
  'test/metrics/planted-faults': 290,
  'test/metrics/prometheus': 35,
  'test/package/': 50,
  'test/proxies/': 40,
  'test/redaction/redaction-in-a-stock': 30,
  'test/restore-drill': 75,
  'test/replaced-editions': 35,
  'test/revoked-tokens': 40,
  'test/rules/': 10,
  'test/simulation/planted-edits': 45,
  'test/sources/month': 130,
  'test/sources/portals': 100,
  'test/sources/ted-and-doe': 15,
  'test/tender-sync/faults': 25,
  'test/tender-sync/kill': 250,
  'test/tender-sync/webhooks': 70,
  'test/upgrade/': 60,
  'test/webhooks/deliver-kill': 85,
  'src/bin/starting': 60,
  'src/cli/ask': 55,
  'src/cli/shown-waiting': 25,
  'src/service/operations/backup-operations': 130,
  'src/service/start/failing-stages': 30,
  'src/store/embedded/engine.': 90,
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
