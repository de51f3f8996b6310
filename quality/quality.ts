// How good the records are: which notices become one tender, what became of it, which fields are read, what its value
// is, measured on a corpus folder. Seeded: every run gives the same figures.
import { countFill, type FillRow, fillAsMarkdown } from './fill.ts'
import { benchLifecycle, type LifecycleReport, lifecycleAsMarkdown } from './lifecycle.ts'
import { benchResolution, type CopyFigures, type ResolutionReport } from './resolution.ts'
import { benchValues, type ValuesReport, valuesAsMarkdown } from './values.ts'
import { withinPortalAsMarkdown } from './within-portal.ts'

export type QualityReport = {
  readonly seed: number
  readonly corpus: string
  readonly resolution: ResolutionReport
  /** Absent without linked groups. */
  readonly lifecycle?: LifecycleReport
  readonly fill: readonly FillRow[]
  readonly values: ValuesReport
}

export type QualityOptions = {
  readonly corpus: string
  readonly seed: number
  /** Number of copies to place, divided over the profiles. */
  readonly copies: number
  readonly onProgress?: (text: string) => void
}

export async function benchQuality({ corpus, seed, copies, onProgress }: QualityOptions): Promise<QualityReport> {
  const resolution = await benchResolution({ corpus, seed, copies, ...(onProgress ? { onProgress } : {}) })
  onProgress?.('lifecycle of linked groups')
  const lifecycle = await benchLifecycle(corpus)
  onProgress?.('fields as read and as written')
  const fill = await countFill(corpus)
  const values = await benchValues({ corpus, seed, ...(onProgress ? { onProgress } : {}) })
  return { seed, corpus, resolution, ...(lifecycle ? { lifecycle } : {}), fill, values }
}

const share = (value: number): string => value.toFixed(4)

function copyLine(name: string, figures: CopyFigures): string {
  const { copies, assigned, wrong, precision, recall, recallWithoutTwins, reviewRate, blockRecall } = figures
  const cells = [
    copies,
    assigned,
    wrong,
    ...[precision, recall, recallWithoutTwins, reviewRate, blockRecall].map(share),
  ]
  return `| ${name} | ${cells.join(' | ')} | ${share(figures.openWorldFalse)} | ${share(figures.openWorldTwins)} |`
}

/** Tables for people; parts for which the corpus has no data are left out. */
export function qualityAsMarkdown({ seed, resolution, lifecycle, fill, values }: QualityReport): string {
  const lines: string[] = [`Seed ${seed}.`]
  const { labeledPairs: pairs, listRows: rows, copies, rules, linkedGroups: groups, wholeStock: stock } = resolution
  if (pairs)
    lines.push(
      '',
      `Labeled pairs: ${pairs.records} records, ${pairs.samePairs} pairs of one tender: precision ` +
        `${share(pairs.precision)}, recall ${share(pairs.recall)}, B-cubed ${share(pairs.bCubedPrecision)} / ` +
        `${share(pairs.bCubedRecall)}, review ${share(pairs.reviewRate)}.`,
      ...pairs.wrong.map((text) => `- wrong: ${text}`),
      ...pairs.missed.map((text) => `- missed: ${text}`),
    )
  if (rows)
    lines.push(
      '',
      `List rows: ${rows.rows}, of them ${rows.withCounterpart} with a counterpart by title and buyer: ` +
        `recall ${share(rows.recall)}, wrong ${rows.wrong.length}.`,
      ...rows.wrong.map((text) => `- wrong: ${text}`),
      ...rows.missed.map((text) => `- missed: ${text}`),
    )
  if (resolution.withinPortal) lines.push(...withinPortalAsMarkdown(resolution.withinPortal))
  if (copies)
    lines.push(
      '',
      `Copies of ${copies.records} notices, all tenders of a buyer in one week with the same deadline:`,
      '',
      '| Profile | Copies | Assigned | Wrong | Precision | Recall | Recall without twins | Review | Block ' +
        'recall | False without the true one | Twin without the true one |',
      '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
      copyLine('all', copies.all),
      copyLine('title, buyer, date, CPV or description', copies.full),
      ...Object.entries(copies.byProfile).map(([profile, figures]) => copyLine(profile, figures)),
    )
  if (rules)
    lines.push(
      '',
      `Rules side by side, on ${rules.copies} copies of authorities from which nothing was learned; those in ` +
        `another language are of ${rules.translated} notices:`,
      '',
      '| Rules | Precision | Recall | False without the true one | Review | Translated: recall | wrong | false without the true one |',
      '|---|--:|--:|--:|--:|--:|--:|--:|',
      ...rules.rows.map(
        (row) =>
          `| ${row.rules} | ` +
          `${[row.precision, row.recall, row.openWorldFalse, row.reviewRate, row.translatedRecall].map(share).join(' | ')} ` +
          `| ${row.translatedWrong} | ${share(row.translatedFalse)} |`,
      ),
    )
  if (groups)
    lines.push(
      '',
      `Linked groups, ids kept: ${groups.joined} of ${groups.groups} joined (apart: ` +
        `${groups.apart.join(', ')}), ${groups.mergedByCopiedIds} joined by copied ids, of ${groups.notices} ` +
        `notices ${share(groups.orphanShare)} alone, ${share(groups.largeGroupShare)} in groups over 10.`,
    )
  if (stock)
    lines.push(
      '',
      `All ${stock.records} notices together: ${stock.tenders} tenders, ${share(stock.orphanShare)} of one ` +
        `notice, ${stock.largeGroups} of more than 10, ${share(stock.reviewShare)} with a review; ` +
        `${stock.keysPerRecord.toFixed(1)} keys and ${stock.candidatesPerRecord.toFixed(1)} candidates a ` +
        `record, prepare ${stock.prepareMs.toFixed(3)} ms, decide ${stock.decideMs.toFixed(3)} ms.`,
    )
  if (lifecycle) lines.push(lifecycleAsMarkdown(lifecycle))
  lines.push(fillAsMarkdown(fill), valuesAsMarkdown(values))
  return lines.join('\n')
}
