// What matching and scoring cost: saved searches against changed records, in CPU seconds of one thread, compared with a
// plain loop.
import { createHash } from 'node:crypto'
import type { TenderRecord } from '../src/domain/tender.ts'
import type { CompanyProfile, LoadedProfile } from '../src/hits/company-profile.ts'
import { readFitModel } from '../src/hits/fit/fit-model.ts'
import { loadSearches, type Match } from '../src/hits/match-records.ts'
import { matchOf } from '../src/hits/plain-match.ts'
import type { Search } from '../src/hits/saved-search.ts'
import { indexSearches } from '../src/hits/search-index.ts'
import { generateSearches } from '../test/testing/generate/searches.ts'
import { generateTender } from '../test/testing/generate/stock.ts'

const at = Date.parse('2026-11-22T06:00:00.000Z')
const instant = '2026-11-22T06:00:00.000Z'
/** Number of records matched at a time, as with an edition's entries. */
const batch = 500
/** Number of searches for each profile; each profile has two past wins. */
const searchesEachProfile = 5
/** Number of pairs of the plain loop that are timed; its time is linear in them. */
const plainPairs = 400_000
/** Rounds in which parsing and matching alternate; their medians are compared. */
const rounds = 5

export type HitsReport = {
  readonly searches: number
  readonly records: number
  readonly megabytes: number
  readonly matches: number
  readonly hits: number
  /** SHA-256 of all hits with scores and reasons, by record and search: equal for two programs that say the same. */
  readonly digest: string
  /** CPU seconds. */
  readonly parse: number
  readonly index: number
  readonly match: number
  readonly load: number
  readonly matchAndScore: number
  /** Estimated for all pairs from some of them. */
  readonly plain: number
  readonly peakMegabytes: number
}

export type HitsOptions = {
  readonly searches: number
  readonly records: number
  readonly onProgress: (text: string) => void
}

/** CPU time of this process, including the threads that collect its garbage. */
function timed<T>(work: () => T): { readonly result: T; readonly seconds: number } {
  const before = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(before)
  return { result, seconds: (user + system) / 1e6 }
}

export function benchHits({ searches: count, records: recordCount, onProgress }: HitsOptions): HitsReport {
  onProgress(`${recordCount} records, ${count} searches`)
  const records: TenderRecord[] = Array.from({ length: recordCount }, (_each, index) => {
    const { archiveReason: _, ...record } = generateTender({ seed: 3, count: recordCount, now: at }, index)
    return { ...record, lastModified: instant, checkedAt: instant }
  })
  const texts = records.map((record) => JSON.stringify(record))
  const profiles = profilesOf(records, texts, Math.ceil(count / searchesEachProfile))
  const searches: Search[] = generateSearches(records, { seed: 7, count, style: 'narrow', threshold: 50 }).map(
    (search, index) => ({
      ...search,
      profileId: index % 2 === 0 ? null : profiles[Math.floor(index / searchesEachProfile)]!.profileId,
    }),
  )
  const filters = searches.map(({ filter }) => filter)

  onProgress('plain loop')
  const some = Math.max(1, Math.ceil(plainPairs / recordCount))
  const plain = timed(() => {
    let found = 0
    for (const record of records) for (const filter of filters.slice(0, some)) if (matchOf(filter, record, at)) found++
    return found
  })
  onProgress('index')
  const index = timed(() => indexSearches(filters, records.slice(0, 500)))
  onProgress('parsing and matching')
  const parsed = texts.map((text) => JSON.parse(text) as TenderRecord)
  const parses: number[] = []
  const matchings: number[] = []
  let matches = 0
  for (let round = 0; round < rounds; round++) {
    const parse = timed(() => {
      for (const text of texts) JSON.parse(text)
    })
    const matched = timed(() => parsed.reduce((sum, record) => sum + index.result.match(record, at).length, 0))
    parses.push(parse.seconds)
    matchings.push(matched.seconds)
    matches = matched.result
  }
  onProgress('matching and scoring')
  const load = timed(() => loadSearches(searches, profiles, readFitModel(), texts.slice(0, 500)))
  let hits = 0
  let matchAndScore = 0
  const digest = createHash('sha256')
  for (let from = 0; from < texts.length; from += batch) {
    const { result, seconds } = timed(() => load.result.match(texts.slice(from, from + batch), at))
    matchAndScore += seconds
    hits += result.length
    for (const match of result.sort(byRecordAndSearch)) digest.update(JSON.stringify(match))
  }
  return {
    searches: count,
    records: recordCount,
    megabytes: texts.reduce((sum, text) => sum + text.length, 0) / 1e6,
    matches,
    hits,
    digest: digest.digest('hex'),
    parse: medianOf(parses),
    index: index.seconds,
    match: medianOf(matchings),
    load: load.seconds,
    matchAndScore,
    plain: (plain.seconds * count) / some,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  }
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

const byRecordAndSearch = (a: Match, b: Match): number =>
  a.tenderId === b.tenderId ? a.searchNo - b.searchNo : a.tenderId < b.tenderId ? -1 : 1

function profilesOf(records: readonly TenderRecord[], texts: readonly string[], count: number): LoadedProfile[] {
  return Array.from({ length: count }, (_, number) => {
    const at = (number * 7) % records.length
    const { cpvCodes, nutsCodes, title } = records[at]!
    const profile: CompanyProfile = {
      cpv: cpvCodes.length > 0 ? cpvCodes : ['45000000'],
      nuts: nutsCodes,
      words: [title.split(' ')[0]!.toLowerCase()],
    }
    return { profileId: `p${number}`, profile, wins: [texts[at]!, texts[(at + 1) % texts.length]!] }
  })
}

export function hitsAsMarkdown(report: HitsReport): string {
  const { searches, records, megabytes, matches, hits, parse, index, match, load, matchAndScore, plain } = report
  const seconds = (value: number): string => value.toFixed(value < 10 ? 2 : 0)
  const whole = (value: number): string => value.toLocaleString('en')
  return [
    `${whole(searches)} searches, ${whole(records)} changed records of ${megabytes.toFixed(0)} MB; ` +
      `${whole(matches)} matches, ${(matches / searches).toFixed(1)} a search; ${whole(hits)} reach their ` +
      `threshold. Peak memory ${report.peakMegabytes.toFixed(0)} MB.`,
    '',
    '| Step, one thread | CPU s |',
    '|---|--:|',
    `| parsing the records as JSON | ${seconds(parse)} |`,
    `| building the index | ${seconds(index)} |`,
    `| matching the parsed records | ${seconds(match)} |`,
    `| loading searches, profiles and index | ${seconds(load)} |`,
    `| parsing, matching, scoring and explaining | ${seconds(matchAndScore)} |`,
    `| plain loop over all pairs, from ${whole(plainPairs)} | ${seconds(plain)} |`,
    '',
    `Digest of the hits: ${report.digest}`,
    '',
    `Matching ÷ parsing: ${(match / parse).toFixed(2)} (target at most 2). Matching ÷ plain loop: ` +
      `1/${Math.round(plain / match)} (target at most 1/25). With scoring: ${seconds(matchAndScore)} s (target ` +
      'at most 60 s).',
  ].join('\n')
}
