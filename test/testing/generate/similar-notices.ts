// Made-up German notices in any number, whose titles share words as real titles do: the matching has to separate them.
import { readFileSync } from 'node:fs'
import type { Notice } from '../../../src/domain/notice.ts'
import { toInstant } from '../../../src/domain/time.ts'
import { at, notice } from './notices.ts'
import { type Random, randomOf } from './random.ts'

const dayMs = 86_400_000
const firstDay = Date.parse(at('2026-01-02'))

type Counts = { readonly words: string }
const tables = JSON.parse(
  readFileSync(new URL('../../../src/consolidate/match/data/word-counts.json', import.meta.url), 'utf8'),
) as { readonly titles: { readonly [language: string]: Counts } }
const counted = tables.titles.de!.words.split(' ')
const pairs = Array.from(
  { length: Math.floor(counted.length / 2) },
  (_, index) => [Number(counted[index * 2 + 1]), counted[index * 2]!] as const,
)
/** Sums of the counts up to each word: a word is drawn as often as titles hold it. */
const sums: number[] = []
for (const [count] of pairs) sums.push((sums.at(-1) ?? 0) + count)

function countedWord(random: Random): string {
  const at = random.next() * sums.at(-1)!
  let [low, high] = [0, sums.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sums[middle]! > at) high = middle
    else low = middle + 1
  }
  return pairs[low]![1]
}

const syllables =
  'ba den fir gol hum jak lor mes nit pov qua ras sil tem ul vor wen xi yel zam stra blen krim dorf'.split(' ')
const name = (random: Random): string => Array.from({ length: 3 }, () => random.pick(syllables)).join('')

/** Words of titles, one in six a name that is in no table. */
const phrase = (random: Random, length: number): string =>
  Array.from({ length }, () => (random.chance(1 / 6) ? name(random) : countedWord(random))).join(' ')

const cpvCodes = ['45212222', '45233120', '71240000', '33140000', '90910000', '72260000', '45261000', '34144000']

/** One buyer for thirty calls. */
function callOf({ seed, count }: { readonly seed: number; readonly count: number }, index: number): Notice {
  const random = randomOf(seed, index)
  const buyer = random.integer(0, Math.ceil(count / 30))
  const town = name(randomOf(seed + 1, buyer))
  const published = firstDay + random.integer(0, 320) * dayMs
  const cpv = random.pick(cpvCodes)
  return notice({
    noticeKey: `ted:${index}-2026`,
    publicationNumber: `${index}-2026`,
    title: { de: phrase(random, random.integer(3, 11)) },
    description: { de: phrase(random, random.integer(8, 120)) },
    contractingAuthorities: [{ name: `Stadt ${town}`, city: town, country: 'DE' }],
    cpvCodes: [cpv],
    nutsCodes: [`DE${(buyer % 9) + 1}${buyer % 4}`],
    publicationDate: toInstant(published),
    submissionDate: toInstant(published + random.integer(14, 60) * dayMs + 10 * 3_600_000),
  })
}

/**
 * Notice `index` of a world of `count`: in ten notices seven calls, the award of one, and two calls seen on another
 * portal without an id in common, one of them as a row of a list.
 */
export function generateNotice(world: { readonly seed: number; readonly count: number }, index: number): Notice {
  const [place, first] = [index % 10, index - (index % 10)]
  if (place === 7) {
    const { submissionDate: _, ...call } = callOf(world, first)
    return {
      ...call,
      noticeKey: `ted:${index}-2026`,
      publicationNumber: `${index}-2026`,
      formType: 'result',
      noticeType: 'can-standard',
      publicationDate: toInstant(Date.parse(call.publicationDate!) + 90 * dayMs),
      references: [{ kind: 'previous', publicationNumber: `${first}-2026` }],
    }
  }
  if (place > 7) {
    const { publicationNumber: _, ...call } = callOf(world, first + place - 7)
    const { description: __, cpvCodes: ___, ...row } = call
    const seen = { noticeKey: `doe:${index}`, publisher: 'doe', format: 'portal' as const }
    return place === 8 ? { ...call, ...seen } : { ...row, cpvCodes: [], ...seen }
  }
  return callOf(world, index)
}
