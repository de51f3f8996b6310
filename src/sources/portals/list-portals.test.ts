// Portals that publish lists in their own formats: the parser finds what a made-up entry says, and cards are complete.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import type { Notice, ParsedPart } from '../../domain/notice.ts'
import { toInstant } from '../../domain/time.ts'
import { ownWriters } from '../../simulator/portals/own-writers.ts'
import type { PortalSample } from '../../simulator/samples/portal-sample.ts'
import { loadSources } from '../registry.ts'
import type { Source } from '../source.ts'

type Member =
  | 'cpv'
  | 'award-cpv'
  | 'estimate'
  | 'deadline'
  | 'value'
  | 'award'
  | 'winner'
  | 'planning'
  | 'cancellation'
  | 'buyer'
  | 'publication'

/** Sources with the members that their formats lack, or lack for some samples. */
const shapes: {
  readonly [id: string]: {
    readonly without: readonly Member[]
    readonly only?: readonly PortalSample['kind'][]
    /** Where two sources deliver the same notices. */
    readonly publisher?: string
  }
} = {
  'ba-ejn': { without: ['cpv', 'value'], only: ['call', 'change'] },
  'br-pncp': { without: ['cpv', 'winner', 'planning'] },
  'bg-eop': { without: [] },
  'ca-canadabuys': { without: ['cpv', 'value', 'winner'] },
  'co-secop2': { without: ['cpv'] },
  'cy-awarded-contracts': { without: ['deadline'], only: ['award'] },
  'es-catalunya': { without: [] },
  'eu-ted-open-data': { without: ['cpv', 'value', 'buyer', 'deadline', 'winner', 'cancellation'] },
  'gb-contracts-finder-csv': { without: [], publisher: 'gb-contracts-finder' },
  'gr-kimdis': { without: ['planning'] },
  'hr-eojn': { without: ['award', 'award-cpv', 'cancellation'] },
  'hu-ekr': { without: ['value', 'award'] },
  'it-anac-cig': { without: ['planning', 'award', 'winner'] },
  'it-anac-pvl': { without: ['award'] },
  'kr-g2b': { without: ['cpv', 'planning'], only: ['call', 'change', 'cancellation'] },
  'lt-cvpis': { without: ['award', 'winner'] },
  'lv-iub': { without: ['publication'] },
  'me-cejn': { without: ['cpv', 'value', 'award', 'winner', 'planning'] },
  'mk-esjn': { without: ['cpv', 'value'], only: ['call', 'change'] },
  'pt-base': { without: ['award-cpv'] },
  'pt-base-search': { without: ['award-cpv'], publisher: 'pt-base' },
  'ro-seap': { without: ['winner'] },
  'rs-jnportal': { without: ['cpv', 'value', 'deadline', 'winner'] },
  'si-enarocanje': { without: ['cpv', 'cancellation'] },
  'us-delaware': { without: ['cpv', 'value', 'buyer'], only: ['call', 'change'] },
  'us-georgia': { without: ['cpv', 'value', 'award', 'winner', 'planning'] },
  'us-sam': { without: ['cpv', 'estimate'] },
  'us-sam-bulk': { without: ['cpv', 'estimate'], publisher: 'us-sam' },
  'zz-undp': { without: ['cpv', 'value', 'buyer'], only: ['call', 'change'] },
  'zz-world-bank': { without: ['cpv', 'value', 'winner', 'cancellation'] },
}

const kinds = ['planning', 'call', 'change', 'cancellation', 'award'] as const

const hex = fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16).padStart(4, '0'))
const uuid = fc
  .tuple(hex, hex, hex, hex)
  .map(([a, b, c, d]) => `${a}${b}-${c}-4${d.slice(1)}-8${a.slice(1)}-${b}${c}${d}`)
const words = fc
  .array(
    fc.constantFrom('Road', 'repair', 'of', 'the', 'école', 'Straße', '"quoted"', 'über', 'Näh-', '<b>', '&', ','),
    {
      minLength: 2,
      maxLength: 8,
    },
  )
  .map((list) => `Works ${list.join(' ')} end`)
const sampleOf = (kind: PortalSample['kind']): fc.Arbitrary<PortalSample> =>
  fc
    .record({
      id: uuid,
      procedureId: uuid,
      number: fc.integer({ min: 10, max: 899_999 }),
      version: fc.integer({ min: 1, max: 4 }),
      // A minute, away from the hours that summer time skips or repeats.
      published: fc.integer({ min: 29_000_000, max: 30_000_000 }),
      title: words,
      cpv: fc.constantFrom('45210000', '72000000', '33140000', '90910000', '03000000'),
      nature: fc.constantFrom('works' as const, 'supplies' as const, 'services' as const),
      procedureType: fc.constantFrom('open' as const, 'restricted' as const, 'neg-w-call' as const),
      amount: fc.integer({ min: 200, max: 90_000_000 }),
    })
    .map(({ id, procedureId, number, version, published, title, cpv, nature, procedureType, amount }) => ({
      kind,
      id,
      version,
      procedureId,
      number,
      reference: `REF-${number}/2026`,
      publishedAt: toInstant(published * 60_000),
      ...(kind === 'award' ? {} : { deadline: toInstant((published + 40_000) * 60_000) }),
      title: title.replaceAll('<b>', '').replace(/\s+/g, ' '),
      description: `What is wanted: ${title}`,
      language: 'en',
      buyer: {
        name: `Town of Neverwhere ${number}`,
        nationalId: `1000${number}`,
        town: 'Neverwhere',
        postalCode: '12345',
        country: 'XX',
        nuts: 'DE212',
        email: 'tenders@neverwhere.example',
        url: 'https://neverwhere.example',
      },
      cpv,
      nature,
      procedureType,
      value: { amount, currency: 'EUR' },
      lots: [{ id: 'LOT-0001', title: 'Lot one', cpv, amount }],
      winners: kind === 'award' ? [{ lotId: 'LOT-0001', name: 'Builders Ltd', amount }] : [],
      url: `https://portal.example/notices/${number}`,
    }))

const encoder = new TextEncoder()
const sources = await loadSources()
const seed = 20_261_121

function read(source: Source, sample: PortalSample): Notice {
  const parts: ParsedPart[] = source.parse!(encoder.encode(ownWriters[source.id]!(sample)))
  expect(parts).toHaveLength(1)
  const [part] = parts
  if (!part || !('notice' in part)) throw new Error(`${source.id}: ${JSON.stringify(part)}`)
  return part.notice
}

const formTypes = {
  planning: ['planning', 'consultation'],
  call: ['competition'],
  change: ['competition', 'change'],
  cancellation: ['competition', 'change', 'result'],
  award: ['result'],
} as const

it('every portal with its own format has a sample writer and a test', () => {
  /** Written by the simulator itself, or in the format of a standard. */
  const withoutWriter = ['de-vergabe-nrw', 'doe', 'ee-rhr', 'ua-prozorro']
  const own = [...sources.values()].filter(({ id, parse }) => parse && !withoutWriter.includes(id))
  const tests = readdirSync(join(import.meta.dirname, '..'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(import.meta.dirname, '..', path), 'utf8'))
    .join('\n')
  const missing = own.flatMap(({ id }) => [
    ...(ownWriters[id] ? [] : [`src/simulator/portals/${id.replace('-', '/write-')}.ts`]),
    ...(new RegExp(`\\b${id}\\b`).test(tests) ? [] : [`'${id}' in shapes of this file, or a test beside its parser`]),
  ])
  expect(missing).toEqual([])
})

describe.each(Object.keys(shapes))('%s', (id) => {
  const source = sources.get(id)!
  const publisher = shapes[id]!.publisher ?? id
  const lacks = (member: Member) => shapes[id]!.without.includes(member)
  const isListed = (kind: PortalSample['kind']) =>
    (shapes[id]!.only?.includes(kind) ?? true) && !(kind === 'planning' && lacks('planning'))

  it.each(kinds.filter(isListed))('reads from a made-up %s exactly what was written', (kind) => {
    fc.assert(
      fc.property(sampleOf(kind), (sample) => {
        const notice = read(source, sample)
        expect(Object.values(notice.title ?? {})[0]).toBe(sample.title)
        if (!lacks('buyer')) expect(notice.contractingAuthorities[0]?.name).toBe(sample.buyer.name)
        expect(formTypes[kind]).toContain(notice.formType)
        if (!lacks('publication')) expect(sameDay(notice.publicationDate, sample.publishedAt)).toBe(true)
        if (!lacks('cpv') && !(kind === 'award' && lacks('award-cpv')))
          expect([...notice.cpvCodes, ...notice.lots.flatMap((lot) => lot.cpvCodes)]).toContain(sample.cpv)
        if (sample.deadline !== undefined && !lacks('deadline') && (kind === 'call' || kind === 'change'))
          expect(sameDay(deadlineOf(notice), sample.deadline)).toBe(true)
        const value =
          kind === 'award' ? awardedOf(notice) : (notice.estimatedValue?.value ?? notice.lots[0]?.estimatedValue?.value)
        if (!lacks('value') && !lacks(kind === 'award' ? 'award' : 'estimate')) expect(value).toBe(sample.value!.amount)
        if (kind === 'award' && !lacks('winner'))
          expect(notice.lots.flatMap((lot) => lot.result?.winners ?? []).map((winner) => winner.name)).toContain(
            'Builders Ltd',
          )
        if (kind === 'cancellation' && !lacks('cancellation'))
          expect(notice.isCancelled === true || notice.changeReasons?.includes('cancel')).toBe(true)
        expect(notice.publisher).toBe(publisher)
        expect(notice.noticeKey.startsWith(`${publisher}:`)).toBe(true)
      }),
      { seed, numRuns: proofCount({ share: 5, full: 100 }) },
    )
  })

  it('gives two announcements two keys, and a changed deadline or version a new one', () => {
    fc.assert(
      fc.property(sampleOf('call'), (sample) => {
        const first = read(source, sample)
        expect(
          read(source, { ...sample, number: sample.number + 1, id: sample.id.replace(/^..../, 'abcd') }).noticeKey,
        ).not.toBe(first.noticeKey)
        if (lacks('deadline')) return
        const later = toInstant(Date.parse(sample.deadline!) + 5 * 86_400_000)
        const extended = read(source, {
          ...sample,
          kind: 'change',
          version: sample.version + 1,
          deadline: later,
          publishedAt: toInstant(Date.parse(sample.publishedAt) + 86_400_000),
        })
        expect(extended.noticeKey).not.toBe(first.noticeKey)
      }),
      { seed, numRuns: proofCount({ share: 4, full: 100 }) },
    )
  })

  it('never throws: truncated, hostile or other input becomes a rejection or a notice with less', () => {
    const text = ownWriters[source.id]!(fc.sample(sampleOf('call'), { seed, numRuns: 1 })[0]!)
    for (let end = 0; end < text.length; end += Math.max(1, Math.floor(text.length / 60)))
      expect(source.parse!(encoder.encode(text.slice(0, end))).length).toBeGreaterThan(0)
    for (const odd of ['', '[]', '{}', 'null', '[[[[', '<a/>', '"\\u0000"', '{"__proto__":{"a":1}}', 'a,b\n1'])
      expect(
        source.parse!(encoder.encode(odd)).every((part) => 'rejection' in part),
        odd,
      ).toBe(true)
    if (!text.startsWith('{')) return
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, pick) => {
        const entry = JSON.parse(text) as { [name: string]: unknown }
        const names = Object.keys(entry)
        entry[names[pick % names.length]!] = value
        expect(source.parse!(encoder.encode(JSON.stringify(entry))).length).toBeGreaterThan(0)
      }),
      { seed, numRuns: proofCount({ share: 12, full: 300 }) },
    )
  })

  it('reads the same bytes as the same parts', () => {
    const bytes = encoder.encode(ownWriters[source.id]!(fc.sample(sampleOf('award'), { seed, numRuns: 1 })[0]!))
    expect(source.parse!(bytes)).toEqual(source.parse!(bytes))
  })
})

/** Portals that write days instead of times are compared by day, in any zone. */
function sameDay(found: string | undefined, wanted: string): boolean {
  return found !== undefined && Math.abs(Date.parse(found) - Date.parse(wanted)) < 26 * 3_600_000
}

function deadlineOf(notice: Notice): string | undefined {
  return notice.submissionDate ?? notice.participationDate ?? notice.lots[0]?.submissionDate
}

function awardedOf(notice: Notice): number | undefined {
  return notice.awardedValue?.value ?? notice.lots[0]?.result?.awardedValue?.value
}
