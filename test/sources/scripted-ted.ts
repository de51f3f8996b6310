// A small TED for tests: calendar, packages, search and single notices over made-up notices, with the known faults.
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import type { SourceRequest } from '../../src/sources/fetch.ts'
import type { ScriptedReply } from './scripted-run.ts'

/** A made-up call as TED publishes it: eForms with its number in the journal and the fields that each call has. */
export function tedNotice(
  number: string,
  day: string,
  more: { readonly noticeId?: string; readonly title?: string } = {},
): string {
  const [serial, year] = number.split('-')
  const id = more.noticeId ?? `00000000-0000-4000-8000-${serial!.padStart(8, '0')}${year}`
  return `<?xml version="1.0" encoding="UTF-8"?>
<ContractNotice xmlns="urn:oasis:names:specification:ubl:schema:xsd:ContractNotice-2" \
xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" \
xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2" \
xmlns:efac="http://data.europa.eu/p27/eforms-ubl-extension-aggregate-components/1" \
xmlns:efbc="http://data.europa.eu/p27/eforms-ubl-extension-basic-components/1" \
xmlns:efext="http://data.europa.eu/p27/eforms-ubl-extensions/1" \
xmlns:ext="urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2">
<ext:UBLExtensions><ext:UBLExtension><ext:ExtensionContent><efext:EformsExtension>
<efac:NoticeSubType><cbc:SubTypeCode listName="notice-subtype">16</cbc:SubTypeCode></efac:NoticeSubType>
<efac:Publication><efbc:NoticePublicationID \
schemeName="ojs-notice-id">${serial!.padStart(8, '0')}-${year}</efbc:NoticePublicationID><efbc:GazetteID \
schemeName="ojs-id">1/${year}</efbc:GazetteID><efbc:PublicationDate>${day}+01:00</efbc:PublicationDate>\
</efac:Publication>
</efext:EformsExtension></ext:ExtensionContent></ext:UBLExtension></ext:UBLExtensions>
<cbc:CustomizationID>eforms-sdk-1.13</cbc:CustomizationID><cbc:ID schemeName="notice-id">${id}</cbc:ID>
<cbc:ContractFolderID>${id.replace(/^0{8}/, '11111111')}</cbc:ContractFolderID>\
<cbc:IssueDate>${day}+01:00</cbc:IssueDate><cbc:IssueTime>08:00:00+01:00</cbc:IssueTime>
<cbc:VersionID>01</cbc:VersionID><cbc:NoticeTypeCode listName="competition">cn-standard</cbc:NoticeTypeCode><cbc:NoticeLanguageCode>DEU</cbc:NoticeLanguageCode>
<cac:ContractingParty><cac:Party><cac:PartyName><cbc:Name>Stadt Musterstadt</cbc:Name></cac:PartyName></cac:Party></cac:ContractingParty>
<cac:ProcurementProject><cbc:Name languageID="DEU">${more.title ?? `Vergabe ${serial}`}</cbc:Name>
<cac:MainCommodityClassification><cbc:ItemClassificationCode listName="cpv">72000000</cbc:ItemClassificationCode></cac:MainCommodityClassification>
<cac:RealizedLocation><cac:Address><cbc:CountrySubentityCode listName="nuts-lvl3">DE600</cbc:CountrySubentityCode></cac:Address></cac:RealizedLocation>
</cac:ProcurementProject>
<cac:ProcurementProjectLot><cbc:ID schemeName="Lot">LOT-0000</cbc:ID><cac:TenderingProcess>\
<cac:TenderSubmissionDeadlinePeriod><cbc:EndDate>${year}-12-01+01:00</cbc:EndDate>\
<cbc:EndTime>12:00:00+01:00</cbc:EndTime></cac:TenderSubmissionDeadlinePeriod></cac:TenderingProcess>\
</cac:ProcurementProjectLot>
<!-- ${padding(number)} -->
</ContractNotice>`
}

/** Real notices are long and differ; without a part that does not compress a package would be a few hundred bytes. */
function padding(number: string): string {
  return Array.from({ length: 12 }, (_, index) =>
    createHash('sha512').update(`${number}/${index}`).digest('base64'),
  ).join(' ')
}

export async function tarGz(
  members: readonly { readonly name: string; readonly bytes: string | Uint8Array }[],
): Promise<Buffer> {
  const tar = pack()
  for (const { name, bytes } of members) tar.entry({ name }, Buffer.from(bytes))
  tar.finalize()
  const parts: Buffer[] = []
  for await (const part of tar) parts.push(part as Buffer)
  return gzipSync(Buffer.concat(parts), { level: 1 })
}

/** `00000007_2026.xml` in the folder of the issue, as since eForms. */
export function memberName(day: string, issue: number, number: string): string {
  const [serial, year] = number.split('-')
  return `${day.replaceAll('-', '')}_${String(issue).padStart(3, '0')}/${serial!.padStart(8, '0')}_${year}.xml`
}

export type Issue = {
  readonly issue: number
  /** Numbers that the search lists. */
  readonly numbers: readonly string[]
  /** Numbers in the package; default: the same. `null`: not published yet. */
  readonly packed?: readonly string[] | null
}

/** Firewall's answer since autumn 2026. */
export const challenge: ScriptedReply = { status: 202, headers: { 'x-amzn-waf-action': 'challenge' }, body: '' }

/** Answers as TED does. `fault` goes first: what it returns is the answer. */
export class ScriptedTed {
  readonly issues: Map<string, Issue>
  fault: (request: SourceRequest) => ScriptedReply | undefined = () => undefined
  /** Notices that cannot be fetched one by one. */
  readonly withheld = new Set<string>()
  readonly #packages = new Map<string, Buffer>()
  #tokens = 0

  constructor(issues: { readonly [day: string]: Issue }) {
    this.issues = new Map(Object.entries(issues))
  }

  /** Packs all packages, including those of the months; call it again after a change. */
  async pack(): Promise<this> {
    this.#packages.clear()
    const months = new Map<string, { name: string; bytes: Buffer }[]>()
    for (const [day, { issue, numbers, packed = numbers }] of this.issues) {
      if (packed === null) continue
      const bytes = await tarGz(
        packed.map((number) => ({ name: memberName(day, issue, number), bytes: tedNotice(number, day) })),
      )
      this.#packages.set(`daily/${day.slice(0, 4)}${String(issue).padStart(5, '0')}`, bytes)
      const days = months.get(day.slice(0, 7)) ?? []
      months.set(day.slice(0, 7), days)
      days.push({ name: `${day.slice(5, 7)}/${day.replaceAll('-', '')}_${issue}.tar.gz`, bytes })
    }
    for (const [month, days] of months)
      this.#packages.set(`monthly/${month.slice(0, 4)}-${Number(month.slice(5))}`, await tarGz(days))
    return this
  }

  /** Bytes of `daily/202600001` or `monthly/2026-1`. */
  packed(name: string): Buffer {
    const bytes = this.#packages.get(name)
    if (!bytes) throw new Error(`no package ${name}`)
    return bytes
  }

  replace(name: string, bytes: Buffer): void {
    this.#packages.set(name, bytes)
  }

  readonly answer = (request: SourceRequest): ScriptedReply => {
    const fault = this.fault(request)
    if (fault) return fault
    const { hostname, pathname } = new URL(request.url)
    if (hostname === 'api.ted.europa.eu') return this.#search(JSON.parse(request.body ?? '{}'))
    const calendar = /\/CSV\/(\d{4})$/.exec(pathname)
    if (calendar) return { body: this.calendar(calendar[1]!) }
    const bytes = this.#packages.get(pathname.replace(/^\/packages\//, ''))
    if (bytes) return { body: bytes }
    const number = /^\/en\/notice\/(\d+-\d{4})\/xml$/.exec(pathname)?.[1]
    const day = [...this.issues].find(([, issue]) => number !== undefined && issue.numbers.includes(number))?.[0]
    if (number !== undefined && day !== undefined && !this.withheld.has(number)) return { body: tedNotice(number, day) }
    return { status: 404, body: 'not found' }
  }

  /** Header, then issue and day; days to the end of the year, so that it reaches over all of it. */
  calendar(year: string): string {
    const days = [...this.issues].filter(([day]) => day.startsWith(year)).sort()
    const last = Math.max(0, ...days.map(([, { issue }]) => issue)) + 1
    const rows = days.map(([day, { issue }]) => `${issue},${day.slice(8)}/${day.slice(5, 7)}/${year}`)
    return ['OJ S,Publication date', ...rows, `${last},31/12/${year}`].join('\n')
  }

  #search(question: { readonly [name: string]: unknown }): ScriptedReply {
    const wanted = /^publication-date=(\d{4})(\d{2})(\d{2})$/.exec(String(question['query']))
    const limit = Number(question['limit'])
    const fields = question['fields'] as readonly string[]
    if (!wanted || limit > 250 || limit * fields.length > 10_000) return { status: 400, body: '{"message":"no"}' }
    const day = `${wanted[1]}-${wanted[2]}-${wanted[3]}`
    const numbers = this.issues.get(day)?.numbers ?? []
    const token = question['iterationNextToken']
    const start = token === undefined ? 0 : Number(String(token).split('.')[0])
    if (token !== undefined && !/^\d+\.\d+$/.test(String(token))) return { status: 500, body: '{}' }
    const rows = numbers.slice(start, start + limit)
    return {
      body: JSON.stringify({
        notices: rows.map((number) => ({
          'publication-number': number,
          'publication-date': `${day}+01:00`,
          links: { xml: { MUL: `https://ted.europa.eu/en/notice/${number}/xml` } },
        })),
        totalNoticeCount: numbers.length,
        iterationNextToken:
          question['paginationMode'] === 'ITERATION' ? `${start + rows.length}.${++this.#tokens}` : null,
        timedOut: false,
      }),
    }
  }
}

/** This many consecutive numbers. */
export function numbersFrom(first: number, count: number, year = 2026): string[] {
  return Array.from({ length: count }, (_, index) => `${first + index}-${year}`)
}
