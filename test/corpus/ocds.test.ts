// The OCDS parser on real packages, records and releases: none is lost, and fields are as frequent as the field map
// measured.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Notice, Rejection } from '../../src/domain/notice.ts'
import { readPath } from '../../src/sources/files.ts'
import { parseDocument } from '../../src/sources/parse-document.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const isThere = existsSync(join(corpus, 'ocds'))

type Read = { readonly address: string; readonly pointer: string; readonly notice: Notice }

describe.skipIf(!isThere)('real OCDS', () => {
  const reads: Read[] = []
  const rejections: (Rejection & { readonly address: string })[] = []
  beforeAll(async () => {
    let parseMs = 0
    for await (const { address, bytes, unreadable } of readPath(join(corpus, 'ocds'))) {
      expect(unreadable).toBeUndefined()
      const file = address.slice(corpus.length + '/ocds/'.length)
      const start = performance.now()
      const parts = parseDocument(bytes)
      parseMs += performance.now() - start
      for (const part of parts) {
        if ('notice' in part) reads.push({ address: file, pointer: part.pointer, notice: part.notice })
        else rejections.push({ ...part.rejection, address: file })
      }
    }
    console.log(`OCDS: ${Math.round((reads.length * 1000) / parseMs)} releases/s from bytes to notice`)
  })

  it('becomes 550 notices; the only rejection is an empty page', () => {
    expect(reads).toHaveLength(550)
    expect(rejections.map((rejection) => `${rejection.address}: ${rejection.reason}`)).toEqual([
      'gb-contracts-finder/search-2025-01-2.json: missing-content',
    ])
  })

  it('gives one key to copies of a release only', () => {
    const byKey = new Map<string, Notice[]>()
    for (const { notice } of reads) byKey.set(notice.noticeKey, [...(byKey.get(notice.noticeKey) ?? []), notice])
    for (const [key, copies] of byKey) {
      // Copies differ only in texts that lost their line breaks in one file.
      const summaries = copies.map((notice) =>
        JSON.stringify([
          key,
          notice.noticeType,
          notice.publicationDate,
          notice.submissionDate,
          notice.estimatedValue,
          notice.cpvCodes,
        ]),
      )
      expect(new Set(summaries).size).toBe(1)
    }
  })

  it.each([
    // folder, publisher, releases, field, minimum share in percent as counted in the documents
    [
      'de-oeffentlichevergabe/',
      'doe',
      2,
      ['title', 'procedureId', 'value', 'lotValue', 'cpv', 'nuts', 'procedure', 'nature', 'buyer', 'references'],
      100,
    ],
    ['de-oeffentlichevergabe/', 'doe', 2, ['winner', 'lotAward'], 50],
    [
      'gb-find-a-tender/',
      'gb-find-a-tender',
      20,
      [
        'title',
        'description',
        'deadline',
        'cpv',
        'nuts',
        'procedure',
        'nature',
        'email',
        'submissionUrl',
        'legalBasis',
        'country',
      ],
      100,
    ],
    ['gb-find-a-tender/', 'gb-find-a-tender', 20, ['value'], 90],
    ['gb-find-a-tender/', 'gb-find-a-tender', 20, ['lotValue'], 55],
    [
      'gb-contracts-finder/releases',
      'gb-contracts-finder',
      159,
      ['title', 'description', 'cpv', 'place', 'buyer', 'email', 'reference'],
      100,
    ],
    ['gb-contracts-finder/releases', 'gb-contracts-finder', 159, ['deadline', 'nature'], 96],
    ['gb-contracts-finder/releases', 'gb-contracts-finder', 159, ['value'], 78],
    ['gb-contracts-finder/releases', 'gb-contracts-finder', 159, ['winner', 'contractDate'], 69],
    ['gb-contracts-finder/releases', 'gb-contracts-finder', 159, ['nationalId'], 31],
    ['gb-contracts-finder/releases', 'gb-contracts-finder', 159, ['documents'], 25],
    [
      'gb-public-contracts-scotland/',
      'gb-public-contracts-scotland',
      52,
      ['title', 'deadline', 'cpv', 'nuts', 'procedure', 'nature', 'email', 'documents'],
      100,
    ],
    ['gb-public-contracts-scotland/', 'gb-public-contracts-scotland', 52, ['value'], 67],
    ['gb-public-contracts-scotland/', 'gb-public-contracts-scotland', 52, ['lotValue'], 26],
    ['gb-sell2wales/', 'gb-sell2wales', 66, ['title', 'deadline', 'cpv', 'procedure', 'nature'], 100],
    ['gb-sell2wales/', 'gb-sell2wales', 66, ['nuts', 'email', 'documents'], 98],
    ['gb-sell2wales/', 'gb-sell2wales', 66, ['value'], 57],
    [
      'pt-impic/',
      'pt-impic',
      100,
      ['title', 'description', 'reference', 'value', 'procedure', 'nationalId', 'winner', 'lotAward', 'awardedValue'],
      100,
    ],
    ['pt-impic/', 'pt-impic', 100, ['email'], 80],
    ['pt-impic/', 'pt-impic', 100, ['deadline', 'cpv', 'nature'], 7],
    ['md-moldova/', 'md-public-procurement-agency', 16, ['title', 'deadline', 'buyer'], 100],
    ['ua-prozorro/', 'ua-prozorro', 6, ['title', 'value', 'cpv', 'nationalId', 'email', 'lots'], 83],
  ] as const)('of %s (%s, %i): %j in at least %i %%', (folder, publisher, count, names, least) => {
    const notices = reads.filter((read) => read.address.startsWith(folder)).map((read) => read.notice)
    expect(notices).toHaveLength(count)
    expect(new Set(notices.map((notice) => notice.publisher))).toEqual(new Set([publisher]))
    for (const name of names) {
      const share = (100 * notices.filter(fields[name]!).length) / count
      expect([name, share >= least, share]).toEqual([name, true, share])
    }
  })

  it('gives the outcome of tenders: the cancelled and the unsuccessful one of Prozorro', () => {
    const prozorro = reads.filter((read) => read.notice.publisher === 'ua-prozorro').map((read) => read.notice)
    expect(prozorro.filter((notice) => notice.isCancelled)).toHaveLength(1)
    expect(prozorro.filter((notice) => notice.isUnsuccessful)).toHaveLength(1)
    expect(
      reads
        .filter((read) => read.notice.formType === 'result')
        .every((read) => read.notice.lots.some((lot) => lot.result)),
    ).toBe(true)
  })
})

const anyLot = (test: (lot: Notice['lots'][number]) => unknown) => (notice: Notice) =>
  notice.lots.some((lot) => test(lot))
const fields: { readonly [field: string]: (notice: Notice) => unknown } = {
  title: (notice) => notice.title,
  description: (notice) => notice.description,
  procedureId: (notice) => notice.procedureId,
  reference: (notice) => notice.internalReference,
  deadline: (notice) => notice.submissionDate ?? notice.participationDate,
  value: (notice) => notice.estimatedValue,
  awardedValue: (notice) => notice.awardedValue,
  cpv: (notice) => notice.cpvCodes.length > 0,
  nuts: (notice) => notice.nutsCodes.length > 0,
  place: (notice) => notice.place,
  procedure: (notice) => notice.procedureType,
  nature: (notice) => notice.contractNature,
  buyer: (notice) => notice.contractingAuthorities.length > 0,
  country: (notice) => notice.contractingAuthorities[0]?.country,
  email: (notice) => notice.contractingAuthorities[0]?.email,
  nationalId: (notice) => notice.contractingAuthorities[0]?.nationalId,
  documents: (notice) => notice.documentsUrl,
  submissionUrl: (notice) => notice.submissionUrl,
  legalBasis: (notice) => notice.legalBasis,
  references: (notice) => notice.references.length > 0,
  lots: (notice) => notice.lots.length > 0,
  lotValue: anyLot((lot) => lot.estimatedValue),
  lotAward: anyLot((lot) => lot.result?.awardedValue),
  winner: anyLot((lot) => lot.result?.winners),
  contractDate: anyLot((lot) => lot.result?.contractDate),
}
