// XML files to stored notices against xmllint, which stores nothing, on the same files.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unpackCorpus } from '../parse.ts'
import { startCluster } from '../postgres-cluster.ts'
import { cpuSeconds, findProgram, runToEnd, temporaryFolder } from '../processes.ts'
import type { SpeedOptions } from './options.ts'
import { over } from './rounds.ts'
import { atLeast, mediansOf, type SpeedRow } from './row.ts'
import type { StoreReport } from './store-files.ts'

const maxRounds = 3

export async function xmlRows(options: SpeedOptions, notes: string[]): Promise<SpeedRow[]> {
  const xmllint = findProgram('xmllint')
  if (!xmllint || !existsSync(options.corpus)) {
    notes.push(`skipped: XML (${xmllint ? 'no corpus' : 'no xmllint'})`)
    return []
  }
  await using cluster = await startCluster().then(
    (started) => started && { ...started, [Symbol.asyncDispose]: started.stop },
  )
  const folder = temporaryFolder('xml')
  try {
    const { files, bytes } = await unpackCorpus(options.corpus, join(folder, 'xml'))
    const list = join(folder, 'list')
    writeFileSync(list, files.join('\n'))
    const rounds: { [side: string]: { [measure: string]: number }[] } = {
      server: [],
      'server, warm': [],
      embedded: [],
      'embedded, warm': [],
      xmllint: [],
    }
    const speed = (seconds: number) => ({ 'CPU s': seconds, 'MB per CPU second': bytes / 1e6 / seconds })
    for (let round = 0; round < Math.min(options.rounds, maxRounds); round++) {
      rounds['xmllint']!.push(
        speed(cpuSeconds(`xargs ${xmllint} --stream --noout --huge < ${list} 2>/dev/null`).seconds),
      )
      for (const engine of cluster ? (['server', 'embedded'] as const) : (['embedded'] as const)) {
        const data = join(folder, `data-${engine}-${round}`)
        mkdirSync(data)
        if (engine === 'server') cluster!.psql('postgres', `create database notices_${round}`)
        let report: StoreReport | undefined
        await runToEnd(
          process.execPath,
          [
            join(import.meta.dirname, 'store-files.ts'),
            options.service,
            join(folder, 'xml'),
            data,
            ...(engine === 'server' ? [String(cluster!.pid)] : []),
          ],
          (line) => {
            if (line.startsWith('{')) report = JSON.parse(line) as StoreReport
          },
          engine === 'server' ? { env: { ...process.env, DATABASE_URL: cluster!.url(`notices_${round}`) } } : {},
        )
        if (!report) throw new Error('no figures')
        for (const [side, figures] of [
          [engine, report.fresh],
          [`${engine}, warm`, report.warm],
        ] as const) {
          if (figures.documents !== files.length)
            throw new Error(`${figures.documents} of ${files.length} files stored`)
          rounds[side]!.push({
            ...speed(figures.cpuSeconds + figures.serverSeconds),
            ...(engine === 'server' && { 'CPU s of the database': figures.serverSeconds }),
            'wall s': figures.wallSeconds,
          })
        }
        rmSync(data, { recursive: true })
        if (engine === 'server') cluster!.psql('postgres', `drop database notices_${round}`)
      }
      options.onProgress(`XML: round ${round + 1}`)
    }
    const names: { readonly [engine: string]: string } = {
      server: 'ours, PostgreSQL and its CPU included',
      'server, warm': 'ours, PostgreSQL, warm',
      embedded: 'ours, embedded engine',
      'embedded, warm': 'ours, embedded engine, warm',
      xmllint: 'xmllint --stream',
    }
    const sides = Object.entries(rounds)
      .filter(([, figures]) => figures.length > 0)
      .map(([engine, figures]) => ({ side: names[engine]!, figures: mediansOf(figures) }))
    return [
      {
        name: 'xml',
        work: `${files.length.toLocaleString('en')} XML files of the corpus, ${(bytes / 1e6).toFixed(0)} MB, to stored notices`,
        records: 0,
        sides,
        verdicts: sides
          .slice(0, -1)
          .map(({ side }) =>
            atLeast(
              `bytes per CPU second, ${side} ÷ xmllint`,
              over(sides, 'MB per CPU second', side, names['xmllint']!),
              0.3,
            ),
          ),
        notes: ['XML: warm is a process that has read the same files once before, into a stock that was emptied.'],
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
