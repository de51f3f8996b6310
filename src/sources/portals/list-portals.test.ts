// Portals with formats of their own: the parser finds what a made-up announcement says, except what its format lacks.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import type { Notice, ParsedPart } from '../../domain/notice.ts'
import { toInstant } from '../../domain/time.ts'
import { ownFormats, ownWriters } from '../../simulator/portals/own-writers.ts'
import type { PortalFormat, PortalSample } from '../../simulator/samples/portal-sample.ts'
import { loadSources } from '../registry.ts'
import type { Source } from '../source.ts'

const kinds = ['planning', 'call', 'change', 'cancellation', 'award'] as const

const natures = ['works', 'supplies', 'services'] as const
const procedures = ['open', 'restricted', 'neg-w-call'] as const
const none = [undefined, undefined, undefined]

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
const plain = (text: string) => text.replaceAll('<b>', '').replace(/\s+/g, ' ')
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
      nature: fc.constantFrom(...natures),
      procedureType: fc.constantFrom(...procedures),
      amounts: fc.array(fc.integer({ min: 200, max: 90_000_000 }), { minLength: 1, maxLength: 3 }),
      hasValue: fc.boolean(),
      winner: words,
    })
    .map(({ id, procedureId, number, version, published, cpv, nature, procedureType, amounts, ...draw }) => ({
      kind,
      id,
      version: kind === 'change' || kind === 'cancellation' ? version + 1 : 1,
      procedureId,
      number,
      reference: `REF-${number}/2026`,
      publishedAt: toInstant(published * 60_000),
      ...(kind === 'award' ? {} : { deadline: toInstant((published + 40_000) * 60_000) }),
      title: plain(draw.title),
      description: `What is wanted: ${draw.title}`,
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
      ...(draw.hasValue || kind === 'award'
        ? { value: { amount: amounts.reduce((sum, amount) => sum + amount), currency: 'EUR' } }
        : {}),
      lots: amounts.map((amount, index) => ({ id: `LOT-000${index + 1}`, title: `Lot ${index + 1}`, cpv, amount })),
      winners:
        kind === 'award'
          ? amounts.map((amount, index) => ({ lotId: `LOT-000${index + 1}`, name: plain(draw.winner), amount }))
          : [],
      url: `https://portal.example/notices/${number}`,
    }))

const encoder = new TextEncoder()
const sources = await loadSources()
const seed = 20_261_121

function noticeOf(source: Source, sample: PortalSample): Notice {
  const parts: ParsedPart[] = source.parse!(encoder.encode(ownWriters[source.id]!(sample)))
  expect(parts).toHaveLength(1)
  const [part] = parts
  if (!part || !('notice' in part)) throw new Error(`${source.id}: ${JSON.stringify(part)}`)
  return part.notice
}

it('every portal with its own format has a writer of made-up announcements', () => {
  /** Written by the simulator itself, or in the format of a standard. */
  const withoutWriter = ['de-vergabe-nrw', 'doe', 'ee-rhr', 'no-doffin', 'ua-prozorro']
  const own = [...sources.values()].filter(({ id, parse }) => parse && !withoutWriter.includes(id))
  const missing = own.filter(({ id }) => !ownWriters[id]).map(({ id }) => `${id.replace('-', '/write-')}.ts`)
  expect(missing, 'in src/simulator/portals').toEqual([])
})

describe.each(Object.entries(ownFormats))('%s', (id, format) => {
  const source = sources.get(id)!
  const publisher = format.publisher ?? id
  const has = (member: NonNullable<PortalFormat['lacks']>[number]) => !format.lacks?.includes(member)

  it.each(format.kinds ?? kinds)('reads from a made-up %s exactly what was written', (kind) => {
    fc.assert(
      fc.property(sampleOf(kind), (sample) => {
        const notice = noticeOf(source, sample)
        expect(Object.values(notice.title ?? {})[0]).toBe(sample.title)
        if (has('buyer')) expect(notice.contractingAuthorities[0]?.name).toBe(sample.buyer.name)
        if (kind === 'call' || kind === 'award' || has(kind)) expect(kindOf(notice)).toBe(kind)
        if (has('publication')) expect(isSameDay(notice.publicationDate, sample.publishedAt)).toBe(true)
        if (has('cpv') && (kind !== 'award' || has('award-cpv')))
          expect([...notice.cpvCodes, ...notice.lots.flatMap((lot) => lot.cpvCodes)]).toContain(sample.cpv)
        if ((kind === 'call' || kind === 'change') && has('deadline')) {
          if (has('deadline-time')) expect(deadlineOf(notice)).toBe(sample.deadline)
          else expect(isSameDay(deadlineOf(notice), sample.deadline!)).toBe(true)
        }
        if (sample.value) {
          const values = kind === 'award' && has('awarded') ? awardedOf(notice) : estimatedOf(notice)
          if (has(kind === 'award' ? 'award-value' : 'estimate')) expect(values).toContain(sample.value.amount)
        }
        if (kind === 'award' && has('winner'))
          expect(notice.lots.flatMap((lot) => lot.result?.winners ?? []).map((winner) => winner.name)).toContain(
            sample.winners[0]!.name,
          )
        expect(notice.publisher).toBe(publisher)
        expect(notice.noticeKey.startsWith(`${publisher}:`)).toBe(true)
      }),
      { seed, numRuns: proofCount({ share: 3, full: 100 }) },
    )
  })

  it('gives two announcements two keys, and a changed deadline or version a new one', () => {
    fc.assert(
      fc.property(sampleOf('call'), (sample) => {
        const first = noticeOf(source, sample)
        const other = {
          ...sample,
          id: sample.id.replace(/^..../, 'abcd'),
          procedureId: has('second-call') ? sample.procedureId : sample.id,
          number: sample.number + 1,
          reference: `${sample.reference}-2`,
        }
        expect(noticeOf(source, other).noticeKey).not.toBe(first.noticeKey)
        if (!has('versions')) return
        const extended = noticeOf(source, {
          ...sample,
          kind: 'change',
          version: sample.version + 1,
          deadline: toInstant(Date.parse(sample.deadline!) + 5 * 86_400_000),
          publishedAt: toInstant(Date.parse(sample.publishedAt) + 86_400_000),
        })
        expect(extended.noticeKey).not.toBe(first.noticeKey)
      }),
      { seed, numRuns: proofCount({ share: 2, full: 100 }) },
    )
  })

  it('never throws: truncated, hostile or other input becomes a rejection or a notice with less', () => {
    const text = ownWriters[source.id]!(fc.sample(sampleOf('call'), { seed, numRuns: 1 })[0]!)
    for (let end = 0; end < text.length; end += Math.max(1, Math.floor(text.length / 30)))
      expect(source.parse!(encoder.encode(text.slice(0, end))).length).toBeGreaterThan(0)
    const page = '<html><body>Request Rejected</body></html>'
    const json = ['[]', '{}', 'null', '[[[[', '"\\u0000"', '{"__proto__":{"a":1}}', '\xff\0{']
    const half = text.slice(0, Math.floor(text.length / 2))
    for (const odd of ['', ...json, '<a/>', page, 'a,b\n1', half])
      expect(
        source.parse!(Buffer.from(odd, 'latin1')).every((part) => 'rejection' in part),
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
      { seed, numRuns: proofCount({ share: 6, full: 300 }) },
    )
  })

  it('reads each procedure and nature', () => {
    const [call] = fc.sample(sampleOf('call'), { seed, numRuns: 1 })
    const read = (changes: Partial<PortalSample>) => noticeOf(source, { ...call!, cpv: '45210000', ...changes })
    expect(procedures.map((procedureType) => read({ procedureType }).procedureType)).toEqual(
      has('procedure') ? (format.procedures ?? procedures) : none,
    )
    expect(natures.map((nature) => read({ nature }).contractNature)).toEqual(
      has('nature') ? (format.natures ?? natures) : none,
    )
  })

  it('reads the same bytes as the same parts', () => {
    const bytes = encoder.encode(ownWriters[source.id]!(fc.sample(sampleOf('award'), { seed, numRuns: 1 })[0]!))
    expect(source.parse!(bytes)).toEqual(source.parse!(bytes))
  })
})

/** Portals that write days instead of times are compared by day, in any zone. */
function isSameDay(found: string | undefined, wanted: string): boolean {
  return found !== undefined && Math.abs(Date.parse(found) - Date.parse(wanted)) < 26 * 3_600_000
}

function deadlineOf(notice: Notice): string | undefined {
  return notice.submissionDate ?? notice.participationDate ?? notice.lots[0]?.submissionDate
}

const sum = (values: readonly (number | undefined)[]) =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0)

/** Of the whole, and the sum of the lots. */
function estimatedOf({ estimatedValue, lots }: Notice): (number | undefined)[] {
  return [estimatedValue?.value, sum(lots.map((lot) => lot.estimatedValue?.value))]
}

function awardedOf({ awardedValue, lots }: Notice): (number | undefined)[] {
  return [awardedValue?.value, sum(lots.map((lot) => lot.result?.awardedValue?.value))]
}

function kindOf({ formType, isCancelled, changeReasons, references }: Notice): PortalSample['kind'] {
  if (isCancelled || changeReasons?.includes('cancel')) return 'cancellation'
  if (formType === 'planning' || formType === 'consultation') return 'planning'
  if (formType === 'result') return 'award'
  const isChange =
    formType === 'change' || changeReasons !== undefined || references.some(({ kind }) => kind === 'changes')
  return isChange ? 'change' : 'call'
}
