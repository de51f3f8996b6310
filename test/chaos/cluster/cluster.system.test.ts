// A cluster of machines, as far as one machine can be several, under every fault at once.
import { expect, test } from 'vitest'
import { programOf } from '../../proxies/proxy-process.ts'
import { seed } from '../../testing/seed.ts'
import { runCluster } from './cluster-run.ts'
import { openThreeServers } from './database-servers.ts'
import { hasPatroni } from './patroni-cluster.ts'

/** CLUSTER_MINUTES says how long, SEED repeats a plan of faults. */
const minutes = Number(process.env.CLUSTER_MINUTES || 0)

const reason =
  minutes <= 0
    ? 'CLUSTER_MINUTES is not set'
    : !hasPatroni
      ? 'no patroni, etcd or PostgreSQL'
      : programOf('haproxy') === undefined
        ? 'no haproxy'
        : (programOf('redis-server') ?? programOf('valkey-server')) === undefined
          ? 'no redis-server, no valkey-server'
          : undefined
if (reason !== undefined) console.log(`skipped: chaos in a cluster (${reason})`)

test.skipIf(reason !== undefined)(
  'P1 P5 R4 C48 C131 C144 faults of machines, disks, clocks and networks lose nothing, show nothing wrong and stop no reads',
  { timeout: (minutes + 20) * 60_000 },
  async () => {
    await using servers = await openThreeServers()
    const report = await runCluster({
      minutes,
      seed,
      servers,
      say: (line) => console.log(line),
    })
    for (const line of report.lines) console.log(line)
    expect(report.faults, `SEED=${seed}`).toEqual([])
    // the run was a real one
    expect(Object.keys(report.planted).length).toBeGreaterThan(Math.min(15, 4 * minutes))
  },
)
