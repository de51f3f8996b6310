// What each writer of a portal writes: each row of its tables means what it stands for, and every byte is as agreed.
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { toInstant } from '../../domain/time.ts'
import { loadSources } from '../../sources/registry.ts'
import type { PortalSample } from '../samples/portal-sample.ts'
import { ownWriters } from './own-writers.ts'

const kinds = ['planning', 'call', 'change', 'cancellation', 'award'] as const
const natures = ['works', 'supplies', 'services'] as const
const procedureTypes = ['open', 'restricted', 'neg-w-call'] as const

/** What every announcement has. Midnight UTC is near, so that days differ by zone. */
const bare: PortalSample = {
  kind: 'call',
  id: '0a1b2c3d-1111-4222-8333-444455556601',
  version: 1,
  procedureId: '0a1b2c3d-9999-4888-8777-666655554444',
  number: 123_456,
  reference: 'REF-7/2026',
  publishedAt: toInstant(Date.UTC(2026, 0, 12, 23, 30)),
  title: 'Roads',
  description: 'Roads are built',
  language: 'en',
  buyer: {
    name: 'Town of Neverwhere',
    nationalId: 'XX-12.345.678',
    town: 'Neverwhere',
    postalCode: '12345',
    country: 'XX',
    nuts: 'DE212',
    email: 'tenders@neverwhere.example',
    url: 'https://neverwhere.example/',
  },
  cpv: '45233120',
  nature: 'works',
  procedureType: 'open',
  lots: [
    { id: 'LOT-0001', title: 'North', cpv: '45233121', amount: 1_500.25 },
    { id: 'LOT-0002', title: 'South', cpv: '45233122', amount: 3_000.25 },
  ],
  winners: [],
  url: 'https://portal.example/notices/7',
}
const full: PortalSample = {
  ...bare,
  deadline: toInstant(Date.UTC(2026, 6, 2, 2, 15)),
  value: { amount: 4_500.5, currency: 'EUR' },
}
const odd = {
  title: 'Roads, "old" & new; <all>',
  description: 'One\nTwo',
  language: 'fr',
  lots: [],
  version: 258,
  number: 42,
  procedureId: 'f0a1b2c3-9999-4888-8777-666655554444',
  publishedAt: toInstant(Date.UTC(2026, 11, 8, 12)),
  buyer: { ...bare.buyer, name: 'Town.of.Neverwhere', nationalId: 'none' },
}
const winners = ['Builders Ltd', 'Diggers & Sons', 'Painters'].map((name, index) => ({
  lotId: `LOT-000${index + 2}`,
  name,
  amount: 2_999.75 + index,
}))

/** All rows of all tables; then what may be absent, odd texts, and a a version beyond one byte. */
const samples: readonly PortalSample[] = kinds.flatMap((kind) => {
  const sample = { ...full, kind, version: kind === 'change' || kind === 'cancellation' ? 2 : 1 }
  const whole = kind === 'award' ? { ...sample, winners } : sample
  return [
    ...natures.flatMap((nature) => procedureTypes.map((procedureType) => ({ ...whole, nature, procedureType }))),
    { ...bare, kind },
    { ...whole, ...odd },
  ]
})

/**
 * CRC-32 of what each writer makes of the samples. It holds the constants that no parser reads, too. When a writer is
 * meant to write something else, the failure shows the new sum.
 */
const checksums: { readonly [id: string]: number } = {
  'at-kdq-ankoe': 1_563_436_029,
  'at-kdq-aus': 1_563_436_029,
  'at-kdq-bbg': 1_563_436_029,
  'at-kdq-vemap': 1_563_436_029,
  'at-offenevergaben': 2_558_583_945,
  'at-usp': 2_490_130_844,
  'ba-ejn': 286_834_936,
  'be-bosa': 1_435_877_809,
  'bg-eop': 2_420_309_324,
  'br-pncp': 3_451_164_591,
  'ca-canadabuys': 2_781_246_377,
  'ch-amtsblatt': 4_089_199_915,
  'ch-simap': 2_101_842_025,
  'co-secop2': 183_386_278,
  'cy-awarded-contracts': 1_176_256_599,
  'cz-vvz': 3_937_214_538,
  'de-service-bund': 3_044_886_857,
  'dk-udbud': 2_738_780_016,
  'es-catalunya': 1_934_107_785,
  'es-placsp-1044': 3_437_469_346,
  'es-placsp-643': 3_437_469_346,
  'eu-funding-tenders': 1_781_700_085,
  'eu-ted-open-data': 3_116_345_253,
  'fi-hilma': 2_693_333_523,
  'fr-boamp': 1_660_397_940,
  'fr-decp-awards': 2_707_581_837,
  'fr-place': 139_713_214,
  'gb-contracts-finder-csv': 2_872_430_776,
  'gr-kimdis': 2_941_939_907,
  'hr-eojn': 917_571_599,
  'hu-ekr': 1_139_193_859,
  'ie-etenders': 45_520_213,
  'it-anac-cig': 1_072_977_174,
  'it-anac-pvl': 3_762_387_345,
  'kr-g2b': 2_653_486_566,
  'li-vergaben': 1_072_017_390,
  'lt-cvpis': 724_310_878,
  'lu-pmp': 3_919_798_565,
  'lv-iub': 3_871_740_821,
  'me-cejn': 478_692_701,
  'mk-esjn': 4_071_600_484,
  'nl-tenderned': 2_365_208_891,
  'pl-bzp': 3_265_102_120,
  'pt-base': 3_934_070_058,
  'pt-base-search': 3_383_127_648,
  'ro-seap': 1_650_130_041,
  'rs-jnportal': 2_568_084_573,
  'si-enarocanje': 3_360_353_385,
  'us-delaware': 16_051_940,
  'us-georgia': 3_981_340_212,
  'us-sam': 3_273_115_239,
  'us-sam-bulk': 1_038_483_675,
  'zz-undp': 137_847_840,
  'zz-world-bank': 346_840_751,
}

test('every writer writes the same as before, to the byte', () => {
  const found = Object.entries(ownWriters).map(([id, write]) => [id, crc32(samples.map(write).join('\n'))])
  expect(Object.fromEntries(found)).toEqual(checksums)
})

/** What is read back in place of `procedureTypes` where a portal has fewer words. */
const procedureWords: { readonly [id: string]: readonly (string | undefined)[] } = {
  'bg-eop': ['open', 'open', 'open'],
  'br-pncp': ['open', 'open', 'open'],
  'ca-canadabuys': ['open', 'restricted', 'restricted'],
  'ch-simap': ['open', 'restricted', 'restricted'],
  'co-secop2': ['open', 'open', 'open'],
  'gb-contracts-finder-csv': ['open', undefined, undefined],
  'kr-g2b': ['open', 'restricted', 'restricted'],
}
const withoutProcedure = new Set([
  'at-usp',
  'ch-amtsblatt',
  'de-service-bund',
  'dk-udbud',
  'eu-funding-tenders',
  'eu-ted-open-data',
  'it-anac-pvl',
  'li-vergaben',
  'pl-bzp',
  'si-enarocanje',
  'us-delaware',
  'us-georgia',
  'us-sam',
  'us-sam-bulk',
  'zz-undp',
  'zz-world-bank',
])
/** The dataset does not name it: it is read from the CPV code. */
const natureWords: { readonly [id: string]: readonly string[] } = { 'fr-decp-awards': ['works', 'works', 'works'] }
const withoutNature = new Set([
  'at-usp',
  'br-pncp',
  'ch-amtsblatt',
  'de-service-bund',
  'dk-udbud',
  'eu-ted-open-data',
  'ie-etenders',
  'it-anac-pvl',
  'si-enarocanje',
  'us-delaware',
  'us-georgia',
  'us-sam',
  'us-sam-bulk',
  'zz-undp',
])
const sources = await loadSources()

describe.each(Object.keys(ownWriters))('a call as %s writes it', (id) => {
  const noticeOf = (sample: PortalSample) => {
    const [part] = sources.get(id)!.parse!(Buffer.from(ownWriters[id]!(sample)))
    if (!part || !('notice' in part)) throw new Error(`rejected: ${JSON.stringify(part)}`)
    return part.notice
  }

  test('is read with its procedure', () => {
    const read = procedureTypes.map((procedureType) => noticeOf({ ...full, procedureType }).procedureType)
    expect(read).toEqual(
      withoutProcedure.has(id) ? [undefined, undefined, undefined] : (procedureWords[id] ?? procedureTypes),
    )
  })

  test('is read with its nature', () => {
    const read = natures.map((nature) => noticeOf({ ...full, nature }).contractNature)
    expect(read).toEqual(withoutNature.has(id) ? [undefined, undefined, undefined] : (natureWords[id] ?? natures))
  })
})
