// Worker processes on one PostgreSQL server: they share the sources, and one that is killed is replaced from its
// checkpoint.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { countReceived } from '../../src/store/received/documents.ts'
import { listSlots } from '../../src/store/sources/source-ledger.ts'
import { entriesPerPage } from '../scripted-source.ts'
import { openTestStore, testDatabaseUrl } from '../world.ts'
import type { WorkerTask } from './worker-process.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const sources = Array.from({ length: 6 }, (_, index) => `de-shared-${index}`)
const days = ['2026-11-18', '2026-11-19', '2026-11-20']
const entriesOf = (source: string, day: string) => Array.from({ length: 20 }, (_, index) => `${source} ${day} ${index}`)

/** A portal that reports every request. */
async function openPortal(onRequest: (worker: string) => void): Promise<string> {
  const server = createServer((request, reply) => {
    const url = new URL(request.url!, 'http://portal')
    const [, source, day] = url.pathname.split('/') as [string, string, string]
    const at = Number(url.searchParams.get('at'))
    onRequest(url.searchParams.get('worker')!)
    reply.end(JSON.stringify({ page: entriesOf(source, day).slice(at, at + entriesPerPage), total: 20 }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => new Promise((resolve) => server.close(resolve)))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.skipIf(testDatabaseUrl === undefined)(
  'processes share the sources; a killed one is replaced, and every notice is stored once',
  async () => {
    await using store = await openTestStore('server')
    const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-workers-'))
    closers.push(() => rm(dataFolder, { recursive: true, force: true }))
    const requests = new Map<string, number>()
    const { promise: second, resolve: startSecond } = Promise.withResolvers<ChildProcess>()
    const portal = await openPortal((worker) => {
      const count = (requests.get(worker) ?? 0) + 1
      requests.set(worker, count)
      // the first holds three sources with 63 requests when the second comes for the others, and dies among them
      if (worker === 'first' && count === 10) startSecond(launch('second'))
      if (worker === 'first' && count === 40) first.kill('SIGKILL')
    })
    const startedAt = Date.now()
    const launch = (worker: string): ChildProcess => {
      const task: WorkerTask = {
        databaseUrl: store.options.databaseUrl!,
        dataFolder,
        worker,
        portal,
        sources,
        since: days[0]!,
        epoch: Date.parse('2026-11-21T08:00:00Z'),
        startedAt,
        speed: 20,
      }
      const script = new URL('worker-process.ts', import.meta.url).pathname
      const child = spawn(process.execPath, [script, JSON.stringify(task)], { stdio: ['ignore', 'inherit', 'inherit'] })
      closers.push(async () => {
        child.kill('SIGKILL')
      })
      return child
    }
    const first = launch('first')
    const [, signal] = await once(first, 'exit')
    const survivor = await second
    const exitCode = survivor.exitCode ?? (await once(survivor, 'exit'))[0]
    expect(signal).toBe('SIGKILL')
    expect(exitCode).toBe(0)

    const counts = await countReceived(store.db, 1)
    expect(counts.documents).toBe(sources.length * days.length * 20)
    expect(counts.notices).toBe(counts.documents)
    for (const source of sources) {
      const slots = (await listSlots(store.db, source)).filter(({ slot }) => days.includes(slot))
      expect(
        slots.map(({ slot, delivered, announced, checkpoint, missing }) => [
          slot,
          delivered,
          announced,
          checkpoint,
          missing,
        ]),
      ).toEqual(days.map((day) => [day, 20, 20, null, null]))
    }
    const readings = await store.db
      .selectFrom('source_run')
      .select(['source_id', 'slot', 'outcome', 'entries'])
      .execute()
    const completed = readings.filter(({ outcome }) => outcome === 'complete')
    expect(new Set(completed.map((each) => `${each.source_id} ${each.slot}`)).size).toBe(sources.length * days.length)
    expect(requests.get('second')).toBeGreaterThan(0)
  },
  120_000,
)
if (testDatabaseUrl === undefined) console.log('skipped: worker processes (no TEST_DATABASE_URL)')
