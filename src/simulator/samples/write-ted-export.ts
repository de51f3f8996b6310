// Sample notices of the years before eForms, as TED_EXPORT R2.0.9: forms F01, F02, F03 and F14.
import { dayMs } from '../../domain/time.ts'
import type { SampleNotice } from './sample-procedure.ts'
import { descriptionOf, type SampleCopy, titleOf } from './sample-world.ts'
import { type Attributes, element, escapeXml, leaf, localParts } from './xml-text.ts'

const forms = {
  planning: 'F01',
  call: 'F02',
  change: 'F14',
  cancellation: 'F14',
  award: 'F03',
  modification: 'F03',
} as const
const documentTypes = { F01: '0', F02: '3', F03: '7', F14: '2' } as const
const natures = { works: ['1', 'WORKS'], supplies: ['2', 'SUPPLIES'], services: ['4', 'SERVICES'] } as const
const procedures = {
  open: ['1', 'PT_OPEN'],
  restricted: ['2', 'PT_RESTRICTED'],
  'neg-w-call': ['4', 'PT_COMPETITIVE_NEGOTIATION'],
} as const

const paragraph = (name: string, text: string, attributes: Attributes = {}) =>
  element(name, attributes, element('P', escapeXml(text)))

/** `2022/S 042-123456`: the journal's way of writing 123456-2022. */
function journalNumber(notice: SampleNotice): string {
  const [number, year] = notice.publicationNumber.split('-')
  const issue = Math.max(1, Math.ceil(((notice.at - Date.UTC(Number(year), 0, 1)) / dayMs / 365) * 250))
  return `${year}/S ${String(issue).padStart(3, '0')}-${number!.padStart(6, '0')}`
}

/** The document of one copy. */
export function writeTedExport(copy: SampleCopy): string {
  const { procedure, notice } = copy
  const { buyer, subject } = procedure
  const form = forms[notice.kind]
  const language = procedure.languages[0]!
  const lg = language === 'nb' ? 'NO' : language.toUpperCase()
  const published = localParts(notice.at, 'Europe/Luxembourg').date
  const dispatched = localParts(notice.at - 3 * dayMs, buyer.region.zone).date
  const compact = (date: string) => date.replaceAll('-', '')
  const country = buyer.region.country === 'GB' ? 'UK' : buyer.region.country
  const deadline = notice.deadline === undefined ? undefined : localParts(notice.deadline, buyer.region.zone)
  const [natureCode, natureName] = natures[subject.nature]
  const [procedureCode, procedureName] = procedures[procedure.procedureType]
  const [number, year] = notice.publicationNumber.split('-')
  const title = titleOf(procedure, language)

  const body = element(
    'CONTRACTING_BODY',
    element(
      'ADDRESS_CONTRACTING_BODY',
      leaf('OFFICIALNAME', buyer.name),
      leaf('NATIONALID', buyer.nationalId),
      leaf('ADDRESS', buyer.street),
      leaf('TOWN', buyer.town),
      leaf('POSTAL_CODE', buyer.postalCode),
      element('COUNTRY', { VALUE: country }),
      leaf('PHONE', buyer.phone),
      leaf('E_MAIL', buyer.email),
      element('n2016:NUTS', { CODE: buyer.nuts }),
      leaf('URL_GENERAL', buyer.url),
    ),
    form === 'F02' ? leaf('URL_DOCUMENT', `${buyer.url}/documents/${procedure.reference}`) : '',
    form === 'F02' ? leaf('URL_PARTICIPATION', `${buyer.url}/submit/${procedure.reference}`) : '',
    element('CA_TYPE', { VALUE: 'REGIONAL_AUTHORITY' }),
    element('CA_ACTIVITY', { VALUE: 'GENERAL_PUBLIC_SERVICES' }),
  )
  const isDivided = procedure.lots.length > 1
  const awardedTotal = notice.results
    .filter((each) => each.winner !== undefined)
    .reduce((sum, { value }) => sum + value, 0)
  const object = element(
    'OBJECT_CONTRACT',
    paragraph('TITLE', title),
    leaf('REFERENCE_NUMBER', procedure.reference),
    element('CPV_MAIN', element('CPV_CODE', { CODE: subject.cpv })),
    element('TYPE_CONTRACT', { CTYPE: natureName }),
    paragraph('SHORT_DESCR', descriptionOf(procedure, language)),
    form === 'F14'
      ? ''
      : [
          (form === 'F02' || form === 'F01') && procedure.value !== undefined
            ? leaf('VAL_ESTIMATED_TOTAL', String(procedure.value), { CURRENCY: buyer.region.currency })
            : '',
          form === 'F03' && awardedTotal > 0
            ? leaf('VAL_TOTAL', String(awardedTotal), { CURRENCY: buyer.region.currency })
            : '',
          isDivided ? '<LOT_DIVISION/>' : '<NO_LOT_DIVISION/>',
          ...procedure.lots.map((lot, index) =>
            element(
              'OBJECT_DESCR',
              { ITEM: String(index + 1) },
              isDivided ? paragraph('TITLE', lot.title[language]) : '',
              isDivided ? leaf('LOT_NO', String(index + 1)) : '',
              element('CPV_ADDITIONAL', element('CPV_CODE', { CODE: lot.cpv })),
              element('n2016:NUTS', { CODE: buyer.nuts }),
              paragraph('MAIN_SITE', buyer.town),
              paragraph('SHORT_DESCR', `${lot.title[language]}. ${descriptionOf(procedure, language)}`),
              form === 'F02' && procedure.value !== undefined
                ? leaf('VAL_OBJECT', String(lot.value), { CURRENCY: buyer.region.currency })
                : '',
              form === 'F02' ? leaf('DURATION', String(6 + (procedure.index % 30)), { TYPE: 'MONTH' }) : '',
            ),
          ),
        ].join(''),
  )
  const steps =
    form === 'F02' || form === 'F03'
      ? element(
          'PROCEDURE',
          `<${procedureName}/>`,
          form === 'F03' && notice.previous ? leaf('NOTICE_NUMBER_OJ', journalNumber(notice.previous)) : '',
          form === 'F02' && notice.previous ? leaf('NOTICE_NUMBER_OJ', journalNumber(notice.previous)) : '',
          form === 'F02' && deadline
            ? leaf('DATE_RECEIPT_TENDERS', deadline.date) + leaf('TIME_RECEIPT_TENDERS', deadline.time.slice(0, 5))
            : '',
          form === 'F02' ? element('LANGUAGES', element('LANGUAGE', { VALUE: lg })) : '',
        )
      : ''
  const changes =
    form === 'F14' && deadline && notice.previous?.deadline
      ? element(
          'CHANGES',
          '<MODIFICATION_ORIGINAL PUBLICATION="NO"/>',
          element(
            'CHANGE',
            element('WHERE', leaf('SECTION', 'IV.2.2')),
            element('OLD_VALUE', dateTime(notice.previous.deadline, buyer.region.zone)),
            element('NEW_VALUE', dateTime(notice.deadline!, buyer.region.zone)),
          ),
        )
      : ''
  const awards = notice.results.map((each, index) =>
    element(
      'AWARD_CONTRACT',
      { ITEM: String(index + 1) },
      isDivided ? leaf('LOT_NO', String(index + 1)) : '',
      each.winner === undefined
        ? element('NO_AWARDED_CONTRACT', '<PROCUREMENT_UNSUCCESSFUL/>')
        : element(
            'AWARDED_CONTRACT',
            leaf('DATE_CONCLUSION_CONTRACT', dispatched),
            element('TENDERS', leaf('NB_TENDERS_RECEIVED', String(each.receivedTenders))),
            element(
              'CONTRACTORS',
              element(
                'CONTRACTOR',
                element(
                  'ADDRESS_CONTRACTOR',
                  leaf('OFFICIALNAME', each.winner),
                  element('COUNTRY', { VALUE: country }),
                ),
              ),
            ),
            element('VALUES', leaf('VAL_TOTAL', String(each.value), { CURRENCY: buyer.region.currency })),
          ),
    ),
  )
  const additional = element(
    'COMPLEMENTARY_INFO',
    form === 'F14' && notice.previous ? leaf('NOTICE_NUMBER_OJ', journalNumber(notice.previous)) : '',
    leaf('DATE_DISPATCH_NOTICE', dispatched),
  )

  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(
    'TED_EXPORT',
    {
      xmlns: 'http://publications.europa.eu/resource/schema/ted/R2.0.9/publication',
      'xmlns:n2016': 'http://publications.europa.eu/resource/schema/ted/2016/nuts',
      DOC_ID: `${number!.padStart(6, '0')}-${year}`,
      EDITION: `${year}001`,
      VERSION: 'R2.0.9.S03',
    },
    element('TECHNICAL_SECTION', leaf('RECEPTION_ID', notice.publicationNumber), leaf('FORM_LG_LIST', lg)),
    element(
      'CODED_DATA_SECTION',
      element(
        'REF_OJS',
        leaf('COLL_OJ', 'S'),
        leaf('NO_OJ', journalNumber(notice).slice(7, 10)),
        leaf('DATE_PUB', compact(published)),
      ),
      element(
        'NOTICE_DATA',
        leaf('NO_DOC_OJS', journalNumber(notice)),
        leaf('LG_ORIG', lg),
        element('ISO_COUNTRY', { VALUE: country }),
        element('n2016:PERFORMANCE_NUTS', { CODE: buyer.nuts }),
        element('ORIGINAL_CPV', { CODE: subject.cpv }),
        notice.previous ? element('REF_NOTICE', leaf('NO_DOC_OJS', journalNumber(notice.previous))) : '',
      ),
      element(
        'CODIF_DATA',
        leaf('DS_DATE_DISPATCH', compact(dispatched)),
        deadline ? leaf('DT_DATE_FOR_SUBMISSION', `${compact(deadline.date)} ${deadline.time.slice(0, 5)}`) : '',
        element('AA_AUTHORITY_TYPE', { CODE: '3' }),
        element('TD_DOCUMENT_TYPE', { CODE: documentTypes[form] }),
        element('NC_CONTRACT_NATURE', { CODE: natureCode }),
        element('PR_PROC', { CODE: procedureCode }),
      ),
    ),
    element(
      'TRANSLATION_SECTION',
      element(
        'ML_TITLES',
        element(
          'ML_TI_DOC',
          { LG: lg },
          leaf('TI_CY', country),
          leaf('TI_TOWN', buyer.town),
          paragraph('TI_TEXT', title),
        ),
      ),
    ),
    element(
      'FORM_SECTION',
      element(
        `${form}_2014`,
        { CATEGORY: 'ORIGINAL', FORM: form, LG: lg },
        element('LEGAL_BASIS', { VALUE: '32014L0024' }),
        body,
        object,
        steps,
        ...awards,
        additional,
        changes,
      ),
    ),
  )}\n`
}

function dateTime(ms: number, zone: string): string {
  const { date, time } = localParts(ms, zone)
  return leaf('DATE', date) + leaf('TIME', time.slice(0, 5))
}
