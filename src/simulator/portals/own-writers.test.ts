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
    nationalId: '123456789',
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
const odd = { title: 'Roads, "old" & new; <all>', description: 'One\nTwo', language: 'fr', lots: [], version: 258 }
const winners = [{ lotId: 'LOT-0002', name: 'Builders Ltd', amount: 2_999.75 }]

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
  'at-kdq-ankoe': 2_669_838_651,
  'at-kdq-aus': 2_669_838_651,
  'at-kdq-bbg': 2_669_838_651,
  'at-kdq-vemap': 2_669_838_651,
  'at-offenevergaben': 3_554_789_259,
  'at-usp': 1_519_030_481,
  'ba-ejn': 1_160_479_817,
  'be-bosa': 4_172_624_015,
  'bg-eop': 3_315_772_289,
  'br-pncp': 1_347_790_336,
  'ca-canadabuys': 1_168_989_852,
  'ch-amtsblatt': 2_159_003_602,
  'ch-simap': 913_077_177,
  'co-secop2': 2_081_444_809,
  'cy-awarded-contracts': 2_112_974_701,
  'cz-vvz': 2_369_911_017,
  'de-service-bund': 2_962_957_026,
  'dk-udbud': 2_582_810_818,
  'es-catalunya': 1_810_053_070,
  'es-placsp-1044': 2_850_211_246,
  'es-placsp-643': 2_850_211_246,
  'eu-funding-tenders': 4_249_684_867,
  'eu-ted-open-data': 844_351_759,
  'fi-hilma': 4_118_627_626,
  'fr-boamp': 3_759_868_983,
  'fr-decp-awards': 4_025_422_526,
  'fr-place': 1_806_416_705,
  'gb-contracts-finder-csv': 3_154_468_146,
  'gr-kimdis': 2_252_228_358,
  'hr-eojn': 3_215_077_674,
  'hu-ekr': 2_268_336_883,
  'ie-etenders': 3_614_778_626,
  'it-anac-cig': 1_908_514_933,
  'it-anac-pvl': 969_779_882,
  'kr-g2b': 1_448_818_870,
  'li-vergaben': 2_114_651_399,
  'lt-cvpis': 3_385_698_649,
  'lu-pmp': 3_335_351_571,
  'lv-iub': 4_194_723_870,
  'me-cejn': 646_682_911,
  'mk-esjn': 328_849_502,
  'nl-tenderned': 2_211_818_692,
  'pl-bzp': 2_641_235_288,
  'pt-base': 1_978_666_635,
  'pt-base-search': 3_249_332_355,
  'ro-seap': 1_239_239_489,
  'rs-jnportal': 1_865_608_283,
  'si-enarocanje': 1_606_083_841,
  'us-delaware': 4_268_299_800,
  'us-georgia': 2_797_049_780,
  'us-sam': 1_105_407_680,
  'us-sam-bulk': 1_111_158_928,
  'zz-undp': 2_114_199_723,
  'zz-world-bank': 1_761_457_158,
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
