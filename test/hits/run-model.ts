// Runs the model of hits this many times on an embedded stock; exit code 1 and the difference if one fails. Run by
// planted.system.test.ts.
import fc from 'fast-check'
import { openTestStore } from '../world.ts'
import { commands, runHitModel, worldInProcess } from './hit-model.ts'

const [runs, seed] = process.argv.slice(2).map(Number) as [number, number]
const store = await openTestStore('embedded')
const result = await fc.check(
  fc.asyncProperty(commands, (list) => runHitModel(worldInProcess(store), list)),
  { numRuns: runs, seed, endOnFailure: true },
)
await store[Symbol.asyncDispose]()
console.log(
  JSON.stringify({ failed: result.failed, runs: result.numRuns, error: String(result.errorInstance).slice(0, 300) }),
)
process.exit(result.failed ? 1 : 0)
