// What of a notice counts: evidence in the same notice decides, never a figure alone.
import { describe, expect, test } from 'vitest'
import { at, lot, notice } from '../../test/testing/generate/notices.ts'
import type { Money, Notice, NoticeLot } from '../domain/notice.ts'
import type { TenderContent } from '../domain/tender.ts'
import { credible } from './credible.ts'
import { mergeTender } from './merge.ts'

const euros = (value: number): Money => ({ value, currency: 'EUR' })
const published = at('2026-01-10')

function recordOf(given: Partial<Notice>, now = '2026-02-01'): TenderContent {
  const one = notice({ noticeKey: 'n:1', publicationDate: published, ...given })
  const { content } = mergeTender('id', [one], { now: Date.parse(at(now)), isSucceeded: false })
  return JSON.parse(content) as TenderContent
}

const won = (value: number): NoticeLot =>
  lot('LOT-0001', { result: { outcome: 'awarded', awardedValue: euros(value), winners: [{ name: 'Muster GmbH' }] } })

test('a notice of which all counts is the same object', () => {
  const whole = notice({ noticeKey: 'n:1', publicationDate: published, estimatedValue: euros(5000), lots: [won(4000)] })
  expect(credible(whole)).toBe(whole)
})

describe('D62: amounts that are none', () => {
  test.each<[string, Partial<Notice>]>([
    ['eForms', { formType: 'result', noticeType: 'can-desg' }],
    ['TED_EXPORT', { format: 'ted-export', formType: 'result', noticeType: 'F13' }],
  ])('the prize of a design contest is not the value of a contract: %s', (_, given) => {
    const record = recordOf({ ...given, awardedValue: euros(35_000), lots: [won(11_667)] })
    expect(record.status).toBe('awarded')
    expect([record.awardedAmount, record.contractAmount, record.lots[0]!.awardedAmount]).toEqual([
      undefined,
      null,
      undefined,
    ])
    expect(record.lots[0]!.winners).toHaveLength(1)
  })

  test('a total of a tenth of one of its lots or less is none', () => {
    const lots = [lot('LOT-0001', { estimatedValue: { value: 933_650_000, currency: 'GBP' } })]
    const of = (value: number) => recordOf({ format: 'ocds', estimatedValue: { value, currency: 'GBP' }, lots })
    expect(of(100).contractAmount?.value).toBe(933_650_000)
    // smaller than its part, but nothing says which of the two is wrong
    expect(of(400_000_000).contractAmount?.value).toBe(400_000_000)
    const other = [lot('LOT-0001', { estimatedValue: euros(900_000) })]
    expect(recordOf({ format: 'ocds', estimatedValue: { value: 100, currency: 'GBP' }, lots: other })).toMatchObject({
      contractAmount: { value: 100 },
    })
  })

  test('a run of nines is none beside amounts that it exceeds tenfold, or above every budget; alone it is served', () => {
    const nines = euros(999_999_999)
    const lots = [lot('LOT-0001', { estimatedValue: euros(80_000) })]
    expect(recordOf({ estimatedValue: nines, lots }).contractAmount?.value).toBe(80_000)
    expect(recordOf({ estimatedValue: nines }).contractAmount?.value).toBe(999_999_999)
    expect(recordOf({ estimatedValue: euros(999_999_999_999.99) }).contractAmount).toBeNull()
    expect(recordOf({ estimatedValue: euros(99_999) }).contractAmount?.value).toBe(99_999)
    const large = [lot('LOT-0001', { estimatedValue: euros(500_000_000) })]
    expect(recordOf({ estimatedValue: nines, lots: large }).contractAmount?.value).toBe(999_999_999)
  })

  test('what is cancelled has no awarded amount', () => {
    const lots = [lot('LOT-0001', { result: { outcome: 'not-awarded' } })]
    const record = recordOf({ formType: 'result', noticeType: 'can-standard', awardedValue: euros(50_000), lots })
    expect(record).toMatchObject({ status: 'cancelled', contractAmount: null })
    expect(record).not.toHaveProperty('awardedAmount')
  })
})

describe('D63: a deadline more than three years after the publication is unknown', () => {
  const far = at('2049-12-31')

  test.each<[string, Partial<Notice>]>([
    ['of the procedure', { submissionDate: far }],
    ['of a lot', { lots: [lot('LOT-0001', { submissionDate: far })] }],
    ['for requests', { participationDate: far }],
    ['of a correction', { submissionDate: far, changeReasons: ['update-add'] }],
    [
      'of a framework that ends before',
      { isFramework: true, lots: [lot('LOT-0001', { submissionDate: far, duration: { value: 48, unit: 'MONTH' } })] },
    ],
  ])('%s', (_, given) => {
    const record = recordOf(given)
    expect(record).toMatchObject({ status: 'open', isDeadlineUnknown: true })
    expect(record).not.toHaveProperty('submissionDate')
    expect(record).not.toHaveProperty('participationDate')
    expect(recordOf(given, '2026-06-01').status).toBe('closed')
  })

  test.each<[string, Partial<Notice>]>([
    ['within three years', { submissionDate: at('2029-01-08') }],
    ['within five years, in a correction', { submissionDate: at('2030-12-01'), changeReasons: ['update-add'] }],
    ['of a dynamic purchasing system', { submissionDate: far, isDynamicPurchasingSystem: true }],
    ['of a qualification system', { participationDate: far, noticeType: 'qu-sy' }],
    [
      'of a framework that runs as long',
      {
        isFramework: true,
        lots: [lot('LOT-0001', { submissionDate: at('2031-01-01'), duration: { value: 72, unit: 'MONTH' } })],
      },
    ],
    [
      'of a framework with such an end',
      {
        isFramework: true,
        lots: [lot('LOT-0001', { submissionDate: at('2031-01-01'), duration: { end: '2031-03-01' } })],
      },
    ],
  ])('but not %s', (_, given) => {
    const { submissionDate, participationDate } = recordOf(given)
    expect(submissionDate ?? participationDate).toBeDefined()
  })

  test('without a publication date nothing is known to be too late', () => {
    const { publicationDate: _p, dispatchDate: _d, ...undated } = notice({ noticeKey: 'n:1', submissionDate: far })
    expect(credible(undated)).toBe(undated)
  })
})
