// Several award notices about one lot: which add up, which correct, which are undone. Made-up notices, oldest first.
import { describe, expect, test } from 'vitest'
import { at, lot, notice } from '../../test/testing/generate/notices.ts'
import type { LotResult, Notice } from '../domain/notice.ts'
import type { TenderContent } from '../domain/tender.ts'
import { mergeTender } from './merge.ts'

const eur = (thousands: number) => ({ value: thousands * 1000, currency: 'EUR' })
const [alpha, beta, gamma] = ['Alphawerk Bau GmbH', 'Betatron Tiefbau AG', 'Gammaline Logistik KG'] as const
const awarded = (winners: readonly string[], value?: number, contractDate?: string): LotResult => ({
  outcome: 'awarded',
  ...(winners.length > 0 && { winners: winners.map((name) => ({ name })) }),
  ...(value !== undefined && { awardedValue: eur(value) }),
  ...(contractDate !== undefined && { contractDate }),
})
const failed = (reason?: string): LotResult => ({ outcome: 'not-awarded', ...(reason && { reason }) })

let serial = 10
/** An award notice about LOT-0001, each on a later day. */
function result(of: LotResult | Notice['lots'], given: Partial<Notice> = {}): Notice {
  const number = ++serial
  return notice({
    noticeKey: `ted:${number}-2026`,
    publicationNumber: `${number}-2026`,
    formType: 'result',
    noticeType: 'can-standard',
    dispatchDate: at(`2026-03-${number - 10}`.replace(/-(\d)$/, '-0$1')),
    lots: 'outcome' in of ? [lot('LOT-0001', { result: of })] : of,
    ...given,
  })
}

function recordOf(build: () => Notice[]): TenderContent {
  serial = 10
  const call = notice({ noticeKey: 'ted:1-2026', publicationNumber: '1-2026', dispatchDate: at('2026-01-10') })
  const notices = [{ ...call, lots: [lot('LOT-0001', { submissionDate: at('2026-02-10') })] }, ...build()]
  const texts = [notices, notices.toReversed()].map(
    (order) => mergeTender('id', order, { now: Date.parse(at('2026-06-01')), isSucceeded: false }).content,
  )
  expect(texts[0]).toBe(texts[1])
  return JSON.parse(texts[0]!) as TenderContent
}

/** `amount`: in thousands. */
type Expected = { readonly winners: readonly string[]; readonly amount?: number; readonly date?: string }

const contracts: readonly (readonly [name: string, notices: () => Notice[], expected: Expected])[] = [
  [
    'another winner: a contract of its own, beside the first',
    () => [result(awarded([alpha], 330, '2026-02-20')), result(awarded([beta], 73, '2026-03-01'))],
    { winners: [alpha, beta], amount: 403, date: '2026-03-01' },
  ],
  [
    'another winner on the same day, without values',
    () => [result(awarded([alpha], undefined, '2026-02-20')), result(awarded([beta], undefined, '2026-02-20'))],
    { winners: [alpha, beta], date: '2026-02-20' },
  ],
  [
    'another winner with the same id, which no winner has alone',
    () =>
      [alpha, beta].map((name) =>
        result({ ...awarded([]), winners: [{ name, nationalId: '811111112', country: 'DE' }] }),
      ),
    { winners: [alpha, beta] },
  ],
  [
    'a framework or DPS: the same and another supplier, another day, another value',
    () => [result(awarded([alpha, beta], 600, '2026-02-20')), result(awarded([beta, gamma], 44, '2026-03-01'))],
    { winners: [alpha, beta, gamma], amount: 644, date: '2026-03-01' },
  ],
  [
    'the same supplier again, another day, another value',
    () => [result(awarded([alpha], 600, '2026-02-20')), result(awarded([alpha], 44, '2026-03-01'))],
    { winners: [alpha], amount: 644, date: '2026-03-01' },
  ],
  [
    'three contracts, the second one corrected by the fourth notice',
    () => [
      result(awarded([alpha], 100, '2026-02-01')),
      result(awarded([beta], 200, '2026-02-02')),
      result(awarded([gamma], 300, '2026-02-03')),
      result(awarded([beta], 250, '2026-02-02')),
    ],
    { winners: [alpha, gamma, beta], amount: 650, date: '2026-02-02' },
  ],
  [
    'the same contract with another value: a correction',
    () => [result(awarded([alpha], 643, '2026-02-20')), result(awarded([alpha], 706, '2026-02-20'))],
    { winners: [alpha], amount: 706, date: '2026-02-20' },
  ],
  [
    'the same contract, the name written otherwise',
    () => [
      result(awarded([alpha], 643, '2026-02-20')),
      result(awarded(['ALPHAWERK BAU Gesellschaft mbH'], 706, '2026-02-20')),
    ],
    { winners: ['ALPHAWERK BAU Gesellschaft mbH'], amount: 706, date: '2026-02-20' },
  ],
  [
    'the same total once more with the names that were missing: a correction',
    () => [result(awarded(['TBC'], 900, '2026-02-20')), result(awarded([alpha, beta], 900, '2026-03-01'))],
    { winners: [alpha, beta], amount: 900, date: '2026-03-01' },
  ],
  [
    "a framework's list of suppliers published again with one more",
    () => [
      result(awarded([alpha, beta], undefined, '2026-02-20')),
      result(awarded([alpha, beta, gamma], undefined, '2026-03-01')),
    ],
    { winners: [alpha, beta, gamma], date: '2026-03-01' },
  ],
  [
    'too little known of either: the newer counts',
    () => [result(awarded([alpha], 325)), result(awarded([alpha], 26))],
    { winners: [alpha], amount: 26 },
  ],
  [
    'a change of the award notice replaces it, whatever it names',
    () => [
      result(awarded([alpha], 330, '2026-02-20')),
      result(awarded([beta], 73, '2026-03-01'), { references: [{ kind: 'changes', publicationNumber: '11-2026' }] }),
    ],
    { winners: [beta], amount: 73, date: '2026-03-01' },
  ],
  [
    'a release of OCDS tells the state as of then: it adds nothing',
    () => [
      result(awarded([alpha], 330, '2026-02-20'), { format: 'ocds', publisher: 'ocds-b5fd17' }),
      result(awarded([beta], 73, '2026-03-01'), { format: 'ocds', publisher: 'ocds-b5fd17' }),
    ],
    { winners: [beta], amount: 73, date: '2026-03-01' },
  ],
  [
    'another currency: winners add up, the value is the newest',
    () => [
      result(awarded([alpha], 330, '2026-02-20')),
      result({ ...awarded([beta], 0, '2026-03-01'), awardedValue: { value: 73_000, currency: 'SEK' } }),
    ],
    { winners: [alpha, beta], amount: 73, date: '2026-03-01' },
  ],
  [
    'a round without a winner after a concluded contract: the contract stands',
    () => [result(awarded([alpha], 330, '2026-02-20')), result(failed('no-rece'))],
    { winners: [alpha], amount: 330, date: '2026-02-20' },
  ],
  [
    'contracts, one of them discontinued, and one more later',
    () => [
      result(awarded([alpha], 330, '2026-02-20')),
      result(awarded([beta], 73, '2026-03-01')),
      result(failed()),
      result(awarded([gamma], 232, '2026-03-02')),
    ],
    { winners: [alpha, beta, gamma], amount: 635, date: '2026-03-02' },
  ],
  [
    'a contract after a round without a winner',
    () => [result(failed('all-rej')), result(awarded([beta], 73, '2026-03-01'))],
    { winners: [beta], amount: 73, date: '2026-03-01' },
  ],
]

describe('several award notices about one lot', () => {
  test.each(contracts)('%s', (_, build, { winners, amount, date }) => {
    const record = recordOf(build)
    expect(record).toMatchObject({ status: 'awarded', lots: [{ lotId: 'LOT-0001', status: 'awarded' }] })
    const [only] = record.lots
    expect(only!.winners?.map(({ name }) => name)).toEqual(winners)
    const value = amount === undefined ? undefined : amount * 1000
    expect(only!.awardedAmount?.value).toBe(value)
    expect(only!.contractDate).toBe(date)
    expect(record.awardedAmount?.value).toBe(value)
  })

  test.each([
    ['an award without a contract, then none', [awarded([alpha], 330), failed('ins-fund')]],
    ['a contract that was never signed after all', [awarded([alpha], 330, '2026-02-20'), failed('no-signed')]],
    ['a contract that a review body undid', [awarded([alpha], 330, '2026-02-20'), failed('rev-body')]],
    ['no winner twice', [failed('no-rece'), failed('all-rej')]],
  ] as const)('%s: cancelled, and nothing counts as awarded', (_, results) => {
    const record = recordOf(() => results.map((each) => result(each)))
    expect(record).toMatchObject({ status: 'cancelled', archiveReason: 'cancelled', lots: [{ status: 'cancelled' }] })
    expect(record.awardedAmount).toBeUndefined()
    expect(record.lots[0]!.winners).toBeUndefined()
  })

  test('the rest of a notice that a newer one corrects in part counts', () => {
    const two = (first: LotResult, second: LotResult) => [
      lot('LOT-0001', { result: first }),
      lot('LOT-0002', { result: second }),
    ]
    const record = recordOf(() => [
      result(two(awarded([alpha], 100, '2026-02-20'), awarded([beta], 40, '2026-02-20')), { awardedValue: eur(140) }),
      result(awarded([alpha], 110, '2026-02-20')),
    ])
    expect(record.awardedAmount).toEqual(eur(150))
    expect(record.lots.map(({ awardedAmount }) => awardedAmount?.value)).toEqual([110_000, 40_000])
  })

  test("a dynamic system's total that each notice repeats is counted once, its lots add up", () => {
    const given = { awardedValue: eur(17_000), isDynamicPurchasingSystem: true }
    const record = recordOf(() => [
      result(awarded([alpha], 600, '2026-02-20'), given),
      result(awarded([beta], 44, '2026-03-01'), given),
    ])
    expect(record.awardedAmount).toEqual(eur(17_000))
    expect(record.lots[0]!.awardedAmount).toEqual(eur(644))
  })

  test('contracts under lots that the call numbers differently add up too', () => {
    const foreign = (of: LotResult) => [lot('7', { result: of })]
    const record = recordOf(() => [
      result(foreign(awarded([alpha], 330, '2026-02-20'))),
      result(foreign(awarded([beta], 73, '2026-03-01'))),
    ])
    expect(record.lots).toMatchObject([{ lotId: 'LOT-0001', status: 'awarded', awardedAmount: eur(403) }])
    expect(record.awardedAmount).toEqual(eur(403))
  })
})
