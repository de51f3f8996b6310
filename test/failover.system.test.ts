// A node behind a balancer over a real primary and its streaming standby, which lags, and takes over when the primary
// dies: the node shows only complete editions, and ends with every record, by the digest of an independent program.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hourMs } from '../src/domain/time.ts'
import { catchUp, openEditionLog } from '../src/edition/write/edition-log.ts'
import { publish } from '../src/publish/publish.ts'
import { openStore, type Store } from '../src/store/database/database.ts'
import { newestEdition } from '../src/store/editions/editions.ts'
import { postgresBinaries } from './chaos/postgres-cluster.ts'
import { balancedStore } from './lagging-servers.ts'
import { putNumbered, readNewest, startOfStock } from './numbered-tenders.ts'
import { proofCount } from './proof/proof-count.ts'
import { openReplicatedServers } from './replicated-servers.ts'
import { hasPython, recordsByPython, stateByPython } from './state-digest.ts'
import { randomOf } from './testing/generate/random.ts'
import { seed } from './testing/seed.ts'

const isPossible = postgresBinaries() !== undefined && hasPython
if (!isPossible) console.log('skipped: primary, standby and promotion (no PostgreSQL programs, or no python3)')
/** Number of queries after which an edition that both servers have must be shown. */
const maxLooks = 20

test.skipIf(!isPossible)(
  'a node that reads from a primary and its standby loses no record, whichever lags or dies',
  async () => {
    console.log(`failover.test seed ${seed} (SEED repeats the choices)`)
    const random = randomOf(seed)
    const folder = mkdtempSync(join(tmpdir(), 'failover-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    await using servers = await openReplicatedServers(join('/tmp', `failover-servers-${process.pid}`), 'stock')
    await servers.createDatabase('stock')
    const openPrimary = (): Promise<Store> => openStore({ databaseUrl: servers.urls()[0], dataFolder: folder })
    let hour = 0
    let edition = 0
    // the stamps of an epoch wait for the clock
    const clock = () => startOfStock + hour * hourMs + late
    let late = 0
    const log = await openEditionLog(join(folder, 'node'), { clock })
    onTestFinished(() => log.close())
    const failovers = proofCount({ share: 1, full: 5 })
    let looks = 0
    let refused = 0
    const lastRefusal = ''
    for (let round = 0; round <= failovers; round++) {
      let primary = await openPrimary()
      const publishNext = async () => {
        hour++
        const from = random.integer(0, 200)
        await putNumbered(primary, from, from + random.integer(300, 500), hour)
        let outcome = await publish(primary, { now: clock(), minIntervalMs: hourMs })
        if (outcome.kind === 'tooEarly') {
          late = outcome.allowedAt - (startOfStock + hour * hourMs)
          outcome = await publish(primary, { now: clock(), minIntervalMs: hourMs })
        }
        if (outcome.kind !== 'published') throw new Error(JSON.stringify(outcome))
        edition = outcome.edition
      }
      if (round === 0) await publishNext()
      await servers.settle()
      let wanted = await stateOf(primary)
      /** What is shown after each query is an edition as it was published. */
      const states = new Map([[wanted.edition, wanted]])
      const look = async (store: Parameters<typeof catchUp>[1]) => {
        looks++
        await catchUp(log, store).catch(() => {
          refused++
        })
        const { newest } = log
        if (!newest || !states.has(newest.edition)) return
        const { records, digest } = states.get(newest.edition)!
        expect(stateByPython(readNewest(log))).toEqual({ records, digest })
      }
      const urls = servers.urls()
      {
        await using store = balancedStore(urls, () => random.integer(0, 1))
        await look(store)
        await servers.pauseStandby()
        await publishNext()
        wanted = await stateOf(primary)
        states.set(wanted.edition, wanted)
        for (let count = 0; count < 4; count++) await look(store)
        await servers.resumeStandby()
        await servers.settle()
        for (let count = 1; log.newest?.edition !== edition; count++) {
          if (count > maxLooks) throw new Error(`edition ${edition} does not come: ${lastRefusal}`)
          await look(store)
        }
      }
      await primary.close()
      if (round === failovers) break
      await servers.failOver()
      primary = await openPrimary()
      await publishNext()
      wanted = await stateOf(primary)
      states.set(wanted.edition, wanted)
      {
        await using store = balancedStore(servers.urls(), () => random.integer(0, 1))
        for (let count = 1; log.newest?.edition !== edition; count++) {
          if (count > maxLooks) throw new Error(`edition ${edition} does not come: ${lastRefusal}`)
          await look(store)
        }
        await look(store)
      }
      await primary.close()
    }
    const primary = await openPrimary()
    const expected = await stateOf(primary)
    await primary.close()
    expect(stateByPython(readNewest(log))).toEqual({ records: expected.records, digest: expected.digest })
    expect(log.newest).toMatchObject({ edition, records: expected.records })
    console.log(`${failovers} promotions, ${hour} editions, ${looks} looks, ${refused} of them refused or cut off`)
  },
  900_000,
)

/** The newest edition of the tables, summed by the independent program. */
async function stateOf(store: Store): Promise<{ edition: number; records: number; digest: string }> {
  const { edition } = (await newestEdition(store.db))!
  return { edition, ...(await recordsByPython(store)) }
}
