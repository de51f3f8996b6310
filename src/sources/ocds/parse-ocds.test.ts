import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import type { Notice } from '../../domain/notice.ts'
import { regionCode } from './codes.ts'
import { isOcds, parseOcds } from './parse-ocds.ts'

type Json = { [key: string]: unknown }

const buyerParty = {
  id: 'GB-LAE-XX1',
  name: 'Sampleshire Council',
  roles: ['buyer', 'payer'],
  identifier: { scheme: 'GB-LAE', id: 'XX1', legalName: 'Sampleshire Council' },
  address: {
    streetAddress: '1 High Street',
    locality: 'Sample',
    region: 'UKM82',
    postalCode: 'ZZ1 1ZZ',
    countryName: 'United Kingdom',
  },
  contactPoint: { name: 'Buying', email: 'buy@sample.example', telephone: '+44 1', url: 'http://sample.example' },
  details: { buyerProfile: 'https://sample.example/profile' },
}

function release(overrides: Json = {}, tender: Json = {}): Json {
  return {
    ocid: 'ocds-h6vhtk-0a1b2c',
    id: '000123-2026',
    date: '2026-05-01T10:00:00+01:00',
    tag: ['tender'],
    language: 'en',
    parties: [buyerParty],
    buyer: { id: 'GB-LAE-XX1', name: 'Sampleshire Council' },
    tender: {
      id: 'REF/77',
      title: 'Street cleaning',
      description: 'Cleaning &amp; sweeping.',
      status: 'active',
      legalBasis: { scheme: 'CELEX', id: '32014L0024' },
      classification: { scheme: 'CPV', id: '90610000' },
      mainProcurementCategory: 'goods',
      procurementMethod: 'open',
      procurementMethodDetails: 'Open procedure',
      value: { amount: 250000, currency: 'GBP' },
      tenderPeriod: { endDate: '2026-06-29T12:00:00+01:00' },
      submissionMethodDetails: 'Hand in at https://tenders.sample.example/x.',
      techniques: { hasFrameworkAgreement: true },
      lots: [
        {
          id: '1',
          title: 'North',
          status: 'active',
          value: { amount: '150 000', currency: 'gbp' },
          contractPeriod: { durationInDays: 720 },
        },
        { id: '2', title: 'South', status: 'cancelled' },
      ],
      items: [
        {
          id: '1',
          relatedLot: '1',
          additionalClassifications: [
            { scheme: 'CPV', id: '90611000-3' },
            { scheme: 'UNSPSC', id: '76111500' },
          ],
          deliveryAddresses: [{ region: 'UKM82' }, { region: 'Kent' }],
        },
        { id: '2', relatedLot: '2', deliveryAddresses: [{ region: 'London' }] },
      ],
      documents: [
        { documentType: 'tenderNotice', url: 'https://portal.example/notice/1' },
        { documentType: 'biddingDocuments', url: 'https://portal.example/docs/1' },
      ],
      ...tender,
    },
    ...overrides,
  }
}

function notices(json: unknown): Notice[] {
  return parseOcds(json).flatMap((part) => ('notice' in part ? [part.notice] : []))
}

function notice(json: unknown): Notice {
  const [part] = parseOcds(json)
  if (!part || !('notice' in part)) throw new Error(`no notice: ${JSON.stringify(part)}`)
  return part.notice
}

describe('a release', () => {
  it('becomes a notice with everything that the record can hold', () => {
    expect(notice(release())).toEqual({
      noticeKey: 'gb-find-a-tender:ocds-h6vhtk-0a1b2c:000123-2026',
      publisher: 'gb-find-a-tender',
      format: 'ocds',
      profile: '1.1',
      procedureId: 'ocds-h6vhtk-0a1b2c',
      internalReference: 'REF/77',
      formType: 'competition',
      noticeType: 'tender',
      legalBasis: '32014L0024',
      language: 'en',
      languages: ['en'],
      title: { en: 'Street cleaning' },
      description: { en: 'Cleaning & sweeping.' },
      publicationDate: '2026-05-01T09:00:00.000Z',
      dispatchDate: '2026-05-01T09:00:00.000Z',
      contractingAuthorities: [
        {
          name: 'Sampleshire Council',
          nationalId: 'XX1',
          street: '1 High Street',
          city: 'Sample',
          postalCode: 'ZZ1 1ZZ',
          country: 'GB',
          nutsCode: 'UKM82',
          contactName: 'Buying',
          email: 'buy@sample.example',
          phone: '+44 1',
          url: 'http://sample.example',
        },
      ],
      buyerProfileUrl: 'https://sample.example/profile',
      procedureType: 'open',
      contractNature: 'supplies',
      cpvCodes: ['90610000'],
      nutsCodes: ['UKM82'],
      place: { country: 'GB', nutsCode: 'UKM82' },
      estimatedValue: { value: 250000, currency: 'GBP' },
      isFramework: true,
      submissionDate: '2026-06-29T11:00:00.000Z',
      documentsUrl: 'https://portal.example/docs/1',
      submissionUrl: 'https://tenders.sample.example/x',
      lots: [
        {
          lotId: '1',
          title: { en: 'North' },
          cpvCodes: ['90611000'],
          nutsCodes: ['UKM82'],
          place: { country: 'GB', nutsCode: 'UKM82' },
          estimatedValue: { value: 150000, currency: 'GBP' },
          duration: { value: 720, unit: 'DAY' },
        },
        { lotId: '2', title: { en: 'South' }, cpvCodes: [], nutsCodes: [], place: { city: 'London' }, cancelled: true },
      ],
      references: [],
      url: 'https://www.find-tender.service.gov.uk/Notice/000123-2026',
    })
  })

  it.each([
    [['planning'], {}, 'planning'],
    [['tender'], {}, 'competition'],
    [['tenderAmendment'], {}, 'competition'],
    [['tender'], { status: 'planned', tenderPeriod: {} }, 'planning'],
    [['tenderCancellation'], {}, 'competition'],
    [['award', 'contract'], {}, 'result'],
    [['awardUpdate'], {}, 'result'],
    [['contract'], {}, 'result'],
    [['implementation'], {}, 'result'],
    [['contractAmendment'], {}, 'cont-modif'],
    ['tender', {}, 'competition'],
    [undefined, {}, 'competition'],
  ])('with tags %j and tender %j is of form type %s', (tag, tender, formType) => {
    expect(notice(release({ tag }, tender as Json)).formType).toBe(formType)
  })

  it('is cancelled or unsuccessful if the source says so', () => {
    expect(notice(release({}, { status: 'cancelled' })).isCancelled).toBe(true)
    expect(notice(release({}, { status: 'withdrawn' })).isCancelled).toBe(true)
    expect(notice(release({ tag: ['tenderCancellation'] })).isCancelled).toBe(true)
    expect(notice(release({}, { status: 'unsuccessful' })).isUnsuccessful).toBe(true)
    expect(notice(release()).isCancelled ?? notice(release()).isUnsuccessful).toBeUndefined()
    expect(notice(release({}, { lots: [{ id: '1', status: 'unsuccessful' }] })).lots[0]!.result).toEqual({
      outcome: 'not-awarded',
    })
  })

  it('ends a deadline without a time with its day, and reads one without a zone in the buyer’s', () => {
    expect(notice(release({}, { tenderPeriod: { endDate: '2026-06-29' } })).submissionDate).toBe(
      '2026-06-29T22:59:59.000Z',
    )
    expect(notice(release({}, { tenderPeriod: { endDate: '2026-06-29T12:00:00' } })).submissionDate).toBe(
      '2026-06-29T11:00:00.000Z',
    )
    expect(notice(release({}, { tenderPeriod: { endDate: 'soon' } })).submissionDate).toBeUndefined()
    const moldovan = release(
      { ocid: 'ocds-ngfbwp-1', parties: [], language: 'md' },
      { tenderPeriod: { endDate: '2026-06-29T12:00:00' } },
    )
    expect(notice(moldovan)).toMatchObject({ submissionDate: '2026-06-29T09:00:00.000Z', language: 'ro' })
  })

  it('knows procedures by their names, and a first stage’s deadline is for requests to participate', () => {
    const read = (procurementMethod: unknown, procurementMethodDetails: unknown) =>
      notice(release({}, { procurementMethod, procurementMethodDetails }))
    expect(read('selective', 'Restricted procedure')).toMatchObject({
      procedureType: 'restricted',
      participationDate: '2026-06-29T11:00:00.000Z',
    })
    expect(read('selective', 'Competitive procedure with negotiation').procedureType).toBe('neg-w-call')
    expect(read('limited', 'Negotiated procedure without prior publication').procedureType).toBe('neg-wo-call')
    const armenian = 'NPNA (Negotiated Procedure with No Preliminary Announcement)'
    expect(read('direct', armenian).procedureType).toBe('neg-wo-call')
    expect(read('selective', 'neg-w-call').procedureType).toBe('neg-w-call')
    expect(read('open', '').procedureType).toBe('open')
    expect(read('open', 'Below threshold - open competition').procedureType).toBe('open')
    expect(read('selective', 'Other multiple stage procedure').procedureType).toBe('oth-mult')
    expect(
      notice(
        release(
          {},
          {
            procurementMethod: 'selective',
            procurementMethodDetails: 'Competitive flexible procedure',
            expressionOfInterestDeadline: '2026-06-01T12:00:00Z',
          },
        ),
      ),
    ).toMatchObject({
      procedureTypeNational: 'Competitive flexible procedure',
      participationDate: '2026-06-01T12:00:00.000Z',
      submissionDate: '2026-06-29T11:00:00.000Z',
    })
    expect(read('direct', undefined).procedureType).toBe('neg-wo-call')
    expect(read('selective', 'Call-off from a framework agreement')).toMatchObject({
      procedureTypeNational: 'Call-off from a framework agreement',
    })
    expect(read('selective', undefined)).toMatchObject({ procedureTypeNational: 'selective' })
    expect(read({ x: 1 }, ['Open']).procedureType).toBeUndefined()
  })

  it('accepts no value that is a sentinel, infinite or without a currency', () => {
    for (const value of [
      { amount: -1, currency: 'GBP' },
      { amount: Number.POSITIVE_INFINITY, currency: 'GBP' },
      { amount: 'lots', currency: 'GBP' },
      { amount: 5000 },
      5000,
      '5000 GBP',
      { amount: { x: 1 }, currency: 'GBP' },
      [5000],
    ]) {
      expect(notice(release({}, { value })).estimatedValue).toBeUndefined()
    }
    expect(notice(release({}, { value: { amount: '1,250,000.50', currency: 'GBP' } })).estimatedValue).toEqual({
      value: 1250000.5,
      currency: 'GBP',
    })
  })

  it('is known by ocid and id, an ocid with a slash included; without an id by its date', () => {
    expect(notice(release({ ocid: 'ocds-b5fd17-a/b c' })).noticeKey).toBe(
      'gb-contracts-finder:ocds-b5fd17-a/b c:000123-2026',
    )
    expect(notice(release({ ocid: 'OCDS-zzzzzz-1' }))).toMatchObject({ publisher: 'ocds-zzzzzz' })
    expect(notice(release({ ocid: 'whatever' }))).toMatchObject({ publisher: 'ocds' })
    const { id: _id, ...anonymous } = release()
    expect(notice(anonymous).noticeKey).toBe('gb-find-a-tender:ocds-h6vhtk-0a1b2c:2026-05-01T10:00:00+01:00')
  })

  it('reads the text in other languages from suffixed members', () => {
    expect(
      notice(release({}, { title_fr: 'Nettoyage', description_cy: 'Glanhau', title_nonsense: 'x' })),
    ).toMatchObject({ title: { en: 'Street cleaning', fr: 'Nettoyage' }, description: { cy: 'Glanhau' } })
  })

  it('finds a title if the tender has none', () => {
    const read = (overrides: Json) =>
      notice(release({ ...overrides, tender: { description: 'Long text.\nMore.' } })).title
    expect(read({ contracts: [{ title: 'Contract of cleaning' }] })).toEqual({ en: 'Contract of cleaning' })
    expect(read({})).toEqual({ en: 'Long text.' })
  })
})

describe('awards', () => {
  const supplier = {
    id: 'S1',
    name: 'Clean Ltd',
    roles: ['supplier'],
    identifier: { scheme: 'GB-COH', id: '01234567' },
  }
  const awarded = (overrides: Json) =>
    notice(
      release({
        tag: ['award'],
        parties: [buyerParty, supplier, { id: 'S2', name: 'Sweep plc', roles: ['supplier'] }],
        ...overrides,
      }),
    )

  it('join their lots, with winners from the parties and contracts by award', () => {
    const read = awarded({
      awards: [
        {
          id: 'a1',
          status: 'active',
          value: { amount: 1000, currency: 'GBP' },
          suppliers: [{ id: 'S1', name: 'Clean Ltd' }],
          relatedLots: ['1'],
        },
        { id: 'a2', status: 'unsuccessful', relatedLots: ['2'] },
      ],
      contracts: [
        { id: 'c1', awardID: 'a1', dateSigned: '2026-07-01T00:00:00Z', value: { amount: 900, currency: 'GBP' } },
      ],
    })
    expect(read.formType).toBe('result')
    expect(read.awardedValue).toEqual({ value: 1000, currency: 'GBP' })
    expect(read.lots.map((lot) => lot.result)).toEqual([
      {
        outcome: 'awarded',
        awardedValue: { value: 1000, currency: 'GBP' },
        winners: [{ name: 'Clean Ltd', nationalId: '01234567', country: 'GB' }],
        contractDate: '2026-07-01',
      },
      { outcome: 'not-awarded' },
    ])
  })

  it('without lots are the result of the whole', () => {
    const award = {
      id: 'a',
      status: 'active',
      date: '2026-07-02',
      value: { amount: 1000, currency: 'GBP' },
      suppliers: [{ id: 'S2' }],
    }
    expect(awarded({ awards: [award], tender: { title: 'x', numberOfTenderers: 3 } }).lots).toEqual([
      {
        lotId: '1',
        cpvCodes: [],
        nutsCodes: [],
        result: {
          outcome: 'awarded',
          awardedValue: { value: 1000, currency: 'GBP' },
          winners: [{ name: 'Sweep plc', country: 'GB' }],
          contractDate: '2026-07-02',
          receivedTenders: 3,
        },
      },
    ])
    const divided = awarded({ awards: [award] })
    expect(divided.lots.map((lot) => lot.result?.outcome)).toEqual(['awarded', 'awarded'])
    expect(divided.lots[0]!.result!.awardedValue).toBeUndefined()
  })

  it('of several attempts for one lot count when one succeeds; pending ones decide nothing', () => {
    const at = (...statuses: string[]) =>
      awarded({
        awards: statuses.map((status, index) => ({ id: String(index), status, lotID: '1', suppliers: [{ id: 'S1' }] })),
      }).lots[0]!.result!.outcome
    expect([at('unsuccessful', 'active'), at('pending'), at('cancelled', 'unsuccessful'), at('')]).toEqual([
      'awarded',
      'pending',
      'not-awarded',
      'awarded',
    ])
  })

  it('may be in contracts or parties alone', () => {
    expect(
      awarded({
        contracts: [
          { id: 'c', status: 'active', value: { amount: 700, currency: 'GBP' }, items: [{ relatedLot: '2' }] },
        ],
      }).lots[1]!.result,
    ).toMatchObject({ outcome: 'awarded', awardedValue: { value: 700 } })
    expect(awarded({ tender: { title: 'x' } }).lots[0]!.result).toMatchObject({
      outcome: 'awarded',
      winners: [{ name: 'Clean Ltd' }, { name: 'Sweep plc' }],
    })
  })
})

describe('the German service', () => {
  const uuid = '0d0e7a7c-30d3-4b53-9d0f-6b8f3e3f5a11'
  const changed = '1d0e7a7c-30d3-4b53-9d0f-6b8f3e3f5a22'
  const german = (overrides: Json = {}, tender: Json = {}) => ({
    ocid: 'ocds-mnwr74-AAAAAAAA-30d3-4b53-9d0f-6b8f3e3f5a33',
    id: uuid,
    date: '2026-08-22T15:08:05Z',
    tag: ['tender'],
    language: 'DEU',
    parties: [
      {
        id: 'ORG-0001',
        name: 'Stadt Muster',
        roles: ['buyer'],
        identifier: { id: 'Leitweg 1' },
        address: { region: 'DE731', countryName: 'DEU' },
      },
    ],
    buyer: { name: 'Stadt Muster', id: 'Leitweg 1', identifier: { id: 'ORG-0001' } },
    tender: {
      id: 'aaaaaaaa-30d3-4b53-9d0f-6b8f3e3f5a33',
      title: 'Fassade',
      items: [
        {
          id: 'LOT-0001',
          relatedLot: 'LOT-0001',
          classification: { scheme: 'CPV', id: '45443000' },
          deliveryAddress: { region: 'DE221', locality: 'Landshut', countryName: 'DEU' },
        },
      ],
      lots: [{ id: 'LOT-0001', title: 'Fassade' }],
      amendments: [{ amendsReleaseID: `${changed}-01`, releaseID: `${uuid}-02` }],
      ...tender,
    },
    relatedProcesses: [{ relationship: ['planning'], scheme: 'ocid', identifier: '298800-2026' }],
    ...overrides,
  })

  it('names procedure, notice, version, changes and journal numbers', () => {
    const read = notice(german())
    expect(read).toMatchObject({
      publisher: 'doe',
      noticeId: uuid,
      noticeVersion: '02',
      procedureId: 'aaaaaaaa-30d3-4b53-9d0f-6b8f3e3f5a33',
      language: 'de',
      cpvCodes: ['45443000'],
      nutsCodes: ['DE221'],
      contractingAuthorities: [{ name: 'Stadt Muster', nationalId: 'Leitweg 1', country: 'DE', nutsCode: 'DE731' }],
      references: [
        { kind: 'changes', noticeId: changed, noticeVersion: '01' },
        { kind: 'planning', publicationNumber: '298800-2026' },
      ],
    })
    expect(read.internalReference).toBeUndefined()
    expect(read.contractingAuthorities).toHaveLength(1)
  })

  it('keeps the whole ocid below the threshold, where it holds a number', () => {
    expect(notice(german({ ocid: 'ocds-mnwr74-25438044', id: '25438044' }))).toMatchObject({
      procedureId: 'ocds-mnwr74-25438044',
    })
  })

  it('finds the value of an award in a contract whose awardID leads nowhere', () => {
    const award = german({
      tag: ['award'],
      awards: [{ id: 'LOT-0001', status: 'active', relatedLots: ['LOT-0001'] }],
      contracts: [
        {
          id: 'CON-0001',
          awardID: 'CON-0001',
          value: { amount: 5000, currency: 'EUR' },
          items: [{ relatedLot: 'LOT-0001' }],
        },
      ],
    })
    expect(notice(award).lots[0]!.result).toMatchObject({
      outcome: 'awarded',
      awardedValue: { value: 5000, currency: 'EUR' },
    })
  })

  it('distinguishes the numbers of Find a Tender itself from those of the Official Journal', () => {
    const read = (identifier: string) =>
      notice(release({ relatedProcesses: [{ relationship: ['planning'], scheme: 'EU-OJ', identifier }] })).references
    expect(read('2019/S 028-061639')).toEqual([{ kind: 'planning', publicationNumber: '61639-2019' }])
    expect(read('2021/S 000-004713')).toEqual([])
  })
})

describe('packages and records', () => {
  it('give every release a notice or a rejection with its pointer', () => {
    const parts = parseOcds({
      version: '1.1',
      publishedDate: '2026-05-02',
      releases: [release(), null, 7, {}, { ocid: 'ocds-h6vhtk-9' }, release({ id: 'x' })],
    })
    expect(parts.map((part) => [part.pointer, 'notice' in part ? 'notice' : part.rejection.reason])).toEqual([
      ['/releases/0', 'notice'],
      ['/releases/1', 'invalid-content'],
      ['/releases/2', 'invalid-content'],
      ['/releases/3', 'missing-identity'],
      ['/releases/4', 'missing-content'],
      ['/releases/5', 'notice'],
    ])
    expect(parseOcds([release(), [release()]]).map((part) => part.pointer)).toEqual(['/0', '/1/0'])
    expect(parseOcds({ uri: 'x', releases: [] })).toMatchObject([
      { pointer: '', rejection: { reason: 'missing-content' } },
    ])
  })

  it('take the compiled release, else the newest embedded one; links alone are rejected', () => {
    const compiled = release({ tag: ['compiled'], awards: [{ id: 'a', status: 'active', suppliers: [{ name: 'X' }] }] })
    expect(notice({ records: [{ ocid: 'ocds-h6vhtk-0a1b2c', compiledRelease: compiled }] })).toMatchObject({
      noticeKey: 'gb-find-a-tender:ocds-h6vhtk-0a1b2c:compiled',
      formType: 'result',
    })
    expect(notice({ compiledRelease: compiled, releases: [] }).formType).toBe('result')
    const embedded = parseOcds({
      records: [
        { ocid: 'o', releases: [release({ id: 'new', date: '2026-06-01T00:00:00Z' }), release({ id: 'old' })] },
      ],
    })
    expect(embedded).toMatchObject([
      { pointer: '/records/0/releases/0', notice: { noticeKey: 'gb-find-a-tender:ocds-h6vhtk-0a1b2c:new' } },
    ])
    expect(
      parseOcds({
        records: [{ ocid: 'o', releases: [{ url: 'https://x.example/1.json', date: '2026-01-01T00:00:00Z' }] }, 5],
      }),
    ).toMatchObject([
      { pointer: '/records/0', rejection: { reason: 'missing-content' } },
      { pointer: '/records/1', rejection: { reason: 'invalid-content' } },
    ])
  })

  it('are distinguished from other JSON', () => {
    for (const json of [
      release(),
      [release()],
      { releases: [], uri: 'x' },
      { records: [], publisher: {} },
      { compiledRelease: {} },
    ])
      expect(isOcds(json)).toBe(true)
    for (const json of [null, 1, 'ocid', [], {}, { releases: ['v1.0'] }, { ocid: 'x' }, { notices: [] }, [[1]]])
      expect(isOcds(json)).toBe(false)
  })

  it('with releases of one id twice make copies of one notice, the same for the same content', () => {
    const [first, second] = notices({ releases: [release(), release()] })
    expect(first).toEqual(second)
  })
})

describe('regions', () => {
  it('count as NUTS codes only in the form of one', () => {
    for (const code of ['UKM82', 'UK', 'DE2', 'DE221', 'ITC4', 'FRY1', 'DEZZZ', 'EL30'])
      expect(regionCode(code)).toBe(code)
    for (const text of [
      'London',
      'KENT',
      'BERN',
      'ITALY',
      'ITA',
      'DEU',
      'us',
      'US',
      'uk',
      '',
      undefined,
      'DE2211',
      'Deutschland',
    ])
      expect(regionCode(text)).toBeUndefined()
  })
})

describe('hostile JSON', () => {
  it('reads `__proto__` and `constructor` as data and leaves prototypes alone', () => {
    const json = JSON.parse(
      '{"__proto__":{"tender":{"title":"evil"}},"ocid":"ocds-h6vhtk-1","id":"1","tag":["tender"],' +
        '"tender":{"__proto__":{"title":"evil"},"constructor":1,"title_constructor":"x"},"buyer":{"name":"B"}}',
    )
    expect(notice(json).title).toBeUndefined()
    expect(({} as Json)['tender']).toBeUndefined()
  })

  it('never throws, whatever the members hold', () => {
    const hostile = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(1e308, -0, '', '1e9999', '__proto__', [], {}, null, true, '2026-02-30', [[[]]]),
    ) as fc.Arbitrary<unknown>
    const paths = [
      ['ocid'],
      ['id'],
      ['date'],
      ['tag'],
      ['parties'],
      ['buyer'],
      ['language'],
      ['tender'],
      ['awards'],
      ['contracts'],
      ['relatedProcesses'],
      ['planning'],
      ['bids'],
      ...[
        'id',
        'title',
        'status',
        'lots',
        'items',
        'value',
        'documents',
        'tenderPeriod',
        'classification',
        'techniques',
        'amendments',
        'procurementMethod',
        'numberOfTenderers',
        'legalBasis',
      ].map((key) => ['tender', key]),
    ]
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...paths), hostile), { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        (changes, isRecord) => {
          const json = release({ awards: [{ id: 'a', suppliers: [{ id: 'S1' }], relatedLots: ['1'] }] })
          for (const [path, value] of changes) {
            let at: Json = json
            for (const key of path.slice(0, -1))
              at = (typeof at[key] === 'object' && at[key] !== null ? at[key] : {}) as Json
            if (!Array.isArray(at)) at[path.at(-1)!] = value
          }
          const parts = parseOcds(isRecord ? { records: [{ compiledRelease: json }] } : { releases: [json] })
          expect(parts).toHaveLength(1)
          for (const part of parts)
            if ('notice' in part) expect(JSON.parse(JSON.stringify(part.notice))).toEqual(part.notice)
        },
      ),
      { numRuns: proofCount({ share: 120, full: 15_000 }) },
    )
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 8 }), (json) => parseOcds(json).length > 0))
  })
})
