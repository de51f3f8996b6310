// Queries what an operator has to know about a PostgreSQL server before a service uses it: settings, rights, clock.
// Changes nothing.
import pg from 'pg'
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { serverAddresses, shownAddress, unusable } from './server-addresses.ts'

/** What a server says of itself and of our session. */
export type ServerFacts = {
  readonly versionNumber: number
  readonly version: string
  readonly encoding: string
  /** Number of connections that are left for users who are no superusers. */
  readonly free: number
  /** `pg_stat_activity` shows the state of our own session. */
  readonly seesItself: boolean
  readonly fsync: string
  readonly synchronousCommit: string
  readonly fullPageWrites: string
  readonly isStandby: boolean
  readonly mayCreate: boolean
  /** Number of replication connections that send no hot_standby_feedback. */
  readonly deafStandbys: number
  /** Number of servers that follow this one, and of those that a commit waits for or may wait for. */
  readonly standbys: number
  readonly synchronousStandbys: number
  /** How far the server's clock is ahead of ours, accurate to half of the time that the query takes. */
  readonly differenceMs: number
}

const question = `select current_setting('server_version_num')::integer as "versionNumber",
  current_setting('server_version') as version,
  pg_encoding_to_char((select encoding from pg_database where datname = current_database())) as encoding,
  current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
    - (select count(*) from pg_stat_activity where backend_type = 'client backend')::integer as free,
  exists (select from pg_stat_activity where pid = pg_backend_pid() and state = 'active') as "seesItself",
  current_setting('fsync') as fsync, current_setting('synchronous_commit') as "synchronousCommit",
  current_setting('full_page_writes') as "fullPageWrites", pg_is_in_recovery() as "isStandby",
  has_schema_privilege('public', 'create') as "mayCreate",
  (select count(*) from pg_stat_replication where backend_xmin is null)::integer as "deafStandbys",
  (select count(*) from pg_stat_replication where application_name <> 'pg_basebackup')::integer as standbys,
  (select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum'))::integer as "synchronousStandbys"`

export type ExamineOptions = { readonly clock: Clock; readonly limitMs: number }

/** One of the servers that DATABASE_URL names. */
export type ExaminedServer = { readonly address: string } & (
  | { readonly facts: ServerFacts }
  | { readonly error: OperatorError }
)

/** Examines each server separately, all at once. Throws OperatorError for an address that cannot be used. */
export function examineServers(databaseUrl: string, options: ExamineOptions): Promise<ExaminedServer[]> {
  return Promise.all(
    serverAddresses(databaseUrl).urls.map(async (url) => {
      const address = shownAddress(url)
      try {
        return { address, facts: await examineServer(url, options) }
      } catch (error) {
        if (error instanceof OperatorError) return { address, error }
        throw error
      }
    }),
  )
}

/** One connection and two statements, each within `limitMs`. Throws OperatorError when the server cannot be used. */
async function examineServer(databaseUrl: string, { clock, limitMs }: ExamineOptions): Promise<ServerFacts> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: limitMs,
    statement_timeout: limitMs,
    application_name: 'tenderstock doctor',
  })
  // the running statement reports a broken connection
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw unusable(error, databaseUrl, 'check DATABASE_URL and that the server is running')
  }
  try {
    const { rows } = await client.query<Omit<ServerFacts, 'differenceMs'>>(question)
    const asked = clock()
    const { rows: times } = await client.query<{ now: string }>(
      'select extract(epoch from clock_timestamp()) * 1000 as now',
    )
    return { ...rows[0]!, differenceMs: Math.round(Number(times[0]!.now) - (asked + clock()) / 2) }
  } finally {
    await client.end()
  }
}
