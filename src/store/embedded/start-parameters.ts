// How the embedded PostgreSQL is started.
import { PGlite } from '@electric-sql/pglite'

const settings = [
  'fsync=on',
  'wal_sync_method=fsync',
  'shared_buffers=64MB',
  'maintenance_work_mem=32MB',
  'min_wal_size=32MB',
  'max_wal_size=64MB',
]

/** The parameters that are shipped, without -F, which switches fsync off. */
export const startParameters: readonly string[] = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...settings.flatMap((setting) => ['-c', setting]),
]
