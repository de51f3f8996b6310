import { expect, test } from 'vitest'
import { lot, notice } from '../../test/testing/generate/notices.ts'
import type { NoticeLot } from '../domain/notice.ts'
import { withLotsOfCalls } from './lot-numbers.ts'

const awarded = { outcome: 'awarded' } as const
const named = (lotId: string, title: string, given: Partial<NoticeLot> = {}) =>
  lot(lotId, { title: { de: title }, ...given })
const call = (lots: readonly NoticeLot[]) => notice({ noticeKey: 'ted:1-2026', lots })
/** Ids of the lots of a result beside a call. */
function idsOf(listed: readonly NoticeLot[], decided: readonly NoticeLot[]): string[] {
  const result = notice({
    noticeKey: 'ted:2-2026',
    formType: 'result',
    lots: decided.map((each) => ({ ...each, result: awarded })),
  })
  return withLotsOfCalls([call(listed), result])[1]!.lots.map(({ lotId }) => lotId)
}

const listed = [named('LOT-0001', 'Tische'), named('LOT-0002', 'Stühle'), named('LOT-0003', 'Regale')]

test('lots are the same by number, however it is padded', () => {
  expect(idsOf(listed, [named('LOT-002', 'Stühle')])).toEqual(['LOT-0002'])
  expect(idsOf(listed, [lot('1'), lot('Los 3')])).toEqual(['LOT-0001', 'LOT-0003'])
})

test('a title that names another lot outweighs the number', () => {
  expect(idsOf(listed, [named('1', 'Stühle')])).toEqual(['LOT-0002'])
})

test('nothing is renamed where two could be meant, or the id is known', () => {
  expect(idsOf([lot('A-1'), lot('B-1')], [lot('1'), lot('7')])).toEqual(['1', '7'])
  expect(idsOf(listed, [named('LOT-0001', 'Stühle')])).toEqual(['LOT-0001'])
  expect(idsOf(listed, [named('LOT-0002', 'Stühle'), named('LOT-02', 'Bänke')])).toEqual(['LOT-0002', 'LOT-02'])
})

test('the only result without a title may be that of the whole', () => {
  expect(idsOf(listed, [lot('1')])).toEqual(['1'])
  expect(idsOf([named('LOT-0001', 'Tische')], [lot('1')])).toEqual(['LOT-0001'])
})
