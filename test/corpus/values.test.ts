// Estimated values on the German notices of the corpus: little is published, and that holds. `npm run bench -- quality`
// shows all figures.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readGermanValues, splitByBuyer } from '../../quality/values.ts'
import { estimateValue } from '../../src/consolidate/estimate/estimate-value.ts'
import { fitValueModel, openValueModel } from '../../src/consolidate/estimate/value-model.ts'

const german = readGermanValues(join(import.meta.dirname, '../../../shared/corpus'))

describe.skipIf(!german)('estimated values of German notices', () => {
  const { priced, valueless } = german ?? { priced: [], valueless: [] }

  test('by authority: the model is better than medians; what it publishes is mostly within a factor of three', () => {
    const { all, cpvMedian, answered, coverage, bounds } = splitByBuyer(priced, 1)
    expect(all.meanAbsoluteLog).toBeLessThan(0.9 * cpvMedian.meanAbsoluteLog)
    if (answered.tenders < 100) return
    expect(answered.within3).toBeGreaterThan(0.7)
    expect(coverage).toBeGreaterThan(0.7)
    for (const { above, precision } of bounds) if (above >= 100) expect(precision.share).toBeGreaterThan(0.75)
  }, 60_000)

  test('no notice below the thresholds gets a value from the model: no authority published one there', () => {
    const model = openValueModel(fitValueModel(priced))
    const below = valueless.filter(({ level }) => level === 'national')
    expect(below.length).toBeGreaterThan(5000)
    const reasons = below.map((inputs) => estimateValue(model, inputs, 'test'))
    for (const each of reasons)
      if (each.kind === 'estimate') {
        expect(each.amount.basis).toMatch(/stated in the text/)
        expect(each.amount.value).toBeLessThanOrEqual(5_404_000)
      }
    expect(reasons.filter(({ kind }) => kind === 'estimate').length / below.length).toBeLessThan(0.01)
  }, 60_000)
})
