// What may be published: the held-out errors decide, for each country with enough of them.
import { expect, test } from 'vitest'
import { randomOf } from '../../../test/testing/generate/random.ts'
import { admissionsOf, admit, type HeldOutEstimate } from './admission.ts'

/** Estimates of which `scatter` is the error in log10, around values between 30,000 and 30 million. */
function estimates(seed: number, country: string, count: number, scatter: number): HeldOutEstimate[] {
  const random = randomOf(seed)
  const draw = (): number => random.integer(-1000, 1000) / 1000
  return Array.from({ length: count }, () => {
    const log = 6 + 1.5 * draw()
    const error = scatter * (draw() + draw() + draw())
    return { country, truth: log + error, log, low: log - 1.3 * scatter, high: log + 1.3 * scatter, isAnswerable: true }
  })
}

const bounds = [250_000, 1_000_000, 5_000_000].map(Math.log10)

test('admitted estimates of other tenders keep what is promised; where errors are large, there are none', () => {
  const made = (seed: number) => [
    ...estimates(seed, 'AA', 1500, 0.2),
    ...estimates(seed + 1, 'BB', 1500, 0.35),
    ...estimates(seed + 2, 'CC', 1500, 0.6),
  ]
  const rules = admissionsOf(made(1))
  const counts: { [country: string]: number } = {}
  for (const [country, others] of Map.groupBy(made(11), (each) => each.country)) {
    const admitted = others.filter((each) => admit(rules, country, each) === 'admitted')
    counts[country] = admitted.length
    if (admitted.length === 0) continue
    const share = (holds: (each: HeldOutEstimate) => boolean): number => admitted.filter(holds).length / admitted.length
    expect(share(({ truth, log }) => Math.abs(truth - log) < Math.log10(3))).toBeGreaterThan(0.74)
    for (const bound of bounds) {
      const above = admitted.filter(({ log }) => log >= bound)
      const chance = others.filter(({ truth }) => truth >= bound).length / others.length
      const precision = above.filter(({ truth }) => truth >= bound).length / Math.max(1, above.length)
      if (above.length > 50) expect(precision).toBeGreaterThan(Math.max(0.74, chance + 0.13))
    }
  }
  expect(counts['AA']).toBeGreaterThan(1200)
  expect(counts['BB']).toBeGreaterThan(300)
  expect(counts['CC']).toBe(0)
})

test('a country with few answers follows the rule of all such countries; without errors to learn from, none is given', () => {
  const rules = admissionsOf([...estimates(1, 'AA', 300, 0.2), ...estimates(2, 'DD', 40, 0.2)])
  expect(Object.keys(rules).sort()).toEqual(['*', 'AA'])
  expect(admit(rules, 'DD', { log: 4.8, low: 4.6, high: 5 })).toEqual(
    admit(rules, 'EE', { log: 4.8, low: 4.6, high: 5 }),
  )
  expect(admit(admissionsOf([]), 'AA', { log: 4.8, low: 4.7, high: 4.9 })).toBe('tooWide')
})

test('where nearly all are above a bound, no estimate can be better than chance, and none above it is given', () => {
  const above = estimates(3, 'AA', 600, 0.1).map(({ country, truth, log, low, high, isAnswerable }) => ({
    country,
    truth: truth + 2,
    log: log + 2,
    low: low + 2,
    high: high + 2,
    isAnswerable,
  }))
  expect(admit(admissionsOf(above), 'AA', above[0]!)).not.toBe('admitted')
})
