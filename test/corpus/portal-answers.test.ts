// Recorded answers of portals: each is read completely by the parser of its card, or rejected with the right reason.
// Expected values were written down by reading the answers.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Notice, ParsedPart } from '../../src/domain/notice.ts'
import { readPath } from '../../src/sources/files.ts'
import { parseDocument, parserOf } from '../../src/sources/parse-document.ts'
import { recordedAnswers } from '../../src/sources/recorded-answers.ts'
import { loadSources } from '../../src/sources/registry.ts'

const folder = join(import.meta.dirname, '../../../shared/corpus/portal-answers')
const sources = await loadSources()

/** The body of a recorded file; an exchange in HTTP holds request and response. */
function bodyOf(file: string): Uint8Array {
  const bytes = readFileSync(join(folder, file))
  if (!file.endsWith('.http')) return bytes
  const text = bytes.toString()
  const response = text.slice(text.search(/^HTTP\/1\.\d \d/m))
  return Buffer.from(response.slice(response.search(/\r?\n\r?\n/)).trim())
}

function read(sourceId: string, bytes: Uint8Array): readonly ParsedPart[] {
  const source = sources.get(sourceId)
  if (!source) throw new Error(`no source ${sourceId}`)
  return parserOf(source)(bytes)
}

const noticesIn = (parts: readonly ParsedPart[]): Notice[] =>
  parts.flatMap((part) => ('notice' in part ? [part.notice] : []))
const reasonsOf = (parts: readonly ParsedPart[]): string[] =>
  parts.flatMap((part) => ('rejection' in part ? [part.rejection.reason] : []))
/** The notices of a file that has no rejection. */
function allOf(sourceId: string, file: string): Notice[] {
  const parts = read(sourceId, bodyOf(file))
  expect(reasonsOf(parts)).toEqual([])
  return noticesIn(parts)
}

it('every source with recorded answers is a source', () => {
  expect([...recordedAnswers].filter((id) => !sources.has(id))).toEqual([])
})

describe.skipIf(!existsSync(folder))('recorded answers of portals', () => {
  it('none is left out below', () => {
    const tests = readFileSync(import.meta.filename, 'utf8')
    const answers = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.(?:json|xml|http)$/.test(path),
    )
    expect(answers.length).toBeGreaterThan(30)
    expect(answers.filter((path) => !tests.includes(basename(path)))).toEqual([])
  })

  it('Catalonia: a row after its deadline', () => {
    expect(allOf('es-catalunya', 'cat.json')).toMatchObject([
      {
        title: { ca: 'Servei de tractament de la fracció vegetal municipal procedent dels municipis de l’AMB' },
        contractingAuthorities: [{ name: 'Àrea Metropolitana de Barcelona', country: 'ES' }],
        internalReference: '905451/26',
        submissionDate: '2026-09-14T12:00:00.000Z',
        publicationDate: '2026-09-17T18:18:00.000Z',
        estimatedValue: { value: 2_183_870.93, currency: 'EUR' },
        cpvCodes: ['90513000'],
        nutsCodes: ['ES511'],
        isClosed: true,
        lots: [{ duration: { value: 2, unit: 'YEAR' } }],
        procedureType: 'open',
        contractNature: 'services',
      },
    ])
  })

  it('DECP in the form of 2019: two contracts, and the modification of each', () => {
    const notices = allOf('fr-decp-awards', 'decp2019.json')
    expect(notices.map(({ formType, awardedValue }) => [formType, awardedValue?.value])).toEqual([
      ['result', 77_899],
      ['cont-modif', 79_237],
      ['result', 137_614],
      ['cont-modif', 137_614],
    ])
    expect(notices[0]).toMatchObject({
      title: { fr: 'Un marché sans acheteur, mais avec une source' },
      contractingAuthorities: [{ nationalId: '21500222100012' }],
      cpvCodes: ['45261210'],
      place: { country: 'FR', postalCode: '50340' },
      lots: [{ result: { contractDate: '2021-12-01', winners: [{ name: 'AMC FOLLIOT' }] } }],
    })
    expect(notices[2]?.lots[0]?.result?.winners?.map(({ name }) => name)).toEqual(['FFF', 'DEF'])
    expect(notices[3]?.lots[0]?.result?.winners?.map(({ name }) => name)).toEqual(['FFF', 'ABC'])
  })

  it('DECP in the form of 2022: contracts and concessions', () => {
    const notices = allOf('fr-decp-awards', 'decp2022.json')
    expect(notices.length).toBe(17)
    // What a modification does not say is as the one before left it.
    expect(notices.slice(7, 10).map(({ awardedValue }) => awardedValue?.value)).toEqual([
      127_835.12, 124_557.46, 124_557.46,
    ])
    expect(notices[9]?.lots[0]?.result?.winners?.map(({ nationalId }) => nationalId)).toEqual([
      '81223513300026',
      '98756638100011',
    ])
    expect(notices[14]?.awardedValue?.value).toBe(1_214_900)
    expect(notices[2]?.lots[0]?.duration).toEqual({ value: 40, unit: 'MONTH' })
    expect(notices[0]).toMatchObject({
      formType: 'result',
      internalReference: '2022VI2022.242',
      title: { fr: 'Eléctricité courant fort/courant faible lot no4' },
      awardedValue: { value: 137_614, currency: 'EUR' },
      procedureType: 'open',
    })
    expect(notices.every(({ contractingAuthorities }) => contractingAuthorities.length === 1)).toBe(true)
    expect(new Set(notices.map(({ noticeKey }) => noticeKey)).size).toBe(notices.length)
  })

  it('PNCP: a procurement with its result; a contract belongs to a list that the card does not read', () => {
    expect(allOf('br-pncp', 'pncp.json')).toMatchObject([
      {
        formType: 'result',
        procedureId: '13864377000130-1-000007/2026',
        contractingAuthorities: [{ name: 'FUNDO MUNICIPAL DE SAUDE - FMS', city: 'São Paulo' }],
        estimatedValue: { value: 863_090.8, currency: 'BRL' },
        awardedValue: { value: 633_080, currency: 'BRL' },
      },
    ])
    expect(reasonsOf(read('br-pncp', bodyOf('pncp-contracts_response.json')))).toEqual(['missing-identity'])
  })

  it('ProZorro in its own form: a call, a concluded framework, one without its wrapper', () => {
    expect(allOf('ua-prozorro', 'prozorro-tender-view.http')).toMatchObject([
      {
        formType: 'competition',
        procedureId: 'ocds-be6bcu-UA-2027-01-01-000001-a',
        title: { uk: 'Послуги шкільних їдалень', en: 'Services in school canteens' },
        contractingAuthorities: [{ name: 'ЗОСШ #10 м.Вінниці', nationalId: '21725150', city: 'м. Вінниця' }],
        participationDate: '2027-01-30T22:00:00.000Z',
        estimatedValue: { value: 1000, currency: 'UAH' },
        cpvCodes: ['37810000'],
        procedureType: 'comp-dial',
        lots: [{ title: { uk: 'Лот №1' }, estimatedValue: { value: 500 } }, { title: { uk: 'Лот №2' } }],
      },
    ])
    const [concluded] = allOf('ua-prozorro', 'prozorro-tender-completed.http')
    expect(concluded).toMatchObject({
      formType: 'result',
      title: { uk: 'футляри до державних нагород' },
      isFramework: true,
      cpvCodes: ['44617100'],
      lots: [
        { duration: { start: '2018-06-27', end: '2018-06-30' }, result: { outcome: 'awarded', receivedTenders: 4 } },
      ],
    })
    // Three offers for one framework are no sum of contracts.
    expect(concluded?.awardedValue).toBeUndefined()
    expect(allOf('ua-prozorro', 'prozorro-risks.json')).toMatchObject([
      {
        procedureId: 'ocds-be6bcu-UA-2023-02-16-009364-a',
        submissionDate: '2023-02-26T22:00:00.000Z',
        estimatedValue: { value: 4177, currency: 'UAH' },
        contractNature: 'services',
        isClosed: true,
        url: 'https://prozorro.gov.ua/tender/UA-2023-02-16-009364-a',
      },
    ])
  })

  it('ProZorro: a page of the feed names tenders and is none', () => {
    for (const file of ['prozorro-tender-listing-after-patch.http', 'prozorro-active-tender-listing-no-auth.http'])
      expect(reasonsOf(read('ua-prozorro', bodyOf(file)))).toEqual(['unsupported-format'])
  })

  it('SEAP: a cancelled simplified procedure', () => {
    expect(allOf('ro-seap', 'seap.json')).toMatchObject([
      {
        noticeId: 'scn1040692',
        isCancelled: true,
        contractingAuthorities: [{ name: 'Societatea Nationala de Gaze Naturale Romgaz S.A.', nationalId: '14056826' }],
        estimatedValue: { value: 14_867_462, currency: 'RON' },
        contractNature: 'works',
      },
    ])
  })

  it('SECOP II: the row of an award; a row of the list of contracts has no process and is rejected', () => {
    const rowIn = (file: string) => Buffer.from(JSON.stringify((JSON.parse(bodyOf(file).toString()) as unknown[])[0]))
    expect(noticesIn(read('co-secop2', rowIn('secop-credere-award.json')))).toMatchObject([
      {
        formType: 'result',
        procedureId: 'test_process_id',
        awardedValue: { value: 10_000_000, currency: 'COP' },
        lots: [{ result: { outcome: 'awarded', winners: [{ name: 'Test Provider', nationalId: '987654321' }] } }],
      },
    ])
    expect(reasonsOf(read('co-secop2', rowIn('secop-credere-contract.json')))).toEqual(['missing-identity'])
  })

  it('TenderNed: the row of an award', () => {
    expect(allOf('nl-tenderned', 'tn.json')).toMatchObject([
      {
        noticeId: '441637',
        formType: 'result',
        title: { nl: 'Senior specialist mechanische riolering' },
        contractingAuthorities: [{ name: 'Gemeente Haarlemmermeer' }],
        publicationDate: '2026-09-24T22:00:00.000Z',
      },
    ])
  })

  it('simap: the details of a call; a page of the list holds none', () => {
    expect(allOf('ch-simap', 'simap-publication-details-tender.json')).toMatchObject([
      {
        internalReference: '29941',
        submissionDate: '2026-03-05T11:00:00.000Z',
        cpvCodes: ['48000000'],
        nutsCodes: ['CH011'],
        lots: [{ duration: { value: 1460, unit: 'DAY' } }],
      },
    ])
    expect(reasonsOf(read('ch-simap', bodyOf('simap-search2.json')))).toEqual(['missing-identity'])
  })

  it('PLACSP: a feed of deleted entries only', () => {
    expect(reasonsOf(read('es-placsp-643', bodyOf('placsp-deleted_entries_only.xml')))).toEqual(['not-procurement'])
  })
})

describe.skipIf(!existsSync(folder))('recorded OCDS documents', () => {
  /** Title and buyer of each notice, with files read as `ingest` reads them. */
  async function readFile(name: string): Promise<readonly (readonly [title: string, buyer: string | undefined])[]> {
    const found: [string, string | undefined][] = []
    for await (const { bytes, unreadable } of readPath(join(folder, 'ocds', name))) {
      if (unreadable) throw new Error(JSON.stringify(unreadable))
      const parts = parseDocument(bytes)
      expect(reasonsOf(parts)).toEqual([])
      for (const { title, contractingAuthorities } of noticesIn(parts))
        found.push([Object.values(title ?? {})[0] ?? '', contractingAuthorities[0]?.name])
    }
    return found
  }
  const finances = 'SECRETARÍA DE FINANZAS'
  const leasing = ['ARRENDAMIENTO DE BIENES INFORMÁTICOS', finances] as const
  const license = ['RENOVACIÓN DEL LICENCIAMIENTO SELECT BENTLEY', finances] as const

  it.each([
    ['record-package_package.json', [leasing, license]],
    ['record-package_package_1.1.json', [leasing, license]],
    ['record-package_split.json', [leasing, license]],
    ['versioned-release-1.json', [leasing]],
    ['versioned-release-2.json', [license]],
    ['compiled-release-2.json', [license]],
    ['release-package-1.json', [leasing, leasing]],
  ] as const)('%s', async (name, expected) => {
    expect(await readFile(name)).toEqual(expected)
  })

  it.each([
    ['compile_encoding_encoding.json', 1],
    ['record-package-2.json', 1],
    ['record-package_record-package.json', 2],
    ['release-package_1.0-1.json', 1],
    ['release-package_1.0-2.json', 1],
    ['release-package_1.1-1.json', 1],
    ['release-package_1.1-2.json', 1],
    ['release-package_encoding-utf-8.json', 3],
    ['release-package_split.json', 4],
  ] as const)('%s holds %d notices with titles', async (name, count) => {
    const found = await readFile(name)
    expect(found.length).toBe(count)
    expect(found.every(([title]) => title !== '')).toBe(true)
  })

  it('releases that are all tagged as calls, with a signed contract, are results with their duration', () => {
    const notices = noticesIn(parseDocument(readFileSync(join(folder, 'ocds/release-package-1.json'))))
    expect(notices.map(({ formType }) => formType)).toEqual(['result', 'result'])
    expect(notices[0]?.lots[0]?.duration).toEqual({ start: '2016-01-01', end: '2016-12-31' })
  })

  it('a versioned release says what its compiled release says', () => {
    const [versioned, compiled] = ['versioned', 'compiled'].map((kind) =>
      parseDocument(readFileSync(join(folder, 'ocds', `${kind}-release-2.json`))),
    )
    expect(versioned).toEqual(compiled)
  })
})
