// The explanation is the record itself: same content as what is stored, and each named notice has the value.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { at, notice, noticeWorld, uuid } from '../../test/testing/generate/notices.ts'
import { randomOf } from '../../test/testing/generate/random.ts'
import type { Notice } from '../domain/notice.ts'
import { canonicalJson } from './canonical.ts'
import { explainTender } from './explain.ts'
import { mergeTender } from './merge.ts'

const options = { now: Date.parse('2026-02-20T12:00:00.000Z'), isSucceeded: false }

/** Some notices of a world, each without some of its members, so that others have to fill in. */
function torn(seed: number): Notice[] {
  const random = randomOf(seed, 3)
  const members = ['title', 'internalReference', 'procedureId', 'cpvCodes', 'nutsCodes', 'noticeType'] as const
  const made = noticeWorld(seed, 2).map((each) => {
    const copy: { [member: string]: unknown } = { ...each }
    for (const member of members) if (random.chance(0.3)) copy[member] = member.endsWith('Codes') ? [] : undefined
    if (random.chance(0.5)) copy.documentsUrl = `https://example.org/${random.integer(1, 3)}`
    if (random.chance(0.3)) copy.estimatedValue = { value: random.integer(1, 9) * 10_000, currency: 'EUR' }
    if (random.chance(0.5)) copy.description = { de: `Beschreibung ${random.integer(1, 4)}` }
    return Object.fromEntries(Object.entries(copy).filter(([, value]) => value !== undefined)) as Notice
  })
  return [...new Map(made.map((each) => [each.noticeKey, each])).values()]
}

test('explains the record that is stored, member by member, with notices that have the value', () => {
  let traced = 0
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const notices = torn(seed)
      if (notices.length === 0) return
      const { content, origins } = explainTender(uuid(1), notices, options)
      const stored = canonicalJson(content)
      expect(stored).toBe(mergeTender(uuid(1), notices, options).content)
      expect(['id', ...origins.map(({ member }) => member)]).toEqual(Object.keys(JSON.parse(stored)))
      const byKey = new Map(notices.map((each) => [each.noticeKey, each]))
      for (const { member, value, rule, noticeKeys } of origins) {
        // a member that is computed from several notices needs its rule in `computed`
        if (rule === 'fixed') expect([member, value]).toEqual([member, expect.stringMatching(/^(null|\[\])$/)])
        for (const key of noticeKeys) {
          const from = byKey.get(key)!
          if (member === 'tenderNumber') expect(JSON.stringify(from.internalReference?.trim())).toBe(value)
          if (member === 'title') expect(value).toContain(from.title?.de ?? from.lots[0]?.title?.de)
          if (member === 'description') expect(JSON.stringify(from.description?.de)).toBe(value)
          if (member === 'documentsUrl') expect(JSON.stringify(from.documentsUrl)).toBe(value)
          if (member === 'cpvCodes') expect(JSON.stringify(from.cpvCodes)).toBe(value)
          if (member === 'publicationDate') expect(JSON.stringify(from.publicationDate)).toBe(value)
          traced++
        }
      }
      // if any notice has a number, a page or a text, the record has it too, and its notice is named
      for (const member of ['tenderNumber', 'documentsUrl', 'description'] as const)
        if (content[member] !== undefined)
          expect(origins.find((origin) => origin.member === member)?.noticeKeys).not.toEqual([])
    }),
    { numRuns: proofCount({ share: 80, full: 3000 }) },
  )
  expect(traced).toBeGreaterThan(1000)
})

test('names the copy from which a completed notice has its value, and the rule', () => {
  const shared = { noticeId: uuid(1), noticeVersion: '01' }
  const ted = notice({ noticeKey: 'ted:1-2026', ...shared, publicationDate: at('2026-01-05') })
  const doe = notice({ noticeKey: 'doe:1', publisher: 'doe', ...shared, documentsUrl: 'https://example.org/a' })
  const { origins } = explainTender(uuid(2), [ted, doe], options)
  expect(origins.find(({ member }) => member === 'documentsUrl')).toEqual({
    member: 'documentsUrl',
    value: '"https://example.org/a"',
    rule: 'head',
    noticeKeys: ['doe:1'],
  })
  expect(origins.find(({ member }) => member === 'title')?.noticeKeys).toEqual(['ted:1-2026', 'doe:1'])
})

test('says by which rule each member that several notices make was made', () => {
  const lots = [{ lotId: 'LOT-0001', cpvCodes: [], nutsCodes: [], submissionDate: at('2026-03-01') }]
  const made = notice({
    noticeKey: 'ted:1-2026',
    publicationDate: at('2026-02-01'),
    title: { de: 'NEUBAU DER SCHULE', fr: 'Nouvelle école' },
    description: { de: 'Neubau der Schule' },
    contractingAuthorities: [{ name: 'Stadt A', country: 'DE' }, { name: 'Stadt B' }],
    changeReasons: ['susp-review'],
    lots,
  })
  const rules = Object.fromEntries(
    explainTender(uuid(1), [made], options).origins.map(({ member, rule }) => [member, rule]),
  )
  expect(rules).toMatchObject({
    status: 'lifecycle of all notices and the clock',
    publicationDate: 'newest of all notices',
    firstPublicationDate: 'oldest of all notices',
    submissionDate: "latest among the lots of the call, else the call's own",
    isSuspended: 'the newest change of the call',
    timeZone:
      'the region of the authority, else the place of performance; none where a country has several and the region is not known',
    jointAuthorities: 'beside the contracting authority',
    language: 'head',
    translations: 'head',
    lots: 'the call, joined with the results by lot',
    originalSources: 'every notice once',
  })
})
