// Searches for the first run that a planted edit spoils, and prints it as JSON: `find-mismatch.ts NAME SEED RUNS`.
// Started with `--import` of the hook that plants it.
import { plantedEdits } from './planted-edits.ts'
import { simulateRuns } from './simulate-runs.ts'

const [name, seed, runs] = process.argv.slice(2)
const planted = plantedEdits.find((edit) => edit.name === name)!
const { totals, failure } = await simulateRuns({
  seed: Number(seed),
  from: 0,
  to: Number(runs),
  every: 1,
  canShow: planted.canShow,
})
process.stdout.write(`${JSON.stringify({ runs: totals.runs, failure })}\n`)
