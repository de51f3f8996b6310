// Generated tenders: the shape, sizes and gaps of a real stock, no text of any real notice. Record i of a seed is always
// the same, so a million of them stream in the memory of one.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ProcedureType } from '../../src/domain/codes.ts'
import type { ArchiveReason, Status, TenderContent, TenderLot } from '../../src/domain/tender.ts'
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

const officialCodes = readFileSync(new URL('../../src/domain/data/cpv-codes.txt', import.meta.url), 'utf8')
  .trim()
  .split(/\s+/)
  .map((entry) => entry.slice(0, 8))
const codesByDivision = Map.groupBy(officialCodes, (code) => code.slice(0, 2))
const divisions: readonly (readonly [number, string])[] = [
  [24, '45'],
  [11, '71'],
  [9, '33'],
  [6, '79'],
  [6, '90'],
  [5, '50'],
  [5, '72'],
  [4, '34'],
  [4, '85'],
  [3, '30'],
  [3, '60'],
  [3, '80'],
  [2, '48'],
  [2, '44'],
  [2, '39'],
  [2, '15'],
  [2, '09'],
  [2, '55'],
  [2, '77'],
  [1, '03'],
  [1, '98'],
]
const countries: readonly (readonly [number, string, readonly string[], string])[] = [
  [
    46,
    'DE',
    ['11', '12', '21', '22', '25', '30', '40', '60', '71', '72', '91', '92', 'A1', 'A2', 'B1', 'D2', 'E0', 'F0', 'G0'],
    'EUR',
  ],
  [12, 'FR', ['10', 'B0', 'C1', 'D1', 'E1', 'F1', 'G0', 'H0', 'I1', 'J1', 'K2', 'L0'], 'EUR'],
  [10, 'PL', ['21', '22', '41', '51', '61', '71', '81', '91'], 'PLN'],
  [6, 'IT', ['C1', 'C4', 'H3', 'I1', 'I4', 'F3', 'G1'], 'EUR'],
  [5, 'ES', ['11', '21', '30', '51', '52', '61'], 'EUR'],
  [4, 'NO', ['02', '08', '09', '0A', '06'], 'NOK'],
  [4, 'CZ', ['01', '02', '06', '08'], 'CZK'],
  [3, 'SE', ['11', '12', '22', '23'], 'SEK'],
  [3, 'AT', ['11', '12', '13', '31', '33'], 'EUR'],
  [3, 'NL', ['11', '31', '32', '33'], 'EUR'],
  [2, 'EL', ['30', '52', '61'], 'EUR'],
  [1, 'CH', ['01', '04'], 'CHF'],
]
const procedures: readonly (readonly [number, ProcedureType | undefined])[] = [
  [66, 'open'],
  [6, 'restricted'],
  [9, 'neg-w-call'],
  [6, 'neg-wo-call'],
  [2, 'oth-single'],
  [2, 'oth-mult'],
  [1, 'comp-dial'],
  [0.5, 'comp-tend'],
  [0.3, 'innovation'],
  [0.2, 'exp-int-rail'],
  [7, undefined],
]
// Syllables of an invented language: compresses about as real notices do, and can be nobody's text.
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

function cpvCode(random: Random, division: string): string {
  const codes = codesByDivision.get(division)!
  const code = random.pick(codes)
  // One in thirty stands in no list: portals write such codes, and filters must cover them all the same (C60).
  if (random.chance(1 / 30)) return `${code.slice(0, 6)}${random.integer(10, 99)}`
  if (random.chance(0.2)) return `${code.slice(0, random.pick([2, 3, 4, 5]))}`.padEnd(8, '0')
  return code
}

function nutsCode(random: Random, country: (typeof countries)[number]): string {
  const [, letters, regions] = country
  const region = random.pick(regions)
  return random.weighted([
    [5, letters],
    [5, `${letters}${region[0]}`],
    [10, `${letters}${region}`],
    [80, `${letters}${region}${random.pick(['1', '2', '3', '4', '5', 'A', 'B', 'C'])}`],
  ])
}

const instant = (ms: number): string => new Date(ms).toISOString()

/** Deadlines mostly stand on the hour; a few share the exact instant, so that ties occur. */
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

/** Content of tender `index`. `version` changes what a later notice would change: texts, deadline, codes, value, fate. */
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
  const hasRegion = random.chance(0.93)
  const lotCount = random.weighted([
    [70, 1],
    [15, 0],
    [10, random.integer(2, 5)],
    [5, random.integer(6, 12)],
  ] as const)
  const title = text(fixed, Math.min(300, fixed.logNormal(70, 0.5)))
  const description = random.chance(0.95) ? text(random, Math.min(6000, random.logNormal(600, 0.9)) * scale) : undefined
  const lots = Array.from({ length: lotCount }, (_, lot) =>
    generateLot(random, lot, { country, division, submissionMs, scale, title, description, lotCount }),
  )
  const value = random.chance(0.42) ? amount(random) : undefined
  const procedureType = random.weighted(procedures)
  const own = hasRegion ? [nutsCode(random, country)] : []
  return {
    id: uuid(options.seed, index),
    status,
    ...(archiveReason && { archiveReason }),
    ...(archiveReason === 'merged' && { mergedInto: uuid(options.seed, index === 0 ? 1 : index - 1) }),
    title,
    ...(description !== undefined && { description }),
    language: country[1] === 'EL' ? 'el' : country[1].toLowerCase(),
    ...(random.chance(0.08) && {
      translations: { en: { title: text(random, 80), description: text(random, 500 * scale) } },
    }),
    ...(random.chance(0.8) && { tenderNumber: `G-${fixed.integer(2022, 2026)}-${fixed.integer(1, 99_999)}` }),
    procedureId: uuid(options.seed + 1, index),
    ...(random.chance(0.99) && { contractingAuthority: authority(fixed, country[1], index) }),
    ...(submissionMs !== undefined && { submissionDate: instant(submissionMs) }),
    ...(random.chance(0.12) && { participationDate: instant(deadline(random, publishedMs)) }),
    ...(random.chance(0.985) && { publicationDate: instant(publishedMs), firstPublicationDate: instant(firstMs) }),
    contractAmount:
      value === undefined
        ? null
        : { value, currency: random.chance(0.97) ? country[3] : 'USD', estimated: random.chance(0.15) },
    ...(status === 'awarded' &&
      random.chance(0.6) && { awardedAmount: { value: amount(random), currency: country[3] } }),
    contractNature: division === '45' ? 'works' : random.pick(['services', 'supplies']),
    ...(procedureType ? { procedureType } : random.chance(0.5) && { procedureTypeNational: 'generated-national' }),
    legalBasis: '32014L0024',
    cpvCodes: random.chance(0.02)
      ? []
      : [
          ...new Set(
            Array.from(
              {
                length: random.weighted([
                  [6, 1],
                  [3, 2],
                  [1, 4],
                ] as const),
              },
              () => cpvCode(random, division),
            ),
          ),
        ],
    nutsCodes: [...new Set([...own, ...lots.flatMap((lot) => (hasRegion ? lot.nutsCodes : []))])],
    ...(random.chance(0.9) && {
      realizedLocation: {
        country: country[1] === 'EL' ? 'GR' : country[1],
        ...(own[0] && { nuts: own[0] }),
        city: text(fixed, 8),
      },
    }),
    ...(random.chance(0.15) && { isFramework: true }),
    ...(submissionMs === undefined && { isDeadlineUnknown: true }),
    ...(random.chance(0.9) && { documentsUrl: `https://documents.example/${fixed.integer(1e6, 9e6)}/notice/${index}` }),
    ...(random.chance(0.8) && { submissionUrl: `https://submit.example/${fixed.integer(1e6, 9e6)}` }),
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
}

const amount = (random: Random): number => {
  const value = random.logNormal(250_000, 1.9)
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
  readonly submissionMs: number | undefined
  readonly scale: number
  readonly title: string
  readonly description: string | undefined
  readonly lotCount: number
}

function generateLot(
  random: Random,
  lot: number,
  { country, division, submissionMs, scale, title, description, lotCount }: LotSetting,
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
          : text(random, Math.min(2000, (random.logNormal(300, 0.7) * scale) / Math.sqrt(lotCount))),
    }),
    contractNature: 'services',
    cpvCodes: random.chance(0.1) ? [] : [cpvCode(random, lotDivision)],
    nutsCodes: random.chance(0.15) ? [] : [nutsCode(random, country)],
    ...(submissionMs !== undefined && { submissionDate: instant(submissionMs) }),
    ...(random.chance(0.25) && { contractAmount: { value: amount(random), currency: country[3] } }),
    ...(random.chance(0.5) && { duration: { value: random.integer(1, 48), unit: 'MONTH' } }),
  }
}

/** Contents of a whole stock, one after the other. */
export function* generateStock(options: StockOptions): Generator<TenderContent> {
  for (let index = 0; index < options.count; index++) yield generateTender(options, index)
}
