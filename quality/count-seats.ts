// Counts to which region the addresses of organizations belong, and writes the table that completes an authority
// without one. node quality/count-seats.ts [--corpus DIR] [--test]: postal codes, towns and NUTS codes only.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { areaOf, postalKey, type SeatRegions, seatRegion, townKey } from '../src/consolidate/seat-region.ts'
import { codeLabel } from '../src/domain/code-labels.ts'
import { foldText } from '../src/domain/name-words.ts'
import { toNutsCode } from '../src/domain/nuts.ts'
import { readNotices } from './corpus-notices.ts'

const root = join(import.meta.dirname, '..')

/** An address with a published region. */
type Seat = {
  /** Name of the organization, folded. */
  readonly name: string
  readonly country: string
  readonly postalCode: string | undefined
  readonly city: string | undefined
  readonly region: string
  /** Whether it is an authority in eForms: those are tested. */
  readonly isTested: boolean
}

/** Minimum organizations that agree: at one postal code, in one town, and where several postal codes begin the same. */
const minAtCode = 2
const minInTown = 2
const minAtStart = 3
/** Minimum organizations, and their postal codes, where all known addresses of a country are in one region. */
const minInCountry = { organizations: 12, codes: 10 }

/** Seats in the current regions (NUTS 2021 or 2024), level 3, of their own country; not those outside all regions. */
async function readSeats(corpus: string): Promise<Seat[]> {
  const seats: Seat[] = []
  for await (const { file, notices } of readNotices(corpus))
    for (const { contractingAuthorities, lots } of notices)
      for (const { name, country, nutsCode, postalCode, city } of [
        ...contractingAuthorities,
        ...lots.flatMap(({ result }) => result?.winners ?? []),
      ]) {
        const region = toNutsCode(nutsCode ?? '')
        if (country === undefined || region?.length !== 5 || codeLabel('nuts', region, 'en') === undefined) continue
        if (region.slice(2).includes('Z') || !region.startsWith(toNutsCode(country)!)) continue
        const isTested = contractingAuthorities.some((each) => each.name === name) && !file.startsWith('ted-legacy')
        seats.push({ name: foldText(name), country, postalCode, city, region, isTested })
      }
  return seats
}

/** The longest code of level 3, 2 or 1 with which all regions begin. */
function sharedRegion(regions: readonly string[]): string | undefined {
  return [5, 4, 3]
    .map((length) => regions[0]!.slice(0, length))
    .find((start) => regions.every((region) => region.startsWith(start)))
}

/** What at least some organizations, all of one region, say of a postal code, of its beginnings and of a town. */
function countSeats(seats: readonly Seat[]): Map<string, string> {
  const groups = new Map<
    string,
    { readonly seats: Seat[]; readonly areas: Set<string>; readonly start: string | null }
  >()
  const add = (key: string, start: string | null, seat: Seat, area: string) => {
    const group = groups.get(key) ?? { seats: [], areas: new Set<string>(), start }
    groups.set(key, group)
    group.seats.push(seat)
    group.areas.add(area)
  }
  for (const seat of seats) {
    const area = areaOf(seat.country, seat.postalCode)
    const town = townKey(seat.country, seat.city)
    if (town !== undefined) add(town, null, seat, area)
    for (let length = 0; length <= area.length; length++) {
      const start = area.slice(0, length)
      add(postalKey(seat.country, start), start, seat, area)
    }
  }
  const table = new Map<string, string>()
  for (const [key, { seats: found, areas, start }] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const organizations = new Set(found.map(({ name }) => name)).size
    const isEnough =
      start === null
        ? organizations >= minInTown
        : start === ''
          ? organizations >= minInCountry.organizations && areas.size >= minInCountry.codes
          : areas.size === 1
            ? organizations >= minAtCode
            : organizations >= minAtStart && areas.size >= minAtStart
    const region = isEnough ? sharedRegion(found.map((seat) => seat.region)) : undefined
    if (region !== undefined) table.set(key, region)
  }
  return table
}

/** Without the postal codes for which a shorter beginning says the same. */
function withoutRepeats(table: SeatRegions): SeatRegions {
  return new Map(
    [...table].filter(([key, region]) => {
      if (key.includes('=')) return true
      for (let end = key.length - 1; end > 2; end--) {
        const shorter = table.get(key.slice(0, end))
        if (shorter !== undefined) return shorter !== region
      }
      return true
    }),
  )
}

/** Five folds by organization: the table of four is tried on the authorities of the fifth, each address once. */
function testSeats(seats: readonly Seat[]): string {
  const foldOf = ({ name }: Seat) => createHash('sha256').update(name).digest()[0]! % 5
  const counts = { addresses: 0, answered: 0, right: 0, level3: 0, otherLevel1: 0 }
  for (let fold = 0; fold < 5; fold++) {
    const table = withoutRepeats(countSeats(seats.filter((seat) => foldOf(seat) !== fold)))
    const tested = new Map(
      seats
        .filter((seat) => foldOf(seat) === fold && seat.isTested)
        .map((seat) => [JSON.stringify([seat.name, seat.postalCode, seat.city, seat.region]), seat]),
    )
    for (const seat of tested.values()) {
      const found = seatRegion(seat, table)
      counts.addresses++
      if (found === undefined) continue
      counts.answered++
      if (seat.region.startsWith(found)) counts.right++
      if (seat.region === found) counts.level3++
      if (seat.region.slice(0, 3) !== found.slice(0, 3)) counts.otherLevel1++
    }
  }
  const share = (part: number) => `${((100 * part) / counts.answered).toFixed(1)} %`
  return (
    `${counts.addresses} addresses of authorities, ${counts.answered} answered; of these ${share(counts.right)} as ` +
    `published (${share(counts.level3)} at level 3), ${share(counts.otherLevel1)} in another region of level 1`
  )
}

const { values } = parseArgs({
  options: {
    corpus: { type: 'string', default: join(root, '../shared/corpus') },
    out: { type: 'string', default: join(root, 'src/consolidate/data/seat-regions.txt') },
    test: { type: 'boolean', default: false },
  },
})
const seats = await readSeats(values.corpus)
if (values.test) console.log(testSeats(seats))
else {
  const table = withoutRepeats(countSeats(seats))
  writeFileSync(values.out, [...table].map(([key, region]) => `${key} ${region}\n`).join(''))
  console.log(`${seats.length} addresses; ${table.size} postal codes and towns`)
}
