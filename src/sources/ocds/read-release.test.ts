// Habits of publishers that only real releases showed before: each is a made-up release here.
import { describe, expect, it } from 'vitest'
import type { Notice } from '../../domain/notice.ts'
import { parseOcds } from './parse-ocds.ts'

type Json = { [key: string]: unknown }

function notice(overrides: Json, tender: Json = {}): Notice {
  const [part] = parseOcds({
    ocid: 'ocds-a1b2c3-7',
    id: 'r-7',
    date: '2026-05-01T10:00:00Z',
    tag: ['tender'],
    buyer: { id: 'B-1', name: 'Ministry of Samples' },
    ...overrides,
    tender: { id: 'T-7', title: 'Desks and chairs', ...tender },
  })
  if (!part || !('notice' in part)) throw new Error(`no notice: ${JSON.stringify(part)}`)
  return part.notice
}

const euros = (amount: number) => ({ amount, currency: 'EUR' })
const lots = [{ id: 'LOT-1' }, { id: 'LOT-2' }]

describe('a tender', () => {
  it('has its region in a gazetteer of NUTS only', () => {
    const item = (scheme: string) => ({ id: '1', deliveryLocation: { gazetteer: { scheme, identifiers: ['DE212'] } } })
    expect(notice({}, { items: [item('NUTS')] }).nutsCodes).toEqual(['DE212'])
    expect(notice({}, { items: [item('GEONAMES')] }).nutsCodes).toEqual([])
  })

  it('has its region in the items of its awards, where the call has none', () => {
    const award = (region: string) => ({ awards: [{ id: '1', items: [{ deliveryAddresses: [{ region }] }] }] })
    expect(notice(award('UKK43')).nutsCodes).toEqual(['UKK43'])
    expect(notice(award('UKK43')).place).toEqual({ country: 'GB', nutsCode: 'UKK43' })
    expect(notice(award('UKK43'), { items: [{ deliveryAddress: { region: 'UKI32' } }] }).nutsCodes).toEqual(['UKI32'])
  })

  it('takes back what an earlier release stated, by null, unless the publisher writes null for all it does not know', () => {
    expect(notice({}, { value: null, tenderPeriod: { endDate: null } }).withdrawn).toEqual([
      'estimatedValue',
      'submissionDate',
      'participationDate',
    ])
    expect(notice({}, {}).withdrawn).toBeUndefined()
    expect(notice({ ocid: 'ocds-03ad3f-7' }, { value: null }).withdrawn).toBeUndefined()
  })

  it('has a buyer whose name is under a key with its language', () => {
    const buyer = { id: '1', name_en: 'Ministry of Samples', name_fr: 'Ministère des échantillons' }
    expect(notice({ buyer }).contractingAuthorities).toEqual([{ name: 'Ministry of Samples' }])
  })

  it('links to its page by number, where the address follows from it', () => {
    const id = '0d3a0d3a-1111-4222-8333-944455556666'
    expect(notice({ ocid: 'ocds-b5fd17-x', id: `${id}-819950` }).url).toMatch(`/Notice/${id}`)
    expect(notice({ ocid: 'ocds-mnwr74-x', id: id.toUpperCase() }).url).toMatch(`/search/details?noticeId=${id}`)
    expect(notice({ ocid: 'ocds-mnwr74-x', id: '17750180' }).url).toBeUndefined()
    expect(notice({ ocid: 'ocds-b3wdp1-MD-1580458690892-EV-1' }).url).toMatch('/tenders/ocds-b3wdp1-MD-1580458690892')
  })

  it('links to the bidding documents before any other, and to the page of the notice last', () => {
    const document = (documentType: string) => ({ documentType, url: `https://p.example/${documentType}` })
    const urlOf = (...types: string[]) => notice({}, { documents: types.map(document) }).documentsUrl
    expect(urlOf('tenderNotice', 'evaluationCriteria', 'biddingDocuments')).toBe('https://p.example/biddingDocuments')
    expect(urlOf('tenderNotice', 'evaluationCriteria')).toBe('https://p.example/evaluationCriteria')
    expect(urlOf('tenderNotice')).toBe('https://p.example/tenderNotice')
  })

  it('whose award is in force and names a supplier is a result, whatever its tag, unless it is open or ended', () => {
    const awards = [{ id: '1', status: 'active', suppliers: [{ name: 'Builders Ltd' }] }]
    const formOf = (overrides: Json, tender: Json = { status: 'complete' }) => notice(overrides, tender).formType
    expect(formOf({ awards })).toBe('result')
    expect(formOf({ awards: [{ ...awards[0], status: 'pending' }] })).toBe('competition')
    expect(formOf({ awards: [{ ...awards[0], suppliers: [] }] })).toBe('competition')
    for (const status of ['active', 'cancelled', 'unsuccessful'])
      expect(formOf({ awards }, { status })).toBe('competition')
    const lots = [
      { id: '1', status: 'complete' },
      { id: '2', status: 'active' },
    ]
    expect(formOf({ awards }, { status: 'complete', lots })).toBe('competition')
  })

  it('is won by whom the award names, where parties share an id', () => {
    const party = (name: string) => ({
      id: 'GB-1',
      name,
      roles: ['supplier'],
      address: { locality: `Town of ${name}` },
    })
    const parties = [party('Hauliers Ltd (t/a Lorries)'), party('Hauliers Ltd')]
    const winnersOf = (name: string) => {
      const awards = [{ id: '1', status: 'active', suppliers: [{ id: 'GB-1', name }] }]
      return notice({ tag: ['award'], parties, awards }).lots[0]?.result?.winners
    }
    expect(winnersOf('Hauliers Ltd')).toEqual([{ name: 'Hauliers Ltd', city: 'Town of Hauliers Ltd' }])
    expect(winnersOf('HAULIERS LTD (T/A LORRIES)')![0]!.name).toBe('Hauliers Ltd (t/a Lorries)')
    // another name is another organization
    expect(winnersOf('Bakers Ltd')).toEqual([{ name: 'Bakers Ltd' }])
  })

  it('links to no signature of a document, and to its own page where no document is one', () => {
    const documents = [
      { documentType: 'tenderNotice', url: 'https://p.example/1', format: 'application/pkcs7-signature' },
      { documentType: 'tenderNotice', url: 'https://p.example/2', title: 'sign.P7S' },
    ]
    const { url, documentsUrl } = notice({}, { documents, url: 'https://p.example/notice/7' })
    expect([url, documentsUrl]).toEqual(['https://p.example/notice/7', undefined])
  })

  it('lasts as long as its only contract, which the lot says, described or that of the result', () => {
    const period = (from: string, to: string) => ({ startDate: `${from}T00:00:00Z`, endDate: `${to}T00:00:00Z` })
    const [called, won] = [period('2026-06-01', '2027-05-31'), period('2026-07-01', '2027-06-30')]
    const award = { id: '1', status: 'active', suppliers: [{ name: 'Builders Ltd' }] }
    const durations = (overrides: Json, tender: Json = { contractPeriod: called }) =>
      notice({ tag: ['award'], ...overrides }, tender).lots.map(({ duration }) => duration?.end)
    expect(durations({ awards: [award] })).toEqual(['2027-05-31'])
    expect(durations({ awards: [{ ...award, contractPeriod: won }] })).toEqual(['2027-06-30'])
    expect(durations({ awards: [award], contracts: [{ id: '1', awardID: '1', period: won }] })).toEqual(['2027-06-30'])
    expect(durations({ tag: ['tender'] }, { contractPeriod: called, lots: [{ id: 'A' }] })).toEqual(['2027-05-31'])
    expect(durations({ tag: ['tender'] }, { contractPeriod: called, lots })).toEqual([undefined, undefined])
    expect(durations({ tag: ['tender'] })).toEqual([])
  })

  it('was signed on the day that begins at midnight in its own zone', () => {
    const contract = (dateSigned: string) => [{ id: '1', awardID: '1', dateSigned }]
    const dayOf = (dateSigned: string) =>
      notice({
        ocid: 'ocds-px0z7d-7',
        tag: ['contract'],
        awards: [{ id: '1', status: 'active', suppliers: [{ name: 'Builders Ltd' }] }],
        contracts: contract(dateSigned),
      }).lots[0]?.result?.contractDate
    expect(dayOf('2026-07-13T23:00:00Z')).toBe('2026-07-14')
    expect(dayOf('2026-01-13T23:00:00Z')).toBe('2026-01-13')
    expect(dayOf('2026-01-13T00:00:00Z')).toBe('2026-01-13')
  })

  it('of Mexico’s federation is in Mexico where its buyer names no country', () => {
    expect(notice({ ocid: 'ocds-07smqs-77' }).contractingAuthorities[0]?.country).toBe('MX')
  })

  it('that goes to one supplier directly is a result, unless it invites tenders with a deadline', () => {
    const direct = { procurementMethod: 'direct', status: 'active' }
    expect(notice({}, direct).formType).toBe('result')
    expect(notice({}, { ...direct, tenderPeriod: { endDate: '2026-06-01T10:00:00Z' } }).formType).toBe('competition')
  })

  it('separates two lots with one ID', () => {
    expect(notice({}, { lots: [{ id: 'A' }, { id: 'A' }] }).lots.map(({ lotId }) => lotId)).toEqual(['A', 'A#2'])
  })

  it('does not change itself: an amendment that names its own notice does not count', () => {
    const [own, other] = ['0a0a0a0a-0000-4000-8000-000000000001', '0a0a0a0a-0000-4000-8000-000000000002']
    const changing = (amendsReleaseID: string) =>
      notice({ ocid: `ocds-mnwr74-${other}`, id: own }, { amendments: [{ amendsReleaseID }] }).references
    expect(changing(own)).toEqual([])
    expect(changing(`${own}-01`)).toEqual([{ kind: 'changes', noticeId: own, noticeVersion: '01' }])
    expect(changing(other)).toEqual([{ kind: 'changes', noticeId: other }])
  })
})

describe('an award', () => {
  const award = (id: string, more: Json = {}) => ({
    id,
    status: 'active',
    suppliers: [{ name: `Firm ${id}` }],
    ...more,
  })
  const contract = (id: string, amount: number, more: Json = {}) => ({ id, value: euros(amount), ...more })
  const result = (overrides: Json, tender: Json = { lots }) => notice({ tag: ['award'], ...overrides }, tender)
  const amountOn = ({ lots }: Notice, lotId: string) =>
    lots.find((lot) => lot.lotId === lotId)?.result?.awardedValue?.value

  it('has the value of a contract on its lot whose awardID leads nowhere, if no other award is on the lot', () => {
    const contracts = [contract('c', 500, { awardID: 'elsewhere', relatedLots: ['LOT-1'] })]
    const one = award('a', { relatedLots: ['LOT-1'] })
    expect(amountOn(result({ awards: [one], contracts }), 'LOT-1')).toBe(500)
    const two = award('b', { relatedLots: ['LOT-1'] })
    expect(amountOn(result({ awards: [one, two], contracts }), 'LOT-1')).toBeUndefined()
  })

  it('has the only contract where it is the only award, and neither names a lot', () => {
    const contracts = [contract('c', 500, { awardID: 'elsewhere' })]
    expect(result({ awards: [award('a')], contracts }, {}).awardedValue?.value).toBe(500)
    expect(result({ awards: [award('a'), award('b')], contracts }, {}).awardedValue).toBeUndefined()
  })

  it('of several lots has a value for none of them', () => {
    const read = result({ awards: [award('a', { value: euros(900), relatedLots: ['LOT-1', 'LOT-2'] })] })
    expect([amountOn(read, 'LOT-1'), amountOn(read, 'LOT-2'), read.awardedValue?.value]).toEqual([
      undefined,
      undefined,
      900,
    ])
    expect(read.lots.map((lot) => lot.result?.outcome)).toEqual(['awarded', 'awarded'])
  })

  it('does not count a cancelled contract', () => {
    const contracts = [
      contract('c', 500, { relatedLots: ['LOT-1'], status: 'cancelled' }),
      contract('d', 300, { relatedLots: ['LOT-2'], status: 'active' }),
    ]
    const read = result({ tag: ['contract'], contracts })
    expect([amountOn(read, 'LOT-1'), amountOn(read, 'LOT-2'), read.awardedValue?.value]).toEqual([undefined, 300, 300])
  })
})

describe('an organization', () => {
  it('has its national id where DÖE writes it: id and identifier are swapped', () => {
    const buyer = { id: 'DE811111111', name: 'Landkreis Muster', identifier: { id: 'ORG-0001' } }
    expect(notice({ buyer }).contractingAuthorities).toMatchObject([{ nationalId: 'DE811111111' }])
  })

  it('is found by its name where the reference has no id, or one that leads nowhere', () => {
    const parties = [{ id: 'P-9', name: 'Ministry of Samples', roles: [], address: { locality: 'Sampleton' } }]
    for (const buyer of [{ name: ' ministry of samples' }, { id: 'B-1', name: 'Ministry of Samples' }])
      expect(notice({ buyer, parties }).contractingAuthorities).toMatchObject([{ city: 'Sampleton' }])
  })

  it('is absent if its name says nothing', () => {
    const parties = [{ id: 'P-9', name: 'Town of Samples', roles: ['buyer'] }]
    expect(notice({ buyer: { name: 'n/a' }, parties }).contractingAuthorities).toMatchObject([
      { name: 'Town of Samples' },
    ])
  })
})
