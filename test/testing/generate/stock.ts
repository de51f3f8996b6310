// Generated tenders: the shape, sizes and gaps of a real stock, without text from real notices. Record i of a seed is
// always the same, so a million of them stream in the memory of one.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import type { ProcedureType } from '../../../src/domain/codes.ts'
import {
  type ArchiveReason,
  type Status,
  type TenderContent,
  type TenderLot,
  type TenderRecord,
  tenderRecordSchema,
} from '../../../src/domain/tender.ts'
import { zoneOf } from '../../../src/domain/time.ts'
import { type Random, randomOf } from './random.ts'

export type StockOptions = {
  readonly seed: number
  readonly count: number
  /** The present of the generated stock, epoch milliseconds: what is past is closed or awarded. */
  readonly now: number
  /** `small` makes records of about 700 bytes for the model test, `real` of about 3 KB. Default `real`. */
  readonly size?: 'small' | 'real'
}

const dayMs = 86_400_000
const archiveStart = Date.UTC(2022, 0, 1)

const officialCodes = readFileSync(new URL('../../../src/domain/data/cpv-codes.txt', import.meta.url), 'utf8')
  .trim()
  .split(/\s+/)
  .map((entry) => entry.slice(0, 8))
const codesByDivision = Map.groupBy(officialCodes, (code) => code.slice(0, 2))
// Measured on the 4,137 records that the collected notices of nine publishers make (eForms, TED_EXPORT, OCDS),
// November 2026. Record: 5 % below 1.5 KB, median 2.8, three quarters below 4.1, 5 % above 9.4, 1 % above 27; 3.1 to
// 4.2 KB on average, as a few huge ones are in or out. One CPV code in 73 of 100, none in 3; digits before the zeros
// 2: 11, 3: 15, 4: 21, 5: 23, 6: 17, 7: 8, 8: 3. One area in 74, none in 18; NUTS 3 in 69 of 100 codes, a country
// alone in 15. A value in 62 of 100, of those 62 in EUR; in EUR median 1 million, quartiles 0.3 and 6 million. Lots: 1
// in 77, none in 2, five or more in 7; the codes of a lot are those of its tender in two of three. Not followed:
// deadlines, which only 27 of 100 have there, since most of those notices report awards; a stock that people search
// consists of calls. Divisions by their first code. 16 and 41 (below 1 in 1,000) and Malta are left out: they serve as
// values that never occur.
const divisions: readonly (readonly [number, string])[] = Object.entries({
  45: 14.8,
  71: 10.4,
  79: 7,
  85: 6.6,
  38: 4.4,
  72: 4.4,
  34: 3.9,
  60: 3.9,
  50: 3.6,
  90: 3.6,
  55: 3.5,
  33: 3,
  80: 2.5,
  '09': 2.3,
  92: 1.9,
  31: 1.6,
  66: 1.5,
  35: 1.5,
  48: 1.4,
  30: 1.3,
  42: 1.2,
  77: 1.2,
  65: 1.2,
  44: 1.2,
  32: 1.1,
  73: 1.1,
  39: 1,
  75: 1,
  63: 1,
  15: 0.7,
  64: 0.7,
  24: 0.7,
  98: 0.6,
  70: 0.4,
  18: 0.4,
  43: 0.3,
  51: 0.2,
  '03': 0.2,
  22: 0.2,
  37: 0.2,
  76: 0.2,
  14: 0.1,
  19: 0.1,
}).map(([division, weight]) => [weight, division] as const)
const country = (weight: number, letters: string, regions: string, currency = 'EUR') =>
  [weight, letters, regions.split(' '), currency] as const
const countries = [
  country(18, 'FR', '10 71 82 B0 C1 D1 D2 E1 E2 F1 F2 F3 G0 H0 I1 I2 I3 J1 J2 K1 K2 L0'),
  country(16, 'DE', '11 12 13 14 21 24 25 26 27 30 40 60 71 80 92 A1 A2 A5 D2 E0 F0 G0'),
  country(9.5, 'UK', 'C1 D3 F3 G3 H1 H2 H3 I3 J1 J2 J3 J4 K1 K2 L1 L2 M5 M6 M7 M8 M9 N0', 'GBP'),
  country(7.6, 'PL', '21 22 41 42 43 51 52 61 62 63 71 72 81 82 84 91 92', 'PLN'),
  country(5, 'ES', '11 12 13 21 22 23 24 30 41 42 43 51 52 53 61 62 64 70'),
  country(5, 'IT', 'C1 C3 C4 D3 D5 E4 F1 F3 F4 F5 F6 G1 G2 H1 H2 H3 H4 H5 I1 I2 I3 I4'),
  country(3.9, 'BE', '10 21 22 23 24 25 31 32 33 34 35'),
  country(3.9, 'BG', '31 32 33 34 41 42', 'BGN'),
  country(3, 'FI', '13 18 19 1B 1C 1D'),
  country(3, 'NL', '11 13 21 22 23 31 32 33 34 41 42'),
  country(2.8, 'CZ', '01 02 03 04 05 06 07 08', 'CZK'),
  country(2.5, 'NO', '02 06 07 08 09 0A', 'NOK'),
  country(2.3, 'RO', '11 12 21 22 31 32 41 42', 'RON'),
  country(2, 'DK', '01 02 03 04 05', 'DKK'),
  country(1.8, 'HU', '11 12 21 22 23 31 32 33', 'HUF'),
  country(1.6, 'SE', '11 12 21 22 23 31 33', 'SEK'),
  country(1.6, 'AT', '11 12 13 21 22 31 32 33 34'),
  country(1.3, 'EL', '30 41 42 43 51 52 53 54 61 63 64 65'),
  country(1.1, 'SI', '03 04'),
  country(1.1, 'SK', '01 02 03 04'),
  country(0.9, 'EE', '00'),
  country(0.8, 'PT', '11 15 16 17 18 1A 20 30'),
  country(0.8, 'IE', '05 06'),
  country(0.7, 'CY', '00'),
  country(0.6, 'LT', '01 02'),
  country(0.6, 'LU', '00'),
  country(0.5, 'HR', '02 03 05'),
  country(0.4, 'LV', '00'),
  country(0.4, 'CH', '01 03 04', 'CHF'),
]
const procedures: readonly (readonly [number, ProcedureType | undefined])[] = [
  [33, 'open'],
  [26, undefined],
  [18.5, 'neg-wo-call'],
  [10.5, 'neg-w-call'],
  [8.8, 'restricted'],
  [1, 'comp-dial'],
  [0.9, 'innovation'],
  [0.6, 'oth-single'],
  [0.4, 'oth-mult'],
  [0.4, 'comp-tend'],
  [0.1, 'exp-int-rail'],
]
// Syllables of an invented language: they compress about as well as real notices do, and cannot be a real text.
const syllables =
  'ba den fir gol hum jak lor mes nit pov qua ras sil tem ul vor wen xi yel zam stra blen krim dorf lich tung'.split(
    ' ',
  )
const words = Array.from({ length: 900 }, (_, index) => {
  const random = randomOf(4711, index)
  return Array.from({ length: random.integer(1, 4) }, () => random.pick(syllables)).join('')
})

/** Text of about `length` characters; frequent words are frequent (Zipf), as in a language. */
function text(random: Random, length: number): string {
  const parts: string[] = []
  let size = 0
  while (size < length) {
    const word = words[Math.floor(words.length * random.next() ** 3.5)]!
    const shown = parts.length === 0 || random.chance(0.25) ? word[0]!.toUpperCase() + word.slice(1) : word
    parts.push(random.chance(0.07) ? `${shown}.` : random.chance(0.03) ? `${shown} ${random.integer(1, 2026)}` : shown)
    size += shown.length + 1
  }
  return parts.join(' ')
}

function uuid(seed: number, index: number): string {
  const hash = createHash('sha256').update(`generated|${seed}|${index}`).digest('hex')
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

const lastOfNuts = [...'111122233344500678ABC']
const cpvDigits = [
  [11, 2],
  [15, 3],
  [21, 4],
  [23, 5],
  [18, 6],
  [9, 7],
  [3, 8],
] as const

function cpvCode(random: Random, division: string): string {
  const codes = codesByDivision.get(division)!
  const code = random.pick(codes)
  // One in thirty is in no list: portals write such codes, and filters must cover them all the same (C60).
  if (random.chance(1 / 30)) return `${code.slice(0, 6)}${random.integer(10, 99)}`
  return code.slice(0, random.weighted(cpvDigits)).padEnd(8, '0')
}

function nutsCode(random: Random, country: (typeof countries)[number]): string {
  const [, letters, regions] = country
  const region = random.pick(regions)
  return random.weighted([
    [15, letters],
    [7, `${letters}${region[0]}`],
    [9, `${letters}${region}`],
    [69, `${letters}${region}${random.pick(lastOfNuts)}`],
  ])
}

const instant = (ms: number): string => new Date(ms).toISOString()

/** Deadlines are mostly on the hour; a few share the exact instant, so that ties occur. */
function deadline(random: Random, publishedMs: number): number {
  const day = Math.floor((publishedMs + random.integer(7, 60) * dayMs) / dayMs) * dayMs
  return (
    day +
    random.weighted([
      [50, 10 * 3_600_000],
      [30, 12 * 3_600_000],
      [10, 23 * 3_600_000 - 1000],
      [10, random.integer(0, dayMs - 1)],
    ])
  )
}

const cpvCounts = [
  [2.6, 0],
  [73.2, 1],
  [10.9, 2],
  [4.6, 3],
  [3, 4],
  [5.7, 7],
] as const

type Fate = { readonly status: Status; readonly archiveReason?: ArchiveReason }

function fate(random: Random, submissionMs: number | undefined, publishedMs: number, now: number): Fate {
  const endMs = submissionMs ?? publishedMs + 90 * dayMs
  if (random.chance(0.012)) return { status: 'merged', archiveReason: 'merged' }
  if (random.chance(0.04)) return { status: 'cancelled', archiveReason: 'cancelled' }
  if (endMs > now)
    return {
      status: random.weighted([
        [93, 'open'],
        [5, 'planned'],
        [2, 'awardIntended'],
      ] as const),
    }
  return random.chance(0.55)
    ? { status: 'awarded', archiveReason: 'awarded' }
    : { status: 'closed', archiveReason: 'expired' }
}

/**
 * Content of tender `index`. `version` changes what a later notice would change: texts, deadline, codes, value, fate.
 */
export function generateTender(options: StockOptions, index: number, version = 0): TenderContent {
  const fixed = randomOf(options.seed, index * 64)
  const random = randomOf(options.seed, index * 64 + 1 + (version % 60))
  const scale = options.size === 'small' ? 0.12 : 1
  const country = fixed.weighted(countries.map((entry) => [entry[0], entry] as const))
  const division = fixed.weighted(divisions)
  // Half of the tenders of the archive are of its last year, as a growing archive's are.
  const age = (options.now - archiveStart) * (fixed.chance(0.5) ? fixed.next() * 0.2 : fixed.next())
  const firstMs =
    Math.floor((options.now - age) / dayMs) * dayMs + (fixed.chance(0.8) ? 0 : fixed.integer(0, dayMs - 1))
  const publishedMs = Math.min(options.now, firstMs + version * 7 * dayMs)
  const submissionMs = random.chance(0.08) ? undefined : deadline(random, publishedMs)
  const { status, archiveReason } = fate(random, submissionMs, publishedMs, options.now)
  const hasRegion = random.chance(0.84)
  const lotCount = random.weighted([
    [76.7, 1],
    [2, 0],
    [15.4, random.integer(2, 5)],
    [4.6, random.integer(6, 12)],
    [1.3, random.integer(13, 40)],
  ] as const)
  const title = text(fixed, Math.min(300, fixed.logNormal(70, 0.5)))
  const description = random.chance(0.95) ? text(random, Math.min(6000, random.logNormal(420, 1)) * scale) : undefined
  const own = hasRegion ? [nutsCode(random, country)] : []
  const cpvCodes = [...new Set(Array.from({ length: random.weighted(cpvCounts) }, () => cpvCode(random, division)))]
  const lots = Array.from({ length: lotCount }, (_, lot) =>
    generateLot(random, lot, { country, division, own, cpvCodes, submissionMs, scale, title, description, lotCount }),
  )
  const value = random.chance(0.62) ? amount(random) : undefined
  const procedureType = random.weighted(procedures)
  const made = {
    id: uuid(options.seed, index),
    status,
    archiveReason,
    mergedInto: archiveReason === 'merged' ? uuid(options.seed, index === 0 ? 1 : index - 1) : undefined,
    title,
    description,
    language: country[1] === 'EL' ? 'el' : country[1].toLowerCase(),
    translations: random.chance(0.08)
      ? { en: { title: text(random, 80), description: text(random, 500 * scale) } }
      : undefined,
    tenderNumber: random.chance(0.8) ? `G-${fixed.integer(2022, 2026)}-${fixed.integer(1, 99_999)}` : undefined,
    procedureId: uuid(options.seed + 1, index),
    contractingAuthority: random.chance(0.99) ? authority(fixed, country[1], index) : undefined,
    submissionDate: submissionMs === undefined ? undefined : instant(submissionMs),
    participationDate: random.chance(0.12) ? instant(deadline(random, publishedMs)) : undefined,
    ...(random.chance(0.985)
      ? { publicationDate: instant(publishedMs), firstPublicationDate: instant(firstMs) }
      : { publicationDate: undefined, firstPublicationDate: undefined }),
    contractAmount:
      value === undefined
        ? null
        : { value, currency: random.chance(0.97) ? country[3] : 'USD', estimated: random.chance(0.15) },
    awardedAmount:
      status === 'awarded' && random.chance(0.6) ? { value: amount(random), currency: country[3] } : undefined,
    contractNature: division === '45' ? 'works' : random.pick(['services', 'supplies']),
    procedureType,
    procedureTypeNational: procedureType === undefined && random.chance(0.5) ? 'generated-national' : undefined,
    legalBasis: '32014L0024',
    cpvCodes,
    nutsCodes: [...new Set([...own, ...lots.flatMap((lot) => (hasRegion ? lot.nutsCodes : []))])],
    realizedLocation: random.chance(0.9)
      ? {
          country: country[1] === 'EL' ? 'GR' : country[1],
          ...(own[0] && { nuts: own[0] }),
          city: text(fixed, 8),
        }
      : undefined,
    isFramework: random.chance(0.15) ? true : undefined,
    isQualificationSystem: index % 97 === 0 ? true : undefined,
    isDeadlineUnknown: submissionMs === undefined ? true : undefined,
    timeZone: zoneOf(country[1] === 'EL' ? 'GR' : country[1] === 'UK' ? 'GB' : country[1]),
    documentsUrl: random.chance(0.9)
      ? `https://documents.example/${fixed.integer(1e6, 9e6)}/notice/${index}`
      : undefined,
    submissionUrl: random.chance(0.8) ? `https://submit.example/${fixed.integer(1e6, 9e6)}` : undefined,
    lots: hasRegion ? lots : lots.map((lot) => ({ ...lot, nutsCodes: [] })),
    originalSources: Array.from({ length: 1 + (version % 3) }, (_, source) => ({
      publisher: fixed.pick(['ted', 'doe', 'doffin', 'ocds-generated']),
      format: 'eforms',
      noticeId: uuid(options.seed + 2, index * 8 + source),
      noticeVersion: `0${source + 1}`,
      ...(fixed.chance(0.7) && { publicationNumber: `${fixed.integer(1, 799_999)}-${2022 + (index % 5)}` }),
      formType: source === 0 ? 'competition' : 'change',
      noticeType: 'cn-standard',
      publicationDate: instant(firstMs + source * dayMs),
      language: country[1].toLowerCase(),
      url: `https://notices.example/${index}/${source}`,
    })),
  }
  const known = new Set([...Object.keys(made), ...notGenerated])
  const others = Object.entries(tenderRecordSchema.properties)
    .filter(([name]) => !known.has(name))
    .map(([name, schema]) => [name, sampleValue(schema, index)] as const)
  return Object.fromEntries(
    [...Object.entries(made), ...others].filter(([, value]) => value !== undefined),
  ) as TenderContent
}

/** No filter reads them, so the sizes stay as measured; the last two are set when an edition is published. */
export const notGenerated: readonly (keyof TenderRecord)[] = [
  'jointAuthorities',
  'buyerProfileUrl',
  'isDynamicPurchasingSystem',
  'isSuspended',
  'displayTitle',
  'titleLanguage',
  'descriptionLanguage',
  'lastModified',
  'checkedAt',
]

type SchemaView = {
  readonly type?: string
  readonly format?: string
  readonly examples?: readonly unknown[]
  readonly properties?: { readonly [name: string]: TSchema }
}

/** The value of a member that is not named above, by its schema alone; three records of four have one. */
function sampleValue(schema: TSchema, index: number): unknown {
  const { type, format, examples, properties } = schema as SchemaView
  if (index % 4 === 0 || type === undefined) return undefined
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, sampleValue(of, index)]))
  if (type === 'boolean') return true
  if (type === 'number' || type === 'integer') return index % 1000
  if (type === 'array') return []
  return format === 'date-time' ? instant(archiveStart + index * 3_600_000) : (examples?.[0] ?? `value ${index % 9}`)
}

const amount = (random: Random): number => {
  const value = Math.min(9e9, random.logNormal(1_000_000, 2.2))
  return random.chance(0.6) ? Math.max(1000, Math.round(value / 1000) * 1000) : Math.round(value * 100) / 100
}

function authority(random: Random, country: string, index: number): NonNullable<TenderContent['contractingAuthority']> {
  const name = text(random, 32)
  return {
    name,
    nationalId: `${country}-${random.integer(1e6, 9e6)}`,
    street: `${text(random, 12)} ${random.integer(1, 120)}`,
    city: text(random, 9),
    postalCode: String(random.integer(10_000, 99_999)),
    country: country === 'EL' ? 'GR' : country,
    contactName: text(random, 16),
    email: `office-${index}@authority.example`,
    phone: `+49 555 ${random.integer(100_000, 999_999)}`,
    url: `https://authority-${random.integer(1, 9999)}.example`,
  }
}

type LotSetting = {
  readonly country: (typeof countries)[number]
  readonly division: string
  /** Codes of the tender, which most lots repeat. */
  readonly own: readonly string[]
  readonly cpvCodes: readonly string[]
  readonly submissionMs: number | undefined
  readonly scale: number
  readonly title: string
  readonly description: string | undefined
  readonly lotCount: number
}

function generateLot(
  random: Random,
  lot: number,
  { country, division, own, cpvCodes, submissionMs, scale, title, description, lotCount }: LotSetting,
): TenderLot {
  // A few lots hold a code of another division than their tender: the cpv filter must look there (C62).
  const lotDivision = random.chance(0.15) ? random.weighted(divisions) : division
  return {
    lotId: `LOT-${String(lot + 1).padStart(4, '0')}`,
    status: random.pick(['open', 'open', 'pending', 'awarded']),
    title: random.chance(0.5) ? title : text(random, 50),
    ...(random.chance(0.8) && {
      description:
        description !== undefined && random.chance(0.5)
          ? description.slice(0, 1200)
          : text(random, Math.min(2000, (random.logNormal(240, 0.7) * scale) / Math.sqrt(lotCount))),
    }),
    contractNature: 'services',
    cpvCodes: random.weighted([
      [11, []],
      [62, cpvCodes.slice(0, 1)],
      [27, [cpvCode(random, lotDivision)]],
    ]),
    nutsCodes: random.weighted([
      [13, []],
      [75, [...own]],
      [12, [nutsCode(random, country)]],
    ]),
    ...(submissionMs !== undefined && { submissionDate: instant(submissionMs) }),
    ...(random.chance(0.25) && { contractAmount: { value: amount(random), currency: country[3] } }),
    ...(random.chance(0.5) && { duration: { value: random.integer(1, 48), unit: 'MONTH' } }),
  }
}

/** Contents of a whole stock, one after the other. */
export function* generateStock(options: StockOptions): Generator<TenderContent> {
  for (let index = 0; index < options.count; index++) yield generateTender(options, index)
}
