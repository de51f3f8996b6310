// One side of the benchmark of a first load, in a process of its own: prints its seconds, CPU seconds and memory.
import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { boundYoungSpace } from '../client/src/bin/young-space.ts'
import { bulkPages } from '../client/src/bulk/bulk-pages.ts'
import type { OpenSink } from '../client/src/sinks/disposable.ts'
import { ndjsonSink } from '../client/src/sinks/ndjson-sink.ts'
import { openPostgresSink } from '../client/src/sinks/postgres-sink.ts'
import { computedHash } from '../client/src/sinks/record/record-hash.ts'
import { sqliteSink } from '../client/src/sinks/sqlite-sink.ts'
import { timerSleep } from '../client/src/sleep.ts'
import { fromFiles } from '../client/src/sync/bulk-source.ts'
import { type SyncOptions, sync } from '../client/src/sync/sync.ts'
import { TenderClient } from '../client/src/tender-client.ts'

/**
 * `files`: a first load, and what changed since; `sink`: the same pages from memory; `gunzip`: the files to a file;
 * `hash`: the same, with the hash of each record.
 */
export type PartJob = {
  readonly side: 'files' | 'sink' | 'gunzip' | 'hash'
  readonly sink: 'ndjson' | 'sqlite' | 'postgres'
  /** Of the copy: a file, or the address of a database. */
  readonly target: string
  readonly folder: string
  readonly origin: string
  readonly token: string
  /** The files of records, where the service has them. */
  readonly files: readonly string[]
}

export type PartCost = { readonly wall: number; readonly cpu: number; readonly megabytes: number }

const job = JSON.parse(process.argv[2]!) as PartJob
const client = new TenderClient({ baseUrl: job.origin, token: job.token })
const pages = () => bulkPages({ client, baseUrl: job.origin, folder: job.folder, sleep: timerSleep })

const openSink = async (): Promise<OpenSink> => {
  if (job.sink === 'ndjson') return ndjsonSink({ file: job.target })
  return job.sink === 'sqlite' ? sqliteSink({ file: job.target }) : openPostgresSink({ connectionString: job.target })
}

async function load(bulk: NonNullable<SyncOptions['bulk']>): Promise<void> {
  const sink = await openSink()
  for (const options of [{ bulk }, {}]) {
    const outcome = await sync({
      client,
      sink,
      state: sink.state!,
      initial: 'history',
      on: boundYoungSpace,
      ...options,
    })
    if (outcome.result !== 'completed') throw outcome.result === 'aborted' ? outcome.error : new Error(outcome.result)
    // this repository proves it elsewhere; here it says that both sides did the work
    const copy = (await sink.state!.load())?.copy
    if (copy?.isDifferent !== false) throw new Error('the copy is not the edition')
  }
  await sink[Symbol.asyncDispose]()
}

/** All pages with their records, and nothing of the files left to do. */
async function pagesInMemory(): Promise<NonNullable<SyncOptions['bulk']>> {
  const held = new Map<string | undefined, Awaited<ReturnType<ReturnType<typeof pages>['page']>>>()
  const source = pages()
  if (!(await source.open(undefined))) throw new Error(source.refusal())
  for (let cursor: string | undefined; ; ) {
    const page = await source.page(cursor, false)
    if (!page) throw new Error(source.refusal())
    // as if they had not come as lines
    held.set(cursor, { ...page, data: structuredClone(page.data) as typeof page.data })
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  return {
    open: async () => true,
    over: (inner, floor, sink) => fromFiles(inner, async (at) => held.get(at), floor, sink),
  }
}

async function gunzip(): Promise<void> {
  const plain = async function* () {
    for (const file of job.files) {
      let rest = ''
      for await (const block of createReadStream(file).pipe(createGunzip({ chunkSize: 1 << 20 }))) {
        yield block
        if (job.side === 'gunzip') continue
        const lines = (rest + (block as Buffer).toString('latin1')).split('\n')
        rest = lines.pop()!
        for (const line of lines) computedHash(JSON.parse(line))
      }
    }
  }
  await pipeline(Readable.from(plain()), createWriteStream(job.target, { flush: true }))
}

const inMemory = job.side === 'sink' ? await pagesInMemory() : undefined
const [startedMs, before] = [performance.now(), process.cpuUsage()]
if (job.side === 'gunzip' || job.side === 'hash') await gunzip()
else await load(inMemory ?? pages())
const { user, system } = process.cpuUsage(before)
const megabytes = process.resourceUsage().maxRSS / 1024
console.log(JSON.stringify({ wall: (performance.now() - startedMs) / 1000, cpu: (user + system) / 1e6, megabytes }))
