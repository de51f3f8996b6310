// The filters of the simulated clients: every filter that the API knows, with values at which records of the stock
// differ.
import type { SyncFilters } from '../../client/src/sync/sync-filters.ts'
import { toInstant } from '../../src/domain/time.ts'
import type { Random } from '../testing/generate/random.ts'
import { startMs } from './stock.ts'

type FilterName = keyof SyncFilters
type FilterValues = { readonly [name in FilterName]-?: (random: Random) => NonNullable<SyncFilters[name]> }

/** One to three different items. */
const few = <T>(random: Random, items: readonly T[]): T[] => [
  ...new Set(Array.from({ length: random.integer(1, 3) }, () => random.pick(items))),
]

/** The times of the stock's dates, so that a record is sometimes exactly at the boundary; in several notations. */
function instant(random: Random, from: number, to: number): string {
  const ms = startMs + random.integer(from, to) * 86_400_000
  return random.pick([
    toInstant(ms),
    toInstant(ms + 1),
    toInstant(ms).replace('.000Z', 'Z'),
    `${toInstant(ms + 3_600_000).slice(0, -1)}+01:00`,
  ])
}

/** Whole steps, as in the stock, and one euro beside them. */
const euros = (random: Random, from: number, to: number): number =>
  random.integer(from, to) * 50_000 + random.pick([0, 0, 1, -1])

/** A filter that the API gains does not compile before it has values here. */
const valuesOf: FilterValues = {
  cpv: (random) =>
    few(random, ['45000000', '45200000', '45210000', '45214210', '30000000', '30200000', '31000000', '71000000']),
  nuts: (random) => few(random, ['DE', 'DE2', 'DE21', 'DE212', 'AT', 'AT33', 'FR']),
  published_since: (random) => instant(random, -21, 1),
  deadline_after: (random) => instant(random, 0, 41),
  // Never a range that holds nothing: the API refuses it.
  value_min: (random) => euros(random, 1, 20),
  value_max: (random) => euros(random, 21, 40),
  procedure: (random) => few(random, ['open', 'restricted', 'neg-w-call', 'innovation']),
}
const names = Object.keys(valuesOf) as readonly FilterName[]

/** One to three filters. */
export function drawFilters(random: Random): SyncFilters {
  const drawn = new Set(few(random, names))
  return Object.fromEntries(names.filter((name) => drawn.has(name)).map((name) => [name, valuesOf[name](random)]))
}

/** None at all, another value of an existing one, or others. */
export function changedFilters(random: Random, filters: SyncFilters): SyncFilters {
  if (random.chance(0.3)) return {}
  const present = names.filter((name) => filters[name] !== undefined)
  if (present.length === 0 || random.chance(0.4)) return drawFilters(random)
  const name = random.pick(present)
  return { ...filters, [name]: valuesOf[name](random) }
}
