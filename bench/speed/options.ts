// The options of a comparison.
import type { RowName } from './row.ts'

export type SpeedOptions = {
  readonly records: number
  readonly rounds: number
  /** Seconds that one side is under load in one round. */
  readonly seconds: number
  readonly rows: ReadonlySet<RowName>
  /** Whether the peers' table is filled too; without it the rows that query PostgreSQL are left out. */
  readonly hasPeers: boolean
  /** Stocks are kept below this folder for the next run; absent: below the system's temporary folder, and deleted. */
  readonly keep?: string
  /** The checkout whose service is measured. */
  readonly service: string
  readonly corpus: string
  /** Number of clients of the delta. */
  readonly clients: number
  readonly onProgress: (text: string) => void
}
