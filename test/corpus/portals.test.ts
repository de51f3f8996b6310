// Real answers of portals with their own formats: read completely by the parsers of their cards.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Notice, ParsedPart } from '../../src/domain/notice.ts'
import { parseDocument } from '../../src/sources/parse-document.ts'
import { loadSources } from '../../src/sources/registry.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const isThere = existsSync(join(corpus, 'other-portals'))

const sources = await loadSources()

function read(sourceId: string, file: string): readonly ParsedPart[] {
  const source = sources.get(sourceId)
  if (!source) throw new Error(`no source ${sourceId}`)
  return (source.parse ?? parseDocument)(readFileSync(join(corpus, file)))
}

const noticesIn = (sourceId: string, file: string): Notice[] =>
  read(sourceId, file).flatMap((part) => ('notice' in part ? [part.notice] : []))

function onlyNotice(sourceId: string, file: string): Notice {
  const parts = read(sourceId, file)
  const [notice] = noticesIn(sourceId, file)
  if (!notice || parts.length !== 1) throw new Error(`not one notice: ${JSON.stringify(parts).slice(0, 300)}`)
  return notice
}

describe.skipIf(!isThere)('simap.ch', () => {
  it('reads a call', () => {
    expect(onlyNotice('ch-simap', 'other-portals/simap-ch/publication-details-tender.json')).toMatchObject({
      formType: 'competition',
      noticeId: '14ae742d-ab60-4553-9b1e-9d1320fe18f7',
      procedureId: '31367328-20d0-4786-acab-f0858c46dc82',
      language: 'fr',
      title: { fr: 'MP 2025.04.775 - Licences et support Atlassian' },
      contractingAuthorities: [{ name: 'Transports publics de la région lausannoise sa', city: 'Renens' }],
      procedureType: 'open',
      contractNature: 'services',
      cpvCodes: ['48000000'],
      // Midnight and noon in Switzerland.
      publicationDate: '2026-01-21T23:00:00.000Z',
      submissionDate: '2026-03-05T11:00:00.000Z',
    })
  })

  it('reads an award, its winner and the call before it', () => {
    const notice = onlyNotice('ch-simap', 'other-portals/simap-ch/publication-details-award.json')
    expect(notice).toMatchObject({
      formType: 'result',
      contractNature: 'works',
      awardedValue: { value: 2_724_864.44, currency: 'CHF' },
      lots: [{ result: { outcome: 'awarded', receivedTenders: 4, winners: [{ name: 'SOGECA SA', city: 'Vernier' }] } }],
      references: [{ kind: 'previous', noticeId: '8ec5b325-49ca-445b-9f1e-f3959f2acc56' }],
    })
    expect(notice.submissionDate).toBeUndefined()
  })
})

describe.skipIf(!isThere)('PLACSP (made-up entries of its form)', () => {
  const folder = 'other-portals/placsp-es-synthetic'

  it('reads the entries of two pages', () => {
    const notices = ['atom_page_1.xml', 'atom_page_2.xml'].flatMap((page) =>
      noticesIn('es-placsp-1044', `${folder}/${page}`),
    )
    expect(notices.map((notice) => `${notice.internalReference} ${notice.formType} ${notice.cpvCodes}`)).toEqual([
      'EXP-2026/001 competition 30190000',
      'CR-2025/123 result 90911200',
      'LR-2026/001 competition ',
      'AB-2026/010 competition 45233120',
      'MAD-2026/100 competition ',
    ])
    expect(notices[0]).toMatchObject({
      title: { es: 'Suministro de material de oficina para la Diputación de Toledo' },
      contractingAuthorities: [{ name: 'Diputación Provincial de Toledo', nationalId: 'P4500000A' }],
      estimatedValue: { value: 150_000, currency: 'EUR' },
      // No time is given: the end of the day in Spain.
      submissionDate: '2026-04-15T21:59:59.000Z',
    })
    expect(notices[1]?.lots[0]?.result).toMatchObject({
      outcome: 'awarded',
      receivedTenders: 5,
      winners: [{ name: 'Limpiezas Manchegas S.L.', nationalId: 'B13999999' }],
    })
  })

  it('reads an entry alone, with its number in TED', () => {
    expect(onlyNotice('es-placsp-1044', `${folder}/entry_licitacion_clm.xml`)).toMatchObject({
      formType: 'result',
      cpvCodes: ['72200000', '72260000'],
      nutsCodes: ['ES425'],
      estimatedValue: { value: 420_000, currency: 'EUR' },
      submissionDate: '2026-02-15T13:00:00.000Z',
      references: [{ kind: 'previous', noticeId: 'a1b2c3d4-e5f6-7890-abcd-ef1234567890' }],
    })
  })

  it('reads lots, a lot without an award, and lots of a call', () => {
    const awarded = onlyNotice('es-placsp-1044', `${folder}/full_entry.xml`)
    expect(awarded.lots).toMatchObject([
      {
        lotId: '1',
        cpvCodes: ['30213100'],
        estimatedValue: { value: 74_380.17 },
        result: { outcome: 'awarded', awardedValue: { value: 72_000 }, contractDate: '2024-08-01' },
      },
      { lotId: '2', result: { outcome: 'not-awarded' } },
    ])
    expect(awarded.publicationDate).toBe('2024-08-14T22:00:00.000Z')
    const call = onlyNotice('es-placsp-1044', `${folder}/multi_lot_with_terms.xml`)
    expect(call.lots.map((lot) => [lot.lotId, lot.estimatedValue?.value])).toEqual([
      ['1', 165_289.26],
      ['2', 148_760.33],
      ['3', 99_173.55],
    ])
    expect(call.formType).toBe('competition')
  })

  it('reads a minimal entry, and distinguishes deleted entries from errors', () => {
    expect(onlyNotice('es-placsp-643', `${folder}/minimal_entry.xml`)).toMatchObject({
      title: { es: 'Servicio básico' },
      contractingAuthorities: [{ name: 'Organismo mínimo' }],
      procedureType: 'open',
    })
    expect(read('es-placsp-1044', `${folder}/deleted_entries_only.xml`)).toMatchObject([
      { rejection: { reason: 'not-procurement' } },
    ])
  })
})

describe.skipIf(!isThere)('Doffin', () => {
  it('reads every notice that was downloaded, under keys of its own', () => {
    const files = readdirSync(join(corpus, 'doffin-eforms')).filter((file) => file.endsWith('.xml'))
    expect(files.length).toBeGreaterThan(50)
    const notices = files.map((file) => onlyNotice('no-doffin', `doffin-eforms/${file}`))
    expect(notices.every(({ format }) => format === 'eforms')).toBe(true)
    expect(new Set(notices.map(({ noticeKey }) => noticeKey)).size).toBe(files.length)
  })
})

describe.skipIf(!isThere)('documents of other origins', () => {
  const files = ['simap-ch', 'placsp-es-synthetic', 'spain-regional-samples'].flatMap((folder) =>
    isThere
      ? readdirSync(join(corpus, 'other-portals', folder)).map((file) => join(corpus, 'other-portals', folder, file))
      : [],
  )

  it('cause no error in any reader', () => {
    for (const { parse } of sources.values()) {
      if (!parse) continue
      for (const file of files) {
        const parts = parse(readFileSync(file))
        expect(parts.every((part) => 'notice' in part !== 'rejection' in part)).toBe(true)
      }
    }
  })
})
