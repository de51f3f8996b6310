// tender-sync killed at random moments, publications in between: after a run that may finish, the copy equals the
// stock.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, describe, expect, it } from 'vitest'
import { TenderClient } from '../../client/src/tender-client.ts'
import type { TenderRecord } from '../../client/src/types.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'

const root = join(import.meta.dirname, '../..')
const kills = Number(process.env.TENDER_SYNC_KILLS ?? 20)
/** Number of copies of each kind; each receives its part of the kills. */
const lives = 4
const folder = mkdtempSync(join(tmpdir(), 'tender-kill-'))
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

function start(file: string, args: readonly string[], variables: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [join(root, file), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

async function startApiProcess(ofSeed: number) {
  const child = start('test/tender-sync/api-process.ts', [String(ofSeed), '600'])
  const waiting: ((line: string) => void)[] = []
  let onPage = (): void => {}
  createInterface({ input: child.stdout! }).on('line', (line) => {
    if (line === 'page') onPage()
    else waiting.shift()!(line)
  })
  const nextLine = (): Promise<string> => new Promise((resolve) => waiting.push(resolve))
  const { origin, token } = JSON.parse(await nextLine()) as { origin: string; token: string }
  return {
    origin,
    token,
    /** Calls back as soon as this many pages were requested from now on. */
    afterPages: (count: number, call: () => void) => {
      let pages = 0
      onPage = () => {
        if (++pages === count) call()
      }
    },
    publish: async (changes: number) => {
      child.stdin!.write(`${changes}\n`)
      await nextLine()
    },
    end: () => child.kill('SIGKILL'),
  }
}

const runs: readonly (readonly [kind: string, recordsIn: (file: string) => Promise<TenderRecord[]>])[] = [
  [
    'sqlite',
    async (file) => {
      const db = new DatabaseSync(file)
      const rows = db.prepare('SELECT record FROM tender').all() as { record: string }[]
      expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
      db.close()
      return rows.map(({ record }) => JSON.parse(record) as TenderRecord)
    },
  ],
  [
    'ndjson',
    async (file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as TenderRecord),
  ],
  [
    'parquet',
    async (file) => {
      const bytes = readFileSync(file)
      const rows = (await parquetReadObjects({
        file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
        columns: ['record'],
      })) as { record: string }[]
      return rows.map(({ record }) => JSON.parse(record) as TenderRecord)
    },
  ],
]

const byId = (records: readonly TenderRecord[]): [string, Omit<TenderRecord, 'checkedAt'>][] =>
  records
    .map(({ checkedAt: _, ...record }): [string, Omit<TenderRecord, 'checkedAt'>] => [record.id, record])
    .sort(([a], [b]) => (a < b ? -1 : 1))

describe(`tender-sync killed ${kills} times (SEED=${seed})`, () => {
  it.each(runs)('%s equals a full crawl afterwards', { timeout: 60_000 + kills * 20_000 }, async (kind, recordsIn) => {
    const random = randomOf(seed, kind.length)
    const api = await startApiProcess(seed)
    /** Lets a command end; resolves to its exit code. */
    const ended = (child: ChildProcess) =>
      new Promise<{ code: number | null; text: string }>((resolve) => {
        let text = ''
        for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => (text += chunk))
        child.once('close', (code) => resolve({ code, text }))
      })

    /**
     * A copy from its first run on, killed repeatedly. There are few changes in between, so that a lost page stays
     * lost.
     */
    const live = async (file: string, life: number): Promise<void> => {
      const args = ['--url', api.origin, '--sink', `${kind}:${file}`, '--initial', 'history', '--json']
      const sync = (command: string): ChildProcess =>
        start('client/src/bin/tender-sync.ts', [command, ...args], { TENDER_TOKEN: api.token })
      let killed = 0
      while (killed < kills / lives) {
        if (random.chance(0.3)) await api.publish(random.integer(1, 120))
        const child = sync('run')
        // At critical moments: between the first page and the end, in commits, while files are rewritten.
        let timer: NodeJS.Timeout | undefined
        api.afterPages(random.integer(1, 4), () => {
          timer = setTimeout(() => child.kill('SIGKILL'), random.integer(0, 60))
        })
        const { code, text } = await ended(child)
        clearTimeout(timer)
        // Every run is either killed or completes: none fails because of what a killed one left.
        expect(code === null || code === 0, text).toBe(true)
        if (code === null) killed++
        else await api.publish(random.integer(1, 250))
      }
      const last = await ended(sync('run'))
      expect(last.code, last.text).toBe(0)
      const stock: TenderRecord[] = []
      for await (const record of new TenderClient({ baseUrl: api.origin, token: api.token }).list({
        archived: true,
        limit: 100,
      }))
        stock.push(record)
      const copied = await recordsIn(file)
      const timesOf = (records: readonly TenderRecord[]) =>
        records.map(({ id, lastModified, status }) => `${id} ${lastModified} ${status}`).sort()
      // First what a person can read if it fails, then everything.
      expect(timesOf(copied), `life ${life}`).toEqual(timesOf(stock))
      expect(byId(copied)).toEqual(byId(stock))
      const verified = await ended(sync('verify'))
      expect(verified.code, verified.text).toBe(0)
    }
    for (let life = 1; life <= lives; life++) await live(join(folder, `${life}.${kind}`), life)
    api.end()
  })
})
