import { describe, expect, test } from 'vitest'
import type { Notice } from '../domain/notice.ts'
import { dayMs } from '../domain/time.ts'
import { brokenFills, type ExpectedFill, type FillTally, fillSentence, tallyFill } from './fill-rates.ts'

// a Wednesday noon
const now = Date.UTC(2026, 10, 18, 12)
const dayBefore = (days: number) => new Date(now - days * dayMs).toISOString().slice(0, 10)

/** A day on which `filled` of the notices have a CPV code, and all have everything else. */
const tally = (daysBefore: number, notices: number, filled: number): FillTally => ({
  day: dayBefore(daysBefore),
  formType: 'competition',
  notices,
  deadline: notices,
  cpv: filled,
  value: notices,
  authority: notices,
  region: notices,
})
const past = (notices: number, filled: number, days = 28) =>
  Array.from({ length: days }, (_, index) => tally(index + 1, notices, filled))

const found = (
  tallies: readonly FillTally[],
  { expected = {}, acceptedUntil = null }: { expected?: ExpectedFill; acceptedUntil?: number | null } = {},
) => brokenFills(tallies, { now, expected, acceptedUntil }).map(({ field, since }) => [field, since])

describe('a share that breaks', () => {
  test.each<[string, readonly FillTally[], number]>([
    ['today, 15 notices where 96 % are usual', [tally(0, 15, 0), ...past(50, 48)], 0],
    ['today, to a third', [tally(0, 200, 60), ...past(50, 48)], 0],
    ['today, where a fifth is usual', [tally(0, 200, 0), ...past(50, 10)], 0],
    ['today, where a half is usual', [tally(0, 40, 0), ...past(50, 25)], 0],
    ['over three days of five notices', [0, 1, 2].map((day) => tally(day, 5, 0)).concat(past(5, 5).slice(2)), 2],
    ['on a Monday, after a weekend without notices', [tally(0, 30, 0), ...past(30, 29).slice(2)], 0],
  ])('%s', (_, tallies, days) => {
    expect(found(tallies)).toEqual([['cpv', dayBefore(days)]])
  })

  test('is found by the card while there is no past', () => {
    expect(found([tally(0, 30, 0)], { expected: { cpv: 0.9 } })).toEqual([['cpv', dayBefore(0)]])
    expect(found([tally(0, 30, 0)], { expected: { value: 0.9 } })).toEqual([])
  })

  test('is named with its figures and the new names of the documents', () => {
    const broken = brokenFills([tally(0, 40, 0), ...past(50, 48)], { now, expected: {}, acceptedUntil: null })
    expect(fillSentence(broken, ['cpvCode'])).toBe(
      '0 of 40 notices received since 2026-11-18 have a CPV code (96 % are usual). Its new notices wait ' +
        'until an operator releases them. New names in its documents: cpvCode.',
    )
  })
})

test('what was published sixty days before it arrived is no news', () => {
  const published = (ms: number) =>
    ({
      formType: 'competition',
      publicationDate: new Date(now - ms).toISOString(),
      lots: [],
      cpvCodes: [],
      nutsCodes: [],
      contractingAuthorities: [],
    }) as unknown as Notice
  const days = [60 * dayMs, 60 * dayMs - 1].map((ms) => tallyFill([published(ms)], now).map(({ notices }) => notices))
  expect(days).toEqual([[], [1]])
})

describe('no share breaks', () => {
  test.each<[string, readonly FillTally[]]>([
    ['on the first day', [tally(0, 300, 0)]],
    ['with four days of past', [tally(0, 300, 0), ...past(50, 50, 4)]],
    ['with five notices on a quiet day', [tally(0, 5, 0), ...past(50, 50)]],
    ['at a source with one notice a day', [tally(0, 1, 0), tally(1, 1, 0), ...past(1, 1).slice(1)]],
    [
      'when the share is as low as on a day of the past',
      [tally(0, 100, 3), tally(8, 50, 1), ...past(50, 48).slice(0, 7), ...past(50, 48).slice(8)],
    ],
    ['when the share equals that of a day of the past', [tally(0, 100, 2), tally(8, 50, 1), ...past(50, 48).slice(8)]],
    ['when a field is rare', [tally(0, 60, 0), ...past(50, 5)]],
    ['when half of the field remains', [tally(0, 60, 30), ...past(50, 48)]],
    ['at a source that has delivered nothing today', past(50, 48)],
  ])('%s', (_, tallies) => {
    expect(found(tallies)).toEqual([])
  })

  test('on days that an operator has accepted; the next day is judged again', () => {
    const tallies = [tally(0, 40, 0), ...past(50, 48)]
    expect(found(tallies, { acceptedUntil: now })).toEqual([])
    expect(found(tallies, { acceptedUntil: now - dayMs })).toEqual([['cpv', dayBefore(0)]])
  })

  test('two different forms are judged apart: results have no deadline', () => {
    const results = past(50, 50).map((each) => ({ ...each, formType: 'result', deadline: 0 }))
    const today = { ...tally(0, 200, 200), formType: 'result', deadline: 0 }
    expect(found([today, ...results, ...past(20, 20)])).toEqual([])
  })
})
