import { expect, it } from 'vitest'
import { parseProzorro } from './parse-prozorro.ts'

const tender = {
  id: '0123456789abcdef0123456789abcdef',
  tenderID: 'UA-2026-01-05-000001-a',
  dateModified: '2026-01-05T12:00:00+02:00',
  title: 'Ремонт мосту',
  status: 'active.tendering',
  procurementMethod: 'open',
  procurementMethodType: 'belowThreshold',
  mainProcurementCategory: 'works',
  procuringEntity: { name: 'Міська рада Квельмара', identifier: { scheme: 'UA-EDR', id: '12345678' } },
  value: { amount: 250_000, currency: 'UAH' },
  tenderPeriod: { endDate: '2026-02-10T12:00:00+02:00' },
  items: [{ id: '1', classification: { scheme: 'ДК021', id: '45221111-3' } }],
}
const read = (document: unknown) => parseProzorro(Buffer.from(JSON.stringify(document)))

it('a call in the own form of the portal is read, with and without its wrapper', () => {
  const expected = {
    formType: 'competition',
    procedureId: 'ocds-be6bcu-UA-2026-01-05-000001-a',
    title: { uk: 'Ремонт мосту' },
    contractingAuthorities: [{ name: 'Міська рада Квельмара', nationalId: '12345678', country: 'UA' }],
    submissionDate: '2026-02-10T10:00:00.000Z',
    estimatedValue: { value: 250_000, currency: 'UAH' },
    cpvCodes: ['45221111'],
    procedureType: 'open',
    contractNature: 'works',
  }
  expect(read({ data: tender, config: {} })).toMatchObject([{ notice: expected }])
  expect(read(tender)).toEqual(read({ data: tender }))
})

it('an active award makes it a result', () => {
  const awards = [{ id: '1', status: 'active', value: tender.value, suppliers: [{ name: 'Мостобуд' }] }]
  expect(read({ data: { ...tender, status: 'complete', awards } })).toMatchObject([
    { notice: { formType: 'result', lots: [{ result: { outcome: 'awarded', winners: [{ name: 'Мостобуд' }] } }] } },
  ])
})

it('a draft is no procurement; a report of a contract is a result, not a call', () => {
  for (const status of ['draft', 'draft.publishing'])
    expect(read({ data: { ...tender, status } })).toMatchObject([{ rejection: { reason: 'not-procurement' } }])
  const { tenderPeriod: _period, ...withoutDeadline } = tender
  const report = { ...withoutDeadline, status: 'active', procurementMethod: 'limited' }
  for (const procurementMethodType of ['reporting', 'negotiation.quick'])
    expect(read({ data: { ...report, procurementMethodType } })).toMatchObject([
      { notice: { formType: 'result', procedureType: 'neg-wo-call' } },
    ])
})

it('a lot lasts as long as its items are delivered, not as its contract may be signed', () => {
  const item = (relatedLot: string, startDate: string | undefined, endDate: string) => ({
    id: `${relatedLot}-${endDate}`,
    relatedLot,
    deliveryDate: { startDate, endDate },
  })
  const items = [
    item('a', '2026-03-01T00:00:00+02:00', '2026-05-01T00:00:00+03:00'),
    item('a', '2026-02-01T00:00:00+02:00', '2026-04-01T00:00:00+03:00'),
    item('b', undefined, '2026-06-01T00:00:00+03:00'),
  ]
  const divided = { ...tender, items, lots: [{ id: 'a' }, { id: 'b' }], contractPeriod: { startDate: '2026-01-20' } }
  const [part] = read(divided)
  expect(part && 'notice' in part && part.notice.lots.map(({ duration }) => duration)).toEqual([
    { start: '2026-02-01', end: '2026-05-01' },
    { end: '2026-06-01' },
  ])
  const awards = [{ id: '1', status: 'active', suppliers: [{ name: 'Мостобуд' }] }]
  const [awarded] = read({ ...tender, awards, contractPeriod: { startDate: '2026-01-20' } })
  expect(awarded && 'notice' in awarded && awarded.notice.lots.map(({ duration }) => duration)).toEqual([undefined])
})

it('the page of the tender is its address, and no signature of a document', () => {
  const document = (documentType: string, title: string) => ({
    documentType,
    title,
    format: title.endsWith('.p7s') ? 'application/pkcs7-signature' : 'application/pdf',
    url: `https://docs.example/${title}`,
  })
  const documents = [document('biddingDocuments', 'sign.p7s'), document('biddingDocuments', 'a.pdf')]
  const signed = { ...tender, documents: [document('notice', 'sign.p7s'), ...documents] }
  expect(read(signed)).toMatchObject([
    {
      notice: {
        url: 'https://prozorro.gov.ua/tender/UA-2026-01-05-000001-a',
        documentsUrl: 'https://docs.example/a.pdf',
      },
    },
  ])
})

it('the partners of a framework have offers and no contracts; tenders that were received are counted', () => {
  const award = (id: string, amount: number) => ({
    id,
    status: 'active',
    value: { amount, currency: 'UAH' },
    suppliers: [{ name: `Постачальник ${id}` }],
  })
  const bids = ['active', 'active', 'unsuccessful', 'deleted'].map((status) => ({ status }))
  const concluded = {
    ...tender,
    procurementMethodType: 'closeFrameworkAgreementUA',
    awards: [award('1', 240_000), award('2', 249_000)],
    bids,
  }
  const [part] = read(concluded)
  const notice = part && 'notice' in part ? part.notice : undefined
  expect(notice).toMatchObject({ isFramework: true, estimatedValue: { value: 250_000 } })
  expect(notice?.awardedValue).toBeUndefined()
  expect(notice?.lots[0]?.result).toMatchObject({ outcome: 'awarded', receivedTenders: 3 })
  expect(notice?.lots[0]?.result?.awardedValue).toBeUndefined()
  expect(notice?.lots[0]?.result?.winners?.length).toBe(2)
})

it('the same tender in OCDS has the same identity', () => {
  const release = {
    ocid: 'ocds-be6bcu-UA-2026-01-05-000001-a',
    id: 'ocds-be6bcu-UA-2026-01-05-000001-a-2026-01-05T12:00:00+02:00',
    date: tender.dateModified,
    tag: ['tender'],
    language: 'uk',
    buyer: tender.procuringEntity,
    tender: { ...tender, id: tender.tenderID },
  }
  const keyOf = (parts: ReturnType<typeof read>) => parts.map((part) => ('notice' in part ? part.notice.noticeKey : ''))
  expect(keyOf(read({ releases: [release] }))).toEqual(keyOf(read(tender)))
})

it('other documents are rejected, and nothing is thrown', () => {
  for (const document of [{ data: [{ id: '1' }], next_page: {} }, [], null, 'text', { data: { tenderID: 7 } }])
    expect(read(document)).toMatchObject([{ rejection: {} }])
})
