// How false joins grow with the number of notices: copies of real notices are placed, while their true notice is
// absent, in a pool that is several times as large as the collected one.
import { blockingKeys, maxHoldersOf } from '../src/consolidate/match/blocking-keys.ts'
import { twinKey } from '../src/consolidate/match/twin-key.ts'
import { randomOf } from '../test/testing/generate/random.ts'
import { type Listing, readDoeListings, recordOf } from './cross-portal.ts'
import { MatchIndex } from './match-index.ts'
import { perturb, profiles, withDeadline } from './perturb.ts'
import { isTwinByTitle, readCpvLabels } from './resolution.ts'

export type PoolFigures = {
  readonly records: number
  readonly copies: number
  /** Copies joined with a record that is not like their true notice. */
  readonly wrong: readonly string[]
  /** Copies joined with their true notice, where that is present. */
  readonly found: number
  readonly seconds: number
  readonly candidatesPerCopy: number
  /** Share of the records for which another one of the pool has the same buyer, the same title, or both and the day. */
  readonly sameBuyer: number
  readonly sameTitle: number
  readonly sameAll: number
}

const wordsIn = /\p{L}{4,}|\d{3,}/gu

/** Number of texts in which a word makes it one of no particular authority or purchase. */
const common = 40

/**
 * Copies of the listings by other authorities, about other places and with other numbers: each rare word of titles and
 * authorities is replaced by one about as rare, the same one wherever it occurs in the round.
 */
function renamed(listings: readonly Listing[], seed: number): (listing: Listing, round: number) => Listing {
  const counts = new Map<string, number>()
  for (const { title, buyer } of listings)
    for (const word of new Set(`${title} ${buyer}`.match(wordsIn))) counts.set(word, (counts.get(word) ?? 0) + 1)
  const classes = [...Map.groupBy(counts, ([word, count]) => `${Math.floor(Math.log2(count))} ${/^\d/.test(word)}`)]
  const placeOf = new Map<string, { readonly words: readonly string[]; readonly at: number }>()
  const random = randomOf(seed, 1)
  for (const [, members] of classes) {
    const words = members.filter(([, count]) => count < common).map(([word]) => word)
    for (let at = words.length - 1; at > 0; at--) {
      const other = random.integer(0, at)
      ;[words[at], words[other]] = [words[other]!, words[at]!]
    }
    for (const [at, word] of words.entries()) placeOf.set(word, { words, at })
  }
  return (listing, round) => {
    if (round === 0) return listing
    const changed = (text: string): string =>
      text.replace(wordsIn, (word) => {
        const place = placeOf.get(word)
        if (place) return place.words[(place.at + round * 97) % place.words.length]!
        return /^\d{5,}/.test(word) ? String((Number(word) + round * 7_919) % 10 ** word.length) : word
      })
    return {
      ...listing,
      id: `${listing.id}-${round}`,
      title: changed(listing.title),
      buyer: changed(listing.buyer),
      ...(listing.description ? { description: changed(listing.description) } : {}),
    }
  }
}

function shareThatMeet(counts: ReadonlyMap<string, number>): number {
  let [met, all] = [0, 0]
  for (const count of counts.values()) {
    all += count
    if (count > 1) met += count
  }
  return met / all
}

export type PoolOptions = {
  readonly corpus: string
  readonly seed: number
  readonly copies: number
  readonly records: number
}

/** A pool of so many records; undefined without the notices of the national service. */
export function benchPool({ corpus, seed, copies, records }: PoolOptions): PoolFigures | undefined {
  const listings = readDoeListings(`${corpus}/cross-portal`)
  if (listings.length === 0) return undefined
  const start = performance.now()
  const random = randomOf(seed)
  const labels = readCpvLabels(corpus)
  const usable = profiles.filter((profile) => profile !== 'translated')
  const placed = Array.from({ length: copies }, (_, number) => {
    const base = withDeadline(listings[random.integer(0, Math.min(records, listings.length) - 1)]!)
    return { truth: recordOf(base), copy: recordOf(perturb(base, usable[number % usable.length]!, labels, random)) }
  })
  const wanted = new Map<string, number>(
    placed.flatMap(({ copy }) => blockingKeys(copy).map((key) => [key, 0] as const)),
  )
  const rename = renamed(listings, seed)
  const index = new MatchIndex()
  const [buyers, titles, both] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  for (let number = 0; number < records; number++) {
    const listing = withDeadline(rename(listings[number % listings.length]!, Math.floor(number / listings.length)))
    const record = recordOf(listing)
    count(buyers, listing.buyer)
    count(titles, listing.title)
    count(both, `${listing.buyer}|${listing.title}|${listing.published}`)
    let isNear = false
    for (const key of blockingKeys(record)) {
      const holders = wanted.get(key)
      if (holders === undefined || holders > maxHoldersOf(key)) continue
      wanted.set(key, holders + 1)
      isNear = true
    }
    // a record that shares no key with a copy is never compared with one
    if (isNear) index.add(record)
    else index.count(record)
  }
  const found = placed.filter(({ truth, copy }) => index.place(copy).cluster.keys.includes(truth.key)).length
  let candidates = 0
  const wrong = placed.flatMap(({ truth, copy }) =>
    index.without(truth, () => {
      const place = index.place(copy)
      candidates += place.candidates.length
      const strangers = place.cluster.keys.filter((key) => {
        const other = index.records.get(key)
        return other !== undefined && twinKey(other) !== twinKey(truth) && !isTwinByTitle(other, truth)
      })
      return strangers.length > 0 ? [`${copy.key} with ${strangers.join(' ')}`] : []
    }),
  )
  return {
    records,
    copies,
    wrong,
    found,
    seconds: (performance.now() - start) / 1000,
    candidatesPerCopy: candidates / copies,
    sameBuyer: shareThatMeet(buyers),
    sameTitle: shareThatMeet(titles),
    sameAll: shareThatMeet(both),
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

export function poolAsMarkdown(pool: PoolFigures): string {
  const { records, copies, wrong, found, seconds, candidatesPerCopy, sameBuyer, sameTitle, sameAll } = pool
  return [
    `Pool of ${records} records: ${wrong.length} of ${copies} copies whose true notice is absent join a wrong one ` +
      `(${((100 * wrong.length) / copies).toFixed(2)} %), ${candidatesPerCopy.toFixed(1)} candidates each, ${seconds.toFixed(0)} s.`,
    `Where the true notice is present ${percent(found / copies)} join it.`,
    `Shares of records that meet another of the same buyer ${percent(sameBuyer)}, title ${percent(sameTitle)}, both ` +
      `and day ${percent(sameAll)}.`,
    ...wrong.map((text) => `- ${text}`),
  ].join('\n')
}
