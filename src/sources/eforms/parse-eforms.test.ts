import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Notice } from '../../domain/notice.ts'
import { parseXml } from '../xml/xml.ts'
import { parseEforms } from './parse-eforms.ts'
import { parseNoticeReference } from './read-references.ts'

const fixture = (name: string): string => readFileSync(new URL(`./fixtures/${name}.xml`, import.meta.url), 'utf8')

function noticeOf(text: string): Notice {
  const [part] = parseEforms(parseXml(text))
  if (!part || !('notice' in part)) throw new Error(JSON.stringify(part))
  return part.notice
}

function reasonOf(text: string): string {
  const [part] = parseEforms(parseXml(text))
  return part && 'rejection' in part ? part.rejection.reason : 'read'
}

describe('a contract notice of TED', () => {
  const notice = noticeOf(fixture('ted-contract-notice'))

  it('is known by its number in the Official Journal, and has its other IDs', () => {
    expect(notice).toMatchObject({
      noticeKey: 'ted:12345-2024',
      publisher: 'ted',
      format: 'eforms',
      profile: 'eforms-sdk-1.10',
      noticeId: '1b2c3d4e-0000-4000-8000-00000000bbbb',
      noticeVersion: '02',
      publicationNumber: '12345-2024',
      procedureId: '5a5a5a5a-0000-4000-8000-000000000001',
      internalReference: '2024/V-17',
      formType: 'competition',
      noticeType: 'cn-standard',
      noticeSubtype: '16',
      legalBasis: '32014L0024',
      procedureType: 'open',
      contractNature: 'works',
      url: 'https://ted.europa.eu/en/notice/-/detail/12345-2024',
    })
  })

  it('keeps all official languages, its own first, with entities that were encoded twice decoded', () => {
    expect(notice.languages).toEqual(['de', 'fr'])
    expect(Object.entries(notice.title!)).toEqual([
      ['de', 'Sanierung der Grundschule am Grünen Weg'],
      ['fr', "Rénovation de l'école"],
    ])
    expect(notice.description).toEqual({ de: 'Dach und\nFassade & mehr.' })
    expect(notice.lots[0]!.title).toEqual({ de: 'Dach', fr: 'Toit' })
  })

  it('reads its dates with their offsets; the stamped day of publication counts, not the wished one', () => {
    expect(notice.publicationDate).toBe('2024-01-11T23:00:00.000Z')
    expect(notice.dispatchDate).toBe('2024-01-10T14:04:05.123Z')
  })

  it('reads deadlines: the time’s offset before the date’s, a bare time in the buyer’s zone, a bare date as its end', () => {
    const [first, second] = notice.lots
    expect(first!.submissionDate).toBe('2024-02-20T09:00:00.000Z')
    expect(second).toMatchObject({
      submissionDate: '2024-07-01T21:59:59.000Z',
      participationDate: '2024-02-15T09:30:00.000Z',
      interestDate: '2024-03-01T12:00:00.000Z',
    })
  })

  it('reads the deadline of the procedure if no lot has one, and its period for the only lot', () => {
    const text = fixture('ted-contract-notice')
    const deadline = /<cac:TenderSubmissionDeadlinePeriod>.*?<\/cac:TenderSubmissionDeadlinePeriod>/s.exec(text)![0]
    const period = /<cac:PlannedPeriod>.*?<\/cac:PlannedPeriod>/s.exec(text)![0]
    const [lots] = /<cac:ProcurementProjectLot>.*<\/cac:ProcurementProjectLot>/s.exec(text)!
    const general = text
      .replace(
        lots,
        '<cac:ProcurementProjectLot><cbc:ID schemeName="Lot">LOT-0000</cbc:ID></cac:ProcurementProjectLot>',
      )
      .replace('</cac:TenderingProcess>', `${deadline}</cac:TenderingProcess>`)
      .replace('</cac:ProcurementProject>', `${period}</cac:ProcurementProject>`)
    expect(noticeOf(general)).toMatchObject({
      submissionDate: '2024-02-20T09:00:00.000Z',
      lots: [{ lotId: 'LOT-0000', duration: { value: 18, unit: 'MONTH' } }],
    })
    expect(noticeOf(text).submissionDate).toBeUndefined()
  })

  it('reads buyers in order, names in the notice’s own language, placeholders as missing, touch points as their organization', () => {
    expect(notice.contractingAuthorities).toEqual([
      {
        name: 'Stadt Musterstadt',
        nationalId: 'DE 999 000 111',
        street: 'Am Markt 1',
        city: 'Musterstadt',
        postalCode: '99999',
        country: 'DE',
        nutsCode: 'DEG0G',
        contactName: 'Vergabestelle',
        email: 'vergabe@musterstadt.example',
        phone: '+49 3600 1',
        url: 'https://www.musterstadt.example',
      },
      { name: 'Landkreis Musterland', country: 'DE', email: 'einkauf@musterland.example' },
    ])
    expect(notice.buyerProfileUrl).toBe('https://vergabe.musterstadt.example/profil?a=1&b=2')
  })

  it('reads values, codes and places; the nominal 1 is no value', () => {
    expect(notice.estimatedValue).toEqual({ value: 2500000.5, currency: 'EUR' })
    expect(notice.frameworkMaximum).toEqual({ value: 3000000, currency: 'EUR' })
    expect(notice.lots[0]!.estimatedValue).toBeUndefined()
    expect(notice.cpvCodes).toEqual(['45214210', '45261000'])
    expect(notice.nutsCodes).toEqual(['DEG0G'])
    expect(notice.place).toEqual({ country: 'DE', nutsCode: 'DEG0G', postalCode: '99999', city: 'Musterstadt' })
    expect([notice.isFramework, notice.isDynamicPurchasingSystem]).toEqual([true, false])
  })

  it('reads an amount with an empty currency in that of the country of the authority', () => {
    const text = fixture('ted-contract-notice').replaceAll('currencyID="EUR"', 'currencyID=""')
    expect(noticeOf(text).estimatedValue).toEqual({ value: 2500000.5, currency: 'EUR' })
    expect(noticeOf(text).frameworkMaximum).toEqual({ value: 3000000, currency: 'EUR' })
    const ofSweden = noticeOf(text.replaceAll('>DEU<', '>SWE<').replaceAll('>DE<', '>SE<'))
    expect(ofSweden.estimatedValue?.currency).toBe('SEK')
    expect(noticeOf(text.replaceAll('>DEU<', '>BGR<')).estimatedValue).toBeUndefined()
    const award = noticeOf(fixture('ted-award').replaceAll('currencyID="EUR"', 'currencyID=""'))
    expect(award).toMatchObject({ awardedValue: { value: 700000, currency: 'EUR' } })
    expect(award.lots[0]!.result).toMatchObject({ awardedValue: { currency: 'EUR' } })
  })

  it('reads lots without groups of lots, the open documents before the restricted ones', () => {
    expect(notice.lots.map((lot) => lot.lotId)).toEqual(['LOT-0001', 'LOT-0002'])
    expect(notice.lots[0]).toMatchObject({
      internalReference: 'Los A',
      cpvCodes: ['45261210'],
      nutsCodes: ['DEG0G'],
      place: { nutsCode: 'DEG0G' },
      documentsUrl: 'https://vergabe.example/offen',
      submissionUrl: 'https://vergabe.example/abgabe',
      duration: { value: 18, unit: 'MONTH' },
    })
    expect(notice.lots[1]!.duration).toEqual({ start: '2024-09-01', end: '2025-08-31' })
  })

  it('names the notice that it changes, the previous one and the planning one', () => {
    expect(notice.changeReasons).toEqual(['update-add'])
    expect(notice.references).toEqual([
      { kind: 'changes', noticeId: '1b2c3d4e-0000-4000-8000-00000000aaaa', noticeVersion: '01' },
      { kind: 'previous', publicationNumber: '777-2023' },
      { kind: 'planning', publicationNumber: '778-2023' },
    ])
  })
})

describe('an award notice of TED', () => {
  const notice = noticeOf(fixture('ted-award'))
  const results = Object.fromEntries(notice.lots.map((lot) => [lot.lotId, lot.result]))

  it('finds the winners through contract, tender and party, a consortium with all its members', () => {
    expect(results['LOT-0001']).toEqual({
      outcome: 'awarded',
      awardedValue: { value: 700000, currency: 'EUR' },
      winners: [{ name: 'Alpha SA', nationalId: '111' }, { name: 'Beta SARL' }, { name: 'Gamma SAS' }],
      contractDate: '2024-05-02',
      receivedTenders: 7,
    })
  })

  it('distinguishes lots without a winner, with the reason, from lots still open', () => {
    expect(results['LOT-0002']).toEqual({ outcome: 'not-awarded', reason: 'no-rece', receivedTenders: 0 })
    expect(results['LOT-0003']).toEqual({ outcome: 'pending' })
  })

  it('reads withheld codes and amounts as missing, and adds a lot that only the results name', () => {
    expect(results['LOT-0004']).toEqual({ outcome: 'awarded', winners: [{ name: 'Delta', isNaturalPerson: true }] })
    expect(notice.procedureType).toBeUndefined()
    expect(notice.description).toBeUndefined()
  })

  it('reads the values of the notice, the end of the purchasing system and each reference once', () => {
    expect(notice.awardedValue).toEqual({ value: 700000, currency: 'EUR' })
    expect(notice.frameworkMaximum).toEqual({ value: 900000, currency: 'EUR' })
    expect(notice.isDynamicPurchasingSystemTerminated).toBe(true)
    expect(notice.references).toEqual([{ kind: 'previous', publicationNumber: '100001-2024' }])
  })
})

it('reads the parts of a planning notice as lots, without a procedure id, and its earlier planning notice', () => {
  const notice = noticeOf(fixture('ted-prior-information'))
  expect(notice.formType).toBe('planning')
  expect(notice.procedureId).toBeUndefined()
  expect(notice.lots.map((lot) => [lot.lotId, lot.title])).toEqual([['PAR-0001', { pl: 'Odcinek północny' }]])
  expect(notice.references).toEqual([
    { kind: 'planning', noticeId: '4b2c3d4e-0000-4000-8000-00000000eeee', noticeVersion: '02' },
  ])
})

it('reads Doffin’s profile: its own id counts, an old journal number and unofficial languages do not', () => {
  const notice = noticeOf(fixture('doffin-notice'))
  expect(notice).toMatchObject({
    noticeKey: 'doffin:6b2c3d4e-0000-4000-8000-000000000001-01',
    publisher: 'doffin',
    publicationDate: '2023-09-27T22:00:00.000Z',
    noticeSubtype: 'N16',
    legalBasis: 'other',
    contractNature: 'services',
    title: { nb: 'Vintervedlikehold' },
  })
  expect(notice.publicationNumber).toBeUndefined()
})

describe('the German below-threshold channel', () => {
  it('makes a call with a numeric ID, the buyer split, several CPV codes in a cell and a day as the deadline', () => {
    const notice = noticeOf(fixture('doe-below-threshold'))
    expect(notice).toMatchObject({
      noticeKey: 'doe:90000001-01',
      publisher: 'doe',
      noticeId: '90000001',
      language: 'de',
      title: { de: 'Turnhalle, Bodenbelag' },
      procedureType: 'open',
      procedureTypeNational: 'de-open',
      publicationDate: '2026-07-16T22:00:00.000Z',
      cpvCodes: ['45432111', '44112200', '43000000', '44000000'],
      nutsCodes: ['DE2'],
      place: { country: 'DE', nutsCode: 'DE2', postalCode: '97001', city: 'Beispielheim' },
      contractingAuthorities: [
        {
          name: 'Verwaltungsgemeinschaft Beispiel',
          street: 'Hauptstr. 7',
          postalCode: '97000',
          city: 'Beispielheim',
          phone: '+49 930 12',
          email: 'bau@beispielheim.example',
          url: 'https://www.beispielheim.example',
        },
      ],
    })
    expect(notice.procedureId).toBeUndefined()
    expect(notice.dispatchDate).toBeUndefined()
    expect(notice.lots[0]).toMatchObject({
      submissionDate: '2026-08-13T21:59:59.000Z',
      documentsUrl: 'https://vergabe.example/90000001',
    })
  })

  it('makes an award with its winner, without the placeholder date and with the procedure in words', () => {
    const notice = noticeOf(fixture('doe-below-threshold-award'))
    expect(notice.noticeKey).toBe('doe:90000002-02')
    expect(notice.lots[0]!.result).toEqual({ outcome: 'awarded', winners: [{ name: 'Muster GmbH' }] })
    expect(notice.procedureType).toBeUndefined()
    expect(notice.procedureTypeNational).toBe('beabsichtigte Beschränkte Ausschreibung')
  })
})

it('reads a modification: what it modifies, and its lots as awarded although no code says so', () => {
  const notice = noticeOf(fixture('modification'))
  expect(notice).toMatchObject({ publisher: 'doe', formType: 'cont-modif', contractingAuthorities: [] })
  expect(notice.references).toEqual([{ kind: 'modifies', publicationNumber: '498765-2019' }])
  expect(notice.lots).toEqual([{ lotId: 'LOT-0001', cpvCodes: [], nutsCodes: [], result: { outcome: 'awarded' } }])
})

describe('references', () => {
  it.each([
    [
      '1B2C3D4E-0000-4000-8000-00000000AAAA-01',
      { noticeId: '1b2c3d4e-0000-4000-8000-00000000aaaa', noticeVersion: '01' },
    ],
    ['1b2c3d4e-0000-4000-8000-00000000aaaa', { noticeId: '1b2c3d4e-0000-4000-8000-00000000aaaa' }],
    [' 00123456-2024 ', { publicationNumber: '123456-2024' }],
    ['094883-2023', { publicationNumber: '94883-2023' }],
    ['2024/S 012-0123456', { publicationNumber: '123456-2024' }],
    ['2015/S229-417277', { publicationNumber: '417277-2015' }],
    ['17750180-1', { noticeId: '17750180', noticeVersion: '1' }],
    ['siehe oben', undefined],
    ['0-2024', undefined],
    ['', undefined],
  ])('%j', (text, expected) => {
    expect(parseNoticeReference(text)).toEqual(expected)
  })
})

describe('a document that is not a usable notice', () => {
  const ns =
    'xmlns="urn:oasis:names:specification:ubl:schema:xsd:ContractNotice-2" ' +
    'xmlns:a="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" ' +
    'xmlns:b="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"'

  it('is refused with the reason', () => {
    expect(reasonOf(`<ContractNotice ${ns}/>`)).toBe('missing-identity')
    expect(reasonOf(`<ContractNotice ${ns}><b:ID>7</b:ID></ContractNotice>`)).toBe('missing-content')
    expect(
      reasonOf(
        `<ContractNotice ${ns}><b:ID>7</b:ID><b:NoticeTypeCode listName="bri">x</b:NoticeTypeCode></ContractNotice>`,
      ),
    ).toBe('not-procurement')
    expect(
      reasonOf(
        '<BusinessRegistrationInformationNotice xmlns="http://data.europa.eu/p27/eforms-business-registration-information-notice/1"/>',
      ),
    ).toBe('not-procurement')
  })

  it('reads a title or a buyer alone leniently', () => {
    const project = '<a:ProcurementProject><b:Name>Brücke</b:Name></a:ProcurementProject>'
    expect(noticeOf(`<ContractNotice ${ns}><b:ID>7</b:ID>${project}</ContractNotice>`)).toMatchObject({
      noticeKey: 'eforms:7',
      language: 'und',
      title: { und: 'Brücke' },
      formType: 'competition',
      lots: [],
    })
    const party =
      '<a:ContractingParty><a:Party><a:PartyName><b:Name>Amt</b:Name></a:PartyName></a:Party></a:ContractingParty>'
    expect(noticeOf(`<ContractNotice ${ns}><b:ID>7</b:ID>${party}</ContractNotice>`).title).toBeUndefined()
  })

  it('leaves out texts in languages that are not official, unless there is no other', () => {
    const unofficial =
      '<x:UBLExtensions xmlns:x="urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2" ' +
      'xmlns:ea="http://data.europa.eu/p27/eforms-ubl-extension-aggregate-components/1" ' +
      'xmlns:ee="http://data.europa.eu/p27/eforms-ubl-extensions/1"><x:UBLExtension><x:ExtensionContent>' +
      '<ee:EformsExtension><ea:NonOfficialLanguages><a:Language><b:ID>ENG</b:ID></a:Language>' +
      '</ea:NonOfficialLanguages></ee:EformsExtension></x:ExtensionContent></x:UBLExtension></x:UBLExtensions>'
    const titleOf = (names: string) =>
      noticeOf(
        `<ContractNotice ${ns}>${unofficial}<b:ID>7</b:ID><b:NoticeLanguageCode>NOB</b:NoticeLanguageCode>` +
          `<a:ProcurementProject>${names}</a:ProcurementProject></ContractNotice>`,
      ).title
    const english = '<b:Name languageID="ENG">Bridge</b:Name>'
    expect(titleOf(`<b:Name languageID="NOB">Bro</b:Name>${english}`)).toEqual({ nb: 'Bro' })
    expect(titleOf(english)).toEqual({ en: 'Bridge' })
  })

  it('uses no preferred day of publication before the dispatch', () => {
    const wished = (day: string) =>
      noticeOf(
        `<ContractNotice ${ns}><b:ID>7</b:ID><b:IssueDate>2024-01-10Z</b:IssueDate>` +
          `<b:RequestedPublicationDate>${day}Z</b:RequestedPublicationDate><a:ProcurementProject><b:Name>x ` +
          'y</b:Name></a:ProcurementProject></ContractNotice>',
      ).publicationDate
    expect(wished('2024-01-09')).toBeUndefined()
    expect(wished('2024-01-10')).toBe('2024-01-10T00:00:00.000Z')
  })

  it('uses the first law that the terms name if the domain is empty, and no word for a kind of law', () => {
    const laws = ['CrossBorderLaw', 'LocalLegalBasis', 'vgv', 'uvgo']
      .map(
        (law) =>
          `<a:ProcurementLegislationDocumentReference><b:ID>${law}</b:ID></a:ProcurementLegislationDocumentReference>`,
      )
      .join('')
    const read = noticeOf(
      `<ContractNotice ${ns}><b:ID>7</b:ID><a:TenderingTerms>${laws}</a:TenderingTerms><a:ProcurementProject>` +
        '<b:Name>x y</b:Name></a:ProcurementProject></ContractNotice>',
    )
    expect(read.legalBasis).toBe('vgv')
  })

  it('uses the buyer profile of the first contracting party that has one', () => {
    const party = (profile: string): string =>
      `<a:ContractingParty>${profile}<a:Party><a:PartyName><b:Name>Amt</b:Name></a:PartyName></a:Party></a:ContractingParty>`
    const profile = '<b:BuyerProfileURI>https://amt.example/profil</b:BuyerProfileURI>'
    const read = noticeOf(`<ContractNotice ${ns}><b:ID>7</b:ID>${party('')}${party(profile)}</ContractNotice>`)
    expect(read.buyerProfileUrl).toBe('https://amt.example/profil')
  })

  it('accepts no date that the calendar or the clock does not have', () => {
    const lot = (date: string, time: string): string =>
      `<ContractNotice ${ns}><b:ID>7</b:ID><b:IssueDate>2024-02-30</b:IssueDate><a:ProcurementProject>` +
      '<b:Name>x y</b:Name></a:ProcurementProject><a:ProcurementProjectLot><b:ID>LOT-1</b:ID>' +
      `<a:TenderingProcess><a:TenderSubmissionDeadlinePeriod><b:EndDate>${date}</b:EndDate>` +
      `<b:EndTime>${time}</b:EndTime></a:TenderSubmissionDeadlinePeriod></a:TenderingProcess>` +
      '</a:ProcurementProjectLot></ContractNotice>'
    for (const [date, time] of [
      ['2024-02-30', '10:00:00'],
      ['2024-03-01', '24:61'],
      ['unpublished', ''],
      ['-1', '-1'],
    ]) {
      const notice = noticeOf(lot(date!, time!))
      expect(notice.lots[0]!.submissionDate).toBeUndefined()
      expect(notice.dispatchDate).toBeUndefined()
    }
    expect(noticeOf(lot('2024-03-01Z', '10:00:00Z')).lots[0]!.submissionDate).toBe('2024-03-01T10:00:00.000Z')
  })

  it('keeps one lot per id and numbers lots without one', () => {
    const lots = ['LOT-0002', '', 'LOT-0002', '']
      .map((id) => `<a:ProcurementProjectLot><b:ID>${id}</b:ID></a:ProcurementProjectLot>`)
      .join('')
    const notice = noticeOf(
      `<ContractNotice ${ns}><b:ID>7</b:ID><a:ProcurementProject><b:Name>x y</b:Name></a:ProcurementProject>${lots}</ContractNotice>`,
    )
    expect(notice.lots.map((lot) => lot.lotId)).toEqual(['LOT-0002', 'LOT-0003', 'LOT-0004'])
  })
})
