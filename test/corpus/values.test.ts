// Lower bounds for the estimated values on the German notices of the corpus; `npm run bench -- quality` shows all
// figures.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { answersOf, readGermanValues, type SplitFigures, splitByBuyer, splitInTime } from '../../quality/values.ts'

const german = readGermanValues(join(import.meta.dirname, '../../../shared/corpus'))

describe.skipIf(!german)('estimated values of German notices', () => {
  const { priced, valueless } = german ?? { priced: [], valueless: [] }

  test.each([
    ['time', splitInTime],
    ['buyer', (all: typeof priced): SplitFigures => splitByBuyer(all, 1)],
  ] as const)(
    'split by %s: within 2.3 and 63 % within 3, half answered, 80 % interval holds 74 to 84 %',
    (_, split) => {
      const { answered, answerRate, coverage, naiveOnAnswered } = split(priced)
      expect(answerRate).toBeGreaterThan(0.5)
      expect(answered.medianFactor).toBeLessThan(2.3)
      expect(answered.within3).toBeGreaterThan(0.63)
      expect(answered.meanAbsoluteLog).toBeLessThan(naiveOnAnswered.meanAbsoluteLog)
      expect(coverage).toBeGreaterThan(0.74)
      expect(coverage).toBeLessThan(0.84)
    },
    60_000,
  )

  test('more than half of the notices without a value get one', () => {
    const { notices, answered } = answersOf({ priced, valueless: valueless.slice(0, 1500) })!
    expect(answered / notices).toBeGreaterThan(0.5)
  }, 60_000)
})
