// Hits in PostgreSQL, in the table `hit` beside the tables of the copy.
import { hitColumns } from '../sinks/postgres/postgres-columns.ts'
import { checkedName, postgresConnection } from '../sinks/postgres/postgres-connection.ts'
import { migratePostgres, migratePostgresHits } from '../sinks/postgres/postgres-schema.ts'
import { storableJson } from '../sinks/record/record-json.ts'
import type { Hit, HitOutcome, HitStore } from './hit.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** Maximum time of a statement: below the 20 s after which the sender gives up. */
const statementMs = 10_000

export type PostgresHitsOptions = { readonly connectionString: string; readonly schema?: string }

/** Connects immediately, so that a wrong address is known before the first hit. */
export async function openPostgresHits(options: PostgresHitsOptions): Promise<HitStore> {
  const schema = checkedName(options.schema ?? 'tenderstock', 'The schema')
  const { open, rows, end } = postgresConnection({
    connectionString: options.connectionString,
    timeoutMs: statementMs,
    setUp: async (client) => {
      await migratePostgres(client, schema)
      await migratePostgresHits(client, schema)
    },
  })
  await open()
  const names = hitColumns.map(({ name }) => name).join(', ')
  const values = hitColumns.map(({ from }) => from).join(', ')
  const changes = [...hitColumns.map(({ name }) => name), 'body']
    .filter((name) => name !== 'hit_id' && name !== 'first_received_at')
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')
  // A server may be configured to confirm commits before they are durable: that is changed for this statement alone, as
  // a pooler gives the session to others.
  const durable = `case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', true) end`
  const upsert = `
    insert into "${schema}".hit as held (${names}, body)
    select ${values}, r - 'webhookId' - 'receivedAt' from (select $1::jsonb as r, ${durable} as durable) as message
    on conflict (hit_id) do update set ${changes}
    where (excluded.tender_last_modified, excluded.type) > (held.tender_last_modified, held.type)
    returning xmax = 0 as created`
  return {
    put: oneAtATime(async (hit: Hit): Promise<HitOutcome> => {
      const [written] = await rows<{ created: boolean }>(upsert, [storableJson(hit)])
      if (!written) return 'held'
      return written.created ? 'new' : 'changed'
    }),
    end,
  }
}
