// `npm run simulate`: runs the simulation, replays a seed, or shows that planted mistakes are found.
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { keepFailingSeed, readFailingSeeds } from './failing-seeds.ts'
import { findPlanted } from './find-planted.ts'
import { plantedFaults } from './planted.ts'
import { plantedEdits } from './planted-edits.ts'
import { addTotals, type Failure, noTotals, runSeed, shrink, simulateRuns, type Totals } from './simulate-runs.ts'
import type { WorkerReport, WorkerTask } from './simulate-worker.ts'
import { simulateRun } from './world.ts'

const usage = `Usage: npm run simulate -- [options]
  --runs N       runs (default 2000; with --planted, at most so many for each: 20000)
  --seed S       seed of all runs (default: drawn, and printed)
  --threads N    threads (default: one for each processor)
  --planted      plants each known mistake and shows the run that finds it
  --replay SEED  one run, step by step; with --without a,b  --steps N  --clients N as a shrunk run was printed
`

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    seed: { type: 'string' },
    threads: { type: 'string' },
    planted: { type: 'boolean', default: false },
    replay: { type: 'string' },
    without: { type: 'string', default: '' },
    steps: { type: 'string' },
    clients: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

function whole(name: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  console.error(`--${name} must be a whole number, not ${text}.`)
  process.exit(2)
}

const grouped = (value: number): string => value.toLocaleString('en-US')
const barWidth = 30
const lineEveryMs = 10_000

/** A bar on a terminal, occasional lines elsewhere. */
function createProgress(total: number): { readonly show: (done: number) => void; readonly clear: () => void } {
  const startedAt = performance.now()
  let shownAt = startedAt
  const { isTTY } = process.stderr
  return {
    show: (done) => {
      const now = performance.now()
      if (now - shownAt < (isTTY ? 200 : lineEveryMs)) return
      shownAt = now
      const rate = done / ((now - startedAt) / 1000)
      const left = rate > 0 ? `${Math.ceil((total - done) / rate)} s left` : ''
      const text = `${grouped(done)} of ${grouped(total)} runs, ${Math.round(rate)} runs/s, ${left}`
      const filled = Math.round((done / total) * barWidth)
      process.stderr.write(isTTY ? `\r[${'='.repeat(filled).padEnd(barWidth)}] ${text}\u001b[K` : `${text}\n`)
    },
    clear: () => {
      if (isTTY) process.stderr.write('\r\u001b[K')
    },
  }
}

async function explain(failure: Failure): Promise<void> {
  console.log(`mismatch: seed ${failure.seed}, step ${failure.step}: ${failure.invariant}: ${failure.detail}`)
  const shrunk = await shrink(failure)
  if (shrunk) {
    console.log(`\nshrunk to ${shrunk.maxSteps} steps, ${shrunk.maxClients} clients at most:`)
    for (const line of shrunk.result.trace) console.log(`  ${line}`)
    const { mismatch } = shrunk.result
    console.log(`  ${mismatch?.invariant}: ${mismatch?.detail}`)
    const without = shrunk.without.length > 0 ? ` --without ${shrunk.without.join(',')}` : ''
    console.log(
      `\nreplay the shrunk run: npm run simulate -- --replay ${failure.seed}${without} --steps ${shrunk.maxSteps} --clients ${shrunk.maxClients}`,
    )
  }
  console.log(`replay: npm run simulate -- --replay ${failure.seed}`)
}

async function replay(seed: number): Promise<number> {
  const result = await simulateRun({
    seed,
    trace: true,
    without: new Set(values.without.split(',').filter((name) => name !== '')),
    ...(values.steps !== undefined && { maxSteps: whole('steps', values.steps) }),
    ...(values.clients !== undefined && { maxClients: whole('clients', values.clients) }),
  })
  for (const line of result.trace) console.log(line)
  const { mismatch } = result
  const { failure } = mismatch ? { failure: undefined } : await runSeed(seed, true)
  if (mismatch) console.log(`mismatch at step ${mismatch.step}: ${mismatch.invariant}: ${mismatch.detail}`)
  else if (failure) console.log(`mismatch: ${failure.invariant}: ${failure.detail}`)
  console.log(
    `replay: ${grouped(result.operations)} operations, ${grouped(result.faults)} faults, ${mismatch || failure ? 1 : 0} mismatches (seed ${seed})`,
  )
  return mismatch || failure ? 1 : 0
}

async function plant(seed: number): Promise<number> {
  // The rarest mistake shows in one run of about 700.
  const maxRuns = whole('runs', values.runs ?? '20000')
  let caught = 0
  const tell = (name: string, runs: number, failure: Failure | undefined): void => {
    if (failure) caught++
    const found =
      failure && `caught by ${failure.invariant} in run ${grouped(runs)} (seed ${failure.seed}, step ${failure.step})`
    console.log(`${name}: ${found ?? `NOT CAUGHT in ${grouped(runs)} runs`}`)
  }
  for (const planted of plantedFaults) {
    const { totals, failure } = await simulateRuns({ seed, from: 0, to: maxRuns, every: 1, planted })
    tell(`${planted.name} (${planted.mistake})`, totals.runs, failure)
  }
  for (const planted of plantedEdits) {
    const { runs, failure } = await findPlanted(planted, seed, maxRuns)
    tell(planted.name, runs, failure)
  }
  const count = plantedFaults.length + plantedEdits.length
  console.log(`planted: ${caught} of ${count} caught (seed ${seed})`)
  return caught === count ? 0 : 1
}

/** The shares of the threads run side by side; the first mismatch ends them all. */
async function runShares(seed: number, runs: number, threads: number, totals: Totals): Promise<Failure | undefined> {
  const progress = createProgress(runs)
  const workers: Worker[] = []
  const failures: Failure[] = []
  await Promise.all(
    Array.from(
      { length: threads },
      (_, from) =>
        new Promise<void>((resolve, reject) => {
          const workerData: WorkerTask = { seed, from, to: runs, every: threads }
          const worker = new Worker(new URL('./simulate-worker.ts', import.meta.url), { workerData })
          workers.push(worker)
          worker.on('message', (report: WorkerReport) => {
            addTotals(totals, report.totals)
            progress.show(totals.runs)
            if (report.failure) failures.push(report.failure)
            if (report.failure) for (const other of workers) void other.terminate()
          })
          worker.on('error', reject)
          worker.on('exit', () => resolve())
        }),
    ),
  )
  progress.clear()
  return failures[0]
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  if (values.replay !== undefined) return await replay(whole('replay', values.replay))
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : whole('seed', values.seed)
  if (values.planted) return await plant(seed)
  const runs = whole('runs', values.runs ?? '2000')
  const threads = values.threads === undefined ? availableParallelism() : Math.max(1, whole('threads', values.threads))
  const startedAt = performance.now()
  const totals = noTotals()
  let failure: Failure | undefined
  for (const kept of await readFailingSeeds()) {
    const again = await runSeed(kept, true)
    for (const [twin, result] of again.results.entries()) addTotals(totals, { ...result, runs: twin === 0 ? 1 : 0 })
    failure ??= again.failure
  }
  failure ??= await runShares(seed, runs, Math.min(threads, Math.max(1, runs)), totals)
  if (failure) {
    await keepFailingSeed(failure.seed, failure.invariant)
    await explain(failure)
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(
    `simulate: ${grouped(totals.runs)} runs, ${grouped(totals.operations)} operations, ${grouped(totals.faults)} faults, ` +
      `${failure ? 1 : 0} mismatches (seed ${seed}, ${seconds} s)`,
  )
  return failure ? 1 : 0
}

process.exitCode = await main()
