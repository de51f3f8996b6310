// The formats in which an edition is exported.
export type ExportFormat = 'ocds' | 'parquet' | 'ndjson' | 'csv'
