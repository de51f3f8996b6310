// How much faster a rebuild is beside another process that helps: the real programs on a PostgreSQL of their own, the
// same stock each time, alone and helped in turns.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startCluster } from './postgres-cluster.ts'
import { runCommand, startProcess, stopProcess, temporaryFolder } from './processes.ts'
import { median } from './speed/row.ts'

type Line = {
  readonly event: string
  readonly documents?: number
  readonly notices?: number
  readonly isSame?: boolean
}

const program = join(import.meta.dirname, '../src/bin/tenderstock.cjs')

/** `npm run bench -- rebuild [--rounds N] [--corpus DIR] [--json]` */
export async function runRebuild(options: {
  readonly corpus: string
  readonly rounds: number
  readonly json: boolean
  readonly onProgress: (text: string) => void
}): Promise<void> {
  const { corpus, rounds, json, onProgress } = options
  const cluster = existsSync(corpus) ? await startCluster() : undefined
  if (!cluster) return console.log('Skipped: no corpus, or no PostgreSQL is installed.')
  try {
    cluster.psql('postgres', 'create database rebuilt')
    const env = { ...process.env, DATABASE_URL: cluster.url('rebuilt') }
    const tenderstock = (...args: string[]) =>
      runCommand(process.execPath, [program, ...args, '--data', temporaryFolder('rebuild')], { env })
    tenderstock('ingest', corpus)
    tenderstock('values', 'fit')
    const seconds: { readonly alone: number[]; readonly helped: number[] } = { alone: [], helped: [] }
    let last: Line | undefined
    // the first rebuild brings the estimates up to date
    for (let round = 0; round <= rounds; round++) {
      for (const way of ['alone', 'helped'] as const) {
        const helper = way === 'helped' ? await startHelper(env) : undefined
        const begun = performance.now()
        last = JSON.parse(tenderstock('rebuild', '--json').trim().split('\n').at(-1)!) as Line
        const took = (performance.now() - begun) / 1000
        if (helper) await stopProcess(helper)
        if (round === 0) continue
        if (last.isSame !== true) throw new Error(`a rebuild ${way} left another stock`)
        seconds[way].push(took)
        onProgress(`round ${round}, ${way}: ${took.toFixed(1)} s`)
      }
    }
    const [alone, helped] = [median(seconds.alone), median(seconds.helped)]
    const report = { documents: last!.documents, notices: last!.notices, alone, helped, ratio: alone / helped }
    console.log(
      json
        ? JSON.stringify({ rebuild: report }, null, 2)
        : `${report.documents} documents with ${report.notices} notices, medians of ${rounds} rounds: ` +
            `${alone.toFixed(1)} s alone, ${helped.toFixed(1)} s beside a second process, ` +
            `${report.ratio.toFixed(2)} times as fast`,
    )
  } finally {
    await cluster.stop()
  }
}

/** A process with the role `consolidate`, once it is ready. */
async function startHelper(env: NodeJS.ProcessEnv) {
  let isReady = false
  const args = [program, 'start', '--role', 'consolidate', '--json', '--data', temporaryFolder('helper')]
  const helper = startProcess(process.execPath, args, {
    env,
    onLine: (line) => {
      isReady ||= line.includes('"event":"ready"')
    },
  })
  while (!isReady) {
    if (helper.exitCode !== null) throw new Error(`the helping process ended with ${helper.exitCode}`)
    await sleep(100)
  }
  return helper
}
