// Made-up notices as eForms documents: each has only the fields that an assertion is about, with real codes.
import { createHash } from 'node:crypto'

type FixtureLot = {
  readonly cpv?: readonly string[]
  readonly nuts?: readonly string[]
  readonly deadline?: string
}

export type FixtureNotice = {
  /** Name of the procedure, from which its ids are made. */
  readonly procedure: string
  /** Name of the notice within the procedure; another name is another notice. Default `call`. */
  readonly notice?: string
  readonly version?: string
  readonly kind?: 'call' | 'change' | 'cancellation' | 'award' | 'unsuccessful'
  /**
   * `ted` stamps a journal number and a day of publication; `doe` is the federal portal, `doffin` the Norwegian one.
   */
  readonly portal?: 'ted' | 'doe' | 'doffin'
  readonly title?: string
  readonly cpv?: readonly string[]
  readonly nuts?: readonly string[]
  /** A place without a region code. */
  readonly city?: string
  readonly lots?: readonly FixtureLot[]
  /** Instants in the wire format; absent means that none was published. */
  readonly deadline?: string
  readonly participationDeadline?: string
  readonly dispatched?: string
  /** `YYYY-MM-DD`, read as UTC; absent means that none was published. */
  readonly published?: string
  readonly value?: readonly [amount: string, currency: string]
  readonly procedureType?: string
  /** The notice that a change or a cancellation changes. */
  readonly changes?: { readonly notice: string; readonly version?: string }
  /** Leaves out BT-04, as some portals do. */
  readonly withoutProcedureId?: boolean
}

/** A UUID that is always the same for a name. */
function uuidOf(name: string): string {
  const hash = createHash('sha256').update(`conformance|${name}`).digest('hex')
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

const procedureIdOf = (procedure: string): string => uuidOf(`procedure|${procedure}`)
const noticeIdOf = (procedure: string, notice = 'call'): string => uuidOf(`notice|${procedure}|${notice}`)
const numberOf = (procedure: string, notice: string, version: string): number =>
  1 +
  (Number.parseInt(createHash('sha256').update(`${procedure}|${notice}|${version}`).digest('hex').slice(0, 7), 16) %
    899_999)

const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const when = (value: unknown, text: string): string => (value === undefined ? '' : text)

/** The document. */
export function fixtureXml(fixture: FixtureNotice): string {
  const { procedure, notice = 'call', version = '01', kind = 'call', portal = 'ted' } = fixture
  const isResult = kind === 'award' || kind === 'unsuccessful'
  const root = isResult ? 'ContractAwardNotice' : 'ContractNotice'
  const dispatched =
    fixture.dispatched ??
    (fixture.published === undefined ? '2026-01-05T09:00:00.000Z' : `${fixture.published}T00:00:00.000Z`)
  const customization = {
    ted: 'eforms-sdk-1.12',
    doe: 'eforms-de-2.0',
    doffin: 'eforms-sdk-1.10#urn:fdc:anskaffelser.no:2023:eforms:eu',
  }[portal]
  const lots = fixture.lots ?? [{}]
  const changed =
    fixture.changes && `${noticeIdOf(procedure, fixture.changes.notice)}-${fixture.changes.version ?? '01'}`
  const changes =
    changed &&
    `<efac:Changes><efbc:ChangedNoticeIdentifier>${changed}</efbc:ChangedNoticeIdentifier><efac:ChangeReason>` +
      '<cbc:ReasonCode ' +
      `listName="change-corig-justification">${kind === 'cancellation' ? 'cancel' : 'cor-buy'}</cbc:ReasonCode>` +
      '</efac:ChangeReason></efac:Changes>'
  const publication =
    portal === 'ted'
      ? '<efac:Publication><efbc:NoticePublicationID ' +
        `schemeName="ojs-notice-id">${numberOf(procedure, notice, version)}-2026</efbc:NoticePublicationID>` +
        `${when(fixture.published, `<efbc:PublicationDate>${fixture.published}Z</efbc:PublicationDate>`)}</efac:Publication>`
      : ''
  return `<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="urn:oasis:names:specification:ubl:schema:xsd:${root}-2" \
xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" \
xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2" \
xmlns:ext="urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2" \
xmlns:efac="http://data.europa.eu/p27/eforms-ubl-extension-aggregate-components/1" \
xmlns:efbc="http://data.europa.eu/p27/eforms-ubl-extension-basic-components/1" \
xmlns:efext="http://data.europa.eu/p27/eforms-ubl-extensions/1">
<ext:UBLExtensions><ext:UBLExtension><ext:ExtensionContent><efext:EformsExtension>
${changes ?? ''}${isResult ? result(kind, lots) : ''}
<efac:NoticeSubType><cbc:SubTypeCode listName="notice-subtype">${isResult ? '29' : '16'}</cbc:SubTypeCode></efac:NoticeSubType>
<efac:Organizations><efac:Organization><efac:Company><cac:PartyIdentification><cbc:ID \
schemeName="organization">ORG-0001</cbc:ID></cac:PartyIdentification><cac:PartyName><cbc:Name \
languageID="ENG">Authority of ${xml(procedure)}</cbc:Name></cac:PartyName><cac:PostalAddress><cbc:StreetName>1 \
Fixture Street</cbc:StreetName><cbc:CityName>Fixtureton</cbc:CityName><cbc:PostalZone>10115</cbc:PostalZone>\
<cac:Country><cbc:IdentificationCode listName="country">DEU</cbc:IdentificationCode></cac:Country></cac:PostalAddress>\
<cac:PartyLegalEntity><cbc:CompanyID>FIX-${procedureIdOf(procedure).slice(0, 8)}</cbc:CompanyID>\
</cac:PartyLegalEntity><cac:Contact><cbc:Telephone>+49 555 0100</cbc:Telephone>\
<cbc:ElectronicMail>office@authority.example</cbc:ElectronicMail></cac:Contact></efac:Company></efac:Organization>\
</efac:Organizations>
${publication}
</efext:EformsExtension></ext:ExtensionContent></ext:UBLExtension></ext:UBLExtensions>
<cbc:UBLVersionID>2.3</cbc:UBLVersionID><cbc:CustomizationID>${customization}</cbc:CustomizationID>
<cbc:ID schemeName="notice-id">${noticeIdOf(procedure, notice)}</cbc:ID>
${fixture.withoutProcedureId ? '' : `<cbc:ContractFolderID>${procedureIdOf(procedure)}</cbc:ContractFolderID>`}
<cbc:IssueDate>${dispatched.slice(0, 10)}Z</cbc:IssueDate><cbc:IssueTime>${dispatched.slice(11)}</cbc:IssueTime><cbc:VersionID>${version}</cbc:VersionID>
${when(portal === 'ted' ? undefined : fixture.published, `<cbc:RequestedPublicationDate>${fixture.published}Z</cbc:RequestedPublicationDate>`)}
<cbc:RegulatoryDomain>32014L0024</cbc:RegulatoryDomain><cbc:NoticeTypeCode \
listName="${isResult ? 'result' : 'competition'}">${isResult ? 'can-standard' : 'cn-standard'}</cbc:NoticeTypeCode>\
<cbc:NoticeLanguageCode>ENG</cbc:NoticeLanguageCode>
<cac:ContractingParty><cac:Party><cac:PartyIdentification><cbc:ID>ORG-0001</cbc:ID></cac:PartyIdentification></cac:Party></cac:ContractingParty>
<cac:TenderingProcess>${when(
    fixture.procedureType,
    `<cbc:ProcedureCode listName="procurement-procedure-type">${fixture.procedureType}</cbc:ProcedureCode>`,
  )}</cac:TenderingProcess>
<cac:ProcurementProject>
<cbc:ID schemeName="InternalID">FX-${procedureIdOf(procedure).slice(0, 8)}</cbc:ID><cbc:Name \
languageID="ENG">${xml(fixture.title ?? `Fixture ${procedure}`)}</cbc:Name><cbc:Description languageID="ENG">Made up \
for the conformance tests: ${xml(procedure)}.</cbc:Description><cbc:ProcurementTypeCode \
listName="contract-nature">services</cbc:ProcurementTypeCode>
${when(
  fixture.value,
  '<cac:RequestedTenderTotal><cbc:EstimatedOverallContractAmount ' +
    `currencyID="${fixture.value?.[1]}">${fixture.value?.[0]}</cbc:EstimatedOverallContractAmount>` +
    '</cac:RequestedTenderTotal>',
)}
${codes(fixture.cpv)}${places(fixture.nuts, fixture.city)}
</cac:ProcurementProject>
${lots.map((lot, index) => lotXml(fixture, lot, index)).join('\n')}
</${root}>
`
}

function codes(cpv: readonly string[] | undefined): string {
  return (cpv ?? [])
    .map((code, index) => {
      const name = index === 0 ? 'MainCommodityClassification' : 'AdditionalCommodityClassification'
      return `<cac:${name}><cbc:ItemClassificationCode listName="cpv">${code}</cbc:ItemClassificationCode></cac:${name}>`
    })
    .join('')
}

function places(nuts: readonly string[] | undefined, city?: string): string {
  const regions = (nuts ?? []).map(
    (code) => `<cbc:CountrySubentityCode listName="nuts-lvl3">${code}</cbc:CountrySubentityCode>`,
  )
  const addresses =
    regions.length > 0 ? regions : city === undefined ? [] : [`<cbc:CityName>${xml(city)}</cbc:CityName>`]
  return addresses
    .map(
      (address) =>
        `<cac:RealizedLocation><cac:Address>${address}<cac:Country><cbc:IdentificationCode ` +
        'listName="country">DEU</cbc:IdentificationCode></cac:Country></cac:Address></cac:RealizedLocation>',
    )
    .join('')
}

const lotIdOf = (index: number): string => `LOT-${String(index + 1).padStart(4, '0')}`

function lotXml(fixture: FixtureNotice, lot: FixtureLot, index: number): string {
  const deadline = lot.deadline ?? fixture.deadline
  const period = (name: string, instant: string | undefined): string =>
    instant === undefined
      ? ''
      : `<cac:${name}><cbc:EndDate>${instant.slice(0, 10)}Z</cbc:EndDate><cbc:EndTime>${instant.slice(11)}</cbc:EndTime></cac:${name}>`
  return `<cac:ProcurementProjectLot><cbc:ID schemeName="Lot">${lotIdOf(index)}</cbc:ID>
<cac:TenderingProcess>${period('TenderSubmissionDeadlinePeriod', deadline)}\
${period('ParticipationRequestReceptionPeriod', fixture.participationDeadline)}</cac:TenderingProcess>
<cac:ProcurementProject><cbc:Name languageID="ENG">Lot \
${index + 1}</cbc:Name>${codes(lot.cpv)}${places(lot.nuts)}</cac:ProcurementProject></cac:ProcurementProjectLot>`
}

function result(kind: 'award' | 'unsuccessful' | string, lots: readonly FixtureLot[]): string {
  const each = lots.map((_, index) =>
    kind === 'award'
      ? `<efac:LotResult><cbc:ID schemeName="result">RES-000${index + 1}</cbc:ID><cbc:TenderResultCode ` +
        'listName="winner-selection-status">selec-w</cbc:TenderResultCode><efac:TenderLot><cbc:ID ' +
        `schemeName="Lot">${lotIdOf(index)}</cbc:ID></efac:TenderLot></efac:LotResult>`
      : `<efac:LotResult><cbc:ID schemeName="result">RES-000${index + 1}</cbc:ID><cbc:TenderResultCode ` +
        'listName="winner-selection-status">clos-nw</cbc:TenderResultCode><efac:DecisionReason>' +
        '<efbc:DecisionReasonCode listName="non-award-justification">no-rece</efbc:DecisionReasonCode>' +
        `</efac:DecisionReason><efac:TenderLot><cbc:ID schemeName="Lot">${lotIdOf(index)}</cbc:ID>` +
        '</efac:TenderLot></efac:LotResult>',
  )
  return `<efac:NoticeResult>${each.join('')}</efac:NoticeResult>`
}
