// The pairs that the sample world leaves to a person: one tender on two portals, whose second announcement has a longer
// title and a later deadline. Much says that the two are one, and nothing independent confirms it.
import { dayMs } from '../../domain/time.ts'
import { type PlantedProcedure, plantedProcedure } from './planted-procedure.ts'
import type { SampleProcedure } from './sample-procedure.ts'
import { regions } from './vocabulary.ts'

/** The two sides of a pair are numbered in two ways: different references of one numbering are two tenders. */
type Announced = Pick<PlantedProcedure, 'family' | 'portal' | 'title' | 'reference'> & {
  /** Days before the epoch. */
  readonly age: number
  /** Days after the epoch. */
  readonly deadline: number
}
type Pair = Pick<PlantedProcedure, 'region' | 'town' | 'cpv' | 'nature' | 'value'> & {
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
export function doubtfulPairs(epoch: number): SampleProcedure[] {
  return pairs.flatMap(({ announced, ...pair }, place) =>
    announced.map(({ age, deadline, ...own }, side) => {
      const index = firstIndex + place * 2 + side
      const at = epoch - age * dayMs
      return plantedProcedure({ ...pair, ...own, key: `doubtful|${index}`, index, at, daysToDeadline: age + deadline })
    }),
  )
}
