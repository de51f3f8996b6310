// Austria's Kerndaten (BVergG 2018, annex VIII): one announcement in the forms KD_7_…, KD_8_…, or as eForms since 2026.
import { sumOfMoney } from '../../../domain/money.ts'
import type {
  FormType,
  LotResult,
  Money,
  Notice,
  NoticeLot,
  Organization,
  ParsedPart,
  Rejection,
} from '../../../domain/notice.ts'
import { joinDateTime } from '../../../domain/time.ts'
import { compact } from '../../compact.ts'
import { isEformsRoot, parseEforms } from '../../eforms/parse-eforms.ts'
import { type Found, readPortalNotice, readXmlDocument } from '../../read-portal-notice.ts'
import {
  countIn,
  cpvCodesIn,
  dayIn,
  deadlineIn,
  descriptionIn,
  durationIn,
  instantIn,
  moneyIn,
  nutsCodesIn,
  organizationOf,
  titleIn,
  wordIn,
} from '../../read-values.ts'
import { cleanField, cleanUrl } from '../../text.ts'
import {
  childNamed,
  childrenNamed,
  deepTextOf,
  descendantsNamed,
  pathNamed,
  textOf,
  type XmlElement,
} from '../../xml/xml.ts'

const zone = 'Europe/Vienna'

/**
 * By the end of the root's name: `KD_8_1_Z2` is a call, `KD_8_2_Z1` an award; KD_7 and VII_… are the same for
 * utilities.
 */
const formTypes: { readonly [form: string]: FormType } = {
  '1_z1': 'planning',
  '1_z2': 'competition',
  '1_z3': 'competition',
  '1_z4': 'dir-awa-pre',
  '1_z5': 'competition',
  '2_z1': 'result',
  '2_z2': 'result',
  '2_z3': 'cont-modif',
}

const contractNatures: { readonly [type: string]: string } = {
  works: 'works',
  supplies: 'supplies',
  services: 'services',
}

const procedureTypes: { readonly [element: string]: string } = {
  pt_open: 'open',
  pt_restricted: 'restricted',
  pt_competitive_negotiation: 'neg-w-call',
  pt_negotiated_with_prior_call: 'neg-w-call',
  pt_negotiated_with_call: 'neg-w-call',
  pt_negotiated_without_publication: 'neg-wo-call',
  pt_award_contract_without_call: 'neg-wo-call',
  pt_competitive_dialogue: 'comp-dial',
  pt_innovation_partnership: 'innovation',
}

/** Titles and descriptions are in paragraphs. */
function textIn(element: XmlElement | undefined): string | undefined {
  if (!element) return undefined
  const paragraphs = childrenNamed(element, 'P')
  return paragraphs.length > 0 ? paragraphs.map(deepTextOf).join('\n') : deepTextOf(element)
}

function partyOf(address: XmlElement | undefined, homeCountry?: string): Organization | undefined {
  return organizationOf(
    {
      name: textOf(childNamed(address, 'OFFICIALNAME')),
      nationalId: textOf(childNamed(address, 'NATIONALID')),
      street: textOf(childNamed(address, 'ADDRESS')),
      city: textOf(childNamed(address, 'TOWN')),
      postalCode: textOf(childNamed(address, 'POSTAL_CODE')),
      country: childNamed(address, 'COUNTRY')?.attributes.get('VALUE'),
      contactName: textOf(childNamed(address, 'CONTACT') ?? childNamed(address, 'CONTACT_POINT')),
      email: textOf(childNamed(address, 'E_MAIL')),
      phone: textOf(childNamed(address, 'PHONE')),
    },
    homeCountry,
  )
}

const amountIn = (element: XmlElement | undefined): Money | undefined =>
  moneyIn(textOf(element), element?.attributes.get('CURRENCY') ?? 'EUR')

function codesIn(element: XmlElement | undefined): string[] {
  return element ? [...descendantsNamed(element, 'CPV_CODE')].map((code) => code.attributes.get('CODE') ?? '') : []
}

function resultOf(root: XmlElement): LotResult | undefined {
  const contracts = childrenNamed(root, 'AWARD_CONTRACT').map((award) => childNamed(award, 'AWARDED_CONTRACT') ?? award)
  const prize = pathNamed(root, 'RESULTS', 'AWARDED_PRIZE')
  const winners = [
    ...contracts.flatMap((contract) => [...descendantsNamed(contract, 'ADDRESS_CONTRACTOR')]),
    ...(prize ? [...descendantsNamed(prize, 'ADDRESS_WINNER')] : []),
  ]
    .map((address) => partyOf(address))
    .filter((winner) => winner !== undefined)
  if (contracts.length === 0 && !prize) return undefined
  const values = contracts.map((contract) => amountIn([...descendantsNamed(contract, 'VAL_TOTAL')][0]))
  return compact<LotResult>({
    outcome: winners.length > 0 ? 'awarded' : 'pending',
    awardedValue: values.length > 0 && values.every((value) => value !== undefined) ? sumOfMoney(values) : undefined,
    winners: winners.length > 0 ? winners : undefined,
    contractDate: dayIn(textOf(childNamed(contracts[0], 'DATE_CONCLUSION_CONTRACT'))),
    receivedTenders: countIn(textOf(childNamed(contracts[0], 'NB_TENDERS_RECEIVED'))),
  })
}

/** `<DURATION TYPE="MONTH">24</DURATION>`, or dates. */
function durationOf(described: XmlElement | undefined): NoticeLot['duration'] {
  const measure = childNamed(described, 'DURATION')
  const duration = compact<NonNullable<NoticeLot['duration']>>({
    ...durationIn(textOf(measure), measure?.attributes.get('TYPE')),
    start: dayIn(textOf(childNamed(described, 'DATE_START'))),
    end: dayIn(textOf(childNamed(described, 'DATE_END'))),
  })
  return Object.keys(duration).length > 0 ? duration : undefined
}

function procedureOf(root: XmlElement): string | undefined {
  const names = childNamed(root, 'PROCEDURE')?.children.map((element) => element.name) ?? []
  return names.map((name) => wordIn(procedureTypes, name)).find((type) => type !== undefined)
}

function deadlineOf(root: XmlElement) {
  const procedure = childNamed(root, 'PROCEDURE')
  const one = textOf(childNamed(procedure, 'DATETIME_RECEIPT_TENDERS'))
  if (one !== undefined) return deadlineIn(one, zone)
  return joinDateTime(
    textOf(childNamed(procedure, 'DATE_RECEIPT_TENDERS')),
    textOf(childNamed(procedure, 'TIME_RECEIPT_TENDERS')),
    zone,
    'end-of-day',
  )
}

function readKerndaten(root: XmlElement, publisher: string): Notice | Rejection {
  const object = childNamed(root, 'OBJECT_CONTRACT')
  const described = childNamed(object, 'OBJECT_DESCR')
  const additional = childNamed(root, 'ADDITIONAL_CORE_DATA')
  const body = childNamed(root, 'CONTRACTING_BODY')
  const form = /(\d_Z\d)/.exec(root.name)?.[1]
  const result = resultOf(root)
  const duration = durationOf(described)
  const formType = wordIn(formTypes, form) ?? (result ? 'result' : 'competition')
  const changed = instantIn(textOf(childNamed(additional, 'DATETIME_LAST_CHANGE')), zone)
  const published =
    instantIn(textOf(childNamed(additional, 'DATE_FIRST_PUBLICATION')), zone) ??
    instantIn(textOf(pathNamed(root, 'COMPLEMENTARY_INFO', 'DATE_DISPATCH_NOTICE')), zone)
  const authorities = [
    partyOf(childNamed(body, 'ADDRESS_CONTRACTING_BODY'), 'AT'),
    ...childrenNamed(body, 'ADDRESS_CONTRACTING_BODY_ADDITIONAL').map((address) => partyOf(address, 'AT')),
  ].filter((authority) => authority !== undefined)
  const reference =
    cleanField(textOf(childNamed(object, 'REFERENCE_NUMBER')), 200) ??
    cleanField(textOf(pathNamed(body, 'ADDRESS_CONTRACTING_BODY', 'REFERENCE_NUMBER')), 200)
  const title = titleIn(textIn(childNamed(object, 'TITLE')), 'de')
  const documents = cleanUrl(textOf(childNamed(body, 'URL_DOCUMENT')))
  const revoked = childNamed(additional, 'URL_REVOCATION') ?? childNamed(additional, 'URL_REVOCATION_STATEMENT')
  const state = changed ?? published ?? ''
  // The document has no id: buyer and reference identify the procedure, form and time of change the version.
  const identity = [authorities[0]?.nationalId ?? authorities[0]?.name, reference ?? Object.values(title ?? {})[0]]
    .filter((part) => part !== undefined)
    .join('/')
  return readPortalNotice({
    id: identity === '' ? undefined : `${identity}/${root.name}@${state}`.slice(0, 300),
    publisher,
    profile: `kerndaten-${root.name.toLowerCase()}`.slice(0, 100),
    internalReference: reference,
    formType,
    noticeType: root.name.slice(0, 50),
    language: 'de',
    title,
    description: descriptionIn(textIn(childNamed(object, 'SHORT_DESCR') ?? childNamed(described, 'SHORT_DESCR')), 'de'),
    publicationDate: published ?? changed,
    dispatchDate: changed,
    contractingAuthorities: authorities,
    procedureType: procedureOf(root),
    contractNature: wordIn(contractNatures, childNamed(object, 'TYPE_CONTRACT')?.attributes.get('CTYPE')),
    cpvCodes: cpvCodesIn(codesIn(childNamed(object, 'CPV_MAIN')), codesIn(object)),
    nutsCodes: nutsCodesIn(
      object ? [...descendantsNamed(object, 'NUTS')].map((nuts) => nuts.attributes.get('CODE') ?? '') : [],
    ),
    estimatedValue: amountIn(childNamed(object, 'VAL_ESTIMATED_TOTAL') ?? childNamed(described, 'VAL_OBJECT')),
    awardedValue: result?.awardedValue,
    submissionDate: formType === 'competition' ? deadlineOf(root) : undefined,
    documentsUrl: documents,
    submissionUrl: cleanUrl(textOf(childNamed(body, 'URL_PARTICIPATION'))),
    lots: result || duration ? [compact<NoticeLot>({ lotId: '1', cpvCodes: [], nutsCodes: [], duration, result })] : [],
    references: [],
    isCancelled: revoked ? true : undefined,
    url: documents,
  })
}

function readRoot(root: XmlElement, publisher: string): Found {
  if (!isEformsRoot(root)) {
    const form = /^KD_/.test(root.name) ? root : root.children.find((element) => element.name.startsWith('KD_'))
    return form
      ? readKerndaten(form, publisher)
      : { reason: 'unsupported-format', path: `/${root.name.slice(0, 100)}`, detail: 'no form of the Kerndaten' }
  }
  return parseEforms(root).map((part) => ('notice' in part ? part.notice : part.rejection))
}

/** The parser of one publisher's Kerndaten. It never throws. */
export function kerndatenParser(publisher: string): (bytes: Uint8Array) => ParsedPart[] {
  return (bytes) => readXmlDocument(bytes, (root) => readRoot(root, publisher))
}
