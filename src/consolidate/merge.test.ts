// Each field's rule of docs/consolidation.md on made-up notices, and the canonical text of the record.
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { at, lot, notice, noticeWorld, uuid } from '../../test/testing/generate/notices.ts'
import type { Notice } from '../domain/notice.ts'
import { type TenderContent, tenderRecordSchema } from '../domain/tender.ts'
import { canonicalJson, contentHash } from './canonical.ts'
import { mergedTender, mergeTender } from './merge.ts'
import { resolve } from './resolve.ts'
import { tenderId } from './tender-id.ts'

const now = Date.parse(at('2026-02-01'))
const id = tenderId('ted:1-2026')
const merge = (...notices: Notice[]): TenderContent =>
  JSON.parse(mergeTender(id, notices, { now, isSucceeded: false }).content) as TenderContent
const call = (given: Partial<Notice> = {}) =>
  notice({ noticeKey: 'ted:1-2026', publicationNumber: '1-2026', dispatchDate: at('2026-01-10'), ...given })
const award = (given: Partial<Notice> = {}) =>
  notice({
    noticeKey: 'ted:8-2026',
    formType: 'result',
    noticeType: 'can-standard',
    dispatchDate: at('2026-01-20'),
    publicationDate: at('2026-01-21'),
    ...given,
  })
const eur = (value: number) => ({ value, currency: 'EUR' })

describe('a merged record', () => {
  test("shows the newest call's texts in its own language and keeps the others (BT-702)", () => {
    const change = call({
      noticeKey: 'ted:2-2026',
      dispatchDate: at('2026-01-15'),
      language: 'fr',
      title: { de: 'Turnhalle', fr: 'Gymnase' },
      description: { fr: 'Construction', de: 'Bau' },
      references: [{ kind: 'changes', publicationNumber: '1-2026' }],
    })
    expect(merge(call({ title: { de: 'Alt' } }), change, award({ title: { de: 'Zuschlag' } }))).toMatchObject({
      title: 'Gymnase',
      description: 'Construction',
      language: 'fr',
      translations: { de: { title: 'Turnhalle', description: 'Bau' } },
    })
  })

  test('forgets what a later release of the publisher takes back by null, until one states it again', () => {
    const release = (day: string, given: Partial<Notice>): Notice =>
      notice({
        noticeKey: `ocds-qq3333:${day}`,
        format: 'ocds',
        publicationDate: at(day),
        dispatchDate: at(day),
        ...given,
      })
    const first = release('2026-01-10', {
      estimatedValue: eur(5000),
      submissionDate: at('2026-03-01'),
      lots: [lot('1', { submissionDate: at('2026-03-01') })],
    })
    const second = release('2026-01-12', { withdrawn: ['estimatedValue', 'submissionDate'] })
    expect(merge(first)).toMatchObject({ contractAmount: { value: 5000 }, submissionDate: at('2026-03-01') })
    const { contractAmount, submissionDate, isDeadlineUnknown } = merge(first, second)
    expect({ contractAmount, submissionDate, isDeadlineUnknown }).toEqual({
      contractAmount: null,
      isDeadlineUnknown: true,
    })
    const third = release('2026-01-14', { estimatedValue: eur(7000) })
    expect(merge(first, second, third).contractAmount).toMatchObject({ value: 7000 })
    const elsewhere = { ...second, publisher: 'ocds-other1', noticeKey: 'ocds-other1:1' }
    expect(merge(first, elsewhere).contractAmount).toMatchObject({ value: 5000 })
  })

  test('keeps a title in capitals, with a form to show that follows the texts of the record', () => {
    const given = {
      title: { de: 'NEUBAU EINER TURNHALLE IN MUSTERSTADT' },
      description: { de: 'Turnhalle der Stadt Musterstadt.' },
    }
    expect(merge(call(given))).toMatchObject({
      title: 'NEUBAU EINER TURNHALLE IN MUSTERSTADT',
      displayTitle: 'Neubau einer Turnhalle in Musterstadt',
    })
    expect(merge(call({ title: { de: 'Neubau' } }))).not.toHaveProperty('displayTitle')
  })

  test('is a qualification system if every call of it is one, whatever came of it', () => {
    const system = call({ noticeType: 'qu-sy' })
    const renewed = call({ noticeKey: 'ted:2-2026', noticeType: 'qu-sy', dispatchDate: at('2026-01-15') })
    expect(merge(system).isQualificationSystem).toBe(true)
    expect(merge(system, renewed, award()).isQualificationSystem).toBe(true)
    expect(merge(system, call({ noticeKey: 'ted:2-2026' }))).not.toHaveProperty('isQualificationSystem')
    expect(merge(award())).not.toHaveProperty('isQualificationSystem')
  })

  test.each([
    [{ bg: 'б', de: 'd', en: 'e', fr: 'f' }, 'd'],
    [{ bg: 'б', en: 'e', fr: 'f' }, 'e'],
    [{ bg: 'б', de: ' ', fr: 'f' }, 'f'],
    [{ sl: 's', pl: 'p', bg: ' ' }, 'p'],
    [{ de: 'd', el: 'own' }, 'own'],
  ] as const)(
    'texts %o of a Greek notice are shown as %s: its own language, else German, English, French, else by code',
    (texts, shown) => {
      const given = call({ language: 'el', title: texts, description: texts, lots: [lot('1', { title: texts })] })
      const record = merge(given)
      expect([record.title, record.description, record.lots[0]!.title]).toEqual([shown, shown, shown])
    },
  )

  test('says which language a text is in, if it is not that of the record', () => {
    const english = { title: { en: 'Gym' }, description: { en: 'Building' } }
    const record = merge(call({ title: { de: 'Halle' }, description: { en: 'A gym' }, lots: [lot('1', english)] }))
    expect(record).toMatchObject({ title: 'Halle', language: 'de', description: 'A gym', descriptionLanguage: 'en' })
    expect(record).not.toHaveProperty('titleLanguage')
    expect(record.lots[0]).toMatchObject({ titleLanguage: 'en', descriptionLanguage: 'en' })
    const own = merge(call({ lots: [lot('1', { title: { de: 'Los', en: 'Lot' }, description: { de: 'Text' } })] }))
    for (const each of [own, own.lots[0]!])
      for (const member of ['titleLanguage', 'descriptionLanguage']) expect(each).not.toHaveProperty(member)
    // of a notice that does not say its language, and beside one that does
    expect(merge(call({ language: 'und', title: { en: 'Gym' } })).titleLanguage).toBe('en')
    expect(merge(call({ title: { und: 'Gym' } })).titleLanguage).toBe('und')
    expect(merge(call({ language: 'und', title: { und: 'Gym' } }))).not.toHaveProperty('titleLanguage')
  })

  test('says the language of a title that it takes from elsewhere', () => {
    const { title: _, ...untitled } = call({ description: { fr: 'Gymnase' } })
    expect(merge(untitled as Notice)).toMatchObject({ title: 'Gymnase', titleLanguage: 'fr' })
    const only = { ...untitled, lots: [lot('1', { title: { en: 'Gymnasium' } })] } as Notice
    expect(merge(only)).toMatchObject({ title: 'Gymnasium', titleLanguage: 'en' })
    expect(merge({ ...only, title: { de: '2024-02-GI' } } as Notice)).toMatchObject({
      title: '2024-02-GI – Gymnasium',
      titleLanguage: 'en',
    })
    const { description: __, ...silent } = untitled
    expect(merge({ ...silent, internalReference: 'V-17' } as Notice)).not.toHaveProperty('titleLanguage')
    const capitals = { de: '', fr: 'CONSTRUCTION DE LA STATION DE RELEVAGE' }
    expect(merge(call({ title: capitals, description: { fr: 'Station de relevage.' } }))).toMatchObject({
      displayTitle: 'Construction de la station de relevage',
      titleLanguage: 'fr',
    })
  })

  test.each([
    ['the title of its only lot', { lots: [lot('1', { title: { de: 'Los' } })], description: { de: 'Text' } }, 'Los'],
    ['the start of the description', { description: { de: 'Kurzer Text' } }, 'Kurzer Text'],
    [
      'the start of a long description, at a word',
      { description: { de: 'Wort '.repeat(60) } },
      `${'Wort '.repeat(24).trim()}…`,
    ],
    ['the number', { internalReference: 'V-17' }, 'V-17'],
    ['a fixed text', {}, '(untitled)'],
    ['a title of white space counts as none', { title: { de: ' \n' }, internalReference: 'V-17' }, 'V-17'],
  ] as const)('without a title takes %s (C14)', (_, given, title) => {
    const { title: __, ...untitled } = call()
    expect(merge({ ...untitled, ...given } as Notice).title).toBe(title)
  })

  test.each([
    [
      'the title of the only lot',
      '2024-02-GI',
      { lots: [lot('1', { title: { de: 'Erdarbeiten' } })] },
      '2024-02-GI – Erdarbeiten',
    ],
    ['the start of the text', 'CPI/02/2020/UCMJ', {}, 'CPI/02/2020/UCMJ – Bewachung'],
    ['nothing if the lot has a code, too', 'LV 12', { lots: [lot('1', { title: { de: 'LV 12.1' } })] }, 'LV 12'],
    [
      'the title of a lot that contains the code, alone',
      'LV 12',
      { lots: [lot('1', { title: { de: 'LV 12 Dach' } })] },
      'LV 12 Dach',
    ],
  ] as const)('shows beside a code for a title %s', (_, title, given, shown) => {
    expect(merge(call({ title: { de: title }, description: { de: 'Bewachung' }, ...given })).title).toBe(shown)
  })

  test.each(['Lasttrennschalter', 'IMSORTS', 'ERSATZNEUBAU', '2024 Kita', 'A4-Papier'])(
    'shows the title %s as published',
    (title) => {
      expect(merge(call({ title: { de: title }, description: { de: 'Bewachung' } })).title).toBe(title)
    },
  )

  test('has the latest deadline among its lots, which does not move with the clock (C15)', () => {
    const lots = [
      lot('1', { submissionDate: at('2026-01-20'), participationDate: at('2026-01-12') }),
      lot('2', { submissionDate: at('2026-03-01'), interestDate: at('2026-01-15') }),
    ]
    for (const moment of ['2026-01-11', '2026-02-01', '2027-01-01']) {
      const { content } = mergeTender(id, [call({ lots })], { now: Date.parse(at(moment)), isSucceeded: false })
      expect(JSON.parse(content)).toMatchObject({
        submissionDate: at('2026-03-01'),
        participationDate: at('2026-01-15'),
        lots: [{ submissionDate: at('2026-01-20') }, { participationDate: at('2026-01-15') }],
      })
    }
  })

  const lotsWith = (...values: (number | undefined)[]) =>
    values.map((value, index) => lot(`${index}`, value === undefined ? {} : { estimatedValue: eur(value) }))
  test.each([
    ['the estimate of the procedure first', { estimatedValue: eur(9000), lots: lotsWith(1000, 2000) }, 9000],
    [
      'the sum of the lots when four of five have one',
      { lots: lotsWith(1000, 2000, 3000, 4000, undefined), frameworkMaximum: eur(70_000) },
      10_000,
    ],
    [
      'the maximum of the framework when the lots come to more',
      { lots: lotsWith(1000, 2000, 3000, 4000, undefined), frameworkMaximum: eur(7000) },
      7000,
    ],
    [
      'not the sum when three of five have one',
      { lots: lotsWith(1000, 2000, 3000, undefined, undefined), frameworkMaximum: eur(7000) },
      7000,
    ],
    [
      'not the sum of two currencies',
      { lots: [...lotsWith(1000), lot('9', { estimatedValue: { value: 5000, currency: 'PLN' } })] },
      undefined,
    ],
    ['nothing when nothing is published (C18)', {}, undefined],
  ] as const)('has a value: %s (C20)', (_, given, value) => {
    expect(merge(call(given)).contractAmount).toEqual(value === undefined ? null : { ...eur(value), estimated: false })
  })

  test('has the awarded value only when no estimate was published, and sums tranches', () => {
    const tranche = (key: string, lotId: string, value: number) =>
      award({ noticeKey: key, lots: [lot(lotId, { result: { outcome: 'awarded', awardedValue: eur(value) } })] })
    const lots = [lot('1'), lot('2')]
    const first = tranche('ted:8-2026', '1', 1000.1)
    expect(merge(call({ lots }), first, tranche('ted:9-2026', '2', 2000.2))).toMatchObject({
      awardedAmount: eur(3000.3),
      contractAmount: { ...eur(3000.3), estimated: false },
    })
    expect(merge(call({ lots, estimatedValue: eur(5000) }), first)).toMatchObject({
      awardedAmount: eur(1000.1),
      contractAmount: eur(5000),
    })
    expect(
      merge(call({ lots }), first, { ...tranche('ted:9-2026', '1', 1200), dispatchDate: at('2026-01-25') }),
    ).toMatchObject({
      awardedAmount: eur(1200),
    })
  })

  test('has the value of the contract if only a direct award or a modification states it (C20)', () => {
    const lots = [lot('1', { result: { outcome: 'awarded', awardedValue: eur(7000) } })]
    for (const formType of ['dir-awa-pre', 'cont-modif'] as const) {
      expect(merge(award({ formType, lots })).contractAmount).toEqual({ ...eur(7000), estimated: false })
      expect(merge(award({ formType, lots, awardedValue: eur(9000) })).contractAmount?.value).toBe(9000)
    }
  })

  test('joins a lot of the call with its result', () => {
    const winner = { name: 'Muster Bau GmbH', country: 'DE' }
    const lots = [
      lot('1', {
        title: { de: 'Vergeben' },
        result: {
          outcome: 'awarded',
          awardedValue: eur(5),
          winners: [winner],
          contractDate: '2026-01-19',
          receivedTenders: 3,
        },
      }),
      lot('2', { result: { outcome: 'not-awarded', reason: 'no-rece' } }),
    ]
    const record = merge(
      call({ lots: [lot('1', { title: { de: 'Rohbau' }, cpvCodes: ['45223000'] }), lot('2')] }),
      award({ lots }),
    )
    expect(record.lots).toEqual([
      {
        lotId: '1',
        status: 'awarded',
        title: 'Rohbau',
        cpvCodes: ['45223000'],
        nutsCodes: [],
        awardedAmount: eur(5),
        winners: [winner],
        contractDate: '2026-01-19',
        receivedTenders: 3,
      },
      { lotId: '2', status: 'cancelled', cpvCodes: [], nutsCodes: [], nonAwardReason: 'no-rece' },
    ])
  })

  test('sorts lots as people count them', () => {
    const lots = ['10', '9', 'LOT-0002', '1'].map((lotId) => lot(lotId))
    expect(merge(call({ lots })).lots.map(({ lotId }) => lotId)).toEqual(['1', '9', '10', 'LOT-0002'])
  })

  test('collects the regions of the tender and its lots, the CPV codes of the tender only, main code first', () => {
    const record = merge(
      call({
        cpvCodes: ['45212222', '45000000', '45212222'],
        nutsCodes: ['DE212'],
        lots: [lot('1', { nutsCodes: ['DE21H', 'DE212'], cpvCodes: ['44000000'] })],
      }),
    )
    expect(record.cpvCodes).toEqual(['45212222', '45000000'])
    expect(record.nutsCodes).toEqual(['DE212', 'DE21H'])
  })

  test('completes the region of an authority by its address, and of nothing else (C70, C71)', () => {
    const seat = { name: 'Ville de Lannevieux', country: 'FR', postalCode: '29990', city: 'Lannevieux' }
    const record = merge(
      call({ contractingAuthorities: [seat, seat], nutsCodes: [] }),
      award({ nutsCodes: [], lots: [lot('1', { result: { outcome: 'awarded', winners: [seat] } })] }),
    )
    expect(record.contractingAuthority?.nutsCode).toBe('FRH02')
    expect(record.jointAuthorities?.[0]?.nutsCode).toBe('FRH02')
    expect(record.lots[0]?.winners?.[0]).not.toHaveProperty('nutsCode')
    expect(record.nutsCodes).toEqual([])
    expect(record).not.toHaveProperty('realizedLocation')
    const published = merge(call({ contractingAuthorities: [{ ...seat, nutsCode: 'FRH01' }] }))
    expect(published.contractingAuthority?.nutsCode).toBe('FRH01')
  })

  test('names the zone of the authority, else of the place, and none where it is not known', () => {
    const zone = (given: Partial<Notice>) => merge(call({ contractingAuthorities: [], ...given })).timeZone
    expect(zone({ contractingAuthorities: [{ name: 'Comune', country: 'IT' }], place: { country: 'FR' } })).toBe(
      'Europe/Rome',
    )
    expect(zone({ place: { country: 'FI' } })).toBe('Europe/Helsinki')
    expect(zone({ lots: [lot('1', { place: { country: 'RE' } })] })).toBe('Indian/Reunion')
    expect(zone({ place: { country: 'ZZ' } })).toBeUndefined()
    expect(zone({})).toBeUndefined()
    // by the region of the authority, else of the place in its country
    const seat = (nutsCode?: string) => [{ name: 'Câmara', country: 'PT', ...(nutsCode && { nutsCode }) }]
    expect(zone({ contractingAuthorities: seat('PT200') })).toBe('Atlantic/Azores')
    expect(zone({ contractingAuthorities: seat(), place: { country: 'PT', nutsCode: 'PT200' } })).toBe(
      'Atlantic/Azores',
    )
    expect(zone({ contractingAuthorities: seat(), nutsCodes: ['PT170'] })).toBe('Europe/Lisbon')
    expect(zone({ contractingAuthorities: seat(), place: { country: 'ES', nutsCode: 'ES300' } })).toBeUndefined()
    expect(zone({ contractingAuthorities: seat() })).toBeUndefined()
  })

  test('prefers the better portal on the same day and completes its copy from the other', () => {
    const copy = { noticeId: uuid(1), noticeVersion: '01' }
    const ted = call({ ...copy, title: { de: 'TED' }, lots: [lot('1', { submissionDate: at('2026-03-01') })] })
    const doe = call({
      ...copy,
      noticeKey: 'doe:1',
      publisher: 'doe',
      title: { de: 'DÖE' },
      procedureTypeNational: 'de-open',
    })
    const release = call({ noticeKey: 'ocds-mnwr74:1', publisher: 'doe', format: 'ocds', title: { de: 'OCDS' } })
    for (const order of [
      [ted, doe, release],
      [release, doe, ted],
    ])
      expect(merge(...order)).toMatchObject({
        title: 'TED',
        procedureTypeNational: 'de-open',
        submissionDate: at('2026-03-01'),
      })
  })

  test('of two calls of one day shows that of the better portal, of two days the newer', () => {
    const ted = call({ title: { de: 'TED' }, dispatchDate: at('2026-01-10T07:00') })
    const doe = (dispatchDate: string) =>
      call({ noticeKey: 'doe:1', publisher: 'doe', title: { de: 'DÖE' }, dispatchDate: at(dispatchDate) })
    expect(merge(ted, doe('2026-01-10T15:00')).title).toBe('TED')
    expect(merge(ted, doe('2026-01-11T15:00')).title).toBe('DÖE')
  })

  test('shows no lot that is worth more than all contracts together: VAT, a year, or a typo', () => {
    const awarded = (lotId: string, value: number) =>
      lot(lotId, { result: { outcome: 'awarded', awardedValue: eur(value) } })
    const amounts = (...lots: Notice['lots']) =>
      merge(call(), award({ awardedValue: eur(100), lots })).lots.map(({ awardedAmount }) => awardedAmount?.value)
    expect(amounts(awarded('1', 119))).toEqual([100])
    expect(amounts(awarded('1', 119), awarded('2', 40))).toEqual([undefined, 40])
    expect(amounts(awarded('1', 100))).toEqual([100])
  })

  test('knows when its newest and its oldest notice came out, and lists all of them, oldest first', () => {
    const record = merge(award(), call())
    expect(record).toMatchObject({ publicationDate: at('2026-01-21'), firstPublicationDate: at('2026-01-10') })
    expect(record.originalSources.map(({ formType }) => formType)).toEqual(['competition', 'result'])
    const { publicationDate: _, ...unpublished } = call({ dispatchDate: at('2026-01-08') })
    expect(merge(unpublished)).not.toHaveProperty('publicationDate')
  })

  test('does not know when its procedure began if only its results and changed contracts are known (D61)', () => {
    const changed = award({ noticeKey: 'ted:9-2026', formType: 'cont-modif', publicationDate: at('2026-03-01') })
    const record = merge(award(), changed)
    expect(record.publicationDate).toBe(at('2026-03-01'))
    expect(record).not.toHaveProperty('firstPublicationDate')
    expect(merge(award({ formType: 'dir-awa-pre' }), changed).firstPublicationDate).toBe(at('2026-01-21'))
  })

  test('has no total below 1,000 of a notice in the forms of the European journal (D60)', () => {
    const ceiling = eur(288.5)
    expect(merge(call({ estimatedValue: eur(999.99) })).contractAmount).toBeNull()
    expect(merge(call({ estimatedValue: eur(1000) })).contractAmount).toMatchObject(eur(1000))
    expect(merge(call({ estimatedValue: eur(1000), frameworkMaximum: ceiling })).contractAmount).toMatchObject(
      eur(1000),
    )
    expect(merge(call({ frameworkMaximum: ceiling })).contractAmount).toBeNull()
    const lots = [lot('1', { estimatedValue: eur(288_500) })]
    const record = merge(call({ estimatedValue: ceiling, lots }), award({ awardedValue: eur(165.01) }))
    expect(record.contractAmount).toMatchObject(eur(288_500))
    expect(record).not.toHaveProperty('awardedAmount')
    expect(merge(call({ format: 'portal', estimatedValue: eur(850) })).contractAmount).toMatchObject(eur(850))
    const small = award({ format: 'portal', awardedValue: eur(165.01) })
    expect(merge(small)).toMatchObject({ contractAmount: eur(165.01), awardedAmount: eur(165.01) })
  })

  test('that another record holds shows its founding notice, and nothing of it moves with the clock', () => {
    const lots = [lot('1', { submissionDate: at('2026-03-01') })]
    const draft = mergedTender(id, call({ lots }), tenderId('ted:0-2026'))
    expect(JSON.parse(draft.content)).toMatchObject({
      id,
      status: 'merged',
      archiveReason: 'merged',
      mergedInto: tenderId('ted:0-2026'),
      lots: [{ status: 'pending' }],
    })
    expect(draft.nextTransitionMs).toBeNull()
  })

  test('of any world is valid by the schema; unknown members are left out, except contractAmount (D39)', () => {
    for (let seed = 0; seed < proofCount({ share: 25, full: 600 }); seed++)
      for (const { units, isSucceeded } of resolve(
        noticeWorld(seed, 10).map((each, index) => ({ rowId: `${index}`, sourceId: 'made-up', notice: each })),
      )) {
        const draft = mergeTender(
          id,
          units.map((unit) => unit.notice),
          { now, isSucceeded },
        )
        const record = { ...JSON.parse(draft.content), lastModified: at('2026-02-01'), checkedAt: at('2026-02-01') }
        if (!Value.Check(tenderRecordSchema, record)) expect([...Value.Errors(tenderRecordSchema, record)]).toEqual([])
        expect(record).toHaveProperty('contractAmount')
        expect(draft.content.replace('"contractAmount":null', '')).not.toMatch(/"\w+":null/)
      }
  })
})

describe('the canonical text', () => {
  const content = merge(
    call({ description: { de: 'Bau', fr: 'Construction' }, lots: [lot('1', { title: { de: 'Rohbau' } })] }),
  )

  test('begins with the id and does not depend on the order of members', () => {
    const reversed = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reversed)
        : value && typeof value === 'object'
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([name, member]) => [name, reversed(member)]),
            )
          : value
    expect(canonicalJson(reversed(content) as TenderContent)).toBe(canonicalJson(content))
    expect(canonicalJson(content)).toMatch(new RegExp(`^\\{"id":"${id}","status":"`))
    expect(JSON.parse(canonicalJson(content))).toEqual(content)
  })

  test('refuses members that the contract does not name', () => {
    expect(() => canonicalJson({ ...content, secret: 1 } as TenderContent)).toThrow('schema')
  })

  test('writes a text one way, however its accents are composed', () => {
    expect(canonicalJson({ ...content, title: 'Cafe\u0301' })).toBe(canonicalJson({ ...content, title: 'Café' }))
    for (let code = 0; code < 0x400; code++) {
      const title = `a${String.fromCharCode(code)}${String.fromCharCode(code)}`
      const written = JSON.parse(canonicalJson({ ...content, title })) as TenderContent
      expect(written.title).toBe(title.normalize('NFC'))
    }
  })

  test('has another hash for another content', () => {
    expect(contentHash(canonicalJson(content))).not.toBe(contentHash(canonicalJson({ ...content, title: 'Anders' })))
  })
})

test('an id is a UUID of version 8, the same for the same notice, on every machine (C11, C12)', () => {
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(id).toBe('18c6a24c-874c-8465-9d76-eae7ece8ded0')
  expect(tenderId('ted:2-2026')).not.toBe(id)
})
