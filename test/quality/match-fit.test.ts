// The table of weights from a small made-up stock: labels without manual work, and the same table from the same stock.
import { describe, expect, test } from 'vitest'
import { countLabels, freeLabels } from '../../quality/match/free-labels.ts'
import { minScore } from '../../quality/match/learn-weights.ts'
import { casesOfStock, fitTable } from '../../quality/match/match-fit.ts'
import type { Notice } from '../../src/domain/notice.ts'

const works = ['Dachsanierung', 'Heizungstausch', 'Fensterbau', 'Trockenbau', 'Blitzschutz', 'Bodenbelag']

const notice = (publisher: string, town: number, work: number, given: Partial<Notice> = {}): Notice => ({
  noticeKey: `${publisher}:${town}-${work}`,
  publisher,
  format: 'eforms',
  profile: 'test',
  formType: 'competition',
  noticeType: 'cn-standard',
  procedureId: `00000000-0000-4000-8000-${String((town + 1) * 100 + work).padStart(12, '0')}`,
  language: 'de',
  languages: ['de'],
  title: { de: `${works[work]!} an der Grundschule Lindenweg in Ort${town}` },
  publicationDate: '2026-03-02T00:00:00.000Z',
  contractingAuthorities: [{ name: `Stadt Ort${town}`, country: 'DE' }],
  cpvCodes: [`4526${work}000`],
  nutsCodes: ['DE712'],
  lots: [],
  references: [],
  ...given,
})

/** Each of ten towns buys six things, and every purchase is on two portals. */
const stock = Array.from({ length: 60 }, (_, at) => [Math.floor(at / 6), at % 6] as const).flatMap(([town, work]) => [
  notice('doe', town, work),
  notice('ted', town, work),
])

describe('labels of a stock', () => {
  test('one ID is one tender; different IDs of one authority with similar titles are several', () => {
    const { within, between, authorities } = countLabels(freeLabels(stock))
    expect(between.same).toBe(60)
    expect(within.same).toBe(0)
    expect(between.different).toBeGreaterThan(100)
    expect(authorities).toBe(10)
  })

  test('an ID on which authorities disagree is not a label', () => {
    const other = notice('ted', 1, 0, { contractingAuthorities: [{ name: 'Kanton Weitweg', country: 'CH' }] })
    const own = notice('doe', 1, 0)
    expect(freeLabels([own, other])).toEqual([])
  })

  test('decisions by operators are labels too', () => {
    const [a, b] = [notice('doe', 1, 0, { procedureId: 'A-1' }), notice('ted', 1, 0, { procedureId: 'B-1' })]
    const decision = { left: a.noticeKey, right: b.noticeKey, decision: 'merge' } as const
    expect(casesOfStock([a, b], [decision]).labels).toMatchObject([{ isSame: true, origin: 'operator' }])
    expect(casesOfStock([a], [decision]).labels).toEqual([])
  })
})

test('one stock gives one table, whatever the order of its notices', () => {
  const tableOf = (notices: readonly Notice[]) => fitTable({ ...casesOfStock(notices, []), commit: 'made up', seed: 1 })
  const table = tableOf(stock)
  expect(tableOf(stock.toReversed())).toEqual(table)
  expect(table.weights['same title']).toBeGreaterThan(0)
  expect(tableOf(stock.slice(20)).origin.data).not.toBe(table.origin.data)
})

test('the minimum score follows from the accepted share of wrong merges', () => {
  const scored = [7, 5, 3, 1].map((score, at) => ({ score, isSame: false, placed: `${at}` }))
  expect([0, 0.01, 0.02].map((wanted) => minScore(scored, 100, wanted))).toEqual([7.1, 5.1, 3.1])
})
