// One thread of `npm run simulate`: its share of the runs.
import { parentPort, workerData } from 'node:worker_threads'
import { type Failure, noTotals, simulateRuns, type Totals } from './simulate-runs.ts'

export type WorkerTask = { readonly seed: number; readonly from: number; readonly to: number; readonly every: number }
/** What has been done since the last message. */
export type WorkerReport = { readonly totals: Totals; readonly failure?: Failure; readonly isDone: boolean }

const reportEvery = 20

const task = workerData as WorkerTask
const port = parentPort!
let reported = noTotals()
const since = (totals: Totals): Totals => {
  const done = { ...totals }
  for (const name of Object.keys(done) as (keyof Totals)[]) done[name] -= reported[name]
  reported = { ...totals }
  return done
}
const { totals, failure } = await simulateRuns({
  ...task,
  onProgress: (present) => {
    if (present.runs % reportEvery === 0)
      port.postMessage({ totals: since(present), isDone: false } satisfies WorkerReport)
  },
})
port.postMessage({ totals: since(totals), ...(failure && { failure }), isDone: true } satisfies WorkerReport)
port.close()
