// Merges inside one portal against hand labels: ids and verdicts only, without a word of the notices.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MatchIndex } from './match-index.ts'

type WithinPortalFigures = {
  /** Number of label rows with a verdict of which every notice is in the corpus. */
  readonly rows: number
  readonly doubtful: number
  /** Number of links that make the tenders of the rows: a tender of n notices has n - 1. */
  readonly rightMerges: number
  readonly found: number
  readonly wrong: number
  readonly precision: number
  readonly recall: number
  /** Number of rows with a wrong link. */
  readonly wrongRows: readonly string[]
}

export type WithinPortalReport = {
  /** Clusters that the rules of 2026-11-21 (c660d37) made. */
  readonly drawn: WithinPortalFigures
  /** Pairs of similar titles that these rules did not join. */
  readonly apart: WithinPortalFigures
  /** Clusters of the corpus folder's own file, if there is one. */
  readonly ofCorpus?: WithinPortalFigures
}

type Row = { readonly name: string; readonly tenders: readonly (readonly string[])[]; readonly isDoubtful: boolean }

const ownLabels = new URL('labels/within-portal-clusters.tsv', import.meta.url)
const corpusLabels = 'within-portal-clusters.tsv'

/** Ids are compared without the prefixes of sources and collectors. */
const plainId = (id: string): string => id.replace(/^.*:/, '').replace(/^oeffentlichevergabe-/, '')

/**
 * Rows `cluster`, `verdict`, `ids` (columns by name, others are ignored). Verdicts: `right`, `wrong`, anything else is
 * doubtful. Ids are separated by spaces or commas; `|` stands between the tenders of a wrong cluster. Without it, each
 * id of a wrong cluster is a separate tender.
 */
function rowsOf(text: string): Row[] {
  const [head, ...lines] = text.trim().split(/\r?\n/)
  const names = head!.split('\t').map((name) => name.trim().toLowerCase())
  const column = (name: string): number => names.indexOf(name)
  for (const name of ['cluster', 'verdict', 'ids'])
    if (column(name) < 0) throw new Error(`The labels have no column "${name}": ${names.join(', ')}.`)
  return lines.map((line) => {
    const fields = line.split('\t')
    const verdict = fields[column('verdict')]!.trim().toLowerCase()
    const groups = fields[column('ids')]!.split('|').map((ids) =>
      ids
        .split(/[\s,;]+/)
        .filter(Boolean)
        .map(plainId),
    )
    const tenders = verdict === 'wrong' && groups.length === 1 ? groups[0]!.map((id) => [id]) : groups
    return { name: fields[column('cluster')]!, tenders, isDoubtful: verdict !== 'right' && verdict !== 'wrong' }
  })
}

/** The labels of this folder and of the corpus, against the clusters of all records of the index. */
export function withinPortal(corpus: string, index: MatchIndex): WithinPortalReport | undefined {
  if (index.records.size === 0) return undefined
  const clusters = index.clusters().flatMap(({ keys }, number) => keys.map((key) => [key, number] as const))
  return ofClusters(new Map(clusters), join(corpus, corpusLabels))
}

/** The labels of this folder, and those at `path`, against the clusters of records by key. */
export function ofClusters(clusters: ReadonlyMap<string, number>, path?: string): WithinPortalReport {
  const clusterOf = new Map([...clusters].map(([key, number]) => [plainId(key), number]))
  const own = rowsOf(readFileSync(ownLabels, 'utf8'))
  const isPair = ({ name }: Row): boolean => name.startsWith('p')
  return {
    drawn: figuresOf(
      own.filter((row) => !isPair(row)),
      clusterOf,
    ),
    apart: figuresOf(own.filter(isPair), clusterOf),
    ...(path !== undefined && existsSync(path)
      ? { ofCorpus: figuresOf(rowsOf(readFileSync(path, 'utf8')), clusterOf) }
      : {}),
  }
}

function figuresOf(rows: readonly Row[], clusterOf: ReadonlyMap<string, number>): WithinPortalFigures {
  const known = rows.filter(({ tenders }) => tenders.flat().every((id) => clusterOf.has(id)))
  const counts = { rightMerges: 0, found: 0, wrong: 0 }
  const wrongRows: string[] = []
  for (const { name, tenders, isDoubtful } of known) {
    if (isDoubtful) continue
    const linksIn = (ids: readonly string[]): number => ids.length - new Set(ids.map((id) => clusterOf.get(id))).size
    const found = tenders.reduce((sum, ids) => sum + linksIn(ids), 0)
    const wrong = linksIn(tenders.flat()) - found
    counts.rightMerges += tenders.reduce((sum, ids) => sum + ids.length - 1, 0)
    counts.found += found
    counts.wrong += wrong
    if (wrong > 0) wrongRows.push(name)
  }
  const doubtful = known.filter((row) => row.isDoubtful).length
  return {
    rows: known.length - doubtful,
    doubtful,
    ...counts,
    precision: counts.found + counts.wrong === 0 ? 1 : counts.found / (counts.found + counts.wrong),
    recall: counts.rightMerges === 0 ? 1 : counts.found / counts.rightMerges,
    wrongRows,
  }
}

const line = (name: string, figures: WithinPortalFigures): string =>
  `| ${name} | ${figures.rows} | ${figures.doubtful} | ${figures.rightMerges} | ${figures.found} | ` +
  `${figures.wrong} | ${figures.precision.toFixed(4)} | ${figures.recall.toFixed(4)} | ` +
  `${figures.wrongRows.join(' ')} |`

export function withinPortalAsMarkdown({ drawn, apart, ofCorpus }: WithinPortalReport): string[] {
  return [
    '',
    'Merges inside one portal, hand labels:',
    '',
    '| Rows | Labeled | Doubtful | Right merges | Found | Wrong | Precision | Recall | Wrong rows |',
    '|---|--:|--:|--:|--:|--:|--:|--:|---|',
    line('clusters drawn before', drawn),
    line('pairs not joined before', apart),
    ...(ofCorpus ? [line("the corpus folder's", ofCorpus)] : []),
  ]
}
