// Notices, records and editions.
import type { ConsolidateSummary } from '../../consolidate/consolidate.ts'
import type { FitSummary } from '../../consolidate/estimate/fit-stock.ts'
import type { ExportSummary } from '../../export/export.ts'
import type { ExportFormat } from '../../export/export-parts.ts'
import type { IngestSummary, ReparsePreview } from '../../ingest/ingest.ts'
import type { PublishPreview } from '../../publish/preview-publication.ts'
import type { PublishOutcome } from '../../publish/publish.ts'
import type { ListedRejection } from '../../store/received/documents.ts'

type OutcomeFacts<Kind extends PublishOutcome['kind']> = Omit<Extract<PublishOutcome, { kind: Kind }>, 'kind'>

export type StockEvents = {
  ingested: IngestSummary & { source: string }
  rejection: ListedRejection
  consolidated: ConsolidateSummary
  published: OutcomeFacts<'published'>
  held: OutcomeFacts<'held'>
  tooEarly: OutcomeFacts<'tooEarly'>
  nothingNew: OutcomeFacts<'nothingNew'>
  publishPreview: PublishPreview
  rebuilt: {
    documents: number
    notices: number
    rejections: number
    records: number
    idsGone: number
    idsNew: number
    contentsChanged: number
    isSame: boolean
  }
  rebuildPreview: ReparsePreview
  exported: { rows: number; tables: { readonly [table: string]: number } }
  exportPreview: {
    database: string
    rows: number
    tables: { readonly [table: string]: number }
    usedTable: string | null
  }
  editionExported: ExportSummary & { folder: string; format: ExportFormat; seconds: number }
  valuesFitted: Omit<FitSummary, 'version'> & { version: string | null }
}
