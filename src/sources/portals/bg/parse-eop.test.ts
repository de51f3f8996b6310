// Rows that the writer of samples has none of: lots, joint contracts, lots without a contract, and the public list.
import { expect, it } from 'vitest'
import type { Notice } from '../../../domain/notice.ts'
import { parseEop } from './parse-eop.ts'

function read(entry: object): Notice {
  const [part] = parseEop(Buffer.from(JSON.stringify(entry)))
  if (!part || !('notice' in part)) throw new Error(JSON.stringify(part))
  return part.notice
}

const row = {
  noticeId: 700_001,
  publicationDate: '2026-09-03T05:17:55.57',
  uniqueProcurementNumber: '00999-2026-0007',
  tenderId: 500_001,
  procedureType: 'Открита процедура',
  typeOfContract: 'Доставки',
  currency: 'EUR',
  buyerName: 'Община Никъде',
  buyerRegistryNumber: '000123456',
  isCancelled: 'Не',
}

it('reads a row of a lot as that lot of the procedure, without the value of the whole', () => {
  const notice = read({
    ...row,
    subject: 'Електрическа енергия',
    mainCpvCode: '09310000',
    estimatedValue: '1.254.705,00',
    submissionDeadline: '2026-10-08T23:59:59',
    noticeType: 'Обявление за поръчка – Секторната директива, стандартен режим',
    lotIdentifier: 'LOT-0003',
    lotTenderName: 'Западен регион',
    isLot: 'Да',
    executionPlaceNuts: 'BG',
  })
  expect(notice).toMatchObject({
    formType: 'competition',
    title: { bg: 'Електрическа енергия' },
    procedureId: '00999-2026-0007',
    procedureType: 'open',
    contractNature: 'supplies',
    submissionDate: '2026-10-08T20:59:59.000Z',
    cpvCodes: ['09310000'],
    contractingAuthorities: [{ name: 'Община Никъде', nationalId: '000123456', country: 'BG' }],
    lots: [{ lotId: '3', title: { bg: 'Западен регион' }, estimatedValue: { value: 1_254_705, currency: 'EUR' } }],
  })
  expect(notice.estimatedValue).toBeUndefined()
  expect(notice.url).toBeUndefined()
})

it('reads a joint contract with each of its winners, and numbers of companies only', () => {
  const contract = {
    ...row,
    tenderName: 'Влакове',
    tenderMainCpv: '34620000',
    noticeType: 'Обявление за възложена поръчка',
    contractNumber: '1234',
    contractSubject: 'Доставка на влакове',
    contractDate: '25.04.2026',
    contractValue: '883057245,00',
    contractCurrency: 'BGN',
    noAwarding: 'Не',
    offersCount: '2',
    supplierName: 'Консорциум Влак; Trains S.p.A.; Иван Никой',
    supplierRegisterNumber: '123456789; IT02791070044; 8001011234',
  }
  const notice = read(contract)
  expect(notice).toMatchObject({
    formType: 'result',
    title: { bg: 'Влакове' },
    procedureId: '00999-2026-0007',
    awardedValue: { value: 883_057_245, currency: 'BGN' },
  })
  expect(notice.lots).toMatchObject([{ lotId: '1', result: { outcome: 'awarded', contractDate: '2026-04-25' } }])
  expect(notice.lots[0]?.result?.receivedTenders).toBe(2)
  const winners = notice.lots[0]?.result?.winners ?? []
  expect(winners.map(({ name, nationalId, country }) => [name, nationalId, country])).toEqual([
    ['Консорциум Влак', '123456789', 'BG'],
    ['Trains S.p.A.', 'IT02791070044', 'IT'],
    ['Иван Никой', undefined, 'BG'],
  ])
  const none = read({ ...contract, contractNumber: null, noAwarding: 'Да', lotIdentifier: '2', supplierName: '' })
  expect(none.lots).toMatchObject([{ lotId: '2', result: { outcome: 'not-awarded' } }])
  expect(none.noticeKey).not.toBe(notice.noticeKey)
})

it('reads an entry of the public list under the same procedure', () => {
  const notice = read({
    TenderId: 500_001,
    TenderName: 'Електрическа енергия',
    TenderDescription: '<p>За сгради</p>',
    OrganizationName: 'Община Никъде',
    SpecialNumber: '00999-2026-0007',
    ProcedureType: 12,
    Status: 1,
    PublicationDate: '/Date(1788400000000)/',
    Deadline: '/Date(1791493199000)/',
    EstimatedValue: 250_000,
    IsFrameworkAgreement: false,
  })
  expect(notice).toMatchObject({
    formType: 'competition',
    title: { bg: 'Електрическа енергия' },
    procedureId: '00999-2026-0007',
    procedureType: 'open',
    estimatedValue: { value: 250_000, currency: 'EUR' },
    submissionDate: '2026-10-08T20:59:59.000Z',
    url: 'https://app.eop.bg/today/500001',
  })
})
