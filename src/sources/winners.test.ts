import { expect, test } from 'vitest'
import type { LotResult, Notice } from '../domain/notice.ts'
import { parserOf } from './parse-document.ts'
import { withNamedWinners } from './winners.ts'

const lot = (result: LotResult) => ({ lotId: '1', cpvCodes: [], nutsCodes: [], result })
const noticeWith = (result: LotResult): Notice => ({
  noticeKey: 'made-up:1',
  publisher: 'made-up',
  format: 'portal',
  profile: 'made-up',
  noticeType: 'made-up',
  formType: 'result',
  language: 'fr',
  languages: ['fr'],
  references: [],
  contractingAuthorities: [],
  cpvCodes: [],
  nutsCodes: [],
  lots: [lot(result)],
})
const resultOf = (result: LotResult) => withNamedWinners(noticeWith(result)).lots[0]!.result

const price = { value: 1, currency: 'EUR' }
const company = { name: 'Hydromesure Servane SAS' }

test('an award to nobody is none, and has no value', () => {
  const result: LotResult = { outcome: 'awarded', winners: [{ name: 'Lot infructueux' }], awardedValue: price }
  expect(resultOf({ ...result, receivedTenders: 2 })).toEqual({ outcome: 'not-awarded', receivedTenders: 2 })
})

test('a winner that is named elsewhere is unknown; the lot stays awarded', () => {
  const result: LotResult = { outcome: 'awarded', winners: [{ name: 'voir annexe' }], awardedValue: price }
  expect(resultOf(result)).toEqual({ outcome: 'awarded', awardedValue: price })
})

test('a company beside such a text stays', () => {
  const result: LotResult = { outcome: 'awarded', winners: [{ name: 'Infructueux' }, company] }
  expect(resultOf(result)).toEqual({ outcome: 'awarded', winners: [company] })
})

test("the parser of every source reads winners so, a portal's own one too", () => {
  const result: LotResult = { outcome: 'awarded', winners: [{ name: 'Déclaré sans suite' }] }
  const [part] = parserOf({ parse: () => [{ pointer: '', notice: noticeWith(result) }] })(new Uint8Array())
  expect(part).toMatchObject({ notice: { lots: [{ result: { outcome: 'not-awarded' } }] } })
})
