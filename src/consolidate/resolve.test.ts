// Which notices become one tender (docs/consolidation.md): every key, every guard, any order.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { at, notice, noticeWorld, uuid } from '../../test/testing/generate/notices.ts'
import { randomOf } from '../../test/testing/generate/random.ts'
import type { Notice } from '../domain/notice.ts'
import type { StoredNotice } from './notice-units.ts'
import { resolve } from './resolve.ts'

const stored = (notices: readonly Notice[]): StoredNotice[] =>
  notices.map((each) => ({ rowId: JSON.stringify(each), sourceId: 'made-up', notice: each }))

/** Components as sorted lists of keys. */
function partition(notices: readonly Notice[], ignored?: ReadonlySet<string>): string[][] {
  return resolve(stored(notices), ignored)
    .map(({ units }) => units.map((unit) => unit.notice.noticeKey).sort())
    .sort((a, b) => (a[0]! < b[0]! ? -1 : 1))
}

const other = [{ name: 'Klinikum Exempel', nationalId: 'DE833333333', country: 'DE' }]
const foreign = [{ name: 'Musterstadt Hochbauamt', nationalId: 'DE811111111', country: 'AT' }]
const a = (given: Partial<Notice> = {}) => notice({ noticeKey: 'ted:1-2026', publicationNumber: '1-2026', ...given })
const b = (given: Partial<Notice> = {}) => notice({ noticeKey: 'ted:2-2026', publicationNumber: '2-2026', ...given })
const c = (given: Partial<Notice> = {}) => notice({ noticeKey: 'ted:3-2026', publicationNumber: '3-2026', ...given })
const result = { formType: 'result', noticeType: 'can-standard', publicationDate: at('2026-03-01') } as const
const intention = { formType: 'dir-awa-pre', noticeType: 'veat', publicationDate: at('2026-03-01') } as const
const refersTo = (publicationNumber: string, kind: 'previous' | 'planning' | 'changes' | 'modifies' = 'previous') => ({
  references: [{ kind, publicationNumber }],
})

const cleaning = { title: { de: 'Reinigung der Verwaltung' }, cpvCodes: ['90911200'], internalReference: 'DL-2026-40' }
const sewers = { title: { de: 'Sanierung der Kanäle' }, internalReference: 'TB-2026-17' }
const roofs = { title: { de: 'Dachdeckung Rathaus' }, internalReference: 'HB-2026-31' }
const municipality = [{ name: 'Gemeinde Musterstadt', nationalId: 'DE811111117', country: 'DE' }]
const works = [{ name: 'Stadtwerke Musterstadt', nationalId: 'DE822222224', country: 'DE' }]

const together: [string, Notice[]][] = [
  [
    'the same procedure id, title and codes written otherwise under one number',
    [
      a({ procedureId: uuid(1), ...cleaning }),
      b({ procedureId: uuid(1), ...cleaning, title: { de: 'Glasflächen' }, cpvCodes: ['90911300'] }),
    ],
  ],
  [
    'the same procedure id and title, the buyer a municipality and its works',
    [
      a({ procedureId: uuid(1), contractingAuthorities: municipality }),
      b({ procedureId: uuid(1), contractingAuthorities: works, ...result }),
    ],
  ],
  [
    'the same procedure id, and two calls that share the division only',
    [a({ procedureId: uuid(1), ...sewers }), b({ procedureId: uuid(1), ...roofs })],
  ],
  ['the same procedure id', [a({ procedureId: uuid(1) }), b({ procedureId: uuid(1), ...result })]],
  [
    'the same procedure id, the buyer written otherwise',
    [
      a({ procedureId: uuid(1) }),
      b({ procedureId: uuid(1), contractingAuthorities: [{ name: 'Hochbauamt Musterstadt', country: 'DE' }] }),
    ],
  ],
  [
    'the same notice on two portals, another buyer picked',
    [
      a({ noticeId: uuid(2), noticeVersion: '01' }),
      notice({ noticeKey: 'doe:x', noticeId: uuid(2), noticeVersion: '1', contractingAuthorities: other }),
    ],
  ],
  [
    'another version of the notice',
    [a({ noticeId: uuid(2), noticeVersion: '01' }), b({ noticeId: uuid(2), noticeVersion: '02' })],
  ],
  ['a reference by journal number', [a(), b({ ...result, ...refersTo('1-2026') })]],
  [
    'a reference by notice id',
    [
      a({ noticeId: uuid(2) }),
      b({ ...result, references: [{ kind: 'changes', noticeId: uuid(2), noticeVersion: '01' }] }),
    ],
  ],
  ['a modification by reference', [a(result), b({ formType: 'cont-modif', ...refersTo('1-2026', 'modifies') })]],
  [
    'two results of a call that is not there',
    [a({ ...result, ...refersTo('9-2025') }), b({ ...result, ...refersTo('9-2025') })],
  ],
  [
    'an announcement with the only call that refers to it',
    [a({ formType: 'planning' }), b(refersTo('1-2026', 'planning'))],
  ],
  [
    'a call that is not there, the title worded otherwise, one number',
    [
      a({ ...result, ...refersTo('9-2025'), internalReference: 'V-5001', title: { de: 'Neubau Halle' } }),
      b({ ...result, ...refersTo('9-2025'), internalReference: 'V-5001/1', title: { da: 'Ny sportshal' } }),
    ],
  ],
  [
    'a call that is not there, one result for each lot',
    [
      a({ ...result, ...refersTo('9-2025'), title: { de: 'Neubau Halle, Los 1' } }),
      b({ ...result, ...refersTo('9-2025'), title: { de: 'Neubau Halle, Los 2' } }),
    ],
  ],
  [
    'the number of the authority, where the result names the announcement that the call names',
    [
      a({ internalReference: 'V-5001', ...refersTo('8-2025', 'planning') }),
      b({ ...result, internalReference: 'V-5001', ...refersTo('8-2025') }),
    ],
  ],
  [
    'the number of the authority, where the call on this portal has no journal number',
    [
      notice({ noticeKey: 'doe:9', internalReference: 'V-5001' }),
      b({ ...result, internalReference: 'V-5001', ...refersTo('8-2025') }),
    ],
  ],
  [
    'the number of the authority, call and result',
    [a({ internalReference: '2026GLM035D' }), b({ ...result, internalReference: '2026-GLM-035-D' })],
  ],
  [
    'the project of the documents, on two portals',
    [
      a({ documentsUrl: `https://p.example/${uuid(8)}` }),
      notice({ noticeKey: 'doe:9', documentsUrl: `https://p.example/${uuid(8)}/documents` }),
    ],
  ],
  [
    'calls with one number on two portals, 60 days apart',
    [
      a({ internalReference: 'V-5001' }),
      notice({ noticeKey: 'doe:9', internalReference: 'V-5001', publicationDate: at('2026-03-11') }),
    ],
  ],
  [
    'results with one number, 45 days apart',
    [
      a({ ...result, internalReference: 'V-5001' }),
      b({ ...result, internalReference: 'V-5001', publicationDate: at('2026-04-15') }),
    ],
  ],
  [
    'results with one number, the nearest 45 days apart',
    [
      a({ ...result, internalReference: 'V-5001', procedureId: uuid(1) }),
      b({ ...result, internalReference: 'V-5001', publicationDate: at('2026-04-15') }),
      c({ ...result, internalReference: 'V-5001', procedureId: uuid(1), publicationDate: at('2026-09-01') }),
    ],
  ],
  [
    'announcements of a direct award with one number, 45 days apart',
    [
      a({ ...intention, internalReference: 'V-5001' }),
      b({ ...intention, internalReference: 'V-5001', publicationDate: at('2026-04-15') }),
    ],
  ],
  [
    'the announcement of a direct award and its result with one number, nine months later',
    [
      a({ ...intention, internalReference: 'V-5001' }),
      b({ ...result, internalReference: 'V-5001', publicationDate: at('2026-12-01') }),
    ],
  ],
  [
    'a renewed qualification system',
    [a({ noticeType: 'qu-sy' }), b({ noticeType: 'qu-sy', ...refersTo('1-2026', 'planning') })],
  ],
]

const separate: [string, Notice[]][] = [
  [
    'a constant procedure id: two calls without a common number, title or division',
    [a({ procedureId: uuid(1), ...sewers }), b({ procedureId: uuid(1), ...cleaning })],
  ],
  [
    'a constant procedure id: three calls without a common number or title',
    [
      a({ procedureId: uuid(1), ...sewers }),
      b({ procedureId: uuid(1), ...roofs }),
      c({ procedureId: uuid(1), internalReference: 'HB-2026-55' }),
    ],
  ],
  ['a procedure id of one digit', [a, b].map((made) => made({ procedureId: '11111111-1111-4111-8111-111111111111' }))],
  [
    'the same procedure id, a municipality and its works with other purchases',
    [
      a({ procedureId: uuid(1), contractingAuthorities: municipality, ...sewers }),
      b({ procedureId: uuid(1), contractingAuthorities: works, ...roofs, ...result }),
    ],
  ],
  [
    'the same procedure id, no buyer in common',
    [a({ procedureId: uuid(1) }), b({ procedureId: uuid(1), contractingAuthorities: other })],
  ],
  [
    'the same procedure id, another country',
    [a({ procedureId: uuid(1) }), b({ procedureId: uuid(1), contractingAuthorities: foreign })],
  ],
  [
    'a reference, but different procedure ids',
    [a({ procedureId: uuid(1) }), b({ procedureId: uuid(3), ...result, ...refersTo('1-2026') })],
  ],
  [
    'the same notice id and version, but different procedure ids',
    [
      a({ noticeId: uuid(2), noticeVersion: '01', procedureId: uuid(1) }),
      b({ noticeId: uuid(2), noticeVersion: '01', procedureId: uuid(3) }),
    ],
  ],
  ['a mistyped reference to a stranger', [a(), b({ ...result, contractingAuthorities: other, ...refersTo('1-2026') })]],
  [
    'two calls after one announcement',
    [a({ formType: 'planning' }), b(refersTo('1-2026', 'planning')), c(refersTo('1-2026', 'planning'))],
  ],
  [
    'two calls after an announcement that is not there',
    [b(refersTo('9-2025', 'planning')), c(refersTo('9-2025', 'planning'))],
  ],
  ['two calls that name the same earlier notice, which is not there', [b(refersTo('9-2025')), c(refersTo('9-2025'))]],
  [
    'two calls under one qualification system',
    [a({ noticeType: 'qu-sy' }), b(refersTo('1-2026', 'planning')), c(refersTo('1-2026'))],
  ],
  [
    'a yearly call with an equal number',
    [a({ internalReference: '00207/2021' }), b({ internalReference: '00207/2021', publicationDate: at('2027-01-10') })],
  ],
  [
    'calls with one number on two portals, 61 days apart',
    [
      a({ internalReference: 'V-5001' }),
      notice({ noticeKey: 'doe:9', internalReference: 'V-5001', publicationDate: at('2026-03-12') }),
    ],
  ],
  [
    'results with one number, 46 days apart',
    [
      a({ ...result, internalReference: 'V-5001' }),
      b({ ...result, internalReference: 'V-5001', publicationDate: at('2026-04-16') }),
    ],
  ],
  [
    'announcements of a direct award with one number, 46 days apart',
    [
      a({ ...intention, internalReference: 'V-5001' }),
      b({ ...intention, internalReference: 'V-5001', publicationDate: at('2026-04-16') }),
    ],
  ],
  [
    'a result and a later announcement of a direct award with its number',
    [
      a({ ...result, internalReference: 'V-5001' }),
      b({ ...intention, internalReference: 'V-5001', publicationDate: at('2026-03-02') }),
    ],
  ],
  [
    'two calls on one portal with an equal number',
    [a({ internalReference: '00207/2021' }), b({ internalReference: '00207/2021' })],
  ],
  [
    'a call and a result of its number that names another call',
    [a({ internalReference: 'V-5001' }), b({ ...result, internalReference: 'V-5001', ...refersTo('8-2025') })],
  ],
  [
    'a call and the cancellation of another with its number',
    [
      a({ internalReference: 'V-5001' }),
      notice({
        noticeKey: 'doe:9',
        internalReference: 'V-5001',
        changeReasons: ['cancel'],
        ...refersTo('8-2025', 'changes'),
      }),
    ],
  ],
  [
    'a call and a result of its number on the same day',
    [
      a({ internalReference: 'V-5001', publicationDate: at('2026-02-28T23:00') }),
      b({ ...result, internalReference: 'V-5001' }),
    ],
  ],
  [
    'a call and a result of its number on the day before',
    [
      a({ internalReference: 'V-5001', publicationDate: at('2026-03-02') }),
      b({ ...result, internalReference: 'V-5001' }),
    ],
  ],
  [
    'results of a call that is not there, with numbers of their own',
    [
      a({ ...result, ...refersTo('9-2025'), internalReference: '701802139' }),
      b({ ...result, ...refersTo('9-2025'), internalReference: '701802100' }),
      c({ ...result, formType: 'dir-awa-pre', ...refersTo('9-2025'), internalReference: '701802101' }),
    ],
  ],
  [
    'results of a call that is not there, with titles of their own',
    [
      a({ ...result, ...refersTo('9-2025'), title: { de: 'Wartung der Rechenzentren 2026' } }),
      b({ ...result, ...refersTo('9-2025'), title: { de: 'Lizenzen für Verzeichnisdienste' } }),
      c({ ...result, ...refersTo('9-2025'), title: { de: 'Wartung der Aufzüge 2026', en: 'Lifts' } }),
    ],
  ],
  [
    'results under a qualification system that only its renewal names',
    [
      a({ noticeType: 'qu-sy', ...refersTo('9-2025') }),
      b({ ...result, ...refersTo('9-2025') }),
      c({ ...result, ...refersTo('9-2025') }),
    ],
  ],
  [
    'the trades of one project under one number',
    [
      a({ ...result, internalReference: 'P-2026-17', title: { de: 'Neubau Wohnheim: Heizung' } }),
      b({ ...result, internalReference: 'P-2026-17', title: { de: 'Neubau Wohnheim: Dach' } }),
    ],
  ],
  [
    'an equal number of strangers',
    [a({ internalReference: 'V-5001' }), b({ ...result, internalReference: 'V-5001', contractingAuthorities: other })],
  ],
  ['a junk number', [a({ internalReference: '2021' }), b({ ...result, internalReference: '2021' })]],
  [
    'a result years after, with an equal number',
    [
      a({ internalReference: 'V-5001' }),
      b({ ...result, internalReference: 'V-5001', publicationDate: at('2029-01-10') }),
    ],
  ],
  [
    'only a host in common',
    [a({ documentsUrl: 'https://p.example/' }), b({ ...result, documentsUrl: 'https://p.example/' })],
  ],
  [
    'OCIDs of two publishers with the same ending',
    [a({ procedureId: 'ocds-aaaaaa-1' }), b({ procedureId: 'ocds-bbbbbb-1' })],
  ],
]

test('under a constant procedure id, a result joins the call whose number or title it has', () => {
  const calls = [a({ procedureId: uuid(1), ...sewers }), b({ procedureId: uuid(1), ...cleaning })]
  const ofSecond = c({ procedureId: uuid(1), ...cleaning, ...result })
  expect(partition([...calls, ofSecond])).toEqual([['ted:1-2026'], ['ted:2-2026', 'ted:3-2026']])
})

describe('notices with', () => {
  test.each(together)('%s are one tender', (_, notices) => {
    expect(partition(notices)).toHaveLength(1)
    expect(partition([...notices].reverse())).toEqual(partition(notices))
  })

  test.each(separate)('%s stay apart', (_, notices) => {
    expect(partition(notices)).toHaveLength(notices.length)
    expect(partition([...notices].reverse())).toEqual(partition(notices))
  })

  test('a procedure id of three strangers are joined by it nowhere, not even by the same buyer', () => {
    const shared = { procedureId: uuid(1) }
    const third = [{ name: 'Wasserverband Beispiel', country: 'DE' }]
    const notices = [a(shared), b(shared), c({ ...shared, contractingAuthorities: other })]
    expect(partition(notices)).toEqual([['ted:1-2026', 'ted:2-2026'], ['ted:3-2026']])
    const fourth = notice({ noticeKey: 'ted:4-2026', ...shared, contractingAuthorities: third })
    expect(partition([...notices, fourth])).toHaveLength(4)
  })

  test('a guard between two components holds, whatever joins them', () => {
    // b belongs to a by its procedure id and names c, whose procedure is different.
    const notices = [
      a({ procedureId: uuid(1) }),
      b({ procedureId: uuid(1), ...refersTo('3-2026') }),
      c({ procedureId: uuid(3) }),
    ]
    expect(partition(notices)).toEqual([['ted:1-2026', 'ted:2-2026'], ['ted:3-2026']])
  })

  test('copies of one notice are one, and content alone decides which counts', () => {
    const early = a({ dispatchDate: at('2026-01-01'), title: { de: 'Früh' } })
    const late = a({ dispatchDate: at('2026-01-02'), title: { de: 'Spät' } })
    for (const notices of [
      [early, late],
      [late, early],
    ]) {
      const [component, ...others] = resolve(stored(notices))
      expect(others).toEqual([])
      expect(component?.units ?? [], 'units of the component').toHaveLength(1)
      expect(component?.units[0]).toMatchObject({ notice: { title: { de: 'Spät' } } })
      expect(component?.units[0]?.rowIds ?? [], 'rows of its unit').toHaveLength(2)
    }
  })

  test("a document of a standard counts before a portal's own shape of it, whichever was sent later", () => {
    const document = a({ dispatchDate: at('2026-01-01'), title: { de: 'Dokument' } })
    const row = a({ dispatchDate: at('2026-01-02'), title: { de: 'Zeile' }, format: 'portal' })
    for (const notices of [
      [document, row],
      [row, document],
    ])
      expect(resolve(stored(notices))[0]?.units[0]).toMatchObject({ notice: { title: { de: 'Dokument' } } })
  })

  test('a number that twelve share are one tender, and with one that thirteen share are not', () => {
    const sharing = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        notice({ ...result, noticeKey: `ted:${index + 10}-2026`, internalReference: 'V-5001' }),
      )
    expect(partition(sharing(12))).toHaveLength(1)
    expect(partition(sharing(13))).toHaveLength(13)
  })

  test('an announcement that several procedures followed is reported as such', () => {
    const components = resolve(
      stored([a({ formType: 'planning' }), b(refersTo('1-2026', 'planning')), c(refersTo('1-2026', 'planning'))]),
    )
    expect(components.map(({ units, isSucceeded }) => [units[0]!.notice.noticeKey, isSucceeded]).sort()).toEqual([
      ['ted:1-2026', true],
      ['ted:2-2026', false],
      ['ted:3-2026', false],
    ])
  })

  test('an ignored key are not joined by it', () => {
    const notices = [a({ procedureId: uuid(1) }), b({ procedureId: uuid(1) })]
    expect(partition(notices, new Set([`f:bt-04/${uuid(1)}`]))).toHaveLength(2)
  })

  test('any world give the same components in any order, each component founded by its oldest notice', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (seed, order) => {
        const notices = noticeWorld(seed, 12)
        const random = randomOf(order)
        const shuffled = notices.map((each) => ({ each, rank: random.next() })).sort((x, y) => x.rank - y.rank)
        expect(partition(shuffled.map(({ each }) => each))).toEqual(partition(notices))
      }),
      { numRuns: proofCount({ share: 40, full: 2000 }) },
    )
  })

  test('any world never mix procedure ids in one component', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        for (const { units } of resolve(stored(noticeWorld(seed, 12)))) {
          const ids = units.map(({ notice: each }) => each.procedureId).filter((id) => id !== undefined)
          expect(new Set(ids).size).toBeLessThanOrEqual(1)
        }
      }),
      { numRuns: proofCount({ share: 40, full: 2000 }) },
    )
  })
})
