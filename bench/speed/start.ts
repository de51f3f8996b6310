// Start: from spawning to ready, compared with reading the same files with cat; and the memory of a record.
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

const maxRounds = 5
const settleMs = 1500
const longestCheckpointMs = 60_000
/**
 * Minimum number of records for measuring memory: with fewer, the difference of two processes says nothing about a
 * record.
 */
const minRecordsForMemory = 100_000

export async function startRows(stock: Stock, options: SpeedOptions): Promise<SpeedRow[]> {
  const { service, records, onProgress } = options
  const { cluster, database, scratch } = stock
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
  // the cost of tokens does not depend on the records
  for (const table of ['organization', 'api_token']) {
    const [program, args] = cluster.psqlArguments('empty', `copy ${table} from stdin`)
    runCommand(program, args, { input: cluster.psql(database, `copy ${table} to stdout`) })
  }
  const filesOfLog = (): string[] =>
    readdirSync(logFolder(stock), { recursive: true, encoding: 'utf8' })
      .map((name) => join(logFolder(stock), name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
  const checkpointsOf = (paths: readonly string[]): string[] => paths.filter((path) => path.endsWith('/checkpoint'))
  // a stock that was never served has no log; its checkpoint is written once it is served
  const first = await startOurs(stock, service)
  const latestMs = performance.now() + longestCheckpointMs
  while (checkpointsOf(filesOfLog()).length === 0 && performance.now() < latestMs) await sleep(100)
  await first.stop()
  const files = filesOfLog()
  // without a checkpoint all frames are read
  const read = checkpointsOf(files).length > 0 ? checkpointsOf(files) : files.filter((path) => path.endsWith('.log'))
  const cat = (): { readonly 'cat ms': number; readonly 'cat CPU ms': number } => {
    const startedMs = performance.now()
    const times = runCommand('sh', ['-c', 'cat "$@" > /dev/null; times', 'cat', ...read])
    return { 'cat ms': performance.now() - startedMs, 'cat CPU ms': cpuMsOfChildren(times) }
  }
  cat()
  const rounds: { [measure: string]: number }[] = []
  for (let round = 0; round < Math.min(options.rounds, maxRounds); round++) {
    const full = await startOurs(stock, service)
    // what a service holds after it has answered, not only after its start
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
      ...cat(),
      'MB read': (readBytes - bareBytes) / 1e6,
      'memory MB': fullMemory / 1e6,
      'empty memory MB': bareMemory / 1e6,
      'bytes a record': (fullMemory - bareMemory) / records,
    })
    onProgress(
      `start: round ${round + 1}: ${Math.round(full.startMs)} ms, empty ${Math.round(bare.startMs)} ms, cat ` +
        `${Math.round(rounds.at(-1)!['cat ms']!)} ms, ${((fullMemory - bareMemory) / records).toFixed(0)} ` +
        'bytes a record',
    )
  }
  cluster.psql('postgres', 'drop database empty')
  const figures = mediansOf(rounds)
  const more = figures['ready ms']! - figures['empty ready ms']!
  const verdicts = [atMost('start less an empty start ÷ cat of the same files', more / figures['cat ms']!, 3)]
  if (records >= minRecordsForMemory)
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
        {
          side: 'cat of the files that a start reads',
          figures: {
            ms: figures['cat ms']!,
            'CPU ms': figures['cat CPU ms']!,
            MB: read.reduce((sum, path) => sum + statSync(path).size, 0) / 1e6,
          },
        },
      ],
      verdicts,
      notes: [],
    },
  ]
}

/** Reads what `times` of a shell printed: a line for itself, then one for its children, user and system. */
function cpuMsOfChildren(times: string): number {
  const line = times.trim().split('\n').at(-1)!
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000,
    0,
  )
}

/** Bytes that a process has read from files and sockets. */
const bytesReadBy = (pid: number): number =>
  Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0)

/** Bytes of memory of a process that are not pages of files. */
function memoryOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
  return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024
}
