// Start: from spawning to ready, beside reading the same files with cat; and the memory that a record takes.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand } from '../processes.ts'
import { logFolder } from './answering.ts'
import type { SpeedOptions } from './options.ts'
import { getList, randomPages } from './questions.ts'
import { atMost, mediansOf, type SpeedRow } from './row.ts'
import { startOurs } from './servers.ts'
import type { Stock } from './stock.ts'

const mostRounds = 5
const settleMs = 1500
/** Below this the difference of two processes says nothing of a record. */
const leastRecordsForMemory = 100_000

export async function startRows(stock: Stock, options: SpeedOptions): Promise<SpeedRow[]> {
  const { service, records, onProgress } = options
  const { cluster, scratch } = stock
  cluster.psql('postgres', 'drop database if exists empty')
  cluster.psql('postgres', 'create database empty')
  const empty = {
    data: join(scratch, 'data-empty'),
    environment: { ...process.env, DATABASE_URL: cluster.url('empty') },
  }
  runCommand(process.execPath, ['src/bin/tenderstock.ts', 'status', '--data', empty.data, '--json'], {
    cwd: service,
    env: empty.environment,
  })
  // a stock that nobody has served yet has no log
  await (await startOurs(stock, service)).stop()
  const files = readdirSync(logFolder(stock), { recursive: true, encoding: 'utf8' })
    .map((name) => join(logFolder(stock), name))
    .filter((path) => statSync(path).isFile())
  const index = files.filter((path) => !path.endsWith('.bin'))
  const bytes = (paths: readonly string[]): number => paths.reduce((sum, path) => sum + statSync(path).size, 0)
  const cat = (paths: readonly string[]): number => {
    const startedMs = performance.now()
    runCommand('sh', ['-c', 'cat "$@" > /dev/null', 'cat', ...paths])
    return performance.now() - startedMs
  }
  cat(index)
  const rounds: { [measure: string]: number }[] = []
  for (let round = 0; round < Math.min(options.rounds, mostRounds); round++) {
    const full = await startOurs(stock, service)
    // what a service holds once it has answered, not only once it has started
    const readBytes = bytesReadBy(full.pid)
    for (const path of randomPages(stock, 50, round)) await getList(full.port, path, stock.clients[0]!.token)
    await sleep(settleMs)
    const fullMemory = memoryOf(full.pid)
    await full.stop()
    const bare = await startOurs(empty, service)
    await sleep(settleMs)
    const bareBytes = bytesReadBy(bare.pid)
    const bareMemory = memoryOf(bare.pid)
    await bare.stop()
    rounds.push({
      'ready ms': full.startMs,
      'CPU ms': full.startCpuSeconds * 1000,
      'empty ready ms': bare.startMs,
      'empty CPU ms': bare.startCpuSeconds * 1000,
      'cat ms': cat(index),
      'MB read': (readBytes - bareBytes) / 1e6,
      'memory MB': fullMemory / 1e6,
      'empty memory MB': bareMemory / 1e6,
      'bytes a record': (fullMemory - bareMemory) / records,
    })
    onProgress(
      `start: round ${round + 1}: ${Math.round(full.startMs)} ms, empty ${Math.round(bare.startMs)} ms, cat ${Math.round(rounds.at(-1)!['cat ms']!)} ms, ${((fullMemory - bareMemory) / records).toFixed(0)} bytes a record`,
    )
  }
  cluster.psql('postgres', 'drop database empty')
  const all = cat(files)
  const figures = mediansOf(rounds)
  const more = figures['ready ms']! - figures['empty ready ms']!
  const verdicts = [
    atMost('start less an empty start ÷ cat of the index files', more / figures['cat ms']!, 3),
    atMost('start less an empty start ÷ cat of all files', more / all, 3),
  ]
  if (records >= leastRecordsForMemory)
    verdicts.push(atMost('memory of a record', figures['bytes a record']!, 150, 'bytes'))
  return [
    {
      name: 'start',
      work: 'start to ready, files in the page cache',
      records,
      sides: [
        {
          side: 'ours',
          figures: {
            'ready ms': figures['ready ms']!,
            'CPU ms': figures['CPU ms']!,
            'MB of memory': figures['memory MB']!,
            'MB read more than without records': figures['MB read']!,
          },
        },
        {
          side: 'ours, no records',
          figures: {
            'ready ms': figures['empty ready ms']!,
            'CPU ms': figures['empty CPU ms']!,
            'MB of memory': figures['empty memory MB']!,
          },
        },
        { side: 'cat, index files', figures: { ms: figures['cat ms']!, MB: bytes(index) / 1e6 } },
        { side: 'cat, all files', figures: { ms: all, MB: bytes(files) / 1e6 } },
      ],
      verdicts,
      notes: [],
    },
  ]
}

/** Bytes that a process has read from files and sockets. */
const bytesReadBy = (pid: number): number =>
  Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0)

/** Bytes of memory of a process that are not pages of files. */
export function memoryOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
  return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024
}
