// Matches once, until it kills or stops itself at a step. Run by kill.system.test.ts.
import { writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { matchEditions } from '../../src/hits/match-editions.ts'
import { openStore } from '../../src/store/database/database.ts'
import { trialOptions } from './hit-model.ts'

const [dataFolder, databaseUrl, step, delayMs, signal] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
]
let steps = 0
const store = await openStore({ dataFolder, ...(databaseUrl !== '' && { databaseUrl }) })
const die = (): void => void process.kill(process.pid, signal)
const onStep = (): void => {
  if (++steps !== Number(step)) return
  if (delayMs === '0') die()
  else void delay(Number(delayMs)).then(die)
}
try {
  const outcome = await matchEditions(store, trialOptions(onStep))
  writeSync(1, outcome.kind)
} catch (error) {
  writeSync(1, error instanceof Error ? error.name : String(error))
} finally {
  await store.close()
}
