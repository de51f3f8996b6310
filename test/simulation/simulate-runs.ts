// Many runs, one after the other: counts, the first mismatch, and its shrinking.
import { operations, type Profile, profileOf } from './profile.ts'
import { type Planted, type RunOptions, type RunResult, simulateRun } from './world.ts'

export type Totals = {
  runs: number
  operations: number
  faults: number
  requests: number
  completed: number
  publications: number
}

export const noTotals = (): Totals => ({
  runs: 0,
  operations: 0,
  faults: 0,
  requests: 0,
  completed: 0,
  publications: 0,
})

export function addTotals(totals: Totals, more: Omit<Totals, 'runs'> & { readonly runs?: number }): void {
  totals.runs += more.runs ?? 1
  totals.operations += more.operations
  totals.faults += more.faults
  totals.requests += more.requests
  totals.completed += more.completed
  totals.publications += more.publications
}

/** The seed of run `index` under one seed; it alone replays the run. */
function seedOfRun(seed: number, index: number): number {
  return (Math.imul(seed, 0x9e3779b1) + index) >>> 0
}

export type Failure = {
  readonly seed: number
  readonly invariant: string
  readonly detail: string
  readonly step: number
}

/** Number of runs for each one that is repeated with other clocks of the clients (C149). */
const twinEvery = 10

/** One run, and sometimes its twin: a second one in which only the clients' clocks differ. */
export async function runSeed(
  seed: number,
  isTwinned: boolean,
  planted?: Planted,
): Promise<{ readonly results: readonly RunResult[]; readonly failure: Failure | undefined }> {
  const options: RunOptions = { seed, ...(planted && { planted }) }
  const first = await simulateRun(options)
  if (first.mismatch) return { results: [first], failure: { seed, ...first.mismatch } }
  if (!isTwinned) return { results: [first], failure: undefined }
  const second = await simulateRun({ ...options, clockStream: 1 })
  const results = [first, second]
  if (second.mismatch) return { results, failure: { seed, ...second.mismatch } }
  if (first.sent === second.sent) return { results, failure: undefined }
  const [ours, theirs] = [first.sent.split('\n'), second.sent.split('\n')]
  const index = ours.findIndex((line, at) => line !== theirs[at])
  return {
    results,
    failure: {
      seed,
      invariant: 'C149',
      detail: `the clients' clocks change a request: ${ours[index]} becomes ${theirs[index]}`,
      step: index,
    },
  }
}

/** Runs `from`, `from + every`, … below `to`; stops at the first mismatch. */
export async function simulateRuns(options: {
  readonly seed: number
  readonly from: number
  readonly to: number
  readonly every: number
  readonly planted?: Planted
  /** Other runs are skipped. */
  readonly canShow?: ((profile: Profile) => boolean) | undefined
  readonly onProgress?: (totals: Totals) => void
}): Promise<{ readonly totals: Totals; readonly failure: Failure | undefined }> {
  const totals = noTotals()
  for (let index = options.from; index < options.to; index += options.every) {
    if (options.canShow && !options.canShow(profileOf(seedOfRun(options.seed, index)))) continue
    const isTwinned = Math.floor(index / options.every) % twinEvery === 0
    const { results, failure } = await runSeed(seedOfRun(options.seed, index), isTwinned, options.planted)
    for (const [twin, result] of results.entries()) addTotals(totals, { ...result, runs: twin === 0 ? 1 : 0 })
    options.onProgress?.(totals)
    // A planted mistake is found only by a run that is without fault otherwise.
    const isFound = failure && !(options.planted && (await runSeed(failure.seed, true)).failure)
    if (isFound) return { totals, failure }
  }
  return { totals, failure: undefined }
}

export type Shrunk = {
  readonly without: readonly string[]
  readonly maxSteps: number
  readonly maxClients: number
  readonly result: RunResult
}

/** Shrinks to fewer clients, fewer kinds of events, and fewer steps, as long as the same invariant does not hold. */
export async function shrink(failure: Failure, planted?: Planted): Promise<Shrunk | undefined> {
  let maxClients = 3
  let maxSteps = failure.step
  let without: readonly string[] = []
  let best: RunResult | undefined
  const attempt = async (change: {
    readonly without?: readonly string[]
    readonly maxSteps?: number
    readonly maxClients?: number
  }): Promise<boolean> => {
    const next = { without, maxSteps, maxClients, ...change }
    const options: RunOptions = {
      seed: failure.seed,
      without: new Set(next.without),
      maxSteps: next.maxSteps,
      maxClients: next.maxClients,
      trace: true,
      ...(planted && { planted }),
    }
    const result = await simulateRun(options)
    if (result.mismatch?.invariant !== failure.invariant) return false
    best = result
    ;({ without, maxSteps, maxClients } = next)
    maxSteps = Math.min(maxSteps, result.mismatch.step)
    return true
  }
  if (!(await attempt({}))) return undefined
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (let clients = 1; clients < maxClients; clients++)
      if (await attempt({ maxClients: clients })) {
        isSmaller = true
        break
      }
    for (const operation of operations)
      if (!without.includes(operation) && (await attempt({ without: [...without, operation] }))) isSmaller = true
    for (let cut = Math.floor(maxSteps / 2); cut > 0; cut = Math.floor(cut / 2))
      while (maxSteps > cut && (await attempt({ maxSteps: maxSteps - cut }))) isSmaller = true
  }
  return best && { without, maxSteps, maxClients, result: best }
}
