// The service on three servers under Patroni while it changes the leader, by plan and by SIGKILL: no acknowledged
// notice and no edition that anybody saw is lost, every answer is right, and reads never stop.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { memorySink } from '../../client/src/sinks/memory-sink.ts'
import { DigestSum, isOpenRecord, webRecordHash } from '../../client/src/sync/copy-digest.ts'
import { sync } from '../../client/src/sync/sync.ts'
import { TenderClient } from '../../client/src/tender-client.ts'
import type { TenderRecord } from '../../client/src/types.ts'
import { type KeptProcess, keepProcess } from '../chaos/kept-process.ts'
import { watchProcesses } from '../chaos/living-processes.ts'
import { type Document, openNoticeStream } from '../chaos/notice-stream.ts'
import { runCommand } from '../chaos/run-command.ts'
import { freePort } from '../free-port.ts'
import { proofCount } from '../proof/proof-count.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { hasPatroni, openPatroniCluster } from './patroni-cluster.ts'

const isPossible = hasPatroni && process.env.PATRONI === '1'
if (!isPossible)
  console.log(
    `skipped: failovers by Patroni (${hasPatroni ? 'minutes long: npm run proof -- patroni' : 'no patroni, etcd or PostgreSQL on this machine'})`,
  )

const root = join(import.meta.dirname, '../..')
const program = join(root, 'src/bin/tenderstock.ts')
const changes = proofCount({ share: 1, full: 10 })
const probeMs = 100
/** How long one answer may take, on a machine that starts several servers at the same time. */
const longestAnswerMs = 5000
const stockSize = 600
const batchSize = 20

test.skipIf(!isPossible)(
  'C48 C144 P5 switchovers and failovers by Patroni under load lose nothing, show nothing wrong and stop no reads',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'patroni-service-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const startedAt = performance.now()
    const say = (line: string) =>
      process.stdout.write(`patroni ${Math.round((performance.now() - startedAt) / 1000)} s: ${line}\n`)
    await using cluster = await openPatroniCluster(join('/tmp', `patroni-${process.pid}`))
    say('three servers run')
    const living = watchProcesses()
    const databaseUrl = cluster.urlOf('postgres')
    const env = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      REDIS_URL: '',
      TENDERSTOCK_SECRET_KEY: randomBytes(32).toString('base64'),
    }
    const data = (name: string) => join(folder, name)
    const command = (...args: string[]) =>
      runCommand([program, ...args, '--data', data('publisher'), '--json'], { cwd: root, env, living }).result
    const mustRun = async (...args: string[]) => {
      const { code, output } = await command(...args)
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${output}`)
      return output
    }
    const kept: KeptProcess[] = []
    const keep = (name: string, ...args: string[]) => {
      const each = keepProcess({
        ...{ name, cwd: root, env, living },
        command: () => [process.execPath, program, ...args, '--drain-seconds', '0', '--data', data(name), '--json'],
      })
      kept.push(each)
      each.start()
      return each
    }
    const over = new AbortController()
    try {
      // what readers found
      const faults: string[] = []
      const seen = new Map<number, string>()
      const counts = { probes: 0, crawls: 0, runs: 0, batches: 0, retried: 0, slowestMs: 0 }
      const note = (edition: number, digest: string) => {
        const before = seen.get(edition)
        if (before !== undefined && before !== digest) faults.push(`edition ${edition} is ${before}, and ${digest}`)
        seen.set(edition, digest)
      }

      await mustRun('organization', 'create', 'One', '--requests-per-minute', '100000')
      const token = (
        JSON.parse(
          (await mustRun('token', 'create', 'One')).split('\n').find((line) => line.includes('"event":"token"'))!,
        ) as { token: string }
      ).token
      const stream = openNoticeStream(randomOf(seed, 1))
      let documents = 0
      const write = (some: readonly Document[]) => {
        const place = mkdtempSync(join(folder, 'notices-'))
        for (const [name, xml] of some) writeFileSync(join(place, name), xml)
        documents += some.length
        return place
      }
      await mustRun('ingest', write(stream.stock(stockSize, Date.now())))
      await mustRun('publish', '--publish-interval-minutes', '0')
      keep('publisher', 'start', '--no-samples', '--api-port', '0', '--publish-interval-minutes', '0.05')
      const ports = [await freePort(), await freePort()]
      for (const [index, port] of ports.entries()) keep(`node-${index + 1}`, 'serve', '--api-port', String(port))
      while (!kept.every((each) => each.isReady())) await delay(100)
      say('publisher and two nodes run')

      const origins = ports.map((port) => `http://127.0.0.1:${port}`)
      const get = async (origin: string, query: string) => {
        const askedAt = performance.now()
        const answer = await fetch(`${origin}/v1/tenders?${query}`, {
          headers: { authorization: `Bearer ${token}` },
          signal: AbortSignal.timeout(longestAnswerMs),
        })
        const body = (await answer.json()) as { data: TenderRecord[]; nextCursor: string | null }
        counts.slowestMs = Math.max(counts.slowestMs, performance.now() - askedAt)
        if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(body)}`)
        const edition = Number.parseInt(answer.headers.get('x-stock-state') ?? '', 10)
        const digest = answer.headers.get('x-stock-digest')
        return { ...body, edition, digest }
      }
      const repeat = (what: string, work: () => Promise<unknown>, pauseMs: number) => async () => {
        while (!over.signal.aborted) {
          await work().catch((error: unknown) => faults.push(`${what}: ${String(error).slice(0, 500)}`))
          await delay(pauseMs)
        }
      }
      const readers = origins.flatMap((origin, index) => {
        let newest = 0
        const sink = memorySink({ keepsState: true })
        return [
          repeat(
            `probe of node ${index + 1}`,
            async () => {
              const { edition, digest } = await get(origin, 'limit=1')
              counts.probes++
              if (!(edition >= newest)) faults.push(`node ${index + 1} shows edition ${edition} after ${newest}`)
              newest = edition
              if (digest !== null) note(edition, digest)
            },
            probeMs,
          ),
          repeat(
            `crawl of node ${index + 1}`,
            async () => {
              const sum = new DigestSum()
              let page = await get(origin, 'limit=100&archived=true')
              const { edition, digest } = page
              for (;;) {
                for (const record of page.data)
                  sum.add(await webRecordHash(record), isOpenRecord(record), record.lastModified)
                if (page.nextCursor === null) break
                page = await get(origin, `limit=100&archived=true&cursor=${encodeURIComponent(page.nextCursor)}`)
                if (page.digest !== digest) faults.push(`a crawl of ${digest} continues with ${page.digest}`)
              }
              counts.crawls++
              const { open, all } = sum.digest
              const read = `open=${open}, all=${all}`
              if (read !== digest) faults.push(`edition ${edition} was read as ${read}, not ${digest}`)
            },
            500,
          ),
          repeat(
            `deltas of node ${index + 1}`,
            async () => {
              const client = new TenderClient({ baseUrl: origin, token })
              const outcome = await sync({ client, sink, initial: 'history' })
              counts.runs++
              if (outcome.result !== 'completed') faults.push(`a run of node ${index + 1}: ${JSON.stringify(outcome)}`)
            },
            700,
          ),
        ].map((read) => read())
      })
      const feed = async () => {
        while (!over.signal.aborted) {
          const place = write(stream.next(batchSize, Date.now()))
          // a batch is passed on until it is acknowledged
          while ((await command('ingest', place)).code !== 0) {
            counts.retried++
            await delay(300)
          }
          rmSync(place, { recursive: true })
          counts.batches++
          await delay(500)
        }
      }
      const feeding = feed()

      const took: { [kind: string]: number[] } = { switchover: [], failover: [] }
      for (let change = 0; change < changes; change++)
        for (const [kind, act] of [
          ['switchover', cluster.switchOver],
          ['failover', cluster.failOver],
        ] as const) {
          await cluster.settle()
          const editions = seen.size
          const begunAt = performance.now()
          const next = await act()
          took[kind]!.push(performance.now() - begunAt)
          // the service has gone on: editions that were published since
          const end = Date.now() + 60_000
          while (seen.size < editions + 2 && Date.now() < end) await delay(200)
          if (seen.size < editions + 2) faults.push(`nothing is published after a ${kind} to ${next}`)
          say(`${kind} ${change + 1} to ${next}, ${seen.size} editions seen, ${faults.length} faults`)
        }
      await cluster.settle()
      over.abort()
      await Promise.all([...readers, feeding])
      const ownEnds = kept.flatMap((each) => each.ownEnds())
      const codes = []
      for (const each of kept) codes.push(await each.stop('SIGTERM'))
      await mustRun('publish', '--publish-interval-minutes', '0').catch((error: unknown) => {
        // nothing is left to publish
        if (!String(error).includes('nothingNew')) throw error
      })
      const doctor = await command('doctor')

      const leader = await cluster.leader()
      const database = new pg.Client({ connectionString: cluster.urlOfServer(leader, 'postgres') })
      await database.connect()
      const { rows: editions } = await database.query<{ edition: number; checksum: string }>(
        'select edition, checksum from edition',
      )
      const { rows: held } = await database.query<{ count: string }>('select count(*) from source_document')
      await database.end()
      const published = new Map(editions.map(({ edition, checksum }) => [edition, checksum]))
      const lost = [...seen].filter(([edition, digest]) => published.get(edition) !== digest)
      const seconds = (all: readonly number[]) =>
        `${(Math.min(...all) / 1000).toFixed(1)} to ${(Math.max(...all) / 1000).toFixed(1)} s`
      console.log(
        `${changes} switchovers (${seconds(took['switchover']!)} until the next leader), ${changes} failovers ` +
          `(${seconds(took['failover']!)}): ${counts.probes} probes, ${counts.crawls} crawls and ${counts.runs} runs of ` +
          `clients, slowest answer ${Math.round(counts.slowestMs)} ms; ${documents} notices in ${counts.batches} batches, ` +
          `${counts.retried} repeated; ${editions.length} editions, ${seen.size} seen, ${lost.length} lost, ` +
          `${faults.length} faults`,
      )
      expect(faults).toEqual([])
      expect(lost).toEqual([])
      expect(Number(held[0]!.count)).toBe(documents)
      expect(ownEnds).toEqual([])
      expect(codes).toEqual([0, 0, 0])
      expect(doctor.output).toContain('1 of 2 standbys have what a commit acknowledges')
      expect(counts.crawls).toBeGreaterThan(2 * changes)
    } finally {
      over.abort()
      await Promise.all(kept.map((each) => each.stop('SIGKILL')))
      await living.close()
    }
  },
  3_600_000,
)
