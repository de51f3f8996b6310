// Fills two databases with the same generated stock in one pass: ours as one published edition, the peer's as its table.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { TenderContent } from '../src/domain/tender.ts'
import { toInstant } from '../src/domain/time.ts'
import { generateTender } from '../test/generate/stock.ts'
import type { Cluster } from './postgres-cluster.ts'

export type FillOptions = {
  readonly cluster: Cluster
  readonly ours: string
  readonly peer: string
  readonly records: number
  readonly onProgress: (text: string) => void
}

const peerTable = `create table tender (id uuid not null, last_modified bigint not null, published bigint, deadline bigint,
  value_eur double precision, procedure text, archived boolean not null, cpv_stems text[] not null, nuts_stems text[] not null, body text not null)`
const peerIndexes = [
  'alter table tender add primary key (id)',
  'create unique index tender_order on tender (last_modified, id)',
  'create index tender_order_live on tender (last_modified, id) where not archived',
  'create index tender_cpv on tender using gin (cpv_stems)',
  'create index tender_nuts on tender using gin (nuts_stems)',
  'create index tender_deadline on tender (deadline)',
  'create index tender_published on tender (published)',
  'create index tender_value on tender (value_eur)',
  'alter table tender alter cpv_stems set statistics 1000',
  'alter table tender alter nuts_stems set statistics 1000',
  'vacuum analyze tender',
]

const seed = 20261101
const now = Date.UTC(2026, 10, 1)

/** The stock's tables of ours must exist already (any command of ours makes them). */
export async function fillBoth({ cluster, ours, peer, records, onProgress }: FillOptions): Promise<void> {
  cluster.psql(peer, peerTable)
  const firstStamp = now - records
  const lastStamp = firstStamp + records - 1
  cluster.psql(
    ours,
    `insert into edition (edition, last_modified, published_at, records, changes, checks)
     values (1, ${lastStamp}, ${now}, ${records}, ${records}, '{"generated":${now}}')`,
  )
  const oursRows = copyInto(cluster, ours, 'edition_entry (last_modified, edition, tender_id, body, sources)')
  const peerRows = copyInto(cluster, peer, 'tender')
  const step = Math.max(1000, Math.floor(records / 10))
  for (let index = 0; index < records; index++) {
    const content = generateTender({ seed, count: records, now }, index)
    const lastModified = firstStamp + index
    const record = { ...content, lastModified: toInstant(lastModified) }
    const body = JSON.stringify(record)
    await oursRows.write([lastModified, 1, content.id, body, '["generated"]'])
    const served = `{"id":"${content.id}","checkedAt":"${toInstant(now)}",${body.slice(body.indexOf(',') + 1)}`
    await peerRows.write(peerRow(content, lastModified, served))
    if ((index + 1) % step === 0) onProgress(`${index + 1} of ${records} records generated`)
  }
  await Promise.all([oursRows.end(), peerRows.end()])
  onProgress("indexing the peer's table")
  for (const statement of peerIndexes) cluster.psql(peer, statement)
  cluster.psql(ours, 'vacuum analyze edition_entry')
  cluster.psql(ours, 'checkpoint')
}

const prefixes = (codes: readonly string[]): string =>
  `{${[...new Set(codes.flatMap((code) => Array.from({ length: code.length - 1 }, (_, index) => code.slice(0, index + 2))))].join(',')}}`

function peerRow(
  content: TenderContent,
  lastModified: number,
  body: string,
): readonly (string | number | null | boolean)[] {
  const time = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))
  const amount = content.contractAmount
  return [
    content.id,
    lastModified,
    time(content.publicationDate),
    time(content.submissionDate),
    amount?.currency === 'EUR' ? amount.value : null,
    content.procedureType ?? null,
    content.archiveReason !== undefined,
    prefixes([...content.cpvCodes, ...content.lots.flatMap((lot) => lot.cpvCodes)]),
    prefixes(content.nutsCodes),
    body,
  ]
}

type CopyTarget = {
  readonly write: (row: readonly (string | number | boolean | null)[]) => Promise<void>
  readonly end: () => Promise<void>
}

function copyInto(cluster: Cluster, database: string, target: string): CopyTarget {
  const [program, args] = cluster.psqlArguments(database, `copy ${target} from stdin`)
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'inherit'] })
  const input: Writable = child.stdin
  let buffered = ''
  const flush = async (): Promise<void> => {
    const chunk = buffered
    buffered = ''
    if (!input.write(chunk)) await once(input, 'drain')
  }
  return {
    write: async (row) => {
      buffered += `${row.map((field) => (field === null ? '\\N' : typeof field === 'boolean' ? (field ? 't' : 'f') : String(field).replace(/[\\\n\r\t]/g, escaped))).join('\t')}\n`
      if (buffered.length > 1 << 18) await flush()
    },
    end: async () => {
      await flush()
      const ended = once(child, 'close')
      input.end()
      const [code] = (await ended) as [number]
      if (code !== 0) throw new Error(`COPY into ${target} failed`)
    },
  }
}

const escaped = (char: string): string => ({ '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' })[char] ?? char
