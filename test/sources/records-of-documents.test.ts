// From a published document to the record: what a notice says about winners, amounts, lots and codes must be in what is
// served.
import { describe, expect, test } from 'vitest'
import { mergeTender } from '../../src/consolidate/merge.ts'
import type { TenderContent } from '../../src/domain/tender.ts'
import { parseDocument, parserOf } from '../../src/sources/parse-document.ts'
import { parseCatalunya } from '../../src/sources/portals/es/parse-catalunya.ts'
import {
  sampleBody,
  sampleContractor,
  sampleDocument,
  sampleForm,
  sampleLot,
  sampleObject,
} from '../testing/ted-export-forms.ts'

/** The record of these documents a few days after they came out. */
function recordOf(...documents: readonly string[]): TenderContent {
  const notices = documents.flatMap((text) =>
    parseDocument(Buffer.from(text)).map((part) => {
      if (!('notice' in part)) throw new Error(JSON.stringify(part))
      return part.notice
    }),
  )
  const { content } = mergeTender('00000000-0000-8000-8000-000000000001', notices, {
    now: Date.parse('2021-01-10T12:00:00.000Z'),
    isSucceeded: false,
  })
  return JSON.parse(content) as TenderContent
}

const eur = (value: number) => ({ value, currency: 'EUR' })
const names = (record: TenderContent): string[][] =>
  record.lots.map((lot) => (lot.winners ?? []).map((winner) => winner.name))

const money = (name: string, value: number) => `<${name} CURRENCY="EUR">${value}</${name}>`
const award = (lot: string | undefined, contractor: string, value?: number, inner = '') => `<AWARD_CONTRACT ITEM="1">
  ${lot === undefined ? '' : `<LOT_NO>${lot}</LOT_NO>`}<AWARDED_CONTRACT><DATE_CONCLUSION_CONTRACT>2020-12-20</DATE_CONCLUSION_CONTRACT>
  ${sampleContractor(contractor)}${value === undefined ? '' : `<VALUES>${money('VAL_TOTAL', value)}</VALUES>`}${inner}</AWARDED_CONTRACT></AWARD_CONTRACT>`

const intention = (awards: string, object = sampleObject(sampleLot(undefined))) =>
  sampleDocument({
    documentType: 'V',
    procedure: 'T',
    forms: sampleForm('F15', `${sampleBody}${object}<PROCEDURE><PT_AWARD_CONTRACT_WITHOUT_CALL/></PROCEDURE>${awards}`),
  })

const modification = (number: string, contractor: string, now: string, lot?: string) =>
  sampleDocument({
    number,
    documentType: 'K',
    procedure: 'Z',
    noticeData: '<REF_NOTICE><NO_DOC_OJS>2019/S 001-000001</NO_DOC_OJS></REF_NOTICE>',
    forms: sampleForm(
      'F20',
      `${sampleBody}${sampleObject(sampleLot(lot))}${award(lot, contractor, 100_000)}<MODIFICATIONS_CONTRACT>${now}</MODIFICATIONS_CONTRACT>`,
    ),
  })

describe('the winners and amounts of a direct award announced beforehand (F15)', () => {
  test('are in the record, whose lot is still pending', () => {
    const record = recordOf(intention(award(undefined, 'Bau AG', 340_000)))
    expect(record).toMatchObject({
      status: 'awardIntended',
      awardedAmount: eur(340_000),
      lots: [{ status: 'pending', awardedAmount: eur(340_000), contractDate: '2020-12-20' }],
    })
    expect(names(record)).toEqual([['Bau AG']])
  })

  test('belong to their lots', () => {
    const object = sampleObject(`<LOT_DIVISION/>${sampleLot('1')}${sampleLot('2')}`)
    const record = recordOf(intention(award('1', 'Bau AG', 40_000) + award('2', 'Dach KG', 60_000), object))
    expect(names(record)).toEqual([['Bau AG'], ['Dach KG']])
    expect(record.lots.map(({ awardedAmount }) => awardedAmount)).toEqual([eur(40_000), eur(60_000)])
    expect(record.awardedAmount).toEqual(eur(100_000))
  })

  test('belong to the lots of a call that failed before', () => {
    const call = sampleDocument({
      number: '2020/S 150-000600',
      forms: sampleForm(
        'F02',
        `${sampleBody}${sampleObject(sampleLot(undefined))}<PROCEDURE><PT_OPEN/><DATE_RECEIPT_TENDERS>2020-12-01</DATE_RECEIPT_TENDERS></PROCEDURE>`,
      ),
    })
      .replace('<DATE_PUB>20210104', '<DATE_PUB>20201005')
      .replace('<DS_DATE_DISPATCH>20201230', '<DS_DATE_DISPATCH>20201001')
    const record = recordOf(call, intention(award(undefined, 'Bau AG', 340_000)))
    expect(record).toMatchObject({ status: 'awardIntended', awardedAmount: eur(340_000) })
    expect(names(record)).toEqual([['Bau AG']])
  })

  test('yield to the award that followed', () => {
    const result = sampleDocument({
      number: '2021/S 004-000900',
      documentType: '7',
      procedure: 'T',
      forms: sampleForm(
        'F03',
        `${sampleBody}${sampleObject(sampleLot(undefined))}${award(undefined, 'Tief AG', 350_000)}`,
      ),
    })
    const record = recordOf(intention(award(undefined, 'Bau AG', 340_000)), result)
    expect(record).toMatchObject({ status: 'awarded', awardedAmount: eur(350_000) })
    expect(names(record)).toEqual([['Tief AG']])
  })
})

describe('the winners and amounts of a modified contract (F20)', () => {
  test('are in the record, as they are after the modification', () => {
    const now = `<DESCRIPTION_PROCUREMENT><VALUES>${money('VAL_TOTAL', 130_000)}</VALUES>${sampleContractor('Neu GmbH')}</DESCRIPTION_PROCUREMENT>
      <INFO_MODIFICATIONS><VALUES>${money('VAL_TOTAL_BEFORE', 100_000)}${money('VAL_TOTAL_AFTER', 130_000)}</VALUES></INFO_MODIFICATIONS>`
    const record = recordOf(modification('2021/S 004-000900', 'Alt GmbH', now))
    expect(record).toMatchObject({
      status: 'awarded',
      awardedAmount: eur(130_000),
      lots: [{ status: 'awarded', awardedAmount: eur(130_000) }],
    })
    expect(names(record)).toEqual([['Neu GmbH']])
  })

  test('are those of the contract if section VII names none', () => {
    const record = recordOf(modification('2021/S 004-000900', 'Alt GmbH', '<DESCRIPTION_PROCUREMENT/>'))
    expect(record.awardedAmount).toEqual(eur(100_000))
    expect(names(record)).toEqual([['Alt GmbH']])
  })

  test('count once for one contract, however often it is modified; those of two lots both count', () => {
    const after = (value: number) => `<INFO_MODIFICATIONS>${money('VAL_TOTAL_AFTER', value)}</INFO_MODIFICATIONS>`
    const [first, second] = [after(110_000), after(120_000)]
    const once = recordOf(
      modification('2021/S 002-000800', 'Alt GmbH', first),
      modification('2021/S 004-000900', 'Alt GmbH &amp; Co. KG', second),
    )
    expect(once).toMatchObject({ awardedAmount: eur(120_000), lots: [{ awardedAmount: eur(120_000) }] })
    const both = recordOf(
      modification('2021/S 002-000800', 'Alt GmbH', first, '1'),
      modification('2021/S 004-000900', 'Neu GmbH', second, '2'),
    )
    expect(both.awardedAmount).toEqual(eur(230_000))
    expect(names(both)).toEqual([['Alt GmbH'], ['Neu GmbH']])
  })
})

const ns = `xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"
  xmlns:ext="urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2"
  xmlns:efac="http://data.europa.eu/p27/eforms-ubl-extension-aggregate-components/1"
  xmlns:efbc="http://data.europa.eu/p27/eforms-ubl-extension-basic-components/1"
  xmlns:efext="http://data.europa.eu/p27/eforms-ubl-extensions/1"`

const company = (id: string, name: string) =>
  `<efac:Organization><efac:Company><cac:PartyIdentification><cbc:ID>${id}</cbc:ID></cac:PartyIdentification>\
<cac:PartyName><cbc:Name>${name}</cbc:Name></cac:PartyName>
  <cac:PostalAddress><cac:Country><cbc:IdentificationCode>DEU</cbc:IdentificationCode></cac:Country></cac:PostalAddress></efac:Company></efac:Organization>`
const eurAmount = (name: string, value: number) => `<cbc:${name} currencyID="EUR">${value}</cbc:${name}>`

const tender = (id: string, lot: string, party: string, value: number, inner = '') =>
  `<efac:LotTender><cbc:ID>${id}</cbc:ID>${inner}<cac:LegalMonetaryTotal>${eurAmount('PayableAmount', value)}</cac:LegalMonetaryTotal>
  <efac:TenderingParty><cbc:ID>${party}</cbc:ID></efac:TenderingParty><efac:TenderLot><cbc:ID>${lot}</cbc:ID></efac:TenderLot></efac:LotTender>`

/** An eForms notice with results: `noticeResult` is the content of `efac:NoticeResult`, `lots` elements of the root. */
const eforms = (
  subtype: string,
  listName: string,
  type: string,
  noticeResult: string,
  lots: string,
) => `<?xml version="1.0"?>
<ContractAwardNotice xmlns="urn:oasis:names:specification:ubl:schema:xsd:ContractAwardNotice-2" ${ns}>
<ext:UBLExtensions><ext:UBLExtension><ext:ExtensionContent><efext:EformsExtension>
<efac:NoticeResult>${noticeResult}<efac:TenderingParty><cbc:ID>TPA-1</cbc:ID><efac:Tenderer><cbc:ID>ORG-2</cbc:ID></efac:Tenderer></efac:TenderingParty>
<efac:TenderingParty><cbc:ID>TPA-2</cbc:ID><efac:Tenderer><cbc:ID>ORG-3</cbc:ID></efac:Tenderer></efac:TenderingParty></efac:NoticeResult>
<efac:NoticeSubType><cbc:SubTypeCode>${subtype}</cbc:SubTypeCode></efac:NoticeSubType>
<efac:Organizations>${company('ORG-1', 'Stadt Musterstadt')}${company('ORG-2', 'Bau AG')}${company('ORG-3', 'Dach KG')}</efac:Organizations>
<efac:Publication><efbc:NoticePublicationID schemeName="ojs-notice-id">00000700-2021</efbc:NoticePublicationID>\
<efbc:PublicationDate>2021-01-04+01:00</efbc:PublicationDate></efac:Publication>
</efext:EformsExtension></ext:ExtensionContent></ext:UBLExtension></ext:UBLExtensions>
<cbc:CustomizationID>eforms-sdk-1.10</cbc:CustomizationID><cbc:ID schemeName="notice-id">1b2c3d4e-0000-4000-8000-00000000bbbb</cbc:ID>
<cbc:IssueDate>2021-01-02+01:00</cbc:IssueDate><cbc:VersionID>01</cbc:VersionID>
<cbc:NoticeTypeCode listName="${listName}">${type}</cbc:NoticeTypeCode><cbc:NoticeLanguageCode>DEU</cbc:NoticeLanguageCode>
<cac:ContractingParty><cac:Party><cac:PartyIdentification><cbc:ID>ORG-1</cbc:ID></cac:PartyIdentification></cac:Party></cac:ContractingParty>
<cac:ProcurementProject><cbc:Name languageID="DEU">Neubau Rathaus</cbc:Name></cac:ProcurementProject>${lots}
</ContractAwardNotice>`

const eformsLot = (id: string, cpv = '45213100') =>
  `<cac:ProcurementProjectLot><cbc:ID schemeName="Lot">${id}</cbc:ID><cac:ProcurementProject><cbc:Name languageID="DEU">${id}</cbc:Name>
  <cac:MainCommodityClassification><cbc:ItemClassificationCode listName="cpv">${cpv}</cbc:ItemClassificationCode>\
</cac:MainCommodityClassification></cac:ProcurementProject></cac:ProcurementProjectLot>`
const named = (element: string, ids: readonly string[]) =>
  ids.map((id) => `<efac:${element}><cbc:ID>${id}</cbc:ID></efac:${element}>`).join('')
const contract = (id: string, tenders: readonly string[]) =>
  `<efac:SettledContract><cbc:ID>${id}</cbc:ID><cbc:IssueDate>2020-12-20+01:00</cbc:IssueDate>` +
  `${named('LotTender', tenders)}</efac:SettledContract>`
const lotResult = (lot: string, tenders: readonly string[], contracts: readonly string[], code = '') =>
  `<efac:LotResult>${code}${named('LotTender', tenders)}${named('SettledContract', contracts)}
  <efac:TenderLot><cbc:ID>${lot}</cbc:ID></efac:TenderLot></efac:LotResult>`

describe('the winners and amounts of eForms', () => {
  test.each([
    ['25', 'dir-awa-pre', 'veat', 'awardIntended'],
    ['27', 'dir-awa-pre', 'veat', 'awardIntended'],
    ['29', 'result', 'can-standard', 'awarded'],
    ['38', 'cont-modif', 'can-modif', 'awarded'],
    ['40', 'cont-modif', 'can-modif', 'awarded'],
  ])('of subtype %s are in the record', (subtype, listName, type, status) => {
    const document = eforms(
      subtype,
      listName,
      type,
      eurAmount('TotalAmount', 340_000) +
        lotResult('LOT-0001', ['TEN-1'], ['CON-1']) +
        tender('TEN-1', 'LOT-0001', 'TPA-1', 340_000) +
        contract('CON-1', ['TEN-1']),
      eformsLot('LOT-0001'),
    )
    const record = recordOf(document)
    expect(record).toMatchObject({ status, awardedAmount: eur(340_000), lots: [{ awardedAmount: eur(340_000) }] })
    expect(names(record)).toEqual([['Bau AG']])
  })
})

describe('the winners and amounts of OCDS', () => {
  test.each([['award'], ['contract'], ['contractAmendment']])('of a release tagged %s are in the record', (tag) => {
    const record = recordOf(
      JSON.stringify({
        ocid: 'ocds-b5fd17-77',
        id: '77-1',
        date: '2021-01-04T10:00:00Z',
        tag: [tag],
        language: 'en',
        buyer: { name: 'Example Borough' },
        tender: { id: 'T-77', title: 'Town hall', procurementMethod: 'limited' },
        awards: [
          {
            id: 'a1',
            status: 'active',
            date: '2020-12-20T00:00:00Z',
            value: { amount: 340_000, currency: 'GBP' },
            suppliers: [{ name: 'Builders Ltd' }],
          },
        ],
        contracts: [{ id: 'c1', awardID: 'a1', value: { amount: 340_000, currency: 'GBP' } }],
      }),
    )
    expect(record).toMatchObject({ status: 'awarded', awardedAmount: { value: 340_000, currency: 'GBP' } })
    expect(names(record)).toEqual([['Builders Ltd']])
  })
})

describe('the amount of a lot with several contractors', () => {
  const amounts = (record: TenderContent) => record.lots.map(({ awardedAmount }) => awardedAmount?.value)
  const result = (awards: string, total?: number, lots = sampleLot(undefined)) =>
    recordOf(
      sampleDocument({
        documentType: '7',
        forms: sampleForm(
          'F03',
          `${sampleBody}${sampleObject(`${total === undefined ? '' : money('VAL_TOTAL', total)}${lots}`)}<PROCEDURE>` +
            `<PT_OPEN/><FRAMEWORK/></PROCEDURE>${awards}`,
        ),
      }),
    )
  const three =
    award(undefined, 'Bau AG', 400_000) + award(undefined, 'Dach KG', 400_000) + award(undefined, 'Tief AG', 400_000)

  test('is their common ceiling once, with and without a total', () => {
    for (const total of [400_000, 1_000_000, undefined]) expect(amounts(result(three, total))).toEqual([400_000])
    expect(result(three)).toMatchObject({ awardedAmount: eur(400_000) })
  })

  test('is the sum if the total of the notice shows it, or if one contractor has several contracts', () => {
    expect(amounts(result(three, 1_200_000))).toEqual([1_200_000])
    const twice = award(undefined, 'Bau AG', 400_000) + award(undefined, 'Bau AG', 400_000)
    expect(amounts(result(twice))).toEqual([800_000])
    const others = award(undefined, 'Bau AG', 400_000) + award(undefined, 'Dach KG', 300_000)
    expect(amounts(result(others))).toEqual([700_000])
  })

  test("above the notice's total becomes the total for an only lot, and unknown for one of several", () => {
    expect(amounts(result(award(undefined, 'Bau AG', 490_000), 400_000))).toEqual([400_000])
    const two = `<LOT_DIVISION/>${sampleLot('1')}${sampleLot('2')}`
    expect(amounts(result(award('1', 'Bau AG', 490_000) + award('2', 'Dach KG', 9_000), 400_000, two))).toEqual([
      undefined,
      9_000,
    ])
  })

  test('is their common ceiling once in eForms, however the results list the tenders', () => {
    const ceiling = (result: string) =>
      recordOf(
        eforms(
          '29',
          'result',
          'can-standard',
          result +
            tender('TEN-1', 'LOT-0001', 'TPA-1', 400_000) +
            tender('TEN-2', 'LOT-0001', 'TPA-2', 400_000) +
            contract('CON-1', ['TEN-1']) +
            contract('CON-2', ['TEN-2']),
          eformsLot('LOT-0001'),
        ),
      )
    const together = lotResult('LOT-0001', ['TEN-1', 'TEN-2'], ['CON-1', 'CON-2'])
    const apart = lotResult('LOT-0001', ['TEN-1'], ['CON-1']) + lotResult('LOT-0001', ['TEN-2'], ['CON-2'])
    for (const record of [ceiling(together), ceiling(apart), ceiling(together + together)]) {
      expect(amounts(record)).toEqual([400_000])
      expect(names(record)).toEqual([['Bau AG', 'Dach KG']])
    }
    expect(amounts(ceiling(eurAmount('TotalAmount', 800_000) + together))).toEqual([800_000])
  })

  test('is their common ceiling once in OCDS, and so is the total that the release leaves out', () => {
    const supplier = (id: string, name: string) => ({
      id,
      status: 'active',
      value: { amount: 400_000, currency: 'GBP' },
      suppliers: [{ name }],
      relatedLots: ['1'],
    })
    const record = recordOf(
      JSON.stringify({
        ocid: 'ocds-b5fd17-78',
        id: '78-1',
        date: '2021-01-04T10:00:00Z',
        tag: ['award'],
        buyer: { name: 'Example Borough' },
        tender: { id: 'T-78', title: 'Framework for roofs', lots: [{ id: '1' }] },
        awards: [supplier('a', 'Builders Ltd'), supplier('b', 'Roofers Ltd')],
      }),
    )
    expect(record.awardedAmount?.value).toBe(400_000)
    expect(amounts(record)).toEqual([400_000])
  })
})

describe('the tenders of an eForms lot that lost', () => {
  const received = (count: number) =>
    '<efac:ReceivedSubmissionsStatistics><efbc:StatisticsCode>tenders</efbc:StatisticsCode>' +
    `<efbc:StatisticsNumeric>${count}</efbc:StatisticsNumeric></efac:ReceivedSubmissionsStatistics>`
  const code = '<cbc:TenderResultCode>selec-w</cbc:TenderResultCode>'
  const rank = (place: number) => `<cbc:RankCode>${place}</cbc:RankCode>`
  const record = (result: string, contracts: string, ranks: readonly string[] = ['', '']) =>
    recordOf(
      eforms(
        '29',
        'result',
        'can-standard',
        result +
          tender('TEN-1', 'LOT-0002', 'TPA-1', 400_000, ranks[0]) +
          tender('TEN-2', 'LOT-0002', 'TPA-2', 450_000, ranks[1]) +
          contracts,
        eformsLot('LOT-0002'),
      ),
    )
  const listed = lotResult('LOT-0002', ['TEN-1', 'TEN-2'], [], code + received(2))

  test.each<[string, () => TenderContent]>([
    [
      'the contract of the result',
      () => record(lotResult('LOT-0002', ['TEN-1', 'TEN-2'], ['CON-1'], code), contract('CON-1', ['TEN-1'])),
    ],
    ['a contract that the result does not name', () => record(listed, contract('CON-1', ['TEN-1']))],
    [
      'the rank in a contract that names both',
      () =>
        record(lotResult('LOT-0002', ['TEN-1', 'TEN-2'], ['CON-1'], code), contract('CON-1', ['TEN-1', 'TEN-2']), [
          rank(1),
          rank(2),
        ]),
    ],
    ['the rank without a contract', () => record(listed, '', [rank(1), rank(2)])],
  ])('are left out by %s', (_, read) => {
    const found = read()
    expect(names(found)).toEqual([['Bau AG']])
    expect(found.awardedAmount).toEqual(eur(400_000))
  })

  test('are not distinguished from the winner if the result has all received tenders, and nothing more', () => {
    const found = record(listed, '')
    expect(names(found)).toEqual([[]])
    expect(found).not.toHaveProperty('awardedAmount')
    expect(found.status).toBe('awarded')
  })
})

describe('lots and codes', () => {
  test('of an eForms lot whose ID is repeated both exist; the same lot repeated is one', () => {
    const ids = (lots: string) => {
      const record = recordOf(eforms('16', 'competition', 'cn-standard', '', lots))
      return record.lots.map(({ lotId, cpvCodes }) => `${lotId} ${cpvCodes.join()}`)
    }
    expect(ids(eformsLot('LOT-0001') + eformsLot('LOT-0001', '45262210'))).toEqual([
      'LOT-0001 45213100',
      'LOT-0001#2 45262210',
    ])
    expect(ids(eformsLot('LOT-0001') + eformsLot('LOT-0001'))).toEqual(['LOT-0001 45213100'])
  })

  test.each(['1/ Secondo in cascata', '1/Secondo in cascata', '1 - secondo', '1-secondo', 'Lotto 1/ terzo'])(
    'of a contractor in line (%s) are those of the lot, not a lot of their own',
    (number) => {
      const lots = `<LOT_DIVISION/>${sampleLot('1')}${sampleLot('2')}`
      const record = recordOf(
        sampleDocument({
          documentType: '7',
          forms: sampleForm(
            'F03',
            `${sampleBody}${sampleObject(lots)}${award('1', 'Bau AG', 40_000)}${award(number, 'Dach KG', 30_000)}${award('2', 'Tief AG', 9_000)}`,
          ),
        }),
      )
      expect(record.lots.map(({ lotId }) => lotId)).toEqual(['1', '2'])
      expect(names(record)).toEqual([['Bau AG', 'Dach KG'], ['Tief AG']])
    },
  )

  test('keep the header’s CPV codes in a corrigendum and a modification', () => {
    const header = '<ORIGINAL_CPV CODE="71320000">x</ORIGINAL_CPV>'
    const corrigendum = sampleDocument({
      documentType: '2',
      noticeData: header,
      forms: sampleForm('F14', `${sampleBody}${sampleObject('')}<CHANGES/>`),
    })
    const modified = modification('2021/S 004-000900', 'Alt GmbH', '').replace('<REF_NOTICE>', `${header}<REF_NOTICE>`)
    for (const document of [corrigendum, modified]) {
      expect(recordOf(document).cpvCodes).toContain('45213100')
      expect(recordOf(document).cpvCodes).toContain('71320000')
    }
  })

  test('fold NUTS codes with the letters of ISO 3166 to those of NUTS', () => {
    const document = sampleDocument({
      country: 'GR',
      forms: sampleForm(
        'F02',
        `${sampleBody}${sampleObject(sampleLot(undefined).replace('CODE="DE212"', 'CODE="GR300"'))}<PROCEDURE><PT_OPEN/></PROCEDURE>`,
      ),
    })
    expect(recordOf(document)).toMatchObject({
      nutsCodes: ['EL300'],
      realizedLocation: { country: 'GR', nuts: 'EL300' },
    })
  })
})

describe('a deadline in a year that stands for no deadline', () => {
  test.each(['2099-12-31', '9999-12-31', '1900-01-01'])('(%s) is dropped', (date) => {
    const lot = eformsLot('LOT-0001').replace(
      '</cac:ProcurementProjectLot>',
      `<cac:TenderingProcess><cac:TenderSubmissionDeadlinePeriod><cbc:EndDate>${date}+01:00</cbc:EndDate>` +
        '<cbc:EndTime>12:00:00+01:00</cbc:EndTime></cac:TenderSubmissionDeadlinePeriod></cac:TenderingProcess>' +
        '</cac:ProcurementProjectLot>',
    )
    const record = recordOf(eforms('16', 'competition', 'cn-standard', '', lot))
    expect(record).not.toHaveProperty('submissionDate')
    expect(record.lots[0]).not.toHaveProperty('submissionDate')
    expect(record).toMatchObject({ status: 'open', isDeadlineUnknown: true })
    const release = {
      ocid: 'ocds-b5fd17-79',
      id: '79-1',
      date: '2021-01-04T10:00:00Z',
      tag: ['tender'],
      buyer: { name: 'Example Borough' },
      tender: { id: 'T-79', title: 'Salt', tenderPeriod: { endDate: `${date}T12:00:00Z` } },
    }
    expect(recordOf(JSON.stringify(release))).not.toHaveProperty('submissionDate')
  })
})

describe("a framework's maximum", () => {
  const lot = (id: string, value: number) =>
    eformsLot(id).replace(
      '</cac:ProcurementProject>',
      `<cac:RequestedTenderTotal>${eurAmount('EstimatedOverallContractAmount', value)}</cac:RequestedTenderTotal></cac:ProcurementProject>`,
    )
  const record = (maximum: number) =>
    recordOf(
      eforms(
        '16',
        'competition',
        'cn-standard',
        '',
        [1, 2, 3].map((n) => lot(`LOT-000${n}`, 5_500_000)).join(''),
      ).replace(
        '</cac:ProcurementProject>',
        '<cac:RequestedTenderTotal><ext:UBLExtensions><ext:UBLExtension><ext:ExtensionContent>' +
          '<efext:EformsExtension><efbc:FrameworkMaximumAmount ' +
          `currencyID="EUR">${maximum}</efbc:FrameworkMaximumAmount></efext:EformsExtension>` +
          '</ext:ExtensionContent></ext:UBLExtension></ext:UBLExtensions></cac:RequestedTenderTotal>' +
          '</cac:ProcurementProject>',
      ),
    ).contractAmount?.value

  test('for the procedure counts where the estimates of the lots add up to more', () => {
    expect(record(5_500_000)).toBe(5_500_000)
    expect(record(20_000_000)).toBe(16_500_000)
  })
})

describe('an organization in OCDS that names no country', () => {
  const release = (ocid: string, address?: object) =>
    JSON.stringify({
      ocid,
      id: '80-1',
      date: '2021-01-04T10:00:00Z',
      tag: ['tender'],
      buyer: { id: 'b', name: 'Example Council' },
      parties: [{ id: 'b', name: 'Example Council', roles: ['buyer'], ...(address ? { address } : {}) }],
      tender: { id: 'T-80', title: 'Salt' },
    })
  const buyerCountry = (source: Parameters<typeof parserOf>[0], text: string) =>
    parserOf(source)(Buffer.from(text)).map((part) =>
      'notice' in part ? part.notice.contractingAuthorities[0]?.country : part,
    )

  test('is in the country of the portal, known by its prefix or by its card', () => {
    expect(buyerCountry({}, release('ocds-b5fd17-80'))).toEqual(['GB'])
    expect(buyerCountry({ country: 'UG' }, release('ocds-aaaaaa-80'))).toEqual(['UG'])
    expect(buyerCountry({ country: 'ZZ' }, release('ocds-aaaaaa-80'))).toEqual([undefined])
    expect(buyerCountry({ country: 'UG' }, release('ocds-aaaaaa-80', { countryName: 'Kenya' }))).toEqual(['KE'])
  })
})

describe('the values of Catalonia', () => {
  test('give the estimated value of the contract, not its budget', () => {
    const row = {
      codi_expedient: 'X-1',
      codi_organ: '17',
      fase_publicacio: 'Anunci de licitació',
      objecte_contracte: 'Neteja',
      nom_organ: 'Ajuntament Exemple',
      pressupost_licitacio_sense_iva_expedient: '50000',
      valor_estimat_contracte: '120000',
    }
    const value = (from: object) =>
      parseCatalunya(Buffer.from(JSON.stringify(from))).map((part) =>
        'notice' in part ? part.notice.estimatedValue?.value : part,
      )
    expect(value(row)).toEqual([120_000])
    expect(value({ ...row, valor_estimat_contracte: undefined })).toEqual([50_000])
  })
})
