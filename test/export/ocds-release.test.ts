// A record as a release: valid under the standard's schema whatever a publisher wrote, and with the record's data in
// the right members.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TenderOrganization, TenderRecord } from '../../src/domain/tender.ts'
import { currenciesOfOcds } from '../../src/export/ocds-currencies.ts'
import { ocdsRelease } from '../../src/export/ocds-release.ts'
import { proofCount } from '../proof/proof-count.ts'
import { generateTender } from '../testing/generate/stock.ts'
import { openOcdsSchema } from './ocds-schema.ts'

const now = Date.UTC(2026, 10, 2, 8)
const validate = openOcdsSchema()
const times = { lastModified: '2026-11-02T08:00:00.000Z', checkedAt: '2026-11-02T08:00:00.000Z' }
const plain = (members: Partial<TenderRecord>): TenderRecord => ({
  id: '00000000-0000-8000-8000-000000000001',
  status: 'open',
  ...times,
  title: 'Road',
  contractAmount: null,
  cpvCodes: [],
  nutsCodes: [],
  lots: [],
  originalSources: [],
  ...members,
})
// biome-ignore lint/suspicious/noExplicitAny: read as a stranger reads it
const release = (members: Partial<TenderRecord>): any => ocdsRelease(plain(members), 'ocds-a1b2c3')

describe.skipIf(!validate)('the schema of the standard', () => {
  test('accepts the releases of generated tenders', () => {
    const faults: string[] = []
    let releases = 0
    const count = proofCount({ share: 300, full: 3000 })
    for (let number = 0; number < count; number++) {
      const made = ocdsRelease({ ...generateTender({ seed: 11, count, now }, number), ...times }, 'ocds-a1b2c3')
      if (made === undefined) continue
      releases += 1
      const fault = validate!(JSON.parse(JSON.stringify(made)))
      if (fault !== '') faults.push(fault)
    }
    expect(faults.slice(0, 3)).toEqual([])
    expect(releases).toBeGreaterThan(count * 0.85)
  })

  test('refuses what is not a release, so acceptance means something', () => {
    expect(validate!({ ...release({}), date: 'yesterday' })).toContain('date')
    expect(validate!({ ...release({}), tender: { id: 'a', status: 'open' } })).toContain('status')
  })

  test.each([
    'www.example.org/a b',
    'https://vergabe.example/straße?q=ä|b^{c}#x#y',
    'https://example.org/%zz',
    'http://[::1]/a[0]',
    'example.org',
    'javascript:alert(1)',
    'siehe Bekanntmachung',
    '',
    'HTTPS://EXAMPLE.ORG',
    'https://münchen.example/',
  ])('accepts a release with the address %s, or omits the address', (url) => {
    const contractingAuthority = { name: 'City', url }
    const source = { publisher: 'ted', format: 'eforms', formType: 'competition', noticeType: 'cn-standard', url }
    const made = release({ contractingAuthority, documentsUrl: url, originalSources: [source as never] })
    expect(validate!(JSON.parse(JSON.stringify(made)))).toBe('')
  })

  test.each(['2026-02-30', '2026-02-28+01:00', '2026-02-28T10:00:00Z', '28.02.2026', '2026-02-28Z', ''])(
    'accepts a release with the date %s, or omits the date',
    (contractDate) => {
      const made = release({ lots: [lot({ status: 'awarded', contractDate, duration: { start: contractDate } })] })
      expect(validate!(JSON.parse(JSON.stringify(made)))).toBe('')
      expect((made.contracts ?? []).length).toBe(/^2026-02-28/.test(contractDate) ? 1 : 0)
    },
  )
})

const lot = (members: Partial<TenderRecord['lots'][number]>): TenderRecord['lots'][number] => ({
  lotId: 'LOT-0001',
  status: 'open',
  cpvCodes: [],
  nutsCodes: [],
  ...members,
})

test('a release has each party of its record once, with all its roles', () => {
  const city = { name: 'City', nationalId: 'DE 811.111.112', country: 'DE' }
  const builder = { name: 'Builder  Ltd', country: 'DE' }
  const made = release({
    contractingAuthority: city,
    jointAuthorities: [{ name: 'County' }],
    lots: [
      lot({ status: 'awarded', winners: [builder, { name: 'builder ltd', country: 'DE' }] }),
      lot({ lotId: 'LOT-0002', status: 'awarded', winners: [city] }),
    ],
  })
  expect(made.parties.map(({ name, roles }: { name: string; roles: string[] }) => [name, roles])).toEqual([
    ['City', ['buyer', 'procuringEntity', 'supplier']],
    ['County', ['buyer']],
    ['Builder  Ltd', ['supplier']],
  ])
  expect(made.buyer).toEqual({ id: 'DE-811111112', name: 'City' })
  expect(made.parties[0].identifier).toEqual({ scheme: 'DE-BT501', id: 'DE 811.111.112', legalName: 'City' })
  expect(made.awards[0].suppliers).toHaveLength(1)
  // a program that groups by the id of a party finds it in every release
  expect(made.parties[2].id).toBe(release({ contractingAuthority: builder }).buyer.id)
})

test.each(['Romania', 'RO', 'RO121', 'n/a', '***1234**', '999999', '26347249'])(
  'the winner stays who it is when its notice writes "%s" as the id of everybody',
  (nationalId) => {
    const [buyer, winner, other] = ['Apa Canal Exempel S.A.', 'Petrol Marketing SRL', 'Zidar Impex SRL'].map(
      (name) => ({ name, nationalId, country: 'RO' }),
    ) as [TenderOrganization, TenderOrganization, TenderOrganization]
    const lots = [
      lot({ status: 'awarded', winners: [winner] }),
      lot({ lotId: 'LOT-0002', status: 'awarded', winners: [winner, other] }),
    ]
    const made = release({ contractingAuthority: buyer, lots })
    expect(made.buyer.name).toBe(buyer.name)
    expect(suppliersOf(made)).toEqual([[winner.name], [winner.name, other.name]])
    expect(new Set(made.parties.map(({ id }: { id: string }) => id)).size).toBe(3)
    // a program that groups by identifier does not find one organization either
    expect(made.parties.filter((party: object) => 'identifier' in party)).toEqual([])
  },
)

test('two names of one organization have one identifier and two ids, of which the first is found in every release', () => {
  const city = { name: 'Musterstadt', nationalId: 'DE811111112', country: 'DE' }
  const office = { ...city, name: 'Musterstadt, Hochbauamt' }
  const made = release({ contractingAuthority: city, jointAuthorities: [office] })
  expect(made.parties.map(({ identifier }: { identifier: { id: string } }) => identifier.id)).toEqual([
    'DE811111112',
    'DE811111112',
  ])
  expect(made.buyer.id).toBe('DE-811111112')
  expect(made.parties[1].id).not.toBe(made.buyer.id)
  expect(release({ contractingAuthority: office }).buyer.id).toBe('DE-811111112')
})

test('winners of any organizations have their own names, and no two names share an id', () => {
  const organization = fc.record(
    {
      name: fc.oneof(fc.constantFrom('Alpha', 'ALPHA', 'Alpha Bau', 'Beta', 'Gamma  Ltd', 'gamma ltd'), fc.string()),
      nationalId: fc.constantFrom('Romania', 'PL', 'DE401', '811111112', 'DE811111112', '', '0000'),
      country: fc.constantFrom('DE', 'RO'),
      city: fc.constantFrom('A', 'B'),
    },
    { requiredKeys: ['name'] },
  )
  const organizations = fc.array(organization, { maxLength: 4 })
  fc.assert(
    fc.property(organizations, organizations, organizations, (buyers, first, second) => {
      const winners = [first, second].map((list) => list.filter(({ name }) => name !== ''))
      const lots = winners.map((list, index) => lot({ lotId: `LOT-000${index + 1}`, status: 'awarded', winners: list }))
      const [contractingAuthority, ...jointAuthorities] = buyers
      const made = release({ ...(contractingAuthority && { contractingAuthority }), jointAuthorities, lots })
      const names = (list: readonly string[]) => [...new Set(list.map(plainName))].sort()
      expect(suppliersOf(made).map(names)).toEqual(winners.map((list) => names(list.map(({ name }) => name))))
      const ids = (made.parties ?? []).map(({ id }: { id: string }) => id)
      expect(new Set(ids).size).toBe(ids.length)
    }),
  )
})

// biome-ignore lint/suspicious/noExplicitAny: read as a stranger reads it
const suppliersOf = (made: any): string[][] =>
  // biome-ignore lint/suspicious/noExplicitAny: read as a stranger reads it
  made.awards.map(({ suppliers = [] }: any) => suppliers.map(({ name }: { name: string }) => name))
const plainName = (name: string): string => name.toLowerCase().replaceAll(/\s+/g, ' ').trim()

test('an estimate of the service is not the value of the tender', () => {
  const amount = { value: 5, currency: 'EUR' }
  expect(release({ contractAmount: { ...amount, estimated: true } }).tender.value).toBeUndefined()
  expect(release({ contractAmount: { ...amount, estimated: false } }).tender.value).toEqual({
    amount: 5,
    currency: 'EUR',
  })
  expect(release({ contractAmount: { value: 5, currency: 'EURO', estimated: false } }).tender.value).toBeUndefined()
})

test('a total of several awards belongs to none of them; the total of a single award belongs to it', () => {
  const awardedAmount = { value: 10, currency: 'EUR' }
  const lots = [lot({ status: 'awarded' }), lot({ lotId: 'LOT-0002', status: 'awarded' })]
  expect(release({ awardedAmount, lots }).awards.map(({ value }: { value?: unknown }) => value)).toEqual([
    undefined,
    undefined,
  ])
  expect(release({ awardedAmount, lots: lots.slice(1) }).awards[0].value).toEqual({ amount: 10, currency: 'EUR' })
  expect(release({ awardedAmount }).awards).toEqual([
    { id: 'award', status: 'active', value: { amount: 10, currency: 'EUR' } },
  ])
})

test('a text in another language than the record also stands under its language', () => {
  const shown = { title: 'Road', titleLanguage: 'en', description: 'Route', descriptionLanguage: 'fr' }
  const { tender } = release({ language: 'de', ...shown, lots: [lot(shown)] })
  const expected = { title: 'Road', title_en: 'Road', description: 'Route', description_fr: 'Route' }
  expect(tender).toMatchObject({ ...expected, lots: [expected] })
  expect(release({ language: 'de', title: 'Road', titleLanguage: 'und' }).tender).not.toHaveProperty('title_und')
})

test('a merged record has no release: its process has the OCID of the record that remains', () => {
  expect(release({ status: 'merged', archiveReason: 'merged', mergedInto: plain({}).id })).toBeUndefined()
})

test('statuses, methods, categories and lots are those of the standard', () => {
  const made = release({
    status: 'closed',
    procedureType: 'neg-wo-call',
    contractNature: 'supplies',
    language: 'de',
    translations: { fr: { title: 'Route' }, de: { title: 'no' } },
    submissionDate: '2026-12-01T10:00:00.000Z',
    cpvCodes: ['45000000', '45233000'],
    nutsCodes: ['DE212', 'DE300'],
    realizedLocation: { nuts: 'DE212', city: 'München' },
    lots: [
      lot({
        status: 'cancelled',
        nonAwardReason: 'no-rece',
        duration: { value: 2, unit: 'MONTH' },
        cpvCodes: ['45233000'],
      }),
    ],
  })
  expect(made.tender).toMatchObject({
    status: 'active',
    statusDetails: 'closed',
    procurementMethod: 'limited',
    mainProcurementCategory: 'goods',
    title_fr: 'Route',
    tenderPeriod: { endDate: '2026-12-01T10:00:00.000Z' },
    lots: [{ id: 'LOT-0001', status: 'unsuccessful', contractPeriod: { durationInDays: 60 } }],
  })
  expect(made.tender.title_de).toBeUndefined()
  expect(made.tender.items).toEqual([
    {
      id: 'tender',
      classification: { scheme: 'CPV', id: '45000000' },
      additionalClassifications: [{ scheme: 'CPV', id: '45233000' }],
      deliveryAddresses: [{ locality: 'München', region: 'DE212' }, { region: 'DE300' }],
    },
    { id: 'lot-LOT-0001', relatedLot: 'LOT-0001', classification: { scheme: 'CPV', id: '45233000' } },
  ])
  expect(currenciesOfOcds.size).toBeGreaterThan(290)
})

test.each([
  ['open', 'open'],
  ['restricted', 'selective'],
  ['neg-w-call', 'selective'],
  ['comp-dial', 'selective'],
  ['comp-tend', 'selective'],
  ['innovation', 'selective'],
  ['exp-int-rail', 'selective'],
  ['neg-wo-call', 'limited'],
  ['oth-single', undefined],
])('a procedure of type %s has the method %s', (procedureType, method) => {
  expect(release({ procedureType }).tender.procurementMethod).toBe(method)
})
