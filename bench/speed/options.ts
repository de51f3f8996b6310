// The options of a comparison.
import type { RowName } from './row.ts'

export type SpeedOptions = {
  readonly records: number
  readonly rounds: number
  /** Seconds that one side is under load in one round. */
  readonly seconds: number
  readonly rows: ReadonlySet<RowName>
  /** The peers' table, too; without it the rows that ask PostgreSQL are left out. */
  readonly hasPeers: boolean
  /** Stocks are kept below this folder for the next run; absent: below the system's temporary folder, and deleted. */
  readonly keep?: string
  /** The checkout whose service is measured. */
  readonly service: string
  readonly corpus: string
  /** Of the delta. */
  readonly clients: number
  readonly onProgress: (text: string) => void
}
