// Runs as a separate process: reads one TED slot from a portal on loopback, as much of it as requested, and prints the
// cost. Run: node bench/read-package.ts TASK, a ReadTask as JSON.
import { join } from 'node:path'
import { slotOfKey } from '../src/ingest/plan-slots.ts'
import { createPoliteHosts, type PoliteHosts } from '../src/ingest/polite.ts'
import { documentIdOf, readDocument } from '../src/ingest/read-document.ts'
import { runSource } from '../src/ingest/run-sources.ts'
import { systemSleep } from '../src/platform/clock.ts'
import { openHttp } from '../src/platform/http.ts'
import { fetchOf } from '../src/sources/deliver/fetch-of.ts'
import { source } from '../src/sources/ted/ted.ts'
import { openStore } from '../src/store/database/database.ts'
import { cpuSecondsOf } from './processes.ts'

/**
 * `open`: creates the stock and reads nothing, so that its memory can be subtracted; `unpack`: down to documents, which
 * are discarded; `parse`: down to notices; `store`: through the runner into the stock.
 */
export type ReadTask = {
  readonly reach: 'open' | 'unpack' | 'parse' | 'store'
  /** `http://127.0.0.1:PORT`; the portal's host is the first segment of the path. */
  readonly base: string
  readonly channel: 'daily' | 'monthly'
  readonly slot: string
  /** Epoch milliseconds at which the run's clock starts. */
  readonly now: number
  readonly dataFolder: string
  /** Absent: the embedded engine. */
  readonly databaseUrl?: string
  /** The server's process, whose CPU time counts too. */
  readonly serverPid?: number
}

export type ReadFigures = {
  readonly documents: number
  readonly notices: number
  readonly rejections: number
  readonly outcome: string
  readonly wallSeconds: number
  /** User and system time of all threads. */
  readonly cpuSeconds: number
  readonly serverSeconds: number
  /** Resident memory before the reading, and the maximum that the process ever had. */
  readonly baseMegabytes: number
  readonly peakMegabytes: number
}

if (process.argv[2] !== undefined)
  process.stdout.write(JSON.stringify(await read(JSON.parse(process.argv[2]) as ReadTask)))

async function read(task: ReadTask): Promise<ReadFigures> {
  const startedMs = performance.now()
  const clock = () => task.now + Math.round(performance.now() - startedMs)
  const http = openHttp({
    network: 'loopback',
    route: (url) => new URL(`${task.base}/${url.host}${url.pathname}${url.search}`),
  })
  const hosts = createPoliteHosts({
    http,
    clock,
    sleep: systemSleep,
    random: () => 0.5,
    contact: 'https://bench.invalid/',
    version: 'bench',
    hasLimits: false,
  })
  try {
    const isAlone = task.reach === 'unpack' || task.reach === 'parse'
    return isAlone ? await alone(task, clock, hosts) : await throughRunner(task, clock, hosts)
  } finally {
    await http.close()
  }
}

async function throughRunner(task: ReadTask, clock: () => number, hosts: PoliteHosts): Promise<ReadFigures> {
  const { dataFolder, databaseUrl } = task
  const store = await openStore({ dataFolder, ...(databaseUrl !== undefined && { databaseUrl }) })
  const usage = startUsage(task.serverPid)
  if (task.reach === 'open') {
    await store.close()
    return { documents: 0, notices: 0, rejections: 0, outcome: 'complete', ...usage() }
  }
  const [result] = await runSource(
    store,
    source,
    {
      clock,
      hosts,
      keyOf: () => undefined,
      scratchFolder: join(dataFolder, 'scratch'),
      worker: 'bench',
      sleep: systemSleep,
      signal: new AbortController().signal,
      onFault: (_, error) => console.error(error),
    },
    { channel: task.channel, slots: [task.slot] },
  )
  const used = usage()
  await store.close()
  const { documents, notices, rejections, outcome, detail } = result!
  return { documents, notices, rejections, outcome: detail === '' ? outcome : `${outcome}: ${detail}`, ...used }
}

/** The channel's fetch without a stock. */
async function alone(task: ReadTask, clock: () => number, hosts: PoliteHosts): Promise<ReadFigures> {
  const channel = source.channels.find(({ name }) => name === task.channel)!
  const signal = new AbortController().signal
  const versions = new Map<string, string>()
  const usage = startUsage(undefined)
  const counts = { documents: 0, notices: 0, rejections: 0 }
  const steps = fetchOf(channel.delivery)({
    slot: slotOfKey(source, channel, task.slot)!,
    checkpoint: undefined,
    send: hosts.openConnection({ source, signal }).send,
    knownVersions: async (keys) =>
      new Map(keys.flatMap((key) => (versions.has(key) ? [[key, versions.get(key)!] as const] : []))),
    key: undefined,
    zone: source.zone,
    now: clock,
    scratchFolder: task.dataFolder,
    signal,
  })
  for (;;) {
    const next = await steps.next()
    if (next.done) return { ...counts, outcome: next.value.kind, ...usage() }
    for (const { key, version } of next.value.items ?? []) versions.set(key, version)
    for (const document of next.value.documents) {
      counts.documents += 1
      if (task.reach === 'unpack') continue
      for (const part of readDocument(documentIdOf(document), document).parts)
        counts['notice' in part ? 'notices' : 'rejections'] += 1
    }
  }
}

function startUsage(serverPid: number | undefined) {
  const serverBefore = serverPid === undefined ? 0 : cpuSecondsOf(serverPid)
  const baseMegabytes = process.memoryUsage().rss / 1e6
  const before = process.cpuUsage()
  const startedMs = performance.now()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return {
      wallSeconds: (performance.now() - startedMs) / 1000,
      cpuSeconds: (user + system) / 1e6,
      serverSeconds: serverPid === undefined ? 0 : cpuSecondsOf(serverPid) - serverBefore,
      baseMegabytes,
      peakMegabytes: (process.resourceUsage().maxRSS * 1024) / 1e6,
    }
  }
}
