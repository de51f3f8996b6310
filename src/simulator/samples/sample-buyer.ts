// An authority of the sample world: the same town and kind are the same authority in every notice.
import { seeded } from './seeded.ts'
import { type Region, streets } from './vocabulary.ts'

export type SampleBuyer = {
  readonly name: string
  readonly nationalId: string
  readonly street: string
  readonly town: string
  readonly postalCode: string
  readonly nuts: string
  readonly email: string
  readonly phone: string
  readonly url: string
  readonly region: Region
}

/** `authority` is a place in the region's list. */
export function buyerIn(region: Region, town: Region['towns'][number], authority: number): SampleBuyer {
  const domain = `${plain(town.name)}${authority ? `-${authority}` : ''}.example`
  return {
    name: region.authorities[authority]!.replace('*', town.name),
    // the same buyer has the same number in every notice
    nationalId: `${region.country}-${String(seeded(domain).whole(10_000_000, 99_999_999))}`,
    street: `${streets[region.country] ?? 'Market Street'} ${1 + authority}`,
    town: town.name,
    postalCode: town.postalCode,
    nuts: town.nuts,
    email: `tenders@${domain}`,
    phone: `${region.phone}${100 + authority}`,
    url: `https://www.${domain}`,
    region,
  }
}

/** ASCII, lower case, for host names. */
function plain(text: string): string {
  return text
    .replace(/ü/g, 'ue')
    .normalize('NFD')
    .replace(/[^A-Za-z]+/g, '')
    .toLowerCase()
}
