// The drill on stocks with editions: what it restores, what it finds when records changed, and which backups it leaves.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { putNumbered, startOfStock } from '../../../test/numbered-tenders.ts'
import { runOperation, serviceContext } from '../../../test/operations-world.ts'
import { drawnEngines, openEmptyDatabase, openTestStore, testDatabaseUrl } from '../../../test/world.ts'
import { hourMs } from '../../domain/time.ts'
import { publish } from '../../publish/publish.ts'
import { openStore } from '../../store/database/database.ts'
import { getSetting } from '../../store/database/settings.ts'
import { lastDrillSetting } from '../../store/nodes/last-backup.ts'
import type { EventOf } from '../events/command-event.ts'
import { drill } from './drill.ts'

const [engine] = drawnEngines

async function openWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-drills-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [shelf, scratch, dataFolder] = ['backups', 'scratch', 'data'].map((name) => join(folder, name))
  for (const path of [shelf!, scratch!, dataFolder!]) await mkdir(path)
  const store = await openTestStore(engine!)
  onTestFinished(() => store[Symbol.asyncDispose]())
  const context = serviceContext({ store, dataFolder: dataFolder! })
  let hour = 0
  const publishNext = async () => {
    await putNumbered(store, 0, 20, ++hour)
    const now = startOfStock + hour * hourMs + 1
    expect(await publish(store, { now, minIntervalMs: hourMs, overrideGate: true })).toMatchObject({
      kind: 'published',
    })
  }
  const backUp = (name: string) =>
    runOperation(context, { command: 'backup', operands: [join(shelf!, name)], options: {} }, () => {})
  const run = async (options: object = {}) => {
    const warnings: string[] = []
    let drilled: EventOf<'drilled'> | undefined
    const code = await drill(
      {
        dataFolder: dataFolder!,
        version: 'test',
        tellStock: (location, facts) =>
          runOperation(context, { command: 'drill', operands: [location], options: facts }, () => {}),
      },
      { command: 'drill', operands: [shelf!], options: { scratch, ...options } },
      (event) => {
        if (event.event === 'drilled') drilled = event
        if (event.event === 'warning') warnings.push(event.message)
      },
    )
    expect(await readdir(scratch!)).toEqual([])
    return { code, drilled, warnings }
  }
  return { store, shelf: shelf!, publishNext, backUp, run }
}

test('a drill restores the newest backup, tells the stock, and keeps what was restored when old ones go', async () => {
  const { store, shelf, publishNext, backUp, run } = await openWorld()
  await publishNext()
  await backUp('1')
  const first = await run()
  expect(first).toMatchObject({ code: 0, drilled: { location: join(shelf, '1'), edition: 1, removed: [], kept: 1 } })
  const { takenAt } = JSON.parse(await readFile(join(shelf, '1', 'manifest.json'), 'utf8')) as { takenAt: string }
  expect(await getSetting(store.db, lastDrillSetting)).toBe(String(Date.parse(takenAt)))
  for (const name of ['2', '3', '4']) {
    await publishNext()
    await backUp(name)
  }
  // the newest cannot be read: the one before is restored, and the drill says that something is damaged
  const path = join(shelf, '4', 'manifest.json')
  const manifest = await readFile(path, 'utf8')
  await writeFile(path, manifest.replace('"rows": ', '"rows": 1'))
  const second = await run({ keep: 1 })
  expect(second).toMatchObject({ code: 1, drilled: { location: join(shelf, '3'), removed: ['2', '1'], kept: 1 } })
  expect(second.warnings.join()).toContain('manifest.json is not what was written')
  expect((await readdir(shelf)).sort()).toEqual(['3', '4'])
  await writeFile(path, manifest)
  await mkdir(join(shelf, 'notes'))
  await cp(path, join(shelf, '4', 'my-own-file'))
  expect(await run({ keep: 5 })).toMatchObject({ code: 0, drilled: { location: join(shelf, '4'), removed: [] } })
  await backUp('5')
  // not restored yet: 4 is, and stays beside the newest
  await rm(join(shelf, '5', 'SHA256SUMS'))
  await expect(run({ keep: 1 })).rejects.toThrow(/5 is damaged: SHA256SUMS/)
  expect((await readdir(shelf)).sort()).toEqual(['3', '4', '5', 'notes'])
}, 600_000)

test('a backup whose records are not those that were published is found', async () => {
  const { store, publishNext, backUp, run } = await openWorld()
  await publishNext()
  await backUp('1')
  const { rows } = await sql<{ checksum: string }>`select checksum from edition`.execute(store.db)
  await sql`update edition set checksum = ${rows[0]!.checksum.replaceAll('a', 'b')}`.execute(store.db)
  await expect(run()).rejects.toThrow(/this stock published edition 1 with other records/)
  await sql`update edition set checksum = ${rows[0]!.checksum}`.execute(store.db)
  expect(await run()).toMatchObject({ code: 0 })
  await sql`update edition_entry set body = replace(body, '"status"', '"state"')`.execute(store.db)
  await backUp('2')
  await expect(run()).rejects.toThrow(/was restored, but the records of edition 1 are not those/)
}, 600_000)

test.runIf(testDatabaseUrl !== undefined)(
  'a scratch database on a server is emptied, and one in use is left',
  async () => {
    const { publishNext, backUp, run } = await openWorld()
    await publishNext()
    await backUp('1')
    await using database = await openEmptyDatabase()
    for (let time = 0; time < 2; time++) expect(await run({ scratch: database.url })).toMatchObject({ code: 0 })
    const used = await openStore({ databaseUrl: database.url, dataFolder: tmpdir() })
    await putNumbered(used, 0, 1)
    await expect(run({ scratch: database.url })).rejects.toThrow(/is not empty/)
    expect((await sql`select from tender`.execute(used.db)).rows).toHaveLength(1)
    await used.close()
    vi.stubEnv('DATABASE_URL', database.url)
    onTestFinished(() => void vi.unstubAllEnvs())
    await expect(run({ scratch: database.url })).rejects.toThrow(/names the database of the stock/)
  },
  600_000,
)
