// The TED_EXPORT parser on real notices: none is lost, fields are as frequent as the field map measured, and a sample
// of fields equals what an independent XPath engine finds in the same bytes.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type XmlElement as OracleElement, XmlDocument } from 'libxml2-wasm'
import { beforeAll, describe, expect, it } from 'vitest'
import { toCountry, toLanguage } from '../../src/domain/codes.ts'
import type { Notice, ParsedPart } from '../../src/domain/notice.ts'
import { joinDateTime, zoneOf } from '../../src/domain/time.ts'
import { readPath } from '../../src/sources/files.ts'
import { parseDocument } from '../../src/sources/parse-document.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const isThere = existsSync(join(corpus, 'MANIFEST.tsv'))

type Read = { readonly address: string; readonly bytes: Uint8Array; readonly parts: readonly ParsedPart[] }
type Row = { readonly [column: string]: string }

function manifest(): Map<string, Row> {
  const [head, ...lines] = readFileSync(join(corpus, 'MANIFEST.tsv'), 'utf8').trim().split('\n')
  const columns = head!.split('\t')
  return new Map(
    lines.map((line) => [
      line.split('\t')[0]!,
      Object.fromEntries(line.split('\t').map((cell, index) => [columns[index], cell])),
    ]),
  )
}

function noticeOf(read: Read): Notice {
  const [part] = read.parts
  if (!part || !('notice' in part)) throw new Error(`${read.address}: ${JSON.stringify(part)}`)
  return part.notice
}

describe.skipIf(!isThere)('real TED_EXPORT notices', () => {
  const reads: Read[] = []
  const rows = isThere ? manifest() : new Map<string, Row>()
  beforeAll(async () => {
    let parseMs = 0
    for await (const { address, bytes, unreadable } of readPath(join(corpus, 'ted-legacy'))) {
      expect(unreadable).toBeUndefined()
      const start = performance.now()
      const parts = parseDocument(bytes)
      parseMs += performance.now() - start
      reads.push({ address: address.slice(corpus.length + 1), bytes, parts })
    }
    console.log(`TED_EXPORT: ${Math.round((reads.length * 1000) / parseMs)} notices/s from bytes to notice`)
  })

  it('all become notices, 2,940, each with its own key', () => {
    expect(reads).toHaveLength(2940)
    expect(new Set(reads.map((read) => noticeOf(read).noticeKey)).size).toBe(2940)
  })

  it('carry the numbers, days, countries, languages and forms that the manifest lists', () => {
    const differences: string[] = []
    for (const read of reads) {
      const notice = noticeOf(read)
      const row = rows.get(read.address)
      if (!row) {
        differences.push(`${read.address}: not in the manifest`)
        continue
      }
      const day = `${row['date']!.slice(0, 4)}-${row['date']!.slice(4, 6)}-${row['date']!.slice(6, 8)}`
      const expected = {
        key: `ted:${row['publication_no']}`,
        number: row['publication_no'],
        // The corpus holds one document without its original form; it is read in the language that it has.
        language: read.address.endsWith('00057196_2021.xml') ? 'da' : toLanguage(row['lang']!.slice(0, 2)),
        date: joinDateTime(day, undefined, 'Europe/Luxembourg', 'start-of-day'),
      }
      const found = {
        key: notice.noticeKey,
        number: notice.publicationNumber,
        language: notice.language,
        date: notice.publicationDate,
      }
      if (JSON.stringify(found) !== JSON.stringify(expected))
        differences.push(`${read.address}: ${JSON.stringify(found)} for ${JSON.stringify(expected)}`)
    }
    expect(differences).toEqual([])
    // The manifest counts elements of one namespace only, hence 0 for some; where it counts, lots that only awards name
    // add to it.
    const counted = reads.filter((read) => Number(rows.get(read.address)?.['lots'] ?? 0) > 0)
    const more = counted.filter((read) => noticeOf(read).lots.length !== Number(rows.get(read.address)!['lots']))
    expect(counted.length).toBeGreaterThan(2500)
    expect(more.length / counted.length).toBeLessThan(0.01)
    for (const read of more) expect(noticeOf(read).lots.length).toBeGreaterThan(Number(rows.get(read.address)!['lots']))
  })

  it.each([
    // form, notices, field, minimum share in percent as counted in the documents (amounts of 0, 0.01 and 1 are not
    // values for us)
    ['', 2940, 'title', 100],
    ['', 2940, 'description', 99],
    ['', 2940, 'buyer', 100],
    ['', 2940, 'buyer.country', 99],
    ['', 2940, 'buyer.nationalId', 46],
    ['', 2940, 'buyer.email', 96],
    ['', 2940, 'buyer.phone', 72],
    ['', 2940, 'buyer.url', 96],
    ['', 2940, 'internalReference', 61],
    ['', 2940, 'deadline', 34],
    ['', 2940, 'estimatedValue', 23],
    ['', 2940, 'cpv', 100],
    ['', 2940, 'lotCpv', 63],
    ['', 2940, 'nuts', 89],
    ['', 2940, 'nature', 100],
    ['', 2940, 'references', 31],
    ['', 2940, 'documentsUrl', 39],
    ['', 2940, 'submissionUrl', 24],
    ['', 2940, 'dispatch', 100],
    ['', 2940, 'legalBasis', 99],
    ['', 2940, 'awardedValue', 31],
    ['F02', 180, 'title', 100],
    ['F02', 180, 'deadline', 100],
    ['F02', 180, 'estimatedValue', 52],
    ['F02', 180, 'lotValue', 48],
    ['F02', 180, 'procedure', 100],
    ['F02', 180, 'documentsUrl', 100],
    ['F02', 180, 'submissionUrl', 67],
    ['F02', 180, 'divided', 37],
    ['F02', 180, 'lotCpv', 74],
    ['F02', 180, 'lotNuts', 97],
    ['F02', 180, 'internalReference', 66],
    ['F02', 180, 'references', 10],
    ['F03', 310, 'winner', 69],
    ['F03', 310, 'contractDate', 86],
    ['F03', 310, 'receivedTenders', 69],
    ['F03', 310, 'notAwarded', 17],
    ['F03', 310, 'awardedValue', 78],
    ['F03', 310, 'lotAward', 66],
    ['F03', 310, 'references', 75],
    ['F03', 310, 'internalReference', 74],
    ['F03', 310, 'lotNuts', 97],
    ['F05', 179, 'deadline', 100],
    ['F05', 179, 'estimatedValue', 45],
    ['F05', 179, 'internalReference', 67],
    ['F05', 179, 'lotNuts', 100],
    ['F21', 278, 'deadline', 46],
    ['F01', 223, 'deadline', 33],
    ['F01', 223, 'anyEstimate', 56],
    ['F14', 16, 'references', 100],
    ['F14', 16, 'deadline', 93],
    ['F06', 187, 'references', 66],
    ['F20', 103, 'references', 78],
    ['F20', 103, 'awardedValue', 95],
    ['F15', 342, 'winner', 98],
    ['F12', 111, 'deadline', 100],
    ['F24', 124, 'deadline', 100],
    ['F13', 83, 'winner', 65],
    ['F25', 135, 'winner', 85],
    ['17', 44, 'deadline', 100],
    ['18', 38, 'winner', 90],
    ['16', 12, 'title', 100],
  ] as const)('form %j (%i notices): %s in at least %i %%', (form, count, field, least) => {
    const notices = reads.map(noticeOf).filter((notice) => form === '' || notice.noticeSubtype === form)
    expect(notices).toHaveLength(count)
    const share = (100 * notices.filter(fields[field]!).length) / count
    expect(share).toBeGreaterThanOrEqual(least)
  })

  it('hold what an independent XPath engine finds (every fifth document)', () => {
    const differences: string[] = []
    for (const read of reads.filter((_, index) => index % 5 === 0)) {
      const notice = noticeOf(read)
      if (!/^F\d\d$/.test(notice.noticeSubtype ?? '')) continue
      using document = XmlDocument.fromBuffer(read.bytes)
      const root = document.root
      const steps = (path: string) =>
        path
          .split('/')
          .map((name) =>
            name.startsWith('@') || name === '..' || name.startsWith('*') ? name : `*[local-name()='${name}']`,
          )
          .join('/')
      const own =
        "//*[local-name()='FORM_SECTION']/*[@CATEGORY='ORIGINAL' and " +
        `translate(@LG,'ABCDEFGHIJKLMNOPQRSTUVWXYZ','abcdefghijklmnopqrstuvwxyz')='${notice.language}'][1]`
      const text = (path: string) => textOf(root.get(`${own}/${steps(path)}`) as OracleElement | null)
      const all = (path: string) =>
        root.find(`${own}/${steps(path)}`).map((node) => (node as unknown as { value: string }).value)
      if (root.find(own).length === 0) continue
      const buyer = notice.contractingAuthorities[0]
      const country = toCountry(all('CONTRACTING_BODY/ADDRESS_CONTRACTING_BODY/COUNTRY/@VALUE')[0])
      const dateText = text('PROCEDURE/DATE_RECEIPT_TENDERS')
      const isCall = notice.formType === 'competition' || notice.formType === 'planning'
      const pairs: [string, unknown, unknown][] = [
        ['title', squeeze(notice.title?.[notice.language]), squeeze(text('OBJECT_CONTRACT/TITLE'))],
        ['buyer', squeeze(buyer?.name), squeeze(text('CONTRACTING_BODY/ADDRESS_CONTRACTING_BODY/OFFICIALNAME'))],
        ['country', buyer?.country, country],
        ['town', squeeze(buyer?.city), squeeze(text('CONTRACTING_BODY/ADDRESS_CONTRACTING_BODY/TOWN'))],
        ['cpv', notice.cpvCodes[0], all('OBJECT_CONTRACT/CPV_MAIN/CPV_CODE/@CODE')[0]],
        [
          'deadline',
          isCall ? (notice.submissionDate ?? notice.participationDate) : undefined,
          isCall && dateText
            ? joinDateTime(dateText, text('PROCEDURE/TIME_RECEIPT_TENDERS'), zoneOf(country), 'end-of-day')
            : isCall
              ? (notice.submissionDate ?? notice.participationDate)
              : undefined,
        ],
        [
          'lot nuts',
          // Three Greek notices of the corpus have ISO's letters, which NUTS does not know.
          [...new Set(all('OBJECT_CONTRACT/OBJECT_DESCR/NUTS/@CODE').filter((code) => /^[A-Z]{2}/.test(code)))]
            .map((code) => code.replace(/^GR/, 'EL'))
            .sort()
            .join(),
          [...new Set(notice.lots.flatMap((lot) => lot.nutsCodes))].sort().join(),
        ],
        [
          'lots failed',
          notice.lots.some((lot) => lot.result?.outcome === 'not-awarded') ||
            root.find(`${own}/${steps('AWARD_CONTRACT/AWARDED_CONTRACT')}`).length > 0,
          root.find(`${own}/${steps('AWARD_CONTRACT/NO_AWARDED_CONTRACT')}`).length > 0 ||
            root.find(`${own}/${steps('AWARD_CONTRACT/AWARDED_CONTRACT')}`).length > 0 ||
            root.find(`${own}/${steps('RESULTS/NO_AWARDED_PRIZE')}`).length > 0,
        ],
        [
          'winners',
          notice.lots.some((lot) => lot.result?.winners),
          root.find(
            `${own}/*[local-name()='AWARD_CONTRACT']//*[local-name()='ADDRESS_CONTRACTOR' or ` +
              "local-name()='ADDRESS_WINNER'] | " +
              `${own}/*[local-name()='RESULTS']//*[local-name()='ADDRESS_WINNER']`,
          ).length > 0,
        ],
        [
          'flags',
          [notice.isFramework ?? false, notice.isDynamicPurchasingSystemTerminated ?? false],
          [
            root.find(`${own}/${steps('PROCEDURE')}//*[local-name()='FRAMEWORK']`).length > 0,
            root.find(`${own}/${steps('PROCEDURE/TERMINATION_DPS')}`).length > 0,
          ],
        ],
      ]
      for (const [field, found, expected] of pairs) {
        if (JSON.stringify(found) !== JSON.stringify(expected))
          differences.push(`${read.address} ${field}: ${JSON.stringify(found)} for ${JSON.stringify(expected)}`)
      }
    }
    expect(differences).toEqual([])
  })

  it('form the linked groups of the manifest: references lead to notices of the same group', () => {
    const groups = new Map<string, string>()
    for (const read of reads) {
      const group = rows.get(read.address)?.['group']
      if (group) groups.set(noticeOf(read).publicationNumber!, group)
    }
    let followed = 0
    for (const read of reads) {
      const notice = noticeOf(read)
      for (const reference of notice.references) {
        const target = groups.get(reference.publicationNumber!)
        if (target === undefined) continue
        followed++
        expect([read.address, rows.get(read.address)?.['group']]).toEqual([read.address, target])
      }
    }
    expect(followed).toBeGreaterThan(75)
  })
})

const squeeze = (text: string | undefined) => text?.replace(/\s+/g, '') || undefined
/** As the parser joins paragraphs, leaving spaces aside; entities are single in this corpus. */
function textOf(element: OracleElement | null): string | undefined {
  return element?.content.trim() || undefined
}

const anyLot = (test: (lot: Notice['lots'][number]) => unknown) => (notice: Notice) =>
  notice.lots.some((lot) => test(lot))
const fields: { readonly [field: string]: (notice: Notice) => unknown } = {
  title: (notice) => notice.title,
  description: (notice) => notice.description,
  buyer: (notice) => notice.contractingAuthorities.length > 0,
  'buyer.country': (notice) => notice.contractingAuthorities[0]?.country,
  'buyer.nationalId': (notice) => notice.contractingAuthorities[0]?.nationalId,
  'buyer.email': (notice) => notice.contractingAuthorities[0]?.email,
  'buyer.phone': (notice) => notice.contractingAuthorities[0]?.phone,
  'buyer.url': (notice) => notice.contractingAuthorities[0]?.url,
  internalReference: (notice) => notice.internalReference,
  deadline: (notice) => notice.submissionDate ?? notice.participationDate,
  estimatedValue: (notice) => notice.estimatedValue,
  anyEstimate: (notice) => notice.estimatedValue ?? notice.lots.find((lot) => lot.estimatedValue),
  awardedValue: (notice) => notice.awardedValue,
  cpv: (notice) => notice.cpvCodes.length > 0,
  nuts: (notice) => notice.nutsCodes.length > 0,
  nature: (notice) => notice.contractNature,
  procedure: (notice) => notice.procedureType,
  references: (notice) => notice.references.length > 0,
  documentsUrl: (notice) => notice.documentsUrl,
  submissionUrl: (notice) => notice.submissionUrl,
  dispatch: (notice) => notice.dispatchDate,
  legalBasis: (notice) => notice.legalBasis,
  divided: (notice) => notice.lots.length > 1,
  lotCpv: anyLot((lot) => lot.cpvCodes.length > 0),
  lotNuts: anyLot((lot) => lot.nutsCodes.length > 0),
  lotValue: anyLot((lot) => lot.estimatedValue),
  lotAward: anyLot((lot) => lot.result?.awardedValue),
  winner: anyLot((lot) => lot.result?.winners),
  contractDate: anyLot((lot) => lot.result?.contractDate),
  receivedTenders: anyLot((lot) => lot.result?.receivedTenders !== undefined),
  notAwarded: anyLot((lot) => lot.result?.outcome === 'not-awarded'),
}
