// The client of Python loads its first run from files of a whole edition: whatever happens to them or to it, the copy
// is one published edition, and goes on from there.
import { type ChildProcess, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { computedHash } from '../../client/src/sinks/record/record-hash.ts'
import { parseDigest } from '../../client/src/sync/copy-digest.ts'
import { recordOf } from '../../client/src/testing/sink-conformance.ts'
import { proofCount } from '../proof/proof-count.ts'
import { killLoads } from '../testing/bulk-kills.ts'
import { openBulkProxy } from '../testing/bulk-proxy.ts'
import { type BulkWorld, openBulkWorld } from '../testing/bulk-world.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { digestOfCopy } from './impatient-clients.ts'
import { pythonEnvironment, pythons, runPython } from './pythons.ts'

const folder = mkdtempSync(join(tmpdir(), 'python-bulk-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const newest = pythons.at(-1)
const kills = proofCount({ share: 4, full: 100 })
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

/** Waits pass at once. */
const program = `
import sys
from tender_sync.__main__ import main
sys.exit(main(sys.argv[1:], sleep=lambda seconds: None))
`

/** Rows, the newest of each tender, and those of the delta among them. */
const polars = `
import sys
import polars
rows = polars.concat([polars.scan_parquet(url) for url in sys.argv[1:]]).collect()
newest = rows.sort("last_modified").unique("id", keep="last")
delta = polars.read_parquet(sys.argv[-1])
print(rows.height, newest.height, newest.join(delta, on=["id", "last_modified"], how="semi").height)
`

/** Of each page of loaded files: how many records, and how many of them with the hash of their heads. */
const pages = `
import sys
from tender_sync.bulk import Files
from tender_sync.copies import LineRecord
files, cursor = Files(None, sys.argv[1]), sys.argv[2]
while cursor:
    page = files.page(cursor)
    if page is None:
        break
    print(len(page.data), sum(isinstance(each, LineRecord) for each in page.data))
    cursor = page.next_cursor
print(files.refusal)
`

type Kind = 'sqlite' | 'ndjson'
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

type Service = { readonly origin: string; readonly token: string }

function start(kind: Kind, file: string, { origin, token }: Service, more: readonly string[] = []): ChildProcess {
  const args = ['run', '--url', origin, '--sink', `${kind}:${file}`, '--initial', 'history', '--bulk', ...more]
  const child = spawn(newest!.path, ['-c', program, ...args], { env: pythonEnvironment(token) })
  children.add(child)
  return child.once('close', () => children.delete(child))
}

/** Runs once. */
function run(kind: Kind, file: string, service: Service): Promise<{ code: number | null; said: string }> {
  const child = start(kind, file, service)
  let said = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (said += chunk))
  return new Promise((done) => child.once('close', (code) => done({ code, said })))
}

async function expectEqual(kind: Kind, file: string, { log }: BulkWorld): Promise<void> {
  expect((await digestOfCopy(kind, file)).all).toBe(parseDigest(log.newest!.checksum!)!.all)
}

describe.skipIf(!newest)('python -m tender_sync run --bulk', () => {
  test.each(['sqlite', 'ndjson'] as const)('C162: %s comes from files, and goes on from there', async (kind) => {
    await using service = await openBulkWorld({ records: 400 })
    await service.publish(range(0, 1000))
    await service.files.update()
    await service.publish([...range(990, 1100), 5, 17, 33])
    await service.files.update()
    await service.publish([7, 16, 2000])
    const file = join(folder, `first-${kind}`)
    const first = await run(kind, file, service)
    expect(first, first.said).toMatchObject({ code: 0 })
    await expectEqual(kind, file, service)
    expect(service.asked.filter((path) => path.startsWith('/v1'))).toHaveLength(1)
    expect(readdirSync(folder).filter((name) => name.includes('.files'))).toEqual([])
    await service.publish([3, 2001])
    expect((await run(kind, file, service)).said).toContain('delta run')
    await expectEqual(kind, file, service)
  })

  test.each([
    ['a flipped byte', (bytes: Buffer) => bytes.fill(bytes[200]! ^ 1, 200, 201)],
    ['a cut file', () => 'cut' as const],
    ['a failure of the service', () => 503],
    ['a link that has ended', () => 403],
    ['a file that is gone', () => 404],
  ])('%s is noticed', async (name, fault) => {
    await using service = await openBulkWorld({ records: 400 })
    await service.publish(range(0, 1000))
    await service.files.update()
    const proxy = await openBulkProxy(service.origin)
    proxy.faults.push((bytes) => bytes, fault as never)
    const file = join(folder, name.replaceAll(' ', '-'))
    const ended = await run('ndjson', file, { origin: proxy.origin, token: service.token })
    // the link opens the file, and not the token
    expect(new Set(proxy.files.map(({ authorization }) => authorization))).toEqual(new Set([undefined]))
    expect([ended.code, ended.said]).toEqual([0, expect.not.stringContaining('in place of files')])
    await expectEqual('ndjson', file, service)
    // what was there is not loaded again
    if (name === 'a cut file')
      expect(proxy.files.filter(({ range }) => /^bytes=[1-9]/.test(range ?? ''))).toHaveLength(1)
  })

  type Head = { bytes: number; hash: string; lastModified: string }
  test.each<[string, (heads: Head[]) => unknown, string]>([
    ['right', () => {}, '100 100\n50 50\nNone\n'],
    ['absent', (heads) => heads.pop(), '100 0\n50 0\nNone\n'],
    ['of another length', ([head]) => head!.bytes++, 'has another length'],
    ['of another time', (heads) => (heads[100]!.lastModified = heads[1]!.lastModified), '100 100\n.* is not its own'],
    ['with another hash', (heads) => (heads[100]!.hash = heads[1]!.hash), '100 100\n.* is not its own'],
    ['without a hash', (heads) => (heads[1]!.hash = ''), 'is no head'],
  ])('heads that are %s', async (name, change, expected) => {
    const own = join(folder, name.replaceAll(' ', '-'))
    mkdirSync(own)
    const records = Array.from({ length: 150 }, (_, number) => recordOf(number))
    const heads = records.map((record) => ({
      ...(({ id, lastModified, status }) => ({ id, lastModified, status }))(record),
      bytes: Buffer.byteLength(JSON.stringify(record)),
      hash: computedHash(record),
    }))
    change(heads)
    const put = (rows: readonly object[], format: string) => {
      const packed = gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
      const sha256 = hash('sha256', packed)
      writeFileSync(join(own, `${sha256}.gz`), packed)
      return { url: '', sha256, bytes: packed.length, rows: rows.length, format, table: 'tenders' }
    }
    const files = [put(records, 'ndjson'), put(heads, 'heads')]
    const manifest = { schema: 1, edition: 7, lastModified: '', records: 150, files }
    writeFileSync(join(own, 'manifest.json'), JSON.stringify(manifest))
    const cursor = `bulk:7-${files[0]!.sha256.slice(0, 4)}:0:0`
    const { out, err } = await runPython(newest!, ['-c', pages, own, cursor])
    expect(out, err).toMatch(new RegExp(expected))
  })

  test('where there are no files, or wrong ones, the list brings the records, and that is said', async () => {
    await using service = await openBulkWorld({ records: 400, requestsPerMinute: 100_000 })
    await service.publish(range(0, 500))
    await service.files.update()
    const proxy = await openBulkProxy(service.origin)
    proxy.faults.push(...Array.from({ length: 20 }, () => (bytes: Buffer) => bytes.fill(0)))
    const file = join(folder, 'wrong')
    const wrong = await run('sqlite', file, { origin: proxy.origin, token: service.token })
    expect([wrong.code, wrong.said]).toEqual([0, expect.stringContaining('A file has another digest')])
    await expectEqual('sqlite', file, service)
    const token = service.tokens.add('without', { requestsPerMinute: 100_000 })
    await new Promise((done) => setTimeout(done, 300))
    const other = await run('ndjson', join(folder, 'none'), { origin: service.origin, token })
    expect([other.code, other.said]).toEqual([0, expect.stringContaining('has no files')])
    await expectEqual('ndjson', join(folder, 'none'), service)
  })

  test('Polars reads the tables by their links, without a token', async () => {
    await using service = await openBulkWorld({ records: 400 })
    await service.publish(range(0, 1000))
    await service.files.update()
    await service.publish([5, 6, 7])
    await service.files.update()
    const address = `${service.origin}/bulk/editions/latest`
    const answer = await fetch(address, { headers: { authorization: `Bearer ${service.token}` } })
    const { files } = (await answer.json()) as { files: { url: string; format: string; table: string; part: string }[] }
    const tables = files.filter(({ format, table }) => format === 'parquet' && table === 'tenders')
    expect(tables.map(({ part }) => part)).toEqual(['snapshot', 'snapshot', 'snapshot', 'delta'])
    const path = process.env['PYTHON_WITH_FRAMES'] ?? newest!.path
    const urls = tables.map(({ url }) => new URL(url, address).href)
    const { out, err } = await runPython({ path, version: '' }, ['-c', polars, ...urls])
    if (err.includes("No module named 'polars'")) return console.log('skipped: no polars on this machine')
    expect(out.trim(), err).toBe('1003 1000 3')
  })

  test.concurrent.each(['sqlite', 'ndjson'] as const)(
    `C160: %s is the edition after ${kills} kills (SEED=${seed})`,
    { timeout: 300_000 + kills * 60_000 },
    async (kind) => {
      const fileOf = (life: number) => join(folder, `killed-${kind}-${life}`)
      const client = {
        start: (service: BulkWorld, life: number) => start(kind, fileOf(life), service, ['--json']),
        loaded: /"event": "page"/,
        goesOn: /"resumed": true/,
        codes: [null, 0],
        compare: (service: BulkWorld, life: number) => expectEqual(kind, fileOf(life), service),
      }
      const { loads, resumed } = await killLoads(client, kills, randomOf(seed, kind.length))
      if (kills >= 100) expect(loads).toBeGreaterThan(kills / 10)
      if (kills >= 100) expect(resumed).toBeGreaterThan(kills / 10)
    },
  )
})
