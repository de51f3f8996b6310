// The eForms parser on real notices: none is lost, fields are as frequent as the field map measured, and every field of
// a sample is equal to what an independent XPath engine finds.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type XmlElement as OracleElement, XmlDocument } from 'libxml2-wasm'
import { beforeAll, describe, expect, it } from 'vitest'
import { toCountry, toLanguage } from '../../src/domain/codes.ts'
import type { Notice, NoticeLot, ParsedPart } from '../../src/domain/notice.ts'
import { readPath } from '../../src/sources/files.ts'
import { parseDocument } from '../../src/sources/parse-document.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const isThere = existsSync(join(corpus, 'MANIFEST.tsv'))

type Row = { readonly [column: string]: string }
type Read = {
  readonly address: string
  readonly bytes: Uint8Array
  readonly parts: readonly ParsedPart[]
  readonly row: Row
}

function manifest(): Map<string, Row> {
  const [head, ...lines] = readFileSync(join(corpus, 'MANIFEST.tsv'), 'utf8').trim().split('\n')
  const columns = head!.split('\t')
  return new Map(
    lines.map((line) => {
      const cells = line.split('\t')
      return [cells[0]!, Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']))]
    }),
  )
}

async function readFolders(...folders: readonly string[]): Promise<Read[]> {
  const rows = manifest()
  const found: Read[] = []
  for (const folder of folders) {
    for await (const { address, bytes, unreadable } of readPath(join(corpus, folder))) {
      expect(unreadable).toBeUndefined()
      const file = address.slice(corpus.length + 1)
      found.push({ address: file, bytes, parts: parseDocument(bytes), row: rows.get(file) ?? {} })
    }
  }
  return found
}

function noticeOf(read: Read): Notice {
  const [part] = read.parts
  if (!part || !('notice' in part)) throw new Error(`${read.address}: ${JSON.stringify(part)}`)
  return part.notice
}

/** Words may say that a notice is of another form than its publisher chose. */
const publishedForm = ({ act, formType }: Notice): string => act?.form ?? formType

describe.skipIf(!isThere)('real eForms of TED', () => {
  let reads: Read[] = []
  beforeAll(async () => {
    reads = (await readFolders('ted-eforms')).filter((read) => !read.address.includes('chain-'))
  })

  it('all become notices, 796, each with its own key', () => {
    expect(reads).toHaveLength(796)
    expect(new Set(reads.map((read) => noticeOf(read).noticeKey)).size).toBe(796)
  })

  it('carry the numbers, types, languages, countries and lots that the manifest lists', () => {
    const differences: string[] = []
    for (const read of reads) {
      const notice = noticeOf(read)
      const { row } = read
      const found = {
        publication_no: notice.publicationNumber ?? '',
        form_type: publishedForm(notice),
        notice_type: notice.noticeType,
        subtype: notice.noticeSubtype ?? '',
        country: notice.contractingAuthorities[0]?.country ?? '',
        lang: notice.language,
        // The manifest marks only change blocks that name the changed notice.
        change: notice.references.some((reference) => reference.kind === 'changes') ? 'change' : '',
      }
      const expected = { ...row, country: toCountry(row['country']) ?? '', lang: toLanguage(row['lang']) ?? '' }
      for (const [column, value] of Object.entries(found)) {
        const wanted = (expected as Row)[column]
        if (value !== wanted) differences.push(`${read.address} ${column}: ${value} instead of ${wanted}`)
      }
    }
    expect(differences).toEqual([])
  })

  const any = (notice: Notice, has: (lot: NoticeLot) => unknown): boolean =>
    notice.lots.some((lot) => Boolean(has(lot)))
  const hasDeadline = (lot: NoticeLot) => lot.submissionDate ?? lot.participationDate ?? lot.interestDate
  const hasValue = (of: Notice | NoticeLot) => of.estimatedValue ?? of.frameworkMaximum
  const hasNuts = (of: Notice | NoticeLot): boolean => of.nutsCodes.length > 0
  const percent = (notices: readonly Notice[], has: (notice: Notice) => unknown): number =>
    Math.round((100 * notices.filter((notice) => Boolean(has(notice))).length) / notices.length)
  const contractNotices = new Set(['16', '17', '18', '19', '20', '21', '22', '23', '24'])

  it('fill the fields of competition notices as often as the field map measured', () => {
    const competition = reads.map(noticeOf).filter((notice) => publishedForm(notice) === 'competition')
    const calls = competition.filter((notice) => contractNotices.has(notice.noticeSubtype ?? ''))
    expect(competition).toHaveLength(404)
    for (const has of [
      (notice: Notice) => notice.title,
      (notice: Notice) => notice.description,
      (notice: Notice) => notice.contractingAuthorities[0]?.name,
      (notice: Notice) => notice.contractingAuthorities[0]?.email,
      (notice: Notice) => notice.contractingAuthorities[0]?.country,
      (notice: Notice) => notice.cpvCodes[0],
      (notice: Notice) => notice.publicationNumber,
      (notice: Notice) => notice.procedureId,
      (notice: Notice) => notice.publicationDate,
      (notice: Notice) => notice.dispatchDate,
      (notice: Notice) => notice.legalBasis,
    ])
      expect(percent(competition, has)).toBe(100)
    expect(percent(competition, (notice) => any(notice, (lot) => lot.documentsUrl))).toBeGreaterThanOrEqual(91)
    expect(percent(calls, (notice) => any(notice, (lot) => lot.documentsUrl))).toBeGreaterThanOrEqual(99)
    expect(percent(competition, (notice) => any(notice, hasDeadline))).toBeGreaterThanOrEqual(97)
    expect(percent(calls, (notice) => any(notice, hasDeadline))).toBeGreaterThanOrEqual(99)
    // The map's 44 counts notices whose only value is a nominal 0 or 1 as well.
    expect(percent(competition, (notice) => hasValue(notice) ?? any(notice, hasValue))).toBeGreaterThanOrEqual(42)
    expect(percent(calls, (notice) => hasNuts(notice) || any(notice, hasNuts))).toBeGreaterThanOrEqual(71)
    expect(percent(competition, (notice) => any(notice, (lot) => lot.submissionUrl))).toBeGreaterThanOrEqual(80)
    expect(percent(competition, (notice) => notice.procedureType)).toBeGreaterThanOrEqual(87)
    expect(percent(competition, (notice) => notice.contractingAuthorities[0]?.nationalId)).toBeGreaterThanOrEqual(98)
    expect(percent(competition, (notice) => notice.contractingAuthorities[0]?.street)).toBeGreaterThanOrEqual(93)
  })

  it('fill the results as often as the field map measured', () => {
    const results = reads.map(noticeOf).filter((notice) => publishedForm(notice) === 'result')
    expect(results).toHaveLength(279)
    const awarded = results.flatMap((notice) => notice.lots).filter((lot) => lot.result?.outcome === 'awarded')
    expect(percent(results, (notice) => any(notice, (lot) => lot.result))).toBeGreaterThanOrEqual(99)
    expect(percent(results, (notice) => any(notice, (lot) => lot.result?.winners))).toBeGreaterThanOrEqual(84)
    expect(awarded.filter((lot) => lot.result?.winners).length / awarded.length).toBeGreaterThanOrEqual(0.97)
    expect(percent(results, (notice) => any(notice, (lot) => lot.result?.contractDate))).toBeGreaterThanOrEqual(79)
    // Real amounts only: of the 76 % with some amount, four in a hundred are -1 or nominal.
    expect(
      percent(results, (notice) => notice.awardedValue ?? any(notice, (lot) => lot.result?.awardedValue)),
    ).toBeGreaterThanOrEqual(72)
    expect(percent(results, (notice) => notice.references.length > 0)).toBeGreaterThanOrEqual(41)
  })

  it('hold no withheld or nominal value anywhere', () => {
    const text = JSON.stringify(reads.map(noticeOf))
    expect(text).not.toMatch(/"unpublished"|_DEFAULT_VALUE/i)
    expect(text).not.toMatch(/"value":(?:-|0(?:\.\d+)?[,}]|1[,}]).{0,20}"currency"/)
    expect(text).not.toMatch(/"contractDate":"2000-01-01"/)
  })

  it('agree with libxml2’s XPath on a sample of fields', () => {
    const prefixes = {
      cbc: 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
      cac: 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
      efac: 'http://data.europa.eu/p27/eforms-ubl-extension-aggregate-components/1',
      efbc: 'http://data.europa.eu/p27/eforms-ubl-extension-basic-components/1',
    }
    const lotPath = "/*/cac:ProcurementProjectLot[cbc:ID/@schemeName='Lot' or cbc:ID/@schemeName='Part']"
    const differences: string[] = []
    for (const read of reads) {
      const document = XmlDocument.fromBuffer(read.bytes)
      try {
        const texts = (path: string): string[] =>
          document
            .find(path, prefixes)
            .map((node) => (node as OracleElement).content.trim())
            .filter((text) => text !== '')
        const notice = noticeOf(read)
        const check = (field: string, found: unknown, wanted: unknown): void => {
          if (JSON.stringify(found) !== JSON.stringify(wanted))
            differences.push(`${read.address} ${field}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`)
        }
        check('noticeId', notice.noticeId, texts("/*/cbc:ID[@schemeName='notice-id']")[0]?.toLowerCase())
        check('procedureId', notice.procedureId, texts('/*/cbc:ContractFolderID')[0]?.toLowerCase())
        check('version', notice.noticeVersion, texts('/*/cbc:VersionID')[0])
        check('cpv', notice.cpvCodes, [
          ...new Set([
            ...texts('/*/cac:ProcurementProject/cac:MainCommodityClassification/cbc:ItemClassificationCode'),
            ...texts('/*/cac:ProcurementProject/cac:AdditionalCommodityClassification/cbc:ItemClassificationCode'),
          ]),
        ])
        check('nuts', notice.nutsCodes, [
          ...new Set(texts('/*/cac:ProcurementProject/cac:RealizedLocation/cac:Address/cbc:CountrySubentityCode')),
        ])
        const lotIds = new Set(texts(`${lotPath}/cbc:ID`))
        const resultLots = texts('//efac:NoticeResult/efac:LotResult[cbc:TenderResultCode]/efac:TenderLot/cbc:ID')
        check(
          'lots',
          notice.lots.map((lot) => lot.lotId),
          [...new Set([...lotIds, ...resultLots])],
        )
        const buyerId = texts('/*/cac:ContractingParty/cac:Party/cac:PartyIdentification/cbc:ID')[0]
        const buyerPath = `//efac:Organization[.//cac:PartyIdentification/cbc:ID='${buyerId}']/efac:Company/cac:PartyName/cbc:Name`
        check(
          'buyer',
          texts(buyerPath)
            .map((name) => name.replaceAll('&quot;', '"').replace(/\s+/g, ' ').normalize('NFC').trim())
            .includes(notice.contractingAuthorities[0]!.name),
          true,
        )
        for (const lot of notice.lots.slice(0, 5)) {
          const path = `${lotPath}[cbc:ID='${lot.lotId}']`
          const deadline = (period: string): string | undefined => {
            const [date] = texts(`${path}/cac:TenderingProcess/${period}/cbc:EndDate`)
            const [time] = texts(`${path}/cac:TenderingProcess/${period}/cbc:EndTime`)
            // All times here have an offset, which the platform's own parser reads once the date has none.
            return date && time
              ? new Date(`${date.slice(0, 10)}T${time.replace(/(\.\d{3})\d+/, '$1')}`).toISOString()
              : undefined
          }
          // the text of a change moves the deadlines of the fields
          if (notice.act?.act !== 'deadline-extension') {
            check(`${lot.lotId} BT-131`, lot.submissionDate, deadline('cac:TenderSubmissionDeadlinePeriod'))
            check(`${lot.lotId} BT-1311`, lot.participationDate, deadline('cac:ParticipationRequestReceptionPeriod'))
          }
          check(`${lot.lotId} BT-630`, lot.interestDate, deadline('/efac:InterestExpressionReceptionPeriod'))
          check(`${lot.lotId} CPV`, lot.cpvCodes, [
            ...new Set(texts(`${path}/cac:ProcurementProject/cac:*[contains(name(),'CommodityClassification')]/cbc:*`)),
          ])
        }
      } finally {
        document.dispose()
      }
    }
    expect(differences).toEqual([])
  })
})

describe.skipIf(!isThere)('a real chain of notices', () => {
  it('moves its deadline from 21 to 27 January and to 5 February, and ends with an award', async () => {
    const chain = (await readFolders('ted-eforms/chain-mt-32c34097')).map(noticeOf)
    const days = chain.map((notice) => notice.lots[0]!.submissionDate?.slice(0, 10))
    expect(days).toEqual(['2026-01-21', '2026-01-27', '2026-02-05', undefined])
    expect(chain.map((notice) => notice.formType)).toEqual(['competition', 'competition', 'competition', 'result'])
    expect(new Set(chain.map((notice) => notice.procedureId)).size).toBe(1)
    for (const [index, notice] of chain.slice(1, 3).entries()) {
      const before = chain[index]!
      const [change] = notice.references.filter((reference) => reference.kind === 'changes')
      const isKnown = change?.noticeId === before.noticeId || change?.publicationNumber === before.publicationNumber
      expect(isKnown).toBe(true)
    }
    expect(chain[3]!.lots[0]!.result?.outcome).toBe('awarded')
  })
})

describe.skipIf(!isThere)('real notices of national portals', () => {
  it('of Doffin become notices of Doffin', async () => {
    const reads = await readFolders('doffin-eforms')
    expect(reads).toHaveLength(74)
    for (const read of reads) {
      const notice = noticeOf(read)
      expect(notice.publisher).toBe('doffin')
      expect([publishedForm(notice), notice.noticeType, notice.noticeSubtype]).toEqual([
        read.row['form_type'],
        read.row['notice_type'],
        read.row['subtype'],
      ])
      expect(notice.language).toBe(toLanguage(read.row['lang']))
      expect(notice.contractingAuthorities[0]?.country).toBe('NO')
      expect(notice.title).toBeDefined()
      expect(notice.dispatchDate).toBeDefined()
    }
  })

  it('of the German service become notices with buyer, title and deadline', async () => {
    const reads = await readFolders('eforms-de/doe-sdk-0.1', 'eforms-de/validator-fixtures')
    expect(reads.length).toBeGreaterThanOrEqual(14)
    for (const read of reads) {
      const notice = noticeOf(read)
      expect(notice.publisher).toBe('doe')
      expect(notice.title).toBeDefined()
      // One of the validator's fixtures is made to lack its buyer.
      if (!read.address.endsWith('_invalid.xml')) expect(notice.contractingAuthorities[0]?.name).toBeTruthy()
    }
    const [first, second, award] = reads.map(noticeOf)
    expect(first!.lots[0]!.submissionDate).toBe('2022-05-16T10:00:00.000Z')
    expect(second!.lots[0]!.submissionDate).toBe('2026-08-13T21:59:59.000Z')
    expect(second!.contractingAuthorities[0]).toMatchObject({ city: 'Volkach', postalCode: '97332' })
    expect(award!.lots[0]!.result).toMatchObject({ outcome: 'awarded' })
  })

  it('and examples of the standard become notices, except business registrations and those without an ID', async () => {
    for (const read of await readFolders('eforms-sdk-examples')) {
      const name = read.address.split('/').at(-1)!
      const [part] = read.parts
      if ('notice' in part!) expect(part.notice.title).toBeDefined()
      else if (/^X0[12]_/.test(name)) expect(part!.rejection.reason).toBe('not-procurement')
      else expect([name.startsWith('INVALID_'), part!.rejection.reason]).toEqual([true, 'missing-identity'])
    }
  })
})
