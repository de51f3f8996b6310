// Publishing a large edition against COPY of the same rows into a table with the same indexes.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { cpuSeconds, cpuSecondsOf, runToEnd } from '../processes.ts'
import { changesOf, newestEditionOf, writeChanges } from './changes.ts'
import type { SpeedOptions } from './options.ts'
import type { PublishFigures } from './publish-edition.ts'
import { over } from './rounds.ts'
import { atMost, mediansOf, type SpeedRow } from './row.ts'
import type { Stock } from './stock.ts'

const maxRounds = 3

export async function publishRows(stock: Stock, options: SpeedOptions): Promise<SpeedRow[]> {
  const { cluster, database, scratch, environment } = stock
  const changes = changesOf(stock)
  const rounds: { ours: { [measure: string]: number }[]; copy: { [measure: string]: number }[] } = {
    ours: [],
    copy: [],
  }
  cluster.psql(database, 'drop table if exists copied; create table copied (like edition_entry including all)')
  const rows = join(scratch, 'rows')
  for (let round = 0; round < Math.min(options.rounds, maxRounds); round++) {
    const newest = await newestEditionOf(stock)
    const edition = newest.edition + 1
    cluster.psql(database, 'drop table if exists change; create unlogged table change (tender_id text, content text)')
    await writeChanges(
      stock,
      { changes, edition, firstStamp: newest.lastModified + 1 },
      {
        change: cluster.psqlArguments(database, 'copy change from stdin'),
        entry: ['sh', ['-c', `cat > ${rows}`]],
      },
    )
    cluster.psql(
      database,
      `update tender set content = change.content, content_hash = 'v${edition}',
         archive_reason = substring(change.content from '"archiveReason":"([a-z]+)"') from change where tender.tender_id = change.tender_id;
       insert into tender_change select tender_id from change on conflict do nothing; drop table change; truncate copied`,
    )
    cluster.psql(database, 'vacuum analyze tender')
    cluster.psql(database, 'checkpoint')
    const [program, args] = cluster.psqlArguments(
      database,
      'copy copied (last_modified, edition, tender_id, body, sources) from stdin',
    )
    const serverBefore = cpuSecondsOf(cluster.pid)
    const startedMs = performance.now()
    const client = cpuSeconds(`${[program, ...args].map((each) => `'${each}'`).join(' ')} < ${rows}`)
    rounds.copy.push({
      'wall s': (performance.now() - startedMs) / 1000,
      'CPU s': client.seconds + cpuSecondsOf(cluster.pid) - serverBefore,
    })
    rmSync(rows)
    cluster.psql(database, 'checkpoint')
    let figures: PublishFigures | undefined
    await runToEnd(
      process.execPath,
      [
        join(import.meta.dirname, 'publish-edition.ts'),
        options.service,
        join(scratch, 'publish-data'),
        String(cluster.pid),
      ],
      (line) => {
        if (line.startsWith('{')) figures = JSON.parse(line) as PublishFigures
      },
      { env: environment },
    )
    if (figures?.changes !== changes) throw new Error(`published ${figures?.changes} of ${changes} changes`)
    const { wallSeconds, cpuSeconds: own, serverSeconds } = figures
    rounds.ours.push({ 'wall s': wallSeconds, 'CPU s': own + serverSeconds, 'CPU s of the database': serverSeconds })
    options.onProgress(
      `publishing ${changes} changes: ours ${wallSeconds.toFixed(1)} s, COPY ${rounds.copy.at(-1)!['wall s']!.toFixed(1)} s`,
    )
  }
  cluster.psql(database, 'drop table copied')
  const sides = [
    { side: 'ours', figures: mediansOf(rounds.ours) },
    { side: 'COPY', figures: mediansOf(rounds.copy) },
  ]
  return [
    {
      name: 'publish',
      work: `publishing an edition of ${changes.toLocaleString('en')} changes`,
      records: options.records,
      sides,
      verdicts: [
        atMost('wall time, ours ÷ COPY', over(sides, 'wall s', 'ours', 'COPY'), 4),
        atMost('CPU time, ours ÷ COPY', over(sides, 'CPU s', 'ours', 'COPY'), 4),
      ],
      notes: [],
    },
  ]
}
