// How senders of results deviate from the standard: made-up award notices with the shapes that real ones have.
import { expect, it } from 'vitest'
import type { LotResult, Notice } from '../../domain/notice.ts'
import { parseXml } from '../xml/xml.ts'
import { parseEforms } from './parse-eforms.ts'

const ubl = 'urn:oasis:names:specification:ubl:schema:xsd'
const eforms = 'http://data.europa.eu/p27/eforms-ubl-extension'
const namespaces =
  `xmlns="${ubl}:ContractAwardNotice-2" xmlns:a="${ubl}:CommonAggregateComponents-2" ` +
  `xmlns:b="${ubl}:CommonBasicComponents-2" xmlns:x="${ubl}:CommonExtensionComponents-2" ` +
  `xmlns:ea="${eforms}-aggregate-components/1" xmlns:eb="${eforms}-basic-components/1" xmlns:ee="${eforms}s/1"`

const refer = (name: string, ids: readonly string[]): string =>
  ids.map((id) => `<ea:${name}><b:ID>${id}</b:ID></ea:${name}>`).join('')

/** The result of LOT-0001 as stated by the notice. */
type Given = {
  readonly code?: string
  readonly reason?: string
  readonly tenders?: readonly string[]
  readonly contracts?: readonly string[]
  readonly received?: number
}

function lotResult({ code, reason, tenders = [], contracts = [], received }: Given): string {
  return `<ea:LotResult>${code ? `<b:TenderResultCode>${code}</b:TenderResultCode>` : ''}${
    reason ? `<ea:DecisionReason><eb:DecisionReasonCode>${reason}</eb:DecisionReasonCode></ea:DecisionReason>` : ''
  }${refer('LotTender', tenders)}${
    received === undefined
      ? ''
      : '<ea:ReceivedSubmissionsStatistics><eb:StatisticsCode>tenders</eb:StatisticsCode>' +
        `<eb:StatisticsNumeric>${received}</eb:StatisticsNumeric></ea:ReceivedSubmissionsStatistics>`
  }${refer('SettledContract', contracts)}${refer('TenderLot', ['LOT-0001'])}</ea:LotResult>`
}

const tender = (id: string, party: string, rank?: number): string =>
  `<ea:LotTender><b:ID>${id}</b:ID>${rank === undefined ? '' : `<b:RankCode>${rank}</b:RankCode>`}` +
  `${refer('TenderingParty', [party])}${refer('TenderLot', ['LOT-0001'])}</ea:LotTender>`
const contract = (id: string, tenders: readonly string[], date: string): string =>
  `<ea:SettledContract><b:ID>${id}</b:ID><b:IssueDate>${date}Z</b:IssueDate>${refer('LotTender', tenders)}</ea:SettledContract>`
const party = (id: string, organization: string): string =>
  `<ea:TenderingParty><b:ID>${id}</b:ID>${refer('Tenderer', [organization])}</ea:TenderingParty>`
const company = (id: string, name: string): string =>
  `<ea:Organization><ea:Company><a:PartyIdentification><b:ID>${id}</b:ID></a:PartyIdentification>` +
  `<a:PartyName><b:Name>${name}</b:Name></a:PartyName></ea:Company></ea:Organization>`

const parties = party('TPA-1', 'ORG-1') + party('TPA-2', 'ORG-2')
const companies = company('ORG-1', 'Alpha SA') + company('ORG-2', 'Beta SA')
const framework =
  '<a:TenderingProcess><a:ContractingSystem><b:ContractingSystemTypeCode ' +
  'listName="framework-agreement">fa-wo-rc</b:ContractingSystemTypeCode></a:ContractingSystem>' +
  '</a:TenderingProcess>'

function noticeOf(given: Given, more: string, process = ''): Notice {
  const text =
    `<ContractAwardNotice ${namespaces}><x:UBLExtensions><x:UBLExtension><x:ExtensionContent>` +
    `<ee:EformsExtension><ea:NoticeResult>${lotResult(given)}${more}${parties}</ea:NoticeResult>` +
    `<ea:Organizations>${companies}</ea:Organizations></ee:EformsExtension></x:ExtensionContent>` +
    '</x:UBLExtension></x:UBLExtensions><b:ID>7</b:ID><b:NoticeTypeCode ' +
    `listName="result">can-standard</b:NoticeTypeCode>${process}<a:ProcurementProject><b:Name>Möbel</b:Name>` +
    '</a:ProcurementProject></ContractAwardNotice>'
  const [part] = parseEforms(parseXml(text))
  if (!part || !('notice' in part)) throw new Error(JSON.stringify(part))
  return part.notice
}

const resultOf = (...given: Parameters<typeof noticeOf>): LotResult | undefined => noticeOf(...given).lots[0]?.result

const names = (result: LotResult | undefined): string[] => (result?.winners ?? []).map(({ name }) => name)
const both = tender('TEN-1', 'TPA-1') + tender('TEN-2', 'TPA-2')
const ranked = tender('TEN-1', 'TPA-1', 1) + tender('TEN-2', 'TPA-2', 2)
const selected: Given = { code: 'selec-w', tenders: ['TEN-1', 'TEN-2'] }

it('a result that leaves its contract out has the contract of one of its tenders', () => {
  const result = resultOf(selected, both + contract('CON-1', ['TEN-2'], '2024-05-02'))
  expect(names(result)).toEqual(['Beta SA'])
  expect(result?.contractDate).toBe('2024-05-02')
})

it('a result without a code shows by its reason that nobody won', () => {
  expect(resultOf({ reason: 'no-signed' }, '')).toEqual({ outcome: 'not-awarded', reason: 'no-signed' })
})

it('of the ranked tenders of a contract the first won; all did where it is a framework', () => {
  const given: Given = { ...selected, contracts: ['CON-1'] }
  const more = ranked + contract('CON-1', ['TEN-1', 'TEN-2'], '2024-05-02')
  expect(names(resultOf(given, more))).toEqual(['Alpha SA'])
  expect(names(resultOf(given, more, framework))).toEqual(['Alpha SA', 'Beta SA'])
})

it('of ranked tenders without a contract the first won', () => {
  expect(names(resultOf(selected, ranked))).toEqual(['Alpha SA'])
})

it('a result that lists every tender received does not name the winner', () => {
  expect(resultOf({ ...selected, received: 2 }, both)).toEqual({ outcome: 'awarded', receivedTenders: 2 })
  expect(names(resultOf({ ...selected, received: 5 }, both))).toEqual(['Alpha SA', 'Beta SA'])
  expect(names(resultOf({ ...selected, received: 2 }, both, framework))).toEqual(['Alpha SA', 'Beta SA'])
})

it('a party without organizations is a winner by its own name', () => {
  const nameless = '<ea:TenderingParty><b:ID>TPA-3</b:ID><b:Name>Bietergemeinschaft Nord</b:Name></ea:TenderingParty>'
  const given: Given = { code: 'selec-w', tenders: ['TEN-3'] }
  expect(names(resultOf(given, tender('TEN-3', 'TPA-3') + nameless))).toEqual(['Bietergemeinschaft Nord'])
})

it('a lot whose framework has its maximum only in the result has that one (BT-709)', () => {
  const values =
    '<ea:FrameworkAgreementValues><b:MaximumValueAmount currencyID="EUR">450000</b:MaximumValueAmount></ea:FrameworkAgreementValues>'
  const more = `<ea:LotResult>${values}${refer('TenderLot', ['LOT-0001'])}</ea:LotResult>`
  expect(noticeOf({ code: 'clos-nw' }, more).lots[0]?.frameworkMaximum).toEqual({ value: 450_000, currency: 'EUR' })
})

it('a result that names no lot counts for the whole notice: its only lot takes it, each of several the outcome', () => {
  const lotsWith = (...ids: string[]) => {
    const results = `${lotResult(selected)}${both}`.replaceAll('LOT-0001', 'MISSING')
    const lots = ids.map(
      (id) => `<a:ProcurementProjectLot><b:ID schemeName="Lot">${id}</b:ID></a:ProcurementProjectLot>`,
    )
    const text =
      `<ContractAwardNotice ${namespaces}><x:UBLExtensions><x:UBLExtension><x:ExtensionContent>` +
      `<ee:EformsExtension><ea:NoticeResult>${results}${parties}</ea:NoticeResult>` +
      `<ea:Organizations>${companies}</ea:Organizations></ee:EformsExtension></x:ExtensionContent>` +
      '</x:UBLExtension></x:UBLExtensions><b:ID>7</b:ID><b:NoticeTypeCode ' +
      'listName="result">can-standard</b:NoticeTypeCode><a:ProcurementProject><b:Name>Möbel</b:Name>' +
      `</a:ProcurementProject>${lots.join('')}</ContractAwardNotice>`
    const [part] = parseEforms(parseXml(text))
    const { lots: read } = (part as { notice: Notice }).notice
    return read.map(({ lotId, result }) => [lotId, result?.outcome, ...names(result)])
  }
  const [[, , ...winners]] = lotsWith('LOT-0001') as [string[]]
  expect(winners.length).toBeGreaterThan(0)
  expect(lotsWith('LOT-0001')).toEqual([['LOT-0001', 'awarded', ...winners]])
  // the winners are not lost, but nobody knows of which lots
  expect(lotsWith('LOT-0001', 'LOT-0002')).toEqual([
    ['LOT-0001', 'awarded'],
    ['LOT-0002', 'awarded'],
    ['LOT-0000', 'awarded', ...winners],
  ])
  // a lot of this name is a lot like any other
  expect(lotsWith('LOT-0000', 'LOT-0001')).toEqual([
    ['LOT-0000', 'awarded', ...winners],
    ['LOT-0001', undefined],
  ])
})

it('the number of tenders comes from the result that has it', () => {
  const other = lotResult({ code: 'selec-w', tenders: ['TEN-1'], received: 4 })
  expect(resultOf({ code: 'selec-w', tenders: ['TEN-2'] }, other + both)?.receivedTenders).toBe(4)
  expect(resultOf({ code: 'selec-w', tenders: ['TEN-2'] }, both)).not.toHaveProperty('receivedTenders')
})

it.each([
  ['pin-buyer', 'planning'],
  ['pin-only', 'planning'],
  ['pin-rtl', 'planning'],
  ['pin-tran', 'planning'],
  ['pin-cfc-standard', 'competition'],
  ['pin-cfc-social', 'competition'],
  ['qu-sy', 'competition'],
  ['cn-standard', 'competition'],
  ['cn-social', 'competition'],
  ['subco', 'competition'],
  ['cn-desg', 'competition'],
  ['veat', 'dir-awa-pre'],
  ['can-standard', 'result'],
  ['can-social', 'result'],
  ['can-desg', 'result'],
  ['can-tran', 'result'],
  ['can-modif', 'cont-modif'],
  ['pmc', 'consultation'],
  ['compl', 'completion'],
])('a notice of type %s whose code names no form is one of %s', (type, form) => {
  const text =
    `<ContractAwardNotice ${namespaces}><b:ID>7</b:ID><b:NoticeTypeCode>${type}</b:NoticeTypeCode>` +
    '<a:ProcurementProject><b:Name>Möbel</b:Name></a:ProcurementProject></ContractAwardNotice>'
  const [part] = parseEforms(parseXml(text))
  expect(part).toMatchObject({ notice: { formType: form, noticeType: type } })
})
