// The pairs that the sample world leaves to a person: one tender on two portals, whose second announcement has a longer
// title and a later deadline. Much says that the two are one, and nothing independent confirms it.
import { dayMs, hourMs, wallToEpochMs } from '../../domain/time.ts'
import { buyerIn } from './sample-buyer.ts'
import { seededUuid } from './seeded.ts'
import { type Region, regions, type Subject, type Words } from './vocabulary.ts'

type Announced = {
  readonly family: 'records' | 'feed' | 'doe-national' | 'ted'
  readonly portal: string
  readonly title: string
  /** The two sides of a pair are numbered in two ways: different numbers of one numbering are two tenders. */
  readonly reference: string
  /** Days before the epoch. */
  readonly age: number
  /** Days after the epoch. */
  readonly deadline: number
}
type Pair = {
  readonly region: Region
  /** Place in the region's list of towns. */
  readonly town: number
  readonly cpv: string
  readonly nature: 'works' | 'supplies' | 'services'
  readonly value: number
  readonly announced: readonly [Announced, Announced]
}

/** Beyond every number that the growing world reaches. */
const firstIndex = 100_000

const fenders = 'Replacement of timber fenders, mooring bollards and access ladders along Saltmarsh Quay'
const organ = 'Restaurierung der Orgel, des Glockenstuhls und der Turmuhr im Bürgerhaus am Mühlenteich'
const pairs: readonly Pair[] = [
  {
    region: regions.gb,
    town: 4,
    cpv: '45241000',
    nature: 'works',
    value: 640_000,
    announced: [
      {
        family: 'records',
        portal: 'gb-contracts-finder',
        title: fenders,
        reference: 'QUAY-114/7',
        age: 14,
        deadline: 28,
      },
      {
        family: 'feed',
        portal: 'gb-public-contracts-scotland',
        title: `${fenders}, including dredging`,
        reference: 'P2207',
        age: 3,
        deadline: 39,
      },
    ],
  },
  {
    region: regions.de,
    town: 8,
    cpv: '92522000',
    nature: 'services',
    value: 310_000,
    announced: [
      { family: 'doe-national', portal: 'doe', title: organ, reference: 'MT-31/05', age: 13, deadline: 26 },
      { family: 'ted', portal: 'ted', title: `${organ} samt Gerüst`, reference: 'V8841', age: 2, deadline: 38 },
    ],
  },
]

/** Two procurements of each pair, the same at every time. */
export function doubtfulPairs(epoch: number) {
  return pairs.flatMap((pair, place) =>
    pair.announced.map((announced, side) => procedureOf(pair, announced, firstIndex + place * 2 + side, epoch)),
  )
}

function procedureOf(
  { region, town, cpv, nature, value }: Pair,
  { family, portal, title, reference, age, deadline }: Announced,
  index: number,
  epoch: number,
) {
  const at = epoch - age * dayMs
  const words: Words = { de: title, en: title, fr: title, pl: title, nb: title }
  const subject: Subject = { cpv, nature, thousands: [value / 1000, value / 1000], title: words, lots: [] }
  const key = `doubtful|${index}`
  const due = Math.floor((epoch + deadline * dayMs) / dayMs) * dayMs + 11 * hourMs
  return {
    index,
    family,
    procedureId: seededUuid(`${key}|procedure`),
    reference,
    buyer: buyerIn(region, region.towns[town]!, 0),
    subject,
    languages: region.languages,
    lots: [{ lotId: 'LOT-0001', cpv, title: words, value }],
    procedureType: 'open' as const,
    value: undefined,
    isFramework: false,
    notices: [
      {
        kind: 'call' as const,
        noticeId: family === 'doe-national' ? `${70_000_000 + index * 10}` : seededUuid(`${key}|notice`),
        version: '01',
        publicationNumber: `${100_000 + index * 8}-${new Date(at).getUTCFullYear()}`,
        at,
        copies: [{ portal, delayMs: 0 }],
        deadline: wallToEpochMs(due, region.zone),
        previous: undefined,
        results: [],
      },
    ],
  }
}
