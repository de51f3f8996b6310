// Made-up entries of the Spanish syndication: Atom with CODICE inside.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { escapeXml } from '../../samples/xml-text.ts'
import type { SampleWriters } from '../own-writers.ts'
import { localTime } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['change'] }

const zone = 'Europe/Madrid'
const codice = 'urn:dgpe:names:draft:codice'
const statuses = { planning: 'PRE', call: 'PUB', change: 'PUB', cancellation: 'ANUL', award: 'ADJ' } as const
const natures = { works: '3', supplies: '1', services: '2' } as const
const procedures = { open: '1', restricted: '2', 'neg-w-call': '4' } as const

/** An entry in the start tag of its feed. Every state of a folder is the same entry with another time of update. */
function writePlacsp(notice: PortalSample): string {
  const { deadline } = notice
  const updated = (pattern: string) => localTime(notice.publishedAt, zone, pattern)
  const amount = (name: string, value: number) => `<cbc:${name} currencyID="EUR">${value}</cbc:${name}>`
  const period = deadline
    ? '<cac:TenderSubmissionDeadlinePeriod>' +
      `<cbc:EndDate>${localTime(deadline, zone, 'yyyy-MM-dd')}</cbc:EndDate>` +
      `<cbc:EndTime>${localTime(deadline, zone, 'HH:mm:ss')}</cbc:EndTime></cac:TenderSubmissionDeadlinePeriod>`
    : ''
  const budget = notice.value
    ? `<cac:BudgetAmount>${amount('EstimatedOverallContractAmount', notice.value.amount)}` +
      `${amount('TaxExclusiveAmount', notice.value.amount)}</cac:BudgetAmount>`
    : ''
  const cpv = (code: string) =>
    `<cac:RequiredCommodityClassification><cbc:ItemClassificationCode>${code}</cbc:ItemClassificationCode></cac:RequiredCommodityClassification>`
  const lots = notice.lots
    .map(
      (lot) =>
        `<cac:ProcurementProjectLot><cbc:ID schemeName="ID_LOTE">${escapeXml(lot.id)}</cbc:ID>` +
        '<cac:ProcurementProject>' +
        `<cbc:Name>${escapeXml(lot.title)}</cbc:Name>${cpv(lot.cpv)}</cac:ProcurementProject>` +
        '</cac:ProcurementProjectLot>',
    )
    .join('')
  const results = notice.winners
    .map(
      (winner) =>
        '<cac:TenderResult><cbc:ResultCode>8</cbc:ResultCode>' +
        `<cbc:AwardDate>${updated('yyyy-MM-dd')}</cbc:AwardDate>` +
        '<cbc:ReceivedTenderQuantity>3</cbc:ReceivedTenderQuantity><cac:WinningParty><cac:PartyName>' +
        `<cbc:Name>${escapeXml(winner.name)}</cbc:Name></cac:PartyName></cac:WinningParty>` +
        '<cac:AwardedTenderedProject>' +
        `<cbc:ProcurementProjectLotID>${escapeXml(winner.lotId)}</cbc:ProcurementProjectLotID>` +
        `<cac:LegalMonetaryTotal>${amount('TaxExclusiveAmount', winner.amount)}</cac:LegalMonetaryTotal>` +
        '</cac:AwardedTenderedProject></cac:TenderResult>',
    )
    .join('')
  const { buyer } = notice
  return (
    `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:cbc="${codice}:schema:xsd:CommonBasicComponents-2" ` +
    `xmlns:cac="${codice}:schema:xsd:CommonAggregateComponents-2" ` +
    `xmlns:cbc-place-ext="${codice}-place-ext:schema:xsd:CommonBasicComponents-2" ` +
    `xmlns:cac-place-ext="${codice}-place-ext:schema:xsd:CommonAggregateComponents-2"><entry>` +
    `<id>https://contrataciondelestado.es/sindicacion/licitacionesPerfilContratante/${notice.number}</id><link ` +
    `href="https://contrataciondelestado.es/wps/poc?uri=deeplink:detalle_licitacion&amp;idEvl=${notice.number}"/>` +
    `<summary type="text">Id licitación: ${escapeXml(notice.reference)}</summary>` +
    `<title>${escapeXml(notice.title)}</title>` +
    `<updated>${updated('yyyy-MM-ddTHH:mm:ss')}.${String(notice.version).padStart(3, '0')}${updated('xxx')}</updated>` +
    '<cac-place-ext:ContractFolderStatus>' +
    `<cbc:ContractFolderID>${escapeXml(notice.reference)}</cbc:ContractFolderID>` +
    `<cbc-place-ext:ContractFolderStatusCode>${statuses[notice.kind]}</cbc-place-ext:ContractFolderStatusCode>` +
    '<cac-place-ext:LocatedContractingParty><cac:Party><cac:PartyIdentification><cbc:ID ' +
    `schemeName="NIF">${escapeXml(buyer.nationalId)}</cbc:ID></cac:PartyIdentification><cac:PartyName>` +
    `<cbc:Name>${escapeXml(buyer.name)}</cbc:Name></cac:PartyName><cac:PostalAddress>` +
    `<cbc:CityName>${escapeXml(buyer.town)}</cbc:CityName>` +
    `<cbc:PostalZone>${escapeXml(buyer.postalCode)}</cbc:PostalZone><cac:Country>` +
    '<cbc:IdentificationCode>ES</cbc:IdentificationCode></cac:Country></cac:PostalAddress><cac:Contact>' +
    `<cbc:ElectronicMail>${escapeXml(buyer.email)}</cbc:ElectronicMail></cac:Contact></cac:Party>` +
    '</cac-place-ext:LocatedContractingParty><cac:ProcurementProject>' +
    `<cbc:Name>${escapeXml(notice.title)}</cbc:Name>` +
    `<cbc:TypeCode>${natures[notice.nature]}</cbc:TypeCode>${budget}${cpv(notice.cpv)}</cac:ProcurementProject>${lots}${results}<cac:TenderingProcess>` +
    `<cbc:ProcedureCode>${procedures[notice.procedureType]}</cbc:ProcedureCode>${period}</cac:TenderingProcess>` +
    '</cac-place-ext:ContractFolderStatus></entry></feed>'
  )
}

export const writers: SampleWriters = { 'es-placsp-1044': writePlacsp, 'es-placsp-643': writePlacsp }
