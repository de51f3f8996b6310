// Pages beside a peer that compresses beforehand, as we do: what is left is the work of an answer, without zlib.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gzipSync } from 'node:zlib'
import type { SpeedContext } from './answering.ts'
import { getList, pathsOf, randomPages, walk } from './questions.ts'
import { over, runRounds, type Side } from './rounds.ts'
import { atLeast, type SpeedRow } from './row.ts'
import { startSqliteStored } from './servers.ts'

const hotPages = 48
const coldPages = 1500
const first = '/v1/tenders?archived=true&limit=100'

/** The whole stock in a table of the peer, read from our service. */
async function fillStored(port: number, token: string, file: string): Promise<void> {
  const db = new DatabaseSync(file)
  db.exec(`pragma journal_mode = off; pragma synchronous = off;
    create table tender (last_modified integer, id text, gz blob, primary key (last_modified, id)) without rowid; begin`)
  const insert = db.prepare('insert into tender values (?, ?, ?)')
  for (let path: string | undefined = first; path !== undefined; ) {
    const { data, nextCursor } = await getList(port, path, token)
    for (const record of data) insert.run(Date.parse(record.lastModified), record.id, gzipSync(JSON.stringify(record)))
    path = nextCursor === null ? undefined : `${first}&cursor=${encodeURIComponent(nextCursor)}`
  }
  db.exec('commit')
  db.close()
}

export async function storedRows({ options, stock, ours }: SpeedContext): Promise<SpeedRow[]> {
  const token = stock.clients[0]!.token
  const file = join(stock.scratch, 'stored.db')
  await fillStored(ours.port, token, file)
  const peer = await startSqliteStored(file, token)
  const cold = randomPages(stock, coldPages, 1)
  const mine = await walk(ours.port, token, first, hotPages)
  const theirs = await walk(peer.port, token, first, hotPages)
  for (const path of cold.slice(0, 4)) {
    const [a, b] = [await getList(ours.port, path, token), await getList(peer.port, path, token)]
    if (JSON.stringify(a.data) !== JSON.stringify(b.data)) throw new Error(`the sides answer differently: ${path}`)
  }
  const rows: SpeedRow[] = []
  for (const [set, own, other] of [
    [`the same ${hotPages} pages`, mine.paths, theirs.paths],
    [`${coldPages.toLocaleString('en')} pages from everywhere`, cold, cold],
  ] as const) {
    const work = `list page of 100, gzip, ${set}, beside stored gzip`
    const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'gzip' }
    const sides: Side[] = [
      { server: ours, requests: pathsOf(own), headers },
      { server: peer, requests: pathsOf(other), headers },
    ]
    const figures = await runRounds(work, sides, options)
    const verdicts = [
      atLeast('work per CPU second, ours ÷ SQLite with stored gzip', over(figures, 'CPU µs', peer.side, 'ours'), 1),
    ]
    rows.push({ name: 'stored', work, records: options.records, sides: figures, verdicts, notes: [] })
  }
  await peer.stop()
  return rows
}
