// "Save this search" finds exactly what the page showed: for random questions and records, what an edition finds equals
// what the saved search matches, both ways, after the question went through the form that people see.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { madeUpQuestion, savedFilter, savedPart } from '../../../test/console/saved-question.ts'
import { comparedAt, madeUpRecords } from '../../../test/hits/compare-matching.ts'
import { findPlainly } from '../../../test/model/plain-find.ts'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { randomOf } from '../../../test/testing/generate/random.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { matchOf } from '../../hits/plain-match.ts'
import type { SearchFilter } from '../../hits/saved-search.ts'
import { type Asked, addressOf, readAddress } from './asked.ts'
import { questionOf } from './find-pages.ts'
import { saveableOf } from './saved-filter.ts'

const found = (asked: Asked, records: readonly TenderRecord[]): string[] =>
  findPlainly(records, questionOf(asked, comparedAt, { offset: 0, limit: 5000 }))
    .records.map(({ id }) => id)
    .sort()

const matched = (filter: SearchFilter, records: readonly TenderRecord[]): string[] =>
  records
    .filter((record) => matchOf(filter, record, comparedAt) !== undefined)
    .map(({ id }) => id)
    .sort()

const everyStatus = ['awardIntended', 'open', 'planned'] as const

describe('the search that the button saves', () => {
  test('matches what the page shows, and nothing else', { timeout: 900_000 }, () => {
    let [exact, matches] = [0, 0]
    fc.assert(
      fc.property(fc.integer({ min: 1 }), (seed) => {
        const records = madeUpRecords(seed, 40)
        const random = randomOf(seed, 9)
        for (let round = 0; round < 25; round++) {
          const asked = madeUpQuestion(records, random)
          // the address says it all
          expect(readAddress(new URL(addressOf(asked), 'http://a').searchParams, 'en')).toMatchObject({
            asked,
            faults: [],
          })
          const saveable = saveableOf(asked)
          if (saveable.kind === 'refused') continue
          const filter = savedFilter(saveable.filter)
          const shown = found(savedPart(asked), records)
          expect(matched(filter, records)).toEqual(shown)
          if (saveable.lost.length === 0) {
            expect(found(asked, records)).toEqual(shown)
            exact++
          }
          matches += shown.length
        }
      }),
      { numRuns: proofCount({ share: 10, full: 3_000 }) },
    )
    expect(exact).toBeGreaterThan(0)
    expect(matches).toBeGreaterThan(0)
  })

  const asked = readAddress(new URLSearchParams({ words: 'dach schule', nuts: 'DED' }), 'en').asked
  test.each<readonly [Partial<Asked>, ReturnType<typeof saveableOf>]>([
    [{}, { kind: 'saveable', lost: [], filter: { allWords: ['dach', 'schule'], nuts: ['DED'], status: ['open'] } }],
    [
      { words: [], nuts: [] },
      { kind: 'refused', why: 'nothing' },
    ],
    [
      { words: [], nuts: [], min: 5 },
      { kind: 'refused', why: 'nothing' },
    ],
    [{ statuses: ['awarded', 'closed'] }, { kind: 'refused', why: 'past' }],
    [
      { words: [], due: 14, month: '2026-11', statuses: undefined },
      { kind: 'saveable', lost: ['due', 'month', 'statuses'], filter: { nuts: ['DED'], status: everyStatus } },
    ],
    [
      { words: [], statuses: ['open', 'planned', 'closed'], max: 9 },
      { kind: 'saveable', lost: ['statuses'], filter: { nuts: ['DED'], valueMax: 9, status: ['open', 'planned'] } },
    ],
  ])('%j', (change, expected) => {
    expect(saveableOf({ ...asked, ...change })).toEqual(expected)
  })
})
