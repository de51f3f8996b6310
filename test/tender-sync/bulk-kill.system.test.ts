// `tender-sync run --bulk` killed at random moments of its first run, publications in between: the run that may finish
// leaves a copy whose digest is that of the newest edition.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { ndjsonSink } from '../../client/src/sinks/ndjson-sink.ts'
import { openPostgresSink } from '../../client/src/sinks/postgres-sink.ts'
import { sqliteSink } from '../../client/src/sinks/sqlite-sink.ts'
import { parseDigest } from '../../client/src/sync/copy-digest.ts'
import type { Sink } from '../../client/src/sync/sink.ts'
import { proofCount } from '../proof/proof-count.ts'
import { killLoads } from '../testing/bulk-kills.ts'
import type { BulkWorld } from '../testing/bulk-world.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'

const root = join(import.meta.dirname, '../..')
const kills = proofCount({ share: 10, full: 200 })
const folder = mkdtempSync(join(tmpdir(), 'bulk-kill-'))
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

async function dropSchema(name: string): Promise<void> {
  const db = new pg.Client({ connectionString })
  await db.connect()
  await db.query(`drop schema ${name} cascade`)
  await db.end()
}

type Target = { readonly args: readonly string[]; readonly open: () => Sink | Promise<Sink> }

/** A server may be missing. */
const connectionString = process.env.TEST_DATABASE_URL
if (!connectionString) console.log('skipped: kills of a first load into PostgreSQL (no TEST_DATABASE_URL)')

const targets: { readonly [kind: string]: (life: number) => Target } = {
  sqlite: (life) => {
    const file = join(folder, `sqlite-${life}`)
    return { args: [`sqlite:${file}`], open: () => sqliteSink({ file }) }
  },
  ndjson: (life) => {
    const file = join(folder, `ndjson-${life}`)
    return { args: [`ndjson:${file}`], open: () => ndjsonSink({ file }) }
  },
  ...(connectionString && {
    postgres: (life: number) => {
      const schema = `bulk_kill_${process.pid}_${life}`
      return {
        args: [`postgres:${connectionString}`, '--option', `schema=${schema}`],
        open: () => openPostgresSink({ connectionString, schema }),
      }
    },
  }),
}

describe(`tender-sync run --bulk, killed ${kills} times (SEED=${seed})`, () => {
  test.concurrent.each(Object.keys(targets))(
    'C160, C162: %s is the edition by its digest afterwards, each time',
    { timeout: 120_000 + kills * 15_000 },
    async (kind) => {
      const client = {
        start: ({ origin, token }: BulkWorld, life: number) => {
          const sink = targets[kind]!(life).args
          const args = ['run', '--url', origin, '--sink', ...sink, '--initial', 'history', '--bulk', '--json']
          const child = spawn(process.execPath, [join(root, 'client/src/bin/tender-sync.ts'), ...args], {
            env: { ...process.env, TENDER_TOKEN: token, HOME: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') },
          })
          children.add(child)
          return child.once('close', () => children.delete(child))
        },
        loaded: /"event":"run"/,
        goesOn: /"isResumed":true/,
        // a server may still be busy with what the killed one sent: then this run is skipped
        codes: [null, 0, ...(kind === 'postgres' ? [3] : [])],
        compare: async ({ log }: BulkWorld, life: number) => {
          const target = targets[kind]!(life)
          const sink = await target.open()
          const { copy } = (await sink.state!.load())!
          const digest = await sink.digest!()
          await sink.end()
          if (kind === 'postgres') await dropSchema(target.args.at(-1)!.replace('schema=', ''))
          const { all } = parseDigest(log.newest!.checksum!)!
          expect({ life, all: digest!.all, kept: copy!.all }).toEqual({ life, all, kept: all })
        },
      }
      const { loads, resumed } = await killLoads(client, kills, randomOf(seed, kind.length))
      if (kills >= 100) expect(loads).toBeGreaterThan(kills / 10)
      // into the others it begins again, from the files that are there
      if (kills >= 100 && kind === 'sqlite') expect(resumed).toBeGreaterThan(kills / 10)
    },
  )
})
