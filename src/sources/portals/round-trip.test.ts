// The parser reads back what the made-up answers of a portal say.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import type { Notice } from '../../domain/notice.ts'
import { toInstant } from '../../domain/time.ts'
import { ownWriters } from '../../simulator/portals/own-writers.ts'
import type { PortalSample } from '../../simulator/samples/portal-sample.ts'
import { loadSources } from '../registry.ts'
import type { Source } from '../source.ts'

type Member = 'buyer' | 'cpv' | 'deadline' | 'value' | 'kind' | 'winners' | 'publication'

/** What a shape has no place for (`value:award` for awards alone); everything else must come back. */
const missing: { readonly [id: string]: readonly (Member | `${Member}:${PortalSample['kind']}`)[] } = {
  'fr-boamp': ['winners'],
  'pl-bzp': ['value:planning', 'value:call', 'value:change', 'value:cancellation', 'kind:planning'],
  'ch-simap': ['value:planning', 'value:call', 'value:change', 'value:cancellation'],
  'de-service-bund': ['cpv', 'value', 'kind:planning', 'kind:change', 'kind:cancellation'],
  'nl-tenderned': ['value', 'winners'],
  'fi-hilma': ['winners'],
  'dk-udbud': ['winners'],
  'es-placsp-643': ['kind:change'],
  'es-placsp-1044': ['kind:change'],
  'at-kdq-aus': ['kind:change'],
  'at-kdq-bbg': ['kind:change'],
  'at-kdq-vemap': ['kind:change'],
  'at-kdq-ankoe': ['kind:change'],
  'at-offenevergaben': ['deadline', 'kind:change', 'kind:cancellation'],
  'at-usp': ['cpv', 'value', 'winners', 'kind:planning', 'kind:change', 'kind:cancellation'],
  'be-bosa': ['value', 'winners', 'kind:change'],
  'lu-pmp': ['winners', 'kind:change'],
  'fr-place': ['winners', 'kind:change'],
  'fr-decp-awards': ['deadline', 'kind:planning', 'kind:call', 'kind:change', 'kind:cancellation'],
  'ie-etenders': ['winners', 'kind:change'],
  'cz-vvz': [],
  'eu-funding-tenders': ['winners', 'kind:change'],
  'ch-amtsblatt': ['cpv', 'value', 'winners'],
  'li-vergaben': ['cpv', 'value', 'winners', 'publication'],
}

const hour = 3_600_000
const letters = 'abcdefghijklmnoprstuvwz'
const word = fc
  .array(fc.constantFrom(...letters), { minLength: 3, maxLength: 9 })
  .map((chars) => `${chars[0]!.toUpperCase()}${chars.slice(1).join('')}`)
const phrase = fc.array(word, { minLength: 2, maxLength: 6 }).map((words) => words.join(' '))
const cpv = fc.constantFrom('45210000', '30200000', '79952000', '72000000', '90910000', '33100000')

function samplesOf(source: Source): fc.Arbitrary<PortalSample> {
  return fc
    .record({
      kind: fc.constantFrom('planning', 'call', 'change', 'cancellation', 'award'),
      id: fc.uuid({ version: 4 }),
      version: fc.integer({ min: 1, max: 9 }),
      procedureId: fc.uuid({ version: 4 }),
      number: fc.integer({ min: 10_000, max: 999_999 }),
      // Whole hours of 2026, so that portals that write minutes only lose nothing.
      publishedHour: fc.integer({ min: 491_000, max: 499_000 }),
      deadlineDays: fc.integer({ min: 5, max: 80 }),
      title: phrase,
      description: phrase,
      name: phrase,
      town: word,
      cpv,
      nature: fc.constantFrom('works', 'supplies', 'services'),
      procedureType: fc.constantFrom('open', 'restricted', 'neg-w-call'),
      amounts: fc.array(fc.integer({ min: 1_000, max: 9_000_000 }), { minLength: 1, maxLength: 3 }),
      hasValue: fc.boolean(),
      winner: phrase,
    })
    .map((draw): PortalSample => {
      const lots = draw.amounts.map((amount, index) => ({
        id: `LOT-000${index + 1}`,
        title: `${draw.title} ${index + 1}`,
        cpv: draw.cpv,
        amount,
      }))
      const total = draw.amounts.reduce((sum, amount) => sum + amount, 0)
      const isCall = draw.kind === 'call' || draw.kind === 'change'
      return {
        kind: draw.kind as PortalSample['kind'],
        id: `${draw.id.slice(0, -2)}01`,
        version: draw.kind === 'change' || draw.kind === 'cancellation' ? Math.max(2, draw.version) : 1,
        procedureId: draw.procedureId,
        number: draw.number,
        reference: `REF-${draw.number}`,
        publishedAt: toInstant(draw.publishedHour * hour),
        ...(isCall
          ? { deadline: toInstant((Math.floor(draw.publishedHour / 24) + draw.deadlineDays) * 24 * hour + 10 * hour) }
          : {}),
        title: draw.title,
        description: draw.description,
        language: languages[source.country] ?? 'en',
        buyer: {
          name: draw.name,
          nationalId: '123456789',
          town: draw.town,
          postalCode: '12345',
          country: source.country === 'EU' ? 'BE' : source.country,
          nuts: 'DE212',
          email: 'einkauf@example.org',
          url: 'https://www.example.org/',
        },
        cpv: draw.cpv,
        nature: draw.nature as PortalSample['nature'],
        procedureType: draw.procedureType as PortalSample['procedureType'],
        ...(draw.hasValue ? { value: { amount: total, currency: currencies[source.country] ?? 'EUR' } } : {}),
        lots,
        winners:
          draw.kind === 'award' ? lots.map((lot) => ({ lotId: lot.id, name: draw.winner, amount: lot.amount })) : [],
        url: 'https://www.example.org/notice',
      }
    })
}

const languages: { readonly [country: string]: string } = {
  FR: 'fr',
  PL: 'pl',
  CH: 'fr',
  DE: 'de',
  ES: 'es',
  NL: 'nl',
  AT: 'de',
  DK: 'da',
  BE: 'nl',
  LU: 'fr',
  IE: 'en',
  CZ: 'cs',
  LI: 'de',
  NO: 'no',
  FI: 'fi',
}
const currencies: { readonly [country: string]: string } = {
  PL: 'PLN',
  CH: 'CHF',
  LI: 'CHF',
  DK: 'DKK',
  CZ: 'CZK',
  NO: 'NOK',
}

const deadlineOf = (notice: Notice): string | undefined =>
  notice.submissionDate ?? notice.participationDate ?? notice.lots.find((lot) => lot.submissionDate)?.submissionDate

const kindOf = (notice: Notice): PortalSample['kind'] => {
  if (notice.isCancelled || notice.changeReasons?.includes('cancel')) return 'cancellation'
  if (notice.formType === 'planning') return 'planning'
  if (notice.formType === 'result') return 'award'
  const isChange =
    notice.formType === 'change' ||
    notice.changeReasons !== undefined ||
    notice.references.some((reference) => reference.kind === 'changes')
  return isChange ? 'change' : 'call'
}

const amountsOf = (notice: Notice): number[] => [
  ...[notice.estimatedValue, notice.awardedValue].map((money) => money?.value ?? -1),
  notice.lots.reduce((sum, lot) => sum + (lot.result?.awardedValue?.value ?? 0), 0),
]

const sources = await loadSources()

describe.each(Object.keys(missing))('%s', (id) => {
  const source = sources.get(id)
  const writeSample = ownWriters[id]
  const without = new Set<string>(missing[id])

  it('reads its samples back', () => {
    expect(source?.parse).toBeDefined()
    expect(writeSample).toBeDefined()
    if (!source?.parse || !writeSample) return
    const { parse } = source
    fc.assert(
      fc.property(samplesOf(source), (sample) => {
        const has = (member: Member): boolean => !without.has(member) && !without.has(`${member}:${sample.kind}`)
        const bytes = Buffer.from(writeSample(sample))
        const parts = parse(bytes)
        expect(parts).toEqual(parse(bytes))
        expect(parts).toHaveLength(1)
        const [part] = parts
        if (!part || !('notice' in part)) throw new Error(`rejected: ${JSON.stringify(part)}`)
        const { notice } = part
        expect(notice.noticeKey.startsWith(`${notice.publisher}:`)).toBe(true)
        expect(Object.values(notice.title ?? {})).toContain(sample.title)
        if (has('publication')) expect(notice.publicationDate?.slice(0, 4)).toMatch(/^202[56]$/)
        if (has('buyer')) expect(notice.contractingAuthorities.map((buyer) => buyer.name)).toContain(sample.buyer.name)
        if (has('cpv'))
          expect([...notice.cpvCodes, ...notice.lots.flatMap((lot) => lot.cpvCodes)]).toContain(sample.cpv)
        if (has('deadline')) expect(deadlineOf(notice)).toBe(sample.deadline)
        if (has('kind')) expect(kindOf(notice)).toBe(sample.kind)
        if (has('value') && sample.value) expect(amountsOf(notice)).toContain(sample.value.amount)
        if (has('winners') && sample.kind === 'award') {
          const winners = notice.lots.flatMap((lot) => lot.result?.winners ?? []).map((winner) => winner.name)
          expect(winners).toContain(sample.winners[0]!.name)
        }
      }),
      { numRuns: proofCount({ share: 12, full: 300 }) },
    )
  })

  it('distinguishes two versions of a notice, and recognizes an unchanged one', () => {
    if (!source?.parse || !writeSample) return
    const { parse } = source
    const [sample] = fc.sample(samplesOf(source), { numRuns: 1, seed: 7 })
    const keyOf = (notice: PortalSample): string | undefined => {
      const [part] = parse(Buffer.from(writeSample(notice)))
      return part && 'notice' in part ? part.notice.noticeKey : undefined
    }
    const call: PortalSample = { ...sample!, kind: 'call', version: 1 }
    expect(keyOf(call)).toBeDefined()
    expect(keyOf(call)).toBe(keyOf({ ...call }))
    expect(keyOf({ ...call, kind: 'change', version: 2 })).not.toBe(keyOf(call))
  })

  it('turns truncated and hostile answers into rejections', () => {
    if (!source?.parse || !writeSample) return
    const { parse } = source
    const [sample] = fc.sample(samplesOf(source), { numRuns: 1, seed: 3 })
    const whole = Buffer.from(writeSample(sample!))
    for (const bytes of [
      whole.subarray(0, Math.floor(whole.length / 2)),
      Buffer.from(''),
      Buffer.from('{}'),
      Buffer.from('[]'),
      Buffer.from('null'),
      Buffer.from('<html><body>Request Rejected</body></html>'),
      Buffer.from([0xff, 0x00, 0x7b]),
    ]) {
      const parts = parse(bytes)
      expect(parts.length).toBeGreaterThan(0)
      expect(parts.every((part) => 'rejection' in part)).toBe(true)
    }
  })
})
