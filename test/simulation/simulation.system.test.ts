import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { proofCount, proofDraw } from '../proof/proof-count.ts'
import { seed } from '../testing/seed.ts'
import { readFailingSeeds } from './failing-seeds.ts'
import { furtherSuite, suite } from './planted.ts'
import { shrink, simulateRuns } from './simulate-runs.ts'
import { simulateRun } from './world.ts'

const runs = proofCount({ share: 200, full: 50_000 })
/** Mistakes that few runs reveal are tested shortly before a run that is known to reveal them. */
const rare: { readonly [name: string]: { readonly seed: number; readonly from: number } } = {
  'answers without their edition': { seed: 660_873, from: 2_750 },
  'refused too early': { seed: 1, from: 1_000 },
}
/** No assertion: a machine that is busy with other things needs longer. */
const timeout = 900_000
const program = fileURLToPath(new URL('./simulate.ts', import.meta.url))

/** The command as `npm run simulate` runs it, with all threads that the machine has. */
function command(...options: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...options], { maxBuffer: 2 ** 26 }, (_error, stdout) =>
      resolve({ code: child.exitCode, output: stdout.trim() }),
    )
  })
}

describe('simulation', () => {
  it(`${runs} runs of a new seed, and seeds that once failed, end without a mismatch (C105, C125, C144 to C160, G1 to G5, P1 to P7, R1 to R5)`, {
    timeout,
  }, async () => {
    console.log(`simulation: seed ${seed}; again with: npm run simulate -- --runs ${runs} --seed ${seed}`)
    const { code, output } = await command('--runs', String(runs), '--seed', String(seed))
    console.log(output)
    const [, counted, mismatches] = /simulate: ([\d,]+) runs, .* (\d+) mismatches \(seed/.exec(output) ?? []
    expect(Number(counted?.replaceAll(',', ''))).toBe(runs + (await readFailingSeeds()).length)
    expect({ code, mismatches }).toEqual({ code: 0, mismatches: '0' })
  })

  it('replays a single run, step by step', { timeout }, async () => {
    const { code, output } = await command('--replay', '12')
    expect(output).toMatch(/^#1 /m)
    expect(output).toContain('calm')
    expect(output).toMatch(/0 mismatches \(seed 12\)$/m)
    expect(code).toBe(0)
  })

  it('the same seed gives the same run, request by request', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const first = await simulateRun({ seed, trace: true })
      const second = await simulateRun({ seed, trace: true })
      expect(second.trace).toEqual(first.trace)
      expect(second.sent).toBe(first.sent)
    }
  })
})

describe('planted mistakes', () => {
  it('include the eleven of the suite', () => {
    expect(suite).toHaveLength(11)
  })

  it.each([...proofDraw(suite, 4), ...proofDraw(furtherSuite, 3)].map((planted) => [planted.name, planted] as const))(
    'are found: %s',
    { timeout },
    async (_, planted) => {
      const first = rare[planted.name] ?? { seed, from: 0 }
      const { totals, failure } = await simulateRuns({ ...first, to: 20_000, every: 1, planted })
      console.log(
        `planted: ${planted.name}: ` +
          `${failure ? `${failure.invariant} in run ${totals.runs} (seed ${failure.seed}, step ${failure.step})` : `not found, seed ${first.seed}`}`,
      )
      expect(failure).toBeDefined()
    },
  )

  it('shrink from a failing run to a smaller one that fails in the same way', { timeout }, async () => {
    const planted = suite.find(({ name }) => name === 'archived omitted in delta')!
    const { failure } = await simulateRuns({ seed: 1, from: 0, to: 100, every: 1, planted })
    const shrunk = await shrink(failure!, planted)
    expect(shrunk!.result.mismatch?.invariant).toBe(failure!.invariant)
    expect(shrunk!.without.length).toBeGreaterThan(5)
    expect(shrunk!.maxSteps).toBeLessThanOrEqual(failure!.step)
  })
})
