import { describe, expect, test } from 'vitest'
import { type OutcomeRow, outcomeFigures } from '../domain/published-outcome.ts'
import { dayMs } from '../domain/time.ts'
import { dayOf } from './fill-rates.ts'
import { changedOutcomes, contradictionsOf } from './outcome-rates.ts'

const now = Date.UTC(2026, 10, 25)
const none = Object.fromEntries(outcomeFigures.map((figure) => [figure, 0])) as Omit<OutcomeRow, 'sourceId' | 'day'>
const dayBefore = (days: number, counts: Partial<OutcomeRow>): OutcomeRow => ({
  ...none,
  ...counts,
  sourceId: 'doe',
  day: dayOf(now - days * dayMs),
})
const month = (counts: Partial<OutcomeRow>) => Array.from({ length: 28 }, (_, index) => dayBefore(index + 7, counts))

describe('what was published of a source', () => {
  const usual = month({ open: 50, ended_awarded: 6, ended_cancelled: 1, ended_expired: 3 })

  test.each<readonly [string, Partial<OutcomeRow>]>([
    ['as usual', { open: 50, ended_awarded: 6, ended_cancelled: 1, ended_expired: 13 }],
    ['too few to tell', { ended_cancelled: 19, open: 19, open_with_result: 19 }],
    ['a call with a result among many', { open: 500, open_with_result: 1 }],
  ])('%s', (_, counts) => {
    expect(contradictionsOf([...usual, dayBefore(0, counts)], now)).toBeUndefined()
    expect(changedOutcomes([...usual, dayBefore(0, counts)], now)).toBeUndefined()
  })

  test('is reported when most tenders end as cancelled, with what was usual', () => {
    const broken = dayBefore(1, { ended_cancelled: 87, ended_awarded: 13 })
    expect(changedOutcomes([...usual, broken], now)).toEqual({
      share: 0.87,
      detail: 'Published since 2026-11-19: 87 of 100 tenders that ended were cancelled (87 %; 10 % before).',
    })
    // without a past too
    expect(changedOutcomes([broken], now)?.detail).toContain('87 of 100 tenders that ended were cancelled (87 %)')
  })

  test('counts seven days as recent, today with them', () => {
    const broken = { ended_cancelled: 87, ended_awarded: 13 }
    expect(changedOutcomes([...usual, dayBefore(6, broken)], now)?.share).toBe(0.87)
    expect(changedOutcomes([...month({}), dayBefore(7, broken)], now)).toBeUndefined()
  })

  test('knows what is usual from a hundred records on', () => {
    const today = dayBefore(0, { open: 100, open_without_deadline: 60 })
    const past = (open: number) => [...month({}).slice(1), dayBefore(34, { open })]
    expect(contradictionsOf([...past(99), today], now)).toBeUndefined()
    expect(contradictionsOf([...past(100), today], now)?.share).toBe(0.6)
  })

  test('is not reported for what a source always did', () => {
    const always = month({ ended_cancelled: 9, ended_awarded: 1, open: 10, open_with_result: 9 })
    const today = dayBefore(0, { ended_cancelled: 90, ended_awarded: 10, open: 100, open_with_result: 90 })
    expect(changedOutcomes([...always, today], now)).toBeUndefined()
    expect(contradictionsOf([...always, today], now)).toBeUndefined()
  })

  test('is reported when records contradict themselves, whatever was usual', () => {
    const today = dayBefore(0, { open: 100, open_with_result: 12, cancelled: 60, cancelled_with_award: 30 })
    expect(contradictionsOf([...usual, today], now)).toEqual({
      share: 0.5,
      detail:
        'Published since 2026-11-19: 12 of 100 open records have results (12 %; 0 % before); ' +
        '30 of 60 cancelled records have an award (50 %).',
    })
    const bare = dayBefore(0, { open: 100, open_without_deadline: 60, awarded: 40, awarded_without_winner: 40 })
    expect(contradictionsOf([bare], now)).toBeUndefined()
    expect(contradictionsOf([...usual, bare], now)?.detail).toContain('60 of 100 open records have no deadline')
  })
})
