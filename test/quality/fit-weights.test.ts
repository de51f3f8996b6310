import { expect, test } from 'vitest'
import { type CaseParts, partCount, partNames } from '../../quality/fit/fit-cases.ts'
import { learnWeights } from '../../quality/fit/learn-weights.ts'

const start = {
  cpv: 1,
  cpvRarity: 1,
  keywords: 1,
  pastWins: 1,
  winTitles: 1,
  winAuthorities: 1,
  region: 1,
  value: 1,
  pastAuthority: 5,
}

/** Only the region tells the won tender from the other one. */
function caseOfRegion(): CaseParts {
  const parts = new Float64Array(2 * partCount).fill(0.5)
  for (const candidate of [0, 1]) {
    parts[candidate * partCount + partNames.indexOf('region')] = candidate
    parts[candidate * partCount + partNames.length] = 1
    parts[candidate * partCount + partNames.length + 1] = 0
  }
  return { answer: 1, parts, count: 2 }
}

test('the weights of the fit score move toward what decides, and little where there are few cases', () => {
  const regionAfter = (cases: number) => learnWeights(Array.from({ length: cases }, caseOfRegion), start).region
  const [before, few, many] = [1 / partNames.length, regionAfter(5), regionAfter(200)]
  expect(few).toBeGreaterThan(before)
  expect(many - before).toBeGreaterThan(2 * (few - before))
})
