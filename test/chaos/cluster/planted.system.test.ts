// The checks of a cluster run find planted mistakes: each on one database server, with the faults that may show it.
import { describe, expect, test } from 'vitest'
import { programOf } from '../../proxies/proxy-process.ts'
import { seed } from '../../testing/seed.ts'
import { testDatabaseUrl } from '../../world.ts'
import { runCluster } from './cluster-run.ts'
import { openOneServer } from './database-servers.ts'
import { plantedClusterEdits } from './planted-edits.ts'

/** Long enough for a node that stays behind to be noticed. */
const minutes = 3
const hasPrograms = ['haproxy', 'redis-server'].every((name) => programOf(name as 'haproxy') !== undefined)

const reason =
  process.env.PROOF !== 'full'
    ? 'minutes each: npm run proof -- cluster'
    : testDatabaseUrl === undefined
      ? 'no TEST_DATABASE_URL'
      : hasPrograms
        ? undefined
        : 'no haproxy or redis-server'
if (reason !== undefined) console.log(`skipped: planted mistakes in a cluster (${reason})`)

describe.skipIf(reason !== undefined)('a cluster run finds', () => {
  test.each(plantedClusterEdits.map(({ name, ...edit }) => [name, { name, ...edit }] as const))(
    '%s',
    async (_, { kinds, finding, ...edit }) => {
      await using servers = await openOneServer()
      const { faults, lines } = await runCluster({
        minutes,
        seed,
        servers,
        kinds,
        edit,
        finding,
        say: (line) => console.log(line),
      })
      console.log(`found by: ${faults.find((fault) => finding.test(fault))}`)
      expect(faults, `SEED=${seed}: ${lines.join('\n')}`).toContainEqual(expect.stringMatching(finding))
    },
    15 * 60_000,
  )
})
