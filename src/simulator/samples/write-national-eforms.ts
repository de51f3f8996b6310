// Sample notices in the federal portal's below-threshold encoding (`eforms-sdk-0.1`): numeric ids, buyer inline, no
// folder.
import { descriptionOf, type SampleCopy, titleOf } from './sample-world.ts'
import { element, leaf, localParts } from './xml-text.ts'

const roots = {
  planning: ['PriorInformationNotice', 'planning', 'pin-only'],
  call: ['ContractNotice', 'competition', 'cn-standard'],
  change: ['ContractNotice', 'competition', 'cn-standard'],
  cancellation: ['ContractNotice', 'competition', 'cn-standard'],
  award: ['ContractAwardNotice', 'result', 'can-standard'],
  modification: ['ContractAwardNotice', 'result', 'can-standard'],
} as const

const nationalProcedures = {
  open: 'de-open',
  restricted: 'de-restricted-w-call',
  'neg-w-call': 'de-neg-w-call',
} as const

/** The document of one copy. Prefixes differ from the usual ones, as they do at the portal: only the URIs count. */
export function writeNationalEforms(copy: SampleCopy): string {
  const { procedure, notice } = copy
  const [root, form, type] = roots[notice.kind]
  const { buyer } = procedure
  const published = localParts(copy.at, buyer.region.zone)
  const deadline = notice.deadline === undefined ? undefined : localParts(notice.deadline, buyer.region.zone)
  const title = titleOf(procedure, 'de')
  const location = element(
    'ns5:RealizedLocation',
    element(
      'ns5:Address',
      leaf('ns3:CityName', `${buyer.postalCode} ${buyer.town}`),
      leaf('ns3:CountrySubentityCode', buyer.nuts.slice(0, 3), { listName: 'nuts' }),
      element('ns5:Country', leaf('ns3:IdentificationCode', 'DEU', { listName: 'country' })),
    ),
  )
  const project = element(
    'ns5:ProcurementProject',
    leaf('ns3:ID', procedure.reference, { schemeName: 'InternalID' }),
    leaf('ns3:Name', title, { languageID: 'DEU' }),
    leaf('ns3:Description', descriptionOf(procedure, 'de'), { languageID: 'DEU' }),
    leaf('ns3:ProcurementTypeCode', procedure.subject.nature, { listName: 'contract-nature' }),
    element(
      'ns5:MainCommodityClassification',
      leaf('ns3:ItemClassificationCode', procedure.subject.cpv, { listName: 'cpv' }),
    ),
    location,
  )
  const winner = notice.results.find((each) => each.winner !== undefined)?.winner
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(
    `ns9:${root}`,
    {
      'xmlns:ns9': `urn:oasis:names:specification:ubl:schema:xsd:${root}-2`,
      'xmlns:ns3': 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
      'xmlns:ns5': 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
    },
    leaf('ns3:UBLVersionID', '2.3'),
    leaf('ns3:CustomizationID', 'eforms-sdk-0.1'),
    leaf('ns3:ID', notice.noticeId),
    '<ns3:ContractFolderID/>',
    leaf('ns3:VersionID', String(Number(notice.version))),
    leaf('ns3:RequestedPublicationDate', published.date + published.offset),
    leaf('ns3:RegulatoryDomain', procedure.subject.nature === 'works' ? 'de-vob' : 'de-uvgo'),
    leaf('ns3:NoticeTypeCode', type, { listName: form }),
    leaf('ns3:NoticeLanguageCode', 'DEU'),
    element(
      'ns5:ContractingParty',
      element(
        'ns5:Party',
        element('ns5:PartyName', leaf('ns3:Name', buyer.name)),
        element(
          'ns5:PostalAddress',
          leaf('ns3:StreetName', buyer.street),
          leaf('ns3:CityName', buyer.town),
          leaf('ns3:PostalZone', buyer.postalCode),
          element('ns5:Country', leaf('ns3:IdentificationCode', 'DEU')),
        ),
        element('ns5:Contact', leaf('ns3:Telephone', buyer.phone), leaf('ns3:ElectronicMail', buyer.email)),
      ),
    ),
    element(
      'ns5:TenderingProcess',
      leaf('ns3:ProcedureCode', nationalProcedures[procedure.procedureType], {
        listName: 'procurement-procedure-type',
      }),
    ),
    project,
    element(
      'ns5:ProcurementProjectLot',
      leaf('ns3:ID', 'LOT-0000', { schemeName: 'Lot' }),
      deadline
        ? element(
            'ns5:TenderingTerms',
            element(
              'ns5:CallForTendersDocumentReference',
              leaf('ns3:ID', notice.noticeId),
              leaf('ns3:DocumentType', 'non-restricted-document'),
              element(
                'ns5:Attachment',
                element(
                  'ns5:ExternalReference',
                  leaf('ns3:URI', `https://portal.example/${copy.portal}/${notice.noticeId}`),
                ),
              ),
            ),
          )
        : '',
      deadline
        ? element(
            'ns5:TenderingProcess',
            element(
              'ns5:TenderSubmissionDeadlinePeriod',
              leaf('ns3:EndDate', deadline.date + deadline.offset),
              leaf('ns3:EndTime', deadline.time + deadline.offset),
            ),
          )
        : '',
      project,
    ),
    root === 'ContractAwardNotice'
      ? element(
          'ns5:TenderResult',
          leaf('ns3:TenderResultCode', winner === undefined ? 'clos-nw' : 'selec-w', {
            listName: 'winner-selection-status',
          }),
          leaf('ns3:AwardDate', '2000-01-01'),
          winner === undefined
            ? ''
            : element('ns5:WinningParty', element('ns5:Party', element('ns5:PartyName', leaf('ns3:Name', winner)))),
        )
      : '',
  )}\n`
}
