// Of the files of `tender-sync`, the copy that the user names follows the user's umask, and nobody else can use what
// the program keeps for itself. Seen from outside, with `find` and as another user.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type ApiWorld, startApi, startOfTests } from '../api-world.ts'
import { generateTender } from '../testing/generate/stock.ts'
import { type AsUser, client, isRoot, nobody, openTo, ownGroup, rightsIn, runAs } from './as-user.ts'

const stock = { seed: 7, count: 100, now: startOfTests, size: 'small' } as const
const tender = (number: number) => generateTender(stock, number)
let api: ApiWorld
let published = 60
beforeAll(async () => {
  api = await startApi()
  api.editions.publish(
    startOfTests,
    Array.from({ length: published }, (_, number) => tender(number)),
  )
})
afterAll(() => api[Symbol.asyncDispose]())

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tender-sync-closed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  return folder
}

function sync(words: readonly string[], home: string, how: AsUser = {}) {
  const env = { TENDER_TOKEN: api.token, HOME: home, XDG_STATE_HOME: '', STATE_DIRECTORY: '', ...how.env }
  return runAs([client, 'run', '--url', api.origin, '--quiet', ...words], { ...how, env })
}

test.each([
  ['sqlite', 'db', '022', '644', '755'],
  ['ndjson', 'ndjson', '027', '640', '750'],
  ['csv', 'csv', '002', '664', '775'],
  ['parquet', 'parquet', '077', '600', '700'],
])('%s: the copy follows the umask, its state is closed', async (kind, ending, umask, file, made) => {
  const folder = newFolder()
  // SQLite refuses a missing folder
  if (kind === 'sqlite') mkdirSync(join(folder, 'new/place'), { recursive: true })
  const copy = join(folder, 'new/place', `tenders.${ending}`)
  const lots = join(folder, 'new/place/lots.csv')
  const words = ['--sink', `${kind}:${copy}`, ...(kind === 'csv' ? ['--option', `lots=${lots}`] : [])]
  const metrics = join(folder, 'run.prom')
  const first = await sync([...words, '--metrics', metrics], folder, { umask })
  expect(first).toMatchObject({ code: 0, err: '' })
  for (const path of [copy, metrics, ...(kind === 'csv' ? [lots] : [])]) expect(rightsIn(path)['']).toBe(file)
  expect([rightsIn(folder)['new'], rightsIn(dirname(copy))['']]).toEqual([made, made])
  expect(openTo(`${copy}.sync`)).toEqual([])
  expect(existsSync(join(`${copy}.sync`, 'report.json'))).toBe(true)

  // the rights that somebody gave to a copy stay, and a state of before is closed
  chmodSync(copy, 0o604)
  for (const path of [`${copy}.sync`, join(`${copy}.sync`, 'report.json')]) chmodSync(path, 0o777)
  published += 1
  api.editions.publish(startOfTests + published * 3_600_000, [tender(published)])
  const second = await sync(words, folder, { umask })
  expect(second.code).toBe(0)
  expect(second.err).toMatch(/2 files and folders in .*\.sync could be read by others/)
  expect(rightsIn(copy)['']).toBe('604')
  expect(openTo(`${copy}.sync`)).toEqual([])
})

test('exec: the state is closed, and the program of the user has the umask of the user', async () => {
  const [folder, home] = [newFolder(), newFolder()]
  const taken = join(folder, 'taken')
  const program = join(folder, 'take.sh')
  writeFileSync(program, `#!/bin/sh\ncat >> ${taken}\n`)
  chmodSync(program, 0o755)
  expect(await sync(['--sink', `exec:${program}`], home, { umask: '027' })).toMatchObject({ code: 0, err: '' })
  expect(readFileSync(taken, 'utf8')).toContain('"op":"upsert"')
  expect(rightsIn(taken)['']).toBe('640')
  expect(openTo(join(home, '.local'))).toEqual([])
  expect(Object.keys(rightsIn(home)).some((path) => path.endsWith('given.json'))).toBe(true)
})

test.skipIf(!isRoot)(
  'a reader in the group of the user reads the copy, not the state; a stranger reads nothing',
  async () => {
    const folder = newFolder()
    chmodSync(folder, 0o777)
    const copy = join(folder, 'tenders.ndjson')
    const user = { uid: 12_345, gid: ownGroup, umask: '027' }
    expect(await sync(['--sink', `ndjson:${copy}`], folder, user)).toMatchObject({ code: 0 })
    const read = (path: string, gid: number) =>
      runAs(['-e', 'process.stdout.write(require("fs").readFileSync(process.argv[1]))', path], { uid: nobody, gid })
    expect((await read(copy, ownGroup)).out).toBe(readFileSync(copy, 'utf8'))
    expect((await read(copy, nobody)).err).toContain('EACCES')
    for (const name of ['changes.log', 'report.json'])
      expect((await read(join(`${copy}.sync`, name), ownGroup)).err).toContain('EACCES')
  },
)
