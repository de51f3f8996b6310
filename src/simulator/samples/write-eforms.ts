// Sample notices as eForms UBL: TED's edition with a journal number, the federal portal's eForms-DE, Doffin's
// extension.
import { hourMs } from '../../domain/time.ts'
import type { SampleBuyer } from './sample-buyer.ts'
import type { SampleLot, SampleProcedure } from './sample-procedure.ts'
import { alpha3Languages, descriptionOf, inLanguages, type SampleCopy, titleOf } from './sample-world.ts'
import { seeded } from './seeded.ts'
import type { SampleLanguage } from './vocabulary.ts'
import { element, leaf, localParts } from './xml-text.ts'

type Root = { readonly name: string; readonly form: string; readonly type: string; readonly subtype: string }

const roots: { readonly [kind in SampleCopy['notice']['kind']]: Root } = {
  planning: { name: 'PriorInformationNotice', form: 'planning', type: 'pin-only', subtype: '4' },
  call: { name: 'ContractNotice', form: 'competition', type: 'cn-standard', subtype: '16' },
  change: { name: 'ContractNotice', form: 'competition', type: 'cn-standard', subtype: '16' },
  cancellation: { name: 'ContractNotice', form: 'competition', type: 'cn-standard', subtype: '16' },
  award: { name: 'ContractAwardNotice', form: 'result', type: 'can-standard', subtype: '29' },
  modification: { name: 'ContractAwardNotice', form: 'cont-modif', type: 'can-modif', subtype: '38' },
}

const customizations: { readonly [portal: string]: readonly string[] } = {
  ted: ['eforms-sdk-1.10', 'eforms-sdk-1.12', 'eforms-sdk-1.13'],
  doe: ['eforms-de-1.2', 'eforms-de-2.0', 'eforms-de-2.1'],
  'no-doffin': ['eforms-sdk-1.10#urn:fdc:anskaffelser.no:2023:eforms:eu'],
}

/** The document of one copy. */
export function writeEforms(copy: SampleCopy): string {
  const { procedure, notice, portal } = copy
  const root = roots[notice.kind]
  const { region } = procedure.buyer
  // dispatched in the afternoon before, to all portals at once
  const dispatch = localParts(notice.at - 14 * hourMs, region.zone)
  const published = localParts(copy.at, region.zone)
  const versions = customizations[portal] ?? customizations['ted']!
  const own = procedure.languages[0]!
  const body = element(
    root.name,
    {
      xmlns: `urn:oasis:names:specification:ubl:schema:xsd:${root.name}-2`,
      'xmlns:cac': 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
      'xmlns:cbc': 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
      'xmlns:efac': 'http://data.europa.eu/p27/eforms-ubl-extension-aggregate-components/1',
      'xmlns:efbc': 'http://data.europa.eu/p27/eforms-ubl-extension-basic-components/1',
      'xmlns:efext': 'http://data.europa.eu/p27/eforms-ubl-extensions/1',
      'xmlns:ext': 'urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2',
    },
    extension(copy, root, published.date + published.offset),
    leaf('cbc:UBLVersionID', '2.3'),
    leaf('cbc:CustomizationID', versions[procedure.index % versions.length]),
    leaf('cbc:ID', notice.noticeId, { schemeName: 'notice-id' }),
    leaf('cbc:ContractFolderID', procedure.procedureId),
    leaf('cbc:IssueDate', dispatch.date + dispatch.offset),
    leaf('cbc:IssueTime', dispatch.time + dispatch.offset),
    leaf('cbc:VersionID', notice.version),
    leaf('cbc:RequestedPublicationDate', published.date + published.offset),
    leaf('cbc:RegulatoryDomain', '32014L0024'),
    leaf('cbc:NoticeTypeCode', root.type, { listName: root.form }),
    leaf('cbc:NoticeLanguageCode', alpha3Languages[own]),
    ...procedure.languages
      .slice(1)
      .map((language) => element('cac:AdditionalNoticeLanguage', leaf('cbc:ID', alpha3Languages[language]))),
    element(
      'cac:ContractingParty',
      leaf('cbc:BuyerProfileURI', `${procedure.buyer.url}/tenders`),
      element('cac:ContractingPartyType', leaf('cbc:PartyTypeCode', 'la', { listName: 'buyer-legal-type' })),
      element('cac:ContractingActivity', leaf('cbc:ActivityTypeCode', 'gen-pub', { listName: 'authority-activity' })),
      element('cac:Party', element('cac:PartyIdentification', leaf('cbc:ID', 'ORG-0001'))),
    ),
    notice.kind === 'planning' || notice.kind === 'modification'
      ? ''
      : element(
          'cac:TenderingProcess',
          leaf('cbc:ProcedureCode', procedure.procedureType, { listName: 'procurement-procedure-type' }),
          notice.kind === 'award' && notice.previous
            ? element(
                'cac:NoticeDocumentReference',
                leaf('cbc:ID', `${notice.previous.noticeId}-${notice.previous.version}`, {
                  schemeName: 'notice-id-ref',
                }),
              )
            : '',
        ),
    project(procedure),
    ...(notice.kind === 'planning'
      ? [lot(copy, procedure.lots[0]!, 'Part')]
      : procedure.lots.map((each) => lot(copy, each, 'Lot'))),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${body}\n`
}

function extension(copy: SampleCopy, root: Root, publicationDate: string): string {
  const { procedure, notice, portal } = copy
  const isChange = notice.kind === 'change' || notice.kind === 'cancellation'
  const previousKey = notice.previous && `${notice.previous.noticeId}-${notice.previous.version}`
  const winners = [...new Set(notice.results.flatMap(({ winner }) => (winner ? [winner] : [])))]
  return element(
    'ext:UBLExtensions',
    element(
      'ext:UBLExtension',
      element(
        'ext:ExtensionContent',
        element(
          'efext:EformsExtension',
          isChange
            ? element(
                'efac:Changes',
                leaf('efbc:ChangedNoticeIdentifier', previousKey),
                element(
                  'efac:ChangeReason',
                  leaf('cbc:ReasonCode', notice.kind === 'cancellation' ? 'cancel' : 'update-add', {
                    listName: 'change-corrig-justification',
                  }),
                ),
              )
            : '',
          notice.kind === 'modification'
            ? element(
                'efac:ContractModification',
                leaf('efbc:ChangedNoticeIdentifier', previousKey),
                element(
                  'efac:ChangeReason',
                  leaf('cbc:ReasonCode', 'add-wss', { listName: 'modification-justification' }),
                ),
              )
            : '',
          notice.results.length > 0 ? noticeResult(procedure, notice.results, winners) : '',
          element('efac:NoticeSubType', leaf('cbc:SubTypeCode', root.subtype, { listName: 'notice-subtype' })),
          element('efac:Organizations', buyer(procedure.buyer), ...winners.map((name, index) => winner(name, index))),
          portal === 'ted'
            ? element(
                'efac:Publication',
                leaf('efbc:NoticePublicationID', notice.publicationNumber.padStart(13, '0'), {
                  schemeName: 'ojs-notice-id',
                }),
                leaf('efbc:PublicationDate', publicationDate),
              )
            : '',
        ),
      ),
    ),
  )
}

function buyer(each: SampleBuyer): string {
  return element(
    'efac:Organization',
    element(
      'efac:Company',
      leaf('cbc:WebsiteURI', each.url),
      element('cac:PartyIdentification', leaf('cbc:ID', 'ORG-0001', { schemeName: 'organization' })),
      element('cac:PartyName', leaf('cbc:Name', each.name)),
      element(
        'cac:PostalAddress',
        leaf('cbc:StreetName', each.street),
        leaf('cbc:CityName', each.town),
        leaf('cbc:PostalZone', each.postalCode),
        leaf('cbc:CountrySubentityCode', each.nuts, { listName: 'nuts-lvl3' }),
        element('cac:Country', leaf('cbc:IdentificationCode', each.region.alpha3, { listName: 'country' })),
      ),
      element('cac:PartyLegalEntity', leaf('cbc:CompanyID', each.nationalId)),
      element('cac:Contact', leaf('cbc:Telephone', each.phone), leaf('cbc:ElectronicMail', each.email)),
    ),
  )
}

function winner(name: string, index: number): string {
  return element(
    'efac:Organization',
    element(
      'efac:Company',
      element(
        'cac:PartyIdentification',
        leaf('cbc:ID', `ORG-${String(index + 2).padStart(4, '0')}`, { schemeName: 'organization' }),
      ),
      element('cac:PartyName', leaf('cbc:Name', name)),
      element('cac:PartyLegalEntity', leaf('cbc:CompanyID', `HR-${seeded(name).whole(10_000, 99_999)}`)),
    ),
  )
}

function noticeResult(
  procedure: SampleProcedure,
  results: SampleCopy['notice']['results'],
  winners: readonly string[],
): string {
  const { currency } = procedure.buyer.region
  const won = results.filter((each) => each.winner !== undefined)
  const id = (prefix: string, lotId: string) => `${prefix}-${lotId.slice(-4)}`
  return element(
    'efac:NoticeResult',
    won.length > 0
      ? leaf('cbc:TotalAmount', String(won.reduce((sum, { value }) => sum + value, 0)), { currencyID: currency })
      : '',
    ...results.map((each) =>
      element(
        'efac:LotResult',
        leaf('cbc:ID', id('RES', each.lotId), { schemeName: 'result' }),
        leaf('cbc:TenderResultCode', each.winner === undefined ? 'clos-nw' : 'selec-w', {
          listName: 'winner-selection-status',
        }),
        each.winner === undefined
          ? element(
              'efac:DecisionReason',
              leaf('efbc:DecisionReasonCode', 'no-rece', { listName: 'non-award-justification' }),
            )
          : '',
        each.winner === undefined
          ? ''
          : element('efac:LotTender', leaf('cbc:ID', id('TEN', each.lotId), { schemeName: 'tender' })),
        element(
          'efac:ReceivedSubmissionsStatistics',
          leaf('efbc:StatisticsCode', 'tenders', { listName: 'received-submission-type' }),
          leaf('efbc:StatisticsNumeric', String(each.receivedTenders)),
        ),
        each.winner === undefined
          ? ''
          : element('efac:SettledContract', leaf('cbc:ID', id('CON', each.lotId), { schemeName: 'contract' })),
        element('efac:TenderLot', leaf('cbc:ID', each.lotId, { schemeName: 'Lot' })),
      ),
    ),
    ...won.map((each) =>
      element(
        'efac:LotTender',
        leaf('cbc:ID', id('TEN', each.lotId), { schemeName: 'tender' }),
        element('cac:LegalMonetaryTotal', leaf('cbc:PayableAmount', String(each.value), { currencyID: currency })),
        element('efac:TenderingParty', leaf('cbc:ID', id('TPA', each.lotId), { schemeName: 'tendering-party' })),
        element('efac:TenderLot', leaf('cbc:ID', each.lotId, { schemeName: 'Lot' })),
      ),
    ),
    ...won.map((each) =>
      element(
        'efac:SettledContract',
        leaf('cbc:ID', id('CON', each.lotId), { schemeName: 'contract' }),
        element('efac:LotTender', leaf('cbc:ID', id('TEN', each.lotId), { schemeName: 'tender' })),
      ),
    ),
    ...won.map((each) =>
      element(
        'efac:TenderingParty',
        leaf('cbc:ID', id('TPA', each.lotId), { schemeName: 'tendering-party' }),
        element(
          'efac:Tenderer',
          leaf('cbc:ID', `ORG-${String(winners.indexOf(each.winner!) + 2).padStart(4, '0')}`, {
            schemeName: 'organization',
          }),
        ),
      ),
    ),
  )
}

const named = (procedure: SampleProcedure, name: string, text: (language: SampleLanguage) => string) =>
  inLanguages(procedure, text).map((each) => leaf(name, each.text, { languageID: alpha3Languages[each.language] }))

const cpv = (code: string) => leaf('cbc:ItemClassificationCode', code, { listName: 'cpv' })

function place(each: SampleBuyer): string {
  return element(
    'cac:RealizedLocation',
    element(
      'cac:Address',
      leaf('cbc:CityName', each.town),
      leaf('cbc:PostalZone', each.postalCode),
      leaf('cbc:CountrySubentityCode', each.nuts, { listName: 'nuts-lvl3' }),
      element('cac:Country', leaf('cbc:IdentificationCode', each.region.alpha3, { listName: 'country' })),
    ),
  )
}

function total(procedure: SampleProcedure, value: number | undefined): string {
  if (value === undefined) return ''
  return element(
    'cac:RequestedTenderTotal',
    leaf('cbc:EstimatedOverallContractAmount', String(value), { currencyID: procedure.buyer.region.currency }),
  )
}

function project(procedure: SampleProcedure): string {
  return element(
    'cac:ProcurementProject',
    leaf('cbc:ID', procedure.reference, { schemeName: 'InternalID' }),
    ...named(procedure, 'cbc:Name', (language) => titleOf(procedure, language)),
    ...named(procedure, 'cbc:Description', (language) => descriptionOf(procedure, language)),
    leaf('cbc:ProcurementTypeCode', procedure.subject.nature, { listName: 'contract-nature' }),
    total(procedure, procedure.value),
    element('cac:MainCommodityClassification', cpv(procedure.subject.cpv)),
    ...(procedure.subject.moreCpv ?? []).map((code) => element('cac:AdditionalCommodityClassification', cpv(code))),
    place(procedure.buyer),
  )
}

function lot(copy: SampleCopy, each: SampleLot, scheme: 'Lot' | 'Part'): string {
  const { procedure, notice } = copy
  const { zone } = procedure.buyer.region
  const deadline = notice.deadline === undefined ? undefined : localParts(notice.deadline, zone)
  const period =
    procedure.procedureType === 'open'
      ? 'cac:TenderSubmissionDeadlinePeriod'
      : 'cac:ParticipationRequestReceptionPeriod'
  const documents = `https://portal.example/${copy.portal}/${procedure.procedureId}`
  return element(
    'cac:ProcurementProjectLot',
    leaf('cbc:ID', scheme === 'Part' ? each.lotId.replace('LOT', 'PAR') : each.lotId, { schemeName: scheme }),
    deadline
      ? element(
          'cac:TenderingTerms',
          element(
            'cac:CallForTendersDocumentReference',
            leaf('cbc:ID', procedure.reference),
            leaf('cbc:DocumentType', 'non-restricted-document'),
            element('cac:Attachment', element('cac:ExternalReference', leaf('cbc:URI', `${documents}/documents`))),
          ),
          element('cac:TenderRecipientParty', leaf('cbc:EndpointID', `${documents}/submission`)),
        )
      : '',
    deadline
      ? element(
          'cac:TenderingProcess',
          element(
            period,
            leaf('cbc:EndDate', deadline.date + deadline.offset),
            leaf('cbc:EndTime', deadline.time + deadline.offset),
          ),
        )
      : '',
    element(
      'cac:ProcurementProject',
      leaf('cbc:ID', `${procedure.reference}/${each.lotId.slice(-1)}`, { schemeName: 'InternalID' }),
      ...named(procedure, 'cbc:Name', (language) => each.title[language]),
      ...named(
        procedure,
        'cbc:Description',
        (language) => `${each.title[language]}. ${descriptionOf(procedure, language)}`,
      ),
      leaf('cbc:ProcurementTypeCode', procedure.subject.nature, { listName: 'contract-nature' }),
      total(procedure, procedure.value === undefined ? undefined : each.value),
      element('cac:MainCommodityClassification', cpv(each.cpv)),
      place(procedure.buyer),
      element(
        'cac:PlannedPeriod',
        leaf('cbc:DurationMeasure', String(6 + (procedure.index % 30)), { unitCode: 'MONTH' }),
      ),
    ),
  )
}
