import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import {
  nutsNamespaces,
  rootNamespaces,
  type SampleDocument,
  sampleBody,
  sampleContractor,
  sampleDefenceAward,
  sampleDefenceCall,
  sampleDocument,
  sampleForm,
  sampleLot,
  sampleObject,
  sampleOldCorrigendum,
  sampleUtilitiesAward,
} from '../../../test/testing/ted-export-forms.ts'
import type { Notice } from '../../domain/notice.ts'
import { parseXml, type XmlElement } from '../xml/xml.ts'
import { parseTedExport } from './parse-ted-export.ts'

function parts(options: SampleDocument) {
  return parseTedExport(parseXml(sampleDocument(options)))
}

function notice(options: SampleDocument): Notice {
  const [part] = parts(options)
  if (!part || !('notice' in part)) throw new Error(`no notice: ${JSON.stringify(part)}`)
  return part.notice
}

const openProcedure = `<PROCEDURE><PT_OPEN/><FRAMEWORK/><NOTICE_NUMBER_OJ>2020/S 010-000020</NOTICE_NUMBER_OJ>
  <DATE_RECEIPT_TENDERS>2021-02-10</DATE_RECEIPT_TENDERS><TIME_RECEIPT_TENDERS>10:30</TIME_RECEIPT_TENDERS></PROCEDURE>`
const complement = '<COMPLEMENTARY_INFO><DATE_DISPATCH_NOTICE>2020-12-30</DATE_DISPATCH_NOTICE></COMPLEMENTARY_INFO>'
const dividedCall = sampleForm(
  'F02',
  sampleBody +
    sampleObject(
      '<VAL_ESTIMATED_TOTAL CURRENCY="EUR">1\u202f500 000,50</VAL_ESTIMATED_TOTAL>' +
        `<LOT_DIVISION/>${sampleLot('01', '<VAL_OBJECT CURRENCY="EUR">1000000</VAL_OBJECT><DURATION TYPE="MONTH">18</DURATION>')}${sampleLot('2')}`,
    ) +
    openProcedure +
    complement,
)

describe('contract notices', () => {
  it('reads identity, dates, codes, buyer, values, lots and references of a divided call (F02)', () => {
    expect(notice({ forms: dividedCall })).toEqual({
      noticeKey: 'ted:700-2021',
      publisher: 'ted',
      format: 'ted-export',
      profile: 'R2.0.9.S03.E01',
      publicationNumber: '700-2021',
      internalReference: 'RH-2021/7',
      formType: 'competition',
      noticeType: 'cn-standard',
      noticeSubtype: 'F02',
      legalBasis: '32014L0024',
      language: 'de',
      languages: ['de'],
      title: { de: 'Neubau Rathaus' },
      description: { de: 'Neubau eines Rathauses.\nZwei Bauabschnitte.' },
      // Midnight in Luxembourg; the dispatch is read in the buyer's zone.
      publicationDate: '2021-01-03T23:00:00.000Z',
      dispatchDate: '2020-12-29T23:00:00.000Z',
      contractingAuthorities: [
        {
          name: 'Stadt Musterstadt',
          nationalId: 'DE 999999990',
          street: 'Marktplatz 1',
          city: 'Musterstadt',
          postalCode: '80000',
          country: 'DE',
          nutsCode: 'DE212',
          contactName: 'Vergabestelle',
          email: 'vergabe@musterstadt.example',
          phone: '+49 89000',
          url: 'https://www.musterstadt.example',
        },
        { name: 'Landkreis Muster', city: 'Muster', country: 'DE' },
      ],
      buyerProfileUrl: 'https://profil.musterstadt.example/b',
      procedureType: 'open',
      contractNature: 'works',
      cpvCodes: ['45213100'],
      nutsCodes: ['DE212'],
      place: { country: 'DE', nutsCode: 'DE212', city: 'Musterstadt' },
      estimatedValue: { value: 1500000.5, currency: 'EUR' },
      isFramework: true,
      submissionDate: '2021-02-10T09:30:00.000Z',
      documentsUrl: 'https://vergabe.example/dok/17',
      submissionUrl: 'https://vergabe.example/abgabe/17',
      lots: [
        {
          lotId: '1',
          title: { de: 'Los 01' },
          description: { de: 'Arbeiten zu Los 01.' },
          cpvCodes: ['45262210'],
          nutsCodes: ['DE212'],
          place: { country: 'DE', nutsCode: 'DE212', city: 'Musterstadt' },
          estimatedValue: { value: 1000000, currency: 'EUR' },
          duration: { value: 18, unit: 'MONTH' },
        },
        {
          lotId: '2',
          title: { de: 'Los 2' },
          description: { de: 'Arbeiten zu Los 2.' },
          cpvCodes: ['45262210'],
          nutsCodes: ['DE212'],
          place: { country: 'DE', nutsCode: 'DE212', city: 'Musterstadt' },
        },
      ],
      references: [{ kind: 'planning', publicationNumber: '20-2020' }],
      url: 'https://ted.europa.eu/en/notice/-/detail/700-2021',
    })
  })

  it('matches names in every namespace the format was published in', () => {
    const expected = notice({ forms: dividedCall })
    for (const namespace of rootNamespaces) {
      for (const nuts of nutsNamespaces) expect(notice({ forms: dividedCall, namespace, nuts })).toEqual(expected)
    }
  })

  it('falls back to DOC_ID for the number and to the header for a deadline; a date alone ends with its day in the buyer’s zone', () => {
    const forms = sampleForm(
      'F02',
      `${sampleBody + sampleObject(sampleLot(undefined))}<PROCEDURE><PT_OPEN/></PROCEDURE>`,
    )
    expect(
      notice({ forms, number: '', coded: '<DT_DATE_FOR_SUBMISSION>20210701 09:00</DT_DATE_FOR_SUBMISSION>' }),
    ).toMatchObject({
      noticeKey: 'ted:700-2021',
      submissionDate: '2021-07-01T07:00:00.000Z',
    })
    expect(notice({ forms, coded: '<DT_DATE_FOR_SUBMISSION>20210701</DT_DATE_FOR_SUBMISSION>' }).submissionDate).toBe(
      '2021-07-01T21:59:59.000Z',
    )
  })

  it('reads the deadline of procedures with a first stage as one for requests to participate', () => {
    const forms = sampleForm(
      'F02',
      sampleBody + sampleObject(sampleLot(undefined)) + openProcedure.replace('PT_OPEN', 'PT_RESTRICTED'),
    )
    expect(notice({ forms })).toMatchObject({
      procedureType: 'restricted',
      participationDate: '2021-02-10T09:30:00.000Z',
    })
    expect(notice({ forms }).submissionDate).toBeUndefined()
  })

  it('gives a notice that is not divided one lot, whose codes are the procedure’s too', () => {
    const read = notice({
      forms: sampleForm('F02', sampleBody + sampleObject(`<NO_LOT_DIVISION/>${sampleLot(undefined)}`) + openProcedure),
    })
    expect(read.lots.map((lot) => lot.lotId)).toEqual(['1'])
    expect(read.cpvCodes).toEqual(['45213100', '45262210'])
  })

  it('prefers the form to the header, and accepts neither a range nor a sentinel as a value', () => {
    const header = '<VALUES><VALUE TYPE="ESTIMATED_TOTAL" CURRENCY="EUR">9 999</VALUE></VALUES>'
    const form = (value: string) =>
      sampleForm('F02', sampleBody + sampleObject(value + sampleLot(undefined)) + openProcedure)
    expect(
      notice({ forms: form('<VAL_ESTIMATED_TOTAL CURRENCY="PLN">5000</VAL_ESTIMATED_TOTAL>'), noticeData: header })
        .estimatedValue,
    ).toEqual({ value: 5000, currency: 'PLN' })
    expect(notice({ forms: form(''), noticeData: header }).estimatedValue).toEqual({ value: 9999, currency: 'EUR' })
    for (const value of [
      '<VAL_ESTIMATED_TOTAL CURRENCY="EUR">1.00</VAL_ESTIMATED_TOTAL>',
      '<VAL_RANGE_TOTAL CURRENCY="EUR"><LOW>5</LOW><HIGH>9</HIGH></VAL_RANGE_TOTAL>',
    ]) {
      expect(notice({ forms: form(value) }).estimatedValue).toBeUndefined()
    }
  })

  it('keeps all original languages, the header’s first, and no translation', () => {
    const german = sampleForm('F02', sampleBody + sampleObject(sampleLot('1') + sampleLot('2')) + openProcedure)
    const french = sampleForm(
      'F02',
      sampleBody + sampleObject(sampleLot('1') + sampleLot('2'), 'Hôtel de ville') + openProcedure,
      'FR',
    )
    const english = sampleForm(
      'F02',
      sampleBody + sampleObject(sampleLot('1'), 'Town hall') + openProcedure,
      'EN',
      'TRANSLATION',
    )
    expect(notice({ forms: english + german + french, languages: 'FR DE' })).toMatchObject({
      language: 'fr',
      languages: ['fr', 'de'],
      title: { fr: 'Hôtel de ville', de: 'Neubau Rathaus' },
    })
  })

  it('uses the title of the Official Journal only if the form has none, without country and town', () => {
    const forms = sampleForm(
      'F02',
      sampleBody +
        sampleObject(sampleLot(undefined)).replace(/<TITLE><P>Neubau Rathaus<\/P><\/TITLE>/, '') +
        openProcedure,
    )
    expect(notice({ forms }).title).toEqual({ de: 'Bauleistungen im Hochbau' })
    expect(notice({ forms: forms.replace('LG="DE"', 'LG="LT"'), languages: 'LT' }).title).toEqual({
      en: 'Building construction work',
    })
  })

  it('reads the United Kingdom as GB and its times in London', () => {
    const forms = dividedCall.replaceAll('COUNTRY VALUE="DE"', 'COUNTRY VALUE="UK"')
    expect(notice({ forms, country: 'UK' })).toMatchObject({
      contractingAuthorities: [{ country: 'GB' }, { country: 'GB' }],
      submissionDate: '2021-02-10T10:30:00.000Z',
    })
  })
})

describe('other announcements', () => {
  it('distinguishes planning from calls by prior information (F01) and makes each of several purchases a lot', () => {
    const object = (item: number) =>
      sampleObject(sampleLot(undefined), `Vorhaben ${item}`).replace(
        '<OBJECT_CONTRACT>',
        `<OBJECT_CONTRACT ITEM="${item}">`,
      )
    const forms = (type: string) =>
      sampleForm('F01', `<NOTICE TYPE="${type}"/>${sampleBody}${object(1)}${object(2)}${openProcedure}`)
    const planned = notice({ forms: forms('PRI_ONLY'), documentType: '0' })
    expect(planned).toMatchObject({ formType: 'planning', noticeType: 'pin-only', title: { de: 'Vorhaben 1' } })
    expect(planned.lots.map((lot) => [lot.lotId, lot.title])).toEqual([
      ['1', { de: 'Vorhaben 1' }],
      ['2', { de: 'Vorhaben 2' }],
    ])
    const call = notice({ forms: forms('PRI_CALL_COMPETITION'), documentType: 'A' })
    expect(call).toMatchObject({
      formType: 'competition',
      noticeType: 'pin-cfc-standard',
      participationDate: '2021-02-10T09:30:00.000Z',
    })
    // an estimate for one purchase does not apply to all
    const priced = forms('PRI_ONLY').replace(
      '<OBJECT_DESCR',
      '<VAL_ESTIMATED_TOTAL CURRENCY="EUR">5000</VAL_ESTIMATED_TOTAL><OBJECT_DESCR',
    )
    const { estimatedValue, lots } = notice({ forms: priced, documentType: '0' })
    expect([estimatedValue, lots.map((lot) => lot.estimatedValue?.value)]).toEqual([undefined, [5000, undefined]])
  })

  it.each([
    ['F21', 'CONTRACT', '3', 'competition', 'cn-social'],
    ['F21', 'AWARD_CONTRACT', '7', 'result', 'can-social'],
    ['F22', 'PER_CALL_COMPETITION', 'M', 'competition', 'pin-cfc-social'],
    ['F22', 'QSU_ONLY', 'Q', 'competition', 'qu-sy'],
    ['F23', 'CONCESSION_AWARD_CONTRACT', 'J', 'result', 'can-social'],
    ['F04', 'PER_ONLY', 'P', 'planning', 'pin-only'],
    ['F07', 'QSU_CALL_COMPETITION', 'O', 'competition', 'qu-sy'],
    ['F08', '', 'B', 'planning', 'pin-buyer'],
    ['F12', '', 'D', 'competition', 'cn-desg'],
    ['F24', '', 'C', 'competition', 'cn-standard'],
    ['F25', '', 'J', 'result', 'can-standard'],
  ])('reads form %s %s (document type %s) as %s, %s', (form, type, documentType, formType, noticeType) => {
    const forms = sampleForm(
      form,
      `${type ? `<NOTICE TYPE="${type}"/>` : ''}${sampleBody}${sampleObject(sampleLot(undefined))}${openProcedure}`,
    )
    expect(notice({ forms, documentType })).toMatchObject({ formType, noticeType, noticeSubtype: form })
  })

  it('recognizes the end of a qualification system (F07) and dynamic purchasing systems', () => {
    const system = sampleForm(
      'F07',
      sampleBody +
        sampleObject(sampleLot(undefined, '<DATE_START>2021-01-01</DATE_START><DATE_END>2024-12-31</DATE_END>')) +
        '<PROCEDURE/>',
    )
    expect(notice({ forms: system, documentType: 'O' }).validityEnd).toBe('2024-12-31T22:59:59.000Z')
    const dynamic = dividedCall.replace('<FRAMEWORK/>', '<DPS/><TERMINATION_DPS/>')
    expect(notice({ forms: dynamic })).toMatchObject({
      isDynamicPurchasingSystem: true,
      isDynamicPurchasingSystemTerminated: true,
    })
  })

  it('reads transport notices (T01, T02) with their regulation', () => {
    const inner = sampleBody + sampleObject(sampleLot(undefined)) + complement
    const form = (code: string) =>
      `<MOVE CATEGORY="ORIGINAL" FORM="${code}" LG="DE"><LEGAL_BASIS VALUE="32007R1370"/>${inner}</MOVE>`
    expect(notice({ forms: form('T01'), documentType: '0', procedure: 'A' })).toMatchObject({
      formType: 'planning',
      noticeType: 'pin-tran',
      legalBasis: '32007R1370',
      procedureTypeNational: 'A',
    })
    expect(notice({ forms: form('T02'), documentType: '7' })).toMatchObject({
      formType: 'result',
      noticeType: 'can-tran',
    })
  })
})

describe('awards', () => {
  const awarded = (lot: string, winner: string, value: string) =>
    `<AWARD_CONTRACT ITEM="1"><LOT_NO>${lot}</LOT_NO><AWARDED_CONTRACT>` +
    '<DATE_CONCLUSION_CONTRACT>2021-05-04</DATE_CONCLUSION_CONTRACT><TENDERS>' +
    `<NB_TENDERS_RECEIVED>3</NB_TENDERS_RECEIVED></TENDERS>${sampleContractor(winner)}<VALUES><VAL_TOTAL ` +
    `CURRENCY="EUR">${value}</VAL_TOTAL></VALUES></AWARDED_CONTRACT></AWARD_CONTRACT>`
  const failed = (lot: string, how: string) =>
    `<AWARD_CONTRACT><LOT_NO>${lot}</LOT_NO><NO_AWARDED_CONTRACT><PROCUREMENT_${how}/></NO_AWARDED_CONTRACT></AWARD_CONTRACT>`
  const award = (awards: string, lots = sampleLot('1') + sampleLot('2') + sampleLot('3')) =>
    sampleForm(
      'F03',
      `${sampleBody}${sampleObject(`<VAL_TOTAL CURRENCY="EUR">300 000</VAL_TOTAL>${lots}`)}<PROCEDURE>` +
        `<PT_OPEN/><NOTICE_NUMBER_OJ>2021/S 001-000700</NOTICE_NUMBER_OJ></PROCEDURE>${awards}`,
    )
  const read = (forms: string) => notice({ forms, documentType: '7', number: '2021/S 100-000900' })

  it('takes the estimate of a lot from its awards, unless they differ or the lot has one', () => {
    const estimated = (lot: string, value: string) =>
      awarded(lot, 'Bau A', '100').replace(
        '<VALUES>',
        `<VALUES><VAL_ESTIMATED_TOTAL CURRENCY="EUR">${value}</VAL_ESTIMATED_TOTAL>`,
      )
    const own = sampleLot('3', '<VAL_OBJECT CURRENCY="EUR">900</VAL_OBJECT>')
    const lots = sampleLot('1') + sampleLot('2') + own + sampleLot('4') + sampleLot('5')
    const awards = [estimated('1', '120'), estimated('1', '120'), estimated('2', '120'), estimated('2', '130')]
    const further = [estimated('3', '120'), estimated('4, 5', '500'), estimated('6', '700')]
    const estimates = read(award([...awards, ...further].join(''), lots)).lots.map((lot) => lot.estimatedValue?.value)
    expect(estimates).toEqual([120, undefined, 900, undefined, undefined, 700])
    expect(read(award(estimated('', '80').replace('<LOT_NO></LOT_NO>', ''), sampleLot(undefined)))).toMatchObject({
      lots: [{ estimatedValue: { value: 80, currency: 'EUR' } }],
    })
  })

  it('joins awards to lots by number, unites winners and sums values of several contracts', () => {
    const result = read(
      award(
        awarded('01', 'Bau A', '100 000') +
          awarded('Lot 1', 'Bau B', '50 000') +
          failed('2', 'UNSUCCESSFUL') +
          failed('3', 'DISCONTINUED'),
      ),
    )
    expect(result).toMatchObject({
      formType: 'result',
      awardedValue: { value: 300000, currency: 'EUR' },
      references: [{ kind: 'previous', publicationNumber: '700-2021' }],
    })
    expect(result.lots.map((lot) => lot.result)).toEqual([
      {
        outcome: 'awarded',
        awardedValue: { value: 150000, currency: 'EUR' },
        winners: [
          { name: 'Bau A', city: 'Bauort', country: 'GB' },
          { name: 'Bau B', city: 'Bauort', country: 'GB' },
        ],
        contractDate: '2021-05-04',
        receivedTenders: 3,
      },
      { outcome: 'not-awarded', reason: 'unsuccessful' },
      { outcome: 'not-awarded', reason: 'discontinued' },
    ])
    expect(result.isCancelled ?? result.isUnsuccessful).toBeUndefined()
  })

  it('calls the whole unsuccessful or cancelled only when nothing was awarded', () => {
    expect(read(award(failed('1', 'UNSUCCESSFUL') + failed('2', 'DISCONTINUED')))).toMatchObject({
      isUnsuccessful: true,
    })
    expect(read(award(failed('1', 'DISCONTINUED')))).toMatchObject({ isCancelled: true })
  })

  it('gives an award without a number to every lot without its own, but its value to none of several', () => {
    const whole = awarded('', 'Bau A', '100 000').replace('<LOT_NO></LOT_NO>', '')
    const lots = read(award(whole + failed('3', 'UNSUCCESSFUL'))).lots
    expect(lots.map((lot) => lot.result?.outcome)).toEqual(['awarded', 'awarded', 'not-awarded'])
    expect(lots[0]!.result!.awardedValue).toBeUndefined()
    expect(read(award(whole, sampleLot(undefined))).lots).toMatchObject([
      { lotId: '1', result: { outcome: 'awarded', awardedValue: { value: 100000 } } },
    ])
  })

  it('names the only lot of an award notice by the award’s number, and adds lots that only awards name', () => {
    expect(read(award(awarded('2.08', 'Bau A', '5000'), sampleLot(undefined))).lots).toMatchObject([
      { lotId: '2.08', nutsCodes: ['DE212'], result: { outcome: 'awarded' } },
    ])
    expect(read(award(awarded('1', 'A', '5000') + awarded('9', 'B', '6000'))).lots.map((lot) => lot.lotId)).toEqual([
      '1',
      '2',
      '3',
      '9',
    ])
  })

  it('reads direct awards announced beforehand (F15), modifications (F20) and contests (F13)', () => {
    const exAnte = notice({
      forms: award(awarded('1', 'Bau A', '5000'))
        .replaceAll('F03', 'F15')
        .replace('<PT_OPEN/>', '<DIRECTIVE_2014_24_EU><PT_NEGOTIATED_WITHOUT_PUBLICATION/></DIRECTIVE_2014_24_EU>'),
      documentType: 'V',
    })
    expect(exAnte).toMatchObject({ formType: 'dir-awa-pre', noticeType: 'veat', procedureType: 'neg-wo-call' })
    const modified = award(awarded('1', 'Bau A', '5000'), sampleLot('1'))
      .replaceAll('F03', 'F20')
      .replace(
        '</F20_2014>',
        '<MODIFICATIONS_CONTRACT><INFO_MODIFICATIONS><VALUES><VAL_TOTAL_BEFORE ' +
          'CURRENCY="EUR">5000</VAL_TOTAL_BEFORE><VAL_TOTAL_AFTER CURRENCY="EUR">7000</VAL_TOTAL_AFTER>' +
          '</VALUES></INFO_MODIFICATIONS></MODIFICATIONS_CONTRACT></F20_2014>',
      )
    expect(notice({ forms: modified, documentType: 'K', number: '2021/S 100-000901' })).toMatchObject({
      formType: 'cont-modif',
      awardedValue: { value: 7000 },
      references: [{ kind: 'modifies', publicationNumber: '700-2021' }],
      lots: [{ result: { awardedValue: { value: 7000 }, winners: [{ name: 'Bau A' }] } }],
    })
    const handedOver = modified.replace(
      '<MODIFICATIONS_CONTRACT>',
      `<MODIFICATIONS_CONTRACT><DESCRIPTION_PROCUREMENT>${sampleContractor('Bau B')}<VALUES><VAL_TOTAL ` +
        'CURRENCY="EUR">6500</VAL_TOTAL></VALUES></DESCRIPTION_PROCUREMENT>',
    )
    // Section VII.1.6 often holds only what the modification adds: the amount after it counts.
    const resultOf = (forms: string) =>
      notice({ forms, documentType: 'K', number: '2021/S 100-000901' }).lots[0]!.result
    expect(resultOf(handedOver)).toMatchObject({ awardedValue: { value: 7000 }, winners: [{ name: 'Bau B' }] })
    const withoutAmountAfter = handedOver.replace(/<INFO_MODIFICATIONS>.*<\/INFO_MODIFICATIONS>/, '')
    expect(resultOf(withoutAmountAfter)).toMatchObject({ awardedValue: { value: 6500 }, winners: [{ name: 'Bau B' }] })
    const contest = sampleForm(
      'F13',
      `${sampleBody}${sampleObject(sampleLot(undefined))}<RESULTS><AWARDED_PRIZE>` +
        '<DATE_DECISION_JURY>2021-03-01</DATE_DECISION_JURY><PARTICIPANTS><NB_PARTICIPANTS>7</NB_PARTICIPANTS>' +
        '</PARTICIPANTS><WINNERS><WINNER><ADDRESS_WINNER><OFFICIALNAME>Atelier</OFFICIALNAME></ADDRESS_WINNER>' +
        '</WINNER></WINNERS><VAL_PRIZE CURRENCY="EUR">20000</VAL_PRIZE></AWARDED_PRIZE></RESULTS>',
    )
    expect(notice({ forms: contest, documentType: 'R' }).lots[0]!.result).toEqual({
      outcome: 'awarded',
      awardedValue: { value: 20000, currency: 'EUR' },
      winners: [{ name: 'Atelier' }],
      contractDate: '2021-03-01',
      receivedTenders: 7,
    })
  })
})

describe('the variants of individual senders', () => {
  it('reads an hour of one digit in a deadline, and paragraphs separated by white space', () => {
    const own = dividedCall
      .replace('<TIME_RECEIPT_TENDERS>10:30<', '<TIME_RECEIPT_TENDERS>9:00<')
      .replaceAll(/<SHORT_DESCR>.*?<\/SHORT_DESCR>/gs, '<SHORT_DESCR><P>\n  One\n</P>\n<P>\tTwo </P></SHORT_DESCR>')
    const read = notice({ forms: own })
    expect(read.submissionDate).toBe('2021-02-10T08:00:00.000Z')
    expect(read.lots[0]!.description).toEqual({ de: 'One\nTwo' })
  })
})

describe('corrigenda (F14)', () => {
  const change = (section: string, value: string, lot = '') =>
    `<CHANGE><WHERE><SECTION>${section}</SECTION>${lot}</WHERE><OLD_VALUE><DATE>2021-02-10</DATE>` +
    `<TIME>10:30</TIME></OLD_VALUE><NEW_VALUE>${value}</NEW_VALUE></CHANGE>`
  const corrigendum = (changes: string) =>
    sampleForm(
      'F14',
      `${sampleBody}${sampleObject('')}<COMPLEMENTARY_INFO><NOTICE_NUMBER_OJ>2021/S ` +
        `001-000700</NOTICE_NUMBER_OJ></COMPLEMENTARY_INFO><CHANGES>${changes}</CHANGES>`,
    )
  const read = (changes: string, options: Partial<SampleDocument> = {}) =>
    notice({ forms: corrigendum(changes), documentType: '2', number: '2021/S 020-000800', ...options })

  it('moves the deadline of the notice that it changes', () => {
    const read14 = read(
      change('IV.2.7)', '<DATE>2021-02-25</DATE>') +
        change('IV.2.2) Schlusstermin', '<DATE>2021-02-24</DATE><TIME>12:00</TIME>'),
    )
    expect(read14).toMatchObject({
      formType: 'change',
      noticeType: 'corr',
      references: [{ kind: 'changes', publicationNumber: '700-2021' }],
      submissionDate: '2021-02-24T11:00:00.000Z',
      lots: [],
      title: { de: 'Neubau Rathaus' },
    })
  })

  it('keeps the hour if only the day moves, and uses the deadline of the header if none moves', () => {
    expect(read(change('IV.2.2', '<DATE>2021-02-24</DATE>')).submissionDate).toBe('2021-02-24T09:30:00.000Z')
    expect(
      read(change('II.1.4', '<TEXT><P>neu</P></TEXT>'), {
        coded: '<DT_DATE_FOR_SUBMISSION>20210210 10:30</DT_DATE_FOR_SUBMISSION>',
      }).submissionDate,
    ).toBe('2021-02-10T09:30:00.000Z')
    expect(read(change('II.2.7', '<DATE>2024-01-01</DATE>')).submissionDate).toBeUndefined()
  })

  it('moves the deadline of a notice of the older schema, whose section it names', () => {
    expect(read(change('IV.3.4', '<DATE>2021-02-24</DATE>')).submissionDate).toBe('2021-02-24T09:30:00.000Z')
  })

  it('moves only the lots that it names, and the deadline of the first stage where there is one', () => {
    const lots = read(change('IV.2.2', '<DATE>2021-02-24</DATE>', '<LOT_NO>Lot 1 and 3</LOT_NO>'), { procedure: '2' })
    expect(lots.submissionDate).toBeUndefined()
    expect(lots.lots).toEqual(
      ['1', '3'].map((lotId) => ({
        lotId,
        cpvCodes: [],
        nutsCodes: [],
        participationDate: '2021-02-24T09:30:00.000Z',
      })),
    )
  })
})

describe('the retired schema (R2.0.8)', () => {
  it('reads a defense call (17)', () => {
    expect(notice({ forms: sampleDefenceCall, namespace: rootNamespaces[3] })).toMatchObject({
      profile: 'R2.0.8.S04.E01',
      formType: 'competition',
      noticeSubtype: '17',
      title: { de: 'Feldküchen' },
      description: { de: 'Lieferung von Feldküchen.' },
      internalReference: 'FK 12/21',
      contractNature: 'supplies',
      procedureType: 'restricted',
      participationDate: '2021-02-10T14:00:00.000Z',
      isFramework: true,
      documentsUrl: 'http://muster.example/dok',
      cpvCodes: ['39310000'],
      nutsCodes: ['DEA22'],
      references: [{ kind: 'planning', publicationNumber: '300-2020' }],
      contractingAuthorities: [
        {
          name: 'Amt für Muster',
          street: 'Ring 2',
          city: 'Bonn',
          postalCode: '53000',
          country: 'DE',
          contactName: 'Frau Muster',
          email: 'amt@muster.example',
          url: 'http://muster.example',
        },
      ],
      lots: [
        {
          lotId: '1',
          title: { de: 'Groß' },
          cpvCodes: ['39312000'],
          estimatedValue: { value: 120000, currency: 'EUR' },
        },
        { lotId: '2', cpvCodes: ['39313000'] },
      ],
    })
    expect(notice({ forms: sampleDefenceCall }).estimatedValue).toBeUndefined()
    expect(notice({ forms: sampleDefenceCall }).contractingAuthorities[0]!.nationalId).toBeUndefined()
  })

  it('reads a defense award (18) and accepts no value that includes VAT', () => {
    const read = notice({ forms: sampleDefenceAward, documentType: '7', number: '2021/S 200-000950' })
    expect(read).toMatchObject({
      formType: 'result',
      procedureType: 'neg-w-call',
      awardedValue: { value: 250000, currency: 'EUR' },
      references: [{ kind: 'previous', publicationNumber: '700-2021' }],
      lots: [
        {
          lotId: '2',
          result: {
            outcome: 'awarded',
            contractDate: '2021-09-02',
            receivedTenders: 4,
            winners: [{ name: 'Küchen KG', country: 'DE' }],
          },
        },
      ],
    })
    expect(read.lots[0]!.result!.awardedValue).toBeUndefined()
  })

  it('reads the award of a utility (6) and a corrigendum (14)', () => {
    const award = notice({ forms: sampleUtilitiesAward, documentType: '7' })
    expect(award).toMatchObject({
      formType: 'result',
      title: { de: 'Transformatoren' },
      description: { de: 'Lieferung.' },
      internalReference: 'T-9',
      procedureType: 'neg-w-call',
      awardedValue: { value: 90000 },
      lots: [
        { lotId: '1', result: { outcome: 'awarded', winners: [{ name: 'Trafo GmbH' }], contractDate: '2016-02-03' } },
      ],
    })
    expect(award.lots).toHaveLength(1)
    expect(notice({ forms: sampleOldCorrigendum, documentType: '2' })).toMatchObject({
      formType: 'change',
      references: [{ kind: 'changes', publicationNumber: '356419-2015' }],
      submissionDate: '2016-03-15T10:00:00.000Z',
    })
  })

  it('reads a notice of free text', () => {
    const forms =
      '<OTH_NOT CATEGORY="ORIGINAL" LG="EN"><FD_OTH_NOT><TI_DOC><P>Substations</P></TI_DOC><CONTENTS>' +
      '<P>One.</P><P>Two.</P><ADDRESS_NOT_STRUCT><ORGANISATION>Power Ltd</ORGANISATION></ADDRESS_NOT_STRUCT>' +
      '</CONTENTS></FD_OTH_NOT></OTH_NOT>'
    expect(notice({ forms, documentType: '7', languages: 'EN' })).toMatchObject({
      formType: 'result',
      title: { en: 'Substations' },
      description: { en: 'One.\nTwo.' },
      contractingAuthorities: [{ name: 'Power Ltd' }],
    })
  })
})

describe('a document that is not a notice', () => {
  it.each([
    [
      'missing-identity',
      () => parseTedExport(parseXml(sampleDocument({ forms: dividedCall, number: 'x' }).replace('000700-2021', ''))),
    ],
    ['missing-content', () => parts({ forms: '' })],
    [
      'missing-content',
      () =>
        parts({ forms: sampleForm('F02', '<OBJECT_CONTRACT/>') }).flatMap(() =>
          parseTedExport(
            parseXml(
              sampleDocument({ forms: sampleForm('F02', '<OBJECT_CONTRACT/>') }).replace(
                /<ML_TITLES>.*<\/ML_TITLES>/s,
                '',
              ),
            ),
          ),
        ),
    ],
    [
      'not-procurement',
      () => parts({ forms: '<OTH_NOT LG="EN" CATEGORY="ORIGINAL"><FD_OTH_NOT/></OTH_NOT>', documentType: 'G' }),
    ],
    ['unsupported-format', () => parseTedExport(parseXml('<other/>'))],
  ] as const)('is rejected as %s with a path', (reason, parse) => {
    expect(parse()).toMatchObject([{ pointer: '', rejection: { reason } }])
  })
})

/** Documents with elements dropped, doubled, moved, emptied or with other texts, as a tree. */
function mutate(element: XmlElement, next: () => number, odds: number): XmlElement {
  const children = element.children.flatMap((child) => {
    const mutated = mutate(child, next, odds)
    const dice = next()
    if (dice < odds) return []
    if (dice < 2 * odds) return [mutated, mutated]
    if (dice < 3 * odds) return [{ ...mutated, children: [] }]
    if (dice < 4 * odds)
      return [
        {
          ...mutated,
          text: ['', '-1', '1e9999', '2021-13-45', '\ud800', '<b>', 'x'.repeat(50)][Math.floor(next() * 7)]!,
        },
      ]
    return dice < 5 * odds
      ? [
          {
            ...mutated,
            name: child.children[0]?.name ?? 'P',
            attributes: new Map([
              ['CODE', 'ZZ'],
              ['VALUE', ''],
              ['CURRENCY', '€'],
            ]),
          },
        ]
      : [mutated]
  })
  return { ...element, children }
}

describe('hostile documents', () => {
  it('never throws and always returns something, whatever is missing, doubled or misplaced', () => {
    const documents = [
      dividedCall,
      sampleDefenceCall,
      sampleDefenceAward,
      sampleUtilitiesAward,
      sampleOldCorrigendum,
    ].map((forms) => parseXml(sampleDocument({ forms })))
    fc.assert(
      fc.property(
        fc.constantFrom(...documents),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })),
        fc.constantFrom(0.005, 0.02, 0.08),
        (root, stream, odds) => {
          const read = parseTedExport(mutate(root, () => stream.next().value, odds))
          expect(read).toHaveLength(1)
          const [part] = read
          if (part && 'notice' in part) {
            expect(part.notice.noticeKey).toMatch(/^ted:\d+-\d{4}$/)
            expect(new Set(part.notice.lots.map((lot) => lot.lotId)).size).toBe(part.notice.lots.length)
            expect(JSON.parse(JSON.stringify(part.notice))).toEqual(part.notice)
          }
        },
      ),
      { numRuns: proofCount({ share: 150, full: 4000 }) },
    )
  })
})
