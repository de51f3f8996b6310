// Floors under the agreement of the lifecycle with a naive reading of the raw documents, on the linked groups of the
// corpus.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { benchLifecycle, naiveStatus } from '../../quality/lifecycle.ts'

const report = await benchLifecycle(join(import.meta.dirname, '../../../shared/corpus'))

test.skipIf(!report)(
  'the lifecycle agrees with a naive implementation at 99 % of the moments of the linked groups',
  () => {
    const { comparisons, agreed, apart } = report!
    expect(comparisons).toBeGreaterThan(450)
    expect(apart).toBeLessThan(11)
    expect(agreed / comparisons).toBeGreaterThan(0.99)
  },
)

test('the naive implementation distinguishes a call before its deadline from one after it', () => {
  const call = { kind: 'call', day: 0, deadline: 1000, hasWinner: false, hasFailure: false } as const
  const facts = [{ ...call, isUndecided: false, isStanding: false }]
  expect([naiveStatus(facts, 999), naiveStatus(facts, 1000)]).toEqual(['open', 'closed/expired'])
})
