// The public benchmark (docs/quality.md): the service and two simple rules against labels read by hand. The labels are
// ids and verdicts only; `collect.ts` fetches the notices from public repositories.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { MatchRecord } from '../src/consolidate/match/match-record.ts'
import { actFigures, type LabeledNotice, readLabeledActs } from './acts.ts'
import { readDoeListings, readLabels, readPortalListings, recordOf } from './cross-portal.ts'
import { benchLifecycle } from './lifecycle.ts'
import { MatchIndex } from './match-index.ts'
import { ofClusters } from './within-portal.ts'

/** `found` of `all`; what is right is in `of` what was answered. */
type Share = { readonly part: number; readonly all: number }
type Row = { readonly name: string; readonly precision: Share; readonly recall: Share }

export type BenchmarkReport = {
  readonly acts: readonly { readonly name: string; readonly exact: Share; readonly open: Share; readonly lost: Share }[]
  readonly withinPortal: readonly Row[]
  readonly acrossPortals: readonly Row[]
  readonly lifecycle: Share | undefined
}

/** Quantile of the normal distribution for 95 %. */
const z = 1.96

/** A share with Wilson's interval, in percent. */
export function shareText({ part, all }: Share): string {
  if (all === 0) return '–'
  const share = part / all
  const middle = share + z ** 2 / (2 * all)
  const half = z * Math.sqrt((share * (1 - share)) / all + z ** 2 / (4 * all ** 2))
  const [low, high] = [middle - half, middle + half].map((bound) => (100 * bound) / (1 + z ** 2 / all))
  return `${(100 * share).toFixed(1)} % (${low!.toFixed(1)} to ${high!.toFixed(1)}; ${part} of ${all})`
}

/** What joins two records: the rules of the service, or a key that both have. */
const exactKeys = ({ procedures, references }: MatchRecord): string[] => [
  ...procedures.map(({ scope, id }) => `${scope} ${id}`),
  ...references.map((number) => `number ${number}`),
]
const titleAndBuyer = ({ titles, buyers }: MatchRecord): string[] =>
  titles.flatMap(({ joined }) => buyers.map(({ name }) => `${joined} / ${name}`))

/** The components of records that share a key, as numbers by record key. */
export function joinedBy(
  records: Iterable<MatchRecord>,
  keysOf: (record: MatchRecord) => readonly string[],
): Map<string, number> {
  const parents: number[] = []
  const root = (at: number): number => (parents[at] === at ? at : root(parents[at]!))
  const holders = new Map<string, number>()
  const found = [...records].map((record, at) => {
    parents.push(at)
    for (const key of keysOf(record)) {
      const other = holders.get(key)
      if (other === undefined) holders.set(key, at)
      else parents[root(at)] = root(other)
    }
    return record.key
  })
  return new Map(found.map((key, at) => [key, root(at)]))
}

const ownClusters = (index: MatchIndex): Map<string, number> =>
  new Map(index.clusters().flatMap(({ keys }, number) => keys.map((key) => [key, number] as const)))

type Rules = readonly (readonly [name: string, clusters: ReadonlyMap<string, number>])[]

const rulesOn = (index: MatchIndex): Rules => [
  ['exact keys', joinedBy(index.records.values(), exactKeys)],
  ['title and buyer', joinedBy(index.records.values(), titleAndBuyer)],
  ['the service', ownClusters(index)],
]

function inOnePortal(folder: string): Row[] {
  const index = new MatchIndex()
  for (const listing of readDoeListings(folder)) index.add(recordOf(listing))
  if (index.records.size === 0) return []
  return rulesOn(index).map(([name, clusters]) => {
    const { drawn, apart } = ofClusters(clusters)
    const [found, wrong, right] = [drawn, apart].reduce(
      ([a, b, c], figures) => [a! + figures.found, b! + figures.wrong, c! + figures.rightMerges],
      [0, 0, 0],
    ) as [number, number, number]
    return { name, precision: { part: found, all: found + wrong }, recall: { part: found, all: right } }
  })
}

function overPortals(folder: string): Row[] {
  const labels = readLabels(folder)
  const index = new MatchIndex()
  for (const listing of readPortalListings(folder)) index.add(recordOf(listing))
  if (index.records.size === 0) return []
  const sure = labels.filter(({ label, a, b }) => label !== 'unclear' && index.records.has(a) && index.records.has(b))
  const same = sure.filter(({ label }) => label === 'same')
  return rulesOn(index).map(([name, clusters]) => {
    const joined = sure.filter(({ a, b }) => clusters.get(a) === clusters.get(b))
    const found = joined.filter(({ label }) => label === 'same').length
    return { name, precision: { part: found, all: joined.length }, recall: { part: found, all: same.length } }
  })
}

/** The form that the publisher chose decides, as in most collections. */
const byForm = (each: LabeledNotice): LabeledNotice => {
  const form = each.reading.form ?? each.notice.act?.form ?? each.notice.formType
  const acts = {
    competition: 'call',
    result: 'award',
    planning: 'prior-information',
    'dir-awa-pre': 'ex-ante',
  } as const
  const act = (acts as { readonly [form: string]: LabeledNotice['reading']['act'] })[form] ?? 'modification'
  return { ...each, reading: { act, rule: 'form type', field: 'form type', evidence: form } }
}

function actRow(name: string, labeled: readonly LabeledNotice[]): BenchmarkReport['acts'][number] {
  const { sure, exact, calls, lostCalls, wronglyOpen, shownOpen } = actFigures(labeled)
  return {
    name,
    exact: { part: exact, all: sure },
    open: { part: wronglyOpen, all: shownOpen },
    lost: { part: lostCalls, all: calls },
  }
}

export async function runBenchmark(corpus: string): Promise<BenchmarkReport> {
  const labeled = await readLabeledActs(corpus)
  const folder = join(corpus, 'cross-portal')
  const lifecycle = existsSync(join(corpus, 'LINKED-GROUPS.tsv')) ? await benchLifecycle(corpus) : undefined
  return {
    acts:
      labeled.length === 0 ? [] : [actRow('the published form', labeled.map(byForm)), actRow('the service', labeled)],
    withinPortal: inOnePortal(folder),
    acrossPortals: overPortals(folder),
    lifecycle: lifecycle && { part: lifecycle.agreed, all: lifecycle.comparisons },
  }
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${head.join(' | ')} |`,
  `|${head.map(() => '---').join('|')}|`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
]

export function benchmarkAsMarkdown({ acts, withinPortal: within, acrossPortals, lifecycle }: BenchmarkReport): string {
  const rows = (some: readonly Row[]) => some.map((row) => [row.name, shareText(row.precision), shareText(row.recall)])
  const heads = ['Joined by', 'Right among joined', 'Found among right']
  return [
    ...table(
      ['What a notice is, by', 'Exact', 'No call among open', 'Calls lost'],
      acts.map((row) => [row.name, shareText(row.exact), shareText(row.open), shareText(row.lost)]),
    ),
    '',
    'Notices of one portal:',
    '',
    ...table(heads, rows(within)),
    '',
    'Records of several portals:',
    '',
    ...table(heads, rows(acrossPortals)),
    ...(lifecycle ? ['', `Moments of the lifecycle as a naive reader sees them: ${shareText(lifecycle)}.`] : []),
  ].join('\n')
}
