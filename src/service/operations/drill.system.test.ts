// Drills that are killed on a server, and those that remove old backups from a bucket.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openDrillWorld } from '../../../test/drill-world.ts'
import { type S3Store, s3Keys, startS3Store } from '../../../test/imitations/s3-store.ts'
import { randomOf } from '../../../test/testing/generate/random.ts'
import { seed } from '../../../test/testing/seed.ts'
import { openEmptyDatabase, testDatabaseUrl } from '../../../test/world.ts'
import { systemClock } from '../../platform/clock.ts'
import { openServer } from '../../store/server/open-server.ts'

const driller = new URL('../../../test/crash/driller.ts', import.meta.url).pathname

test.runIf(testDatabaseUrl !== undefined)(
  'what a killed drill left on a server is removed by the next one, whenever it was killed',
  async () => {
    const { shelf, dataFolder, publishNext, backUp, run } = await openDrillWorld()
    await publishNext()
    await backUp('1')
    await using database = await openEmptyDatabase()
    const { db, close } = await openServer({ databaseUrl: database.url, statementTimeoutMs: 60_000 })
    onTestFinished(close)
    const isThere = async (name: string) =>
      (await sql<{ found: boolean }>`select to_regclass(${name}) is not null as found`.execute(db)).rows[0]!.found
    const hasScratch = async () =>
      (await sql`select from pg_namespace where nspname = 'tenderstock_drill'`.execute(db)).rows.length > 0
    const until = async (condition: () => Promise<boolean>) => {
      while (!(await condition())) await delay(1)
    }
    const othersConnected = async () =>
      (
        await sql`select from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
          and application_name not like ${`% ${process.pid}`}`.execute(db)
      ).rows.length > 0
    const random = randomOf(seed, 7)
    const moments: Record<string, () => Promise<unknown>> = {
      'the mark is there': () => until(hasScratch),
      'the tables are there': () => until(() => isThere('tenderstock_drill.tender')),
      'rows are written': () => until(() => isThere('tenderstock_drill.edition_entry')).then(() => delay(20)),
    }
    for (let count = 0; count < 4; count++) {
      const ms = random.integer(0, 400)
      moments[`${ms} ms after the mark (${count}, seed ${seed})`] = () => until(hasScratch).then(() => delay(ms))
    }
    let leftovers = 0
    for (const [moment, come] of Object.entries(moments)) {
      const child = spawn(process.execPath, [driller, dataFolder, shelf, database.url], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const gone = once(child, 'close')
      createInterface({ input: child.stdout }).resume()
      await Promise.race([come(), gone])
      child.kill('SIGKILL')
      await gone
      leftovers += Number(await hasScratch())
      // the server ends the sessions of a dead process at once
      await until(async () => !(await othersConnected()))
      expect(await run({ scratch: database.url }), moment).toMatchObject({ code: 0, drilled: { edition: 1 } })
      expect(await hasScratch(), moment).toBe(false)
    }
    expect(leftovers).toBeGreaterThanOrEqual(3)
  },
  600_000,
)

const place = 's3://archive/nightly'

async function openBucketWorld() {
  const store = await startS3Store({ bucket: 'archive', region: 'eu-central-1', clock: systemClock })
  onTestFinished(() => store[Symbol.asyncDispose]())
  const settings = {
    AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL: store.url,
  }
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  return { store, world: await openDrillWorld({ shelf: place }) }
}

const namesIn = ({ objects }: S3Store, start: string) => [...objects.keys()].filter((name) => name.startsWith(start))
const placesOf = (store: S3Store) => [...new Set(namesIn(store, 'archive/nightly/').map((name) => name.split('/')[2]!))]

test('old backups are removed from a bucket: of this stock and this place, never the newest, only if all are well', async () => {
  const { store, world } = await openBucketWorld()
  const { publishNext, backUp } = world
  await using database = testDatabaseUrl === undefined ? undefined : await openEmptyDatabase()
  const run = (options: object = {}) => world.run(database ? { scratch: database.url, ...options } : options)
  const rename = (to: string) => sql`update setting set value = ${to} where name = 'stock-id'`.execute(world.store.db)
  await publishNext()
  // `10` begins with `1`
  for (const name of ['1', '10', '2']) {
    await backUp(name)
    await publishNext()
  }
  const { rows } = await sql<{ value: string }>`select value from setting where name = 'stock-id'`.execute(
    world.store.db,
  )
  await rename(rows[0]!.value.replaceAll(/\d/g, '0'))
  for (const name of ['other-1', 'other-2']) await backUp(name)
  await rename(rows[0]!.value)
  const bytes = store.objects.get('archive/nightly/1/manifest.json')!
  const foreign = [
    'archive/nightly-old/1/manifest.json',
    'archive/other/nightly/1/manifest.json',
    'archive/nightly/1/notes.txt',
    'archive/nightly/1/deeper/manifest.json',
    'archive/nightly/manifest.json',
  ]
  for (const name of foreign) store.objects.set(name, bytes)
  const all = [...store.objects.keys()].sort()
  // one of the stock is damaged: nothing goes, also none of the others
  const damaged = 'archive/nightly/10/SHA256SUMS'
  const sums = store.objects.get(damaged)!
  store.objects.set(damaged, Buffer.from('damaged'))
  const newest = 'archive/nightly/2/manifest.json'
  const manifest = store.objects.get(newest)!
  store.objects.set(newest, Buffer.from(manifest.toString().replace('"rows": ', '"rows": 1')))
  expect(await run({ keep: 1 })).toMatchObject({ code: 1, drilled: { location: `${place}/1`, removed: [] } })
  expect([...store.objects.keys()].sort()).toEqual(all)
  store.objects.set(damaged, sums)
  store.objects.set(newest, manifest)

  // one that cannot be removed whole is still there for the next drill
  let removed = 0
  store.refusal = (method) => (method === 'DELETE' && ++removed > 3 ? 403 : undefined)
  await expect(run({ keep: 1 })).rejects.toThrow(/archive answered 403/)
  expect(placesOf(store).sort()).toEqual(['1', '10', '2', 'manifest.json', 'other-1', 'other-2'])
  expect(store.objects.has('archive/nightly/10/manifest.json')).toBe(true)
  store.refusal = () => undefined
  const drilled = await run({ keep: 1 })
  expect(drilled).toMatchObject({ code: 0, drilled: { location: `${place}/2`, removed: ['10', '1'], kept: 1 } })
  const kept = all.filter((name) => !/^archive\/nightly\/(?:1|10)\//.test(name) || foreign.includes(name))
  expect([...store.objects.keys()].sort()).toEqual(kept)
  expect(await run({ keep: 1 })).toMatchObject({ code: 0, drilled: { removed: [], kept: 1 } })
  // without the order to, none goes
  await publishNext()
  await backUp('3')
  expect(await run()).toMatchObject({ code: 0, drilled: { location: `${place}/3`, removed: [], kept: 2 } })
}, 600_000)
