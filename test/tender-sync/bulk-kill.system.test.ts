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
import { openBulkWorld } from '../testing/bulk-world.ts'
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

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

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
  test.each(Object.keys(targets))(
    'C160, C162: %s is the edition by its digest afterwards, each time',
    { timeout: 120_000 + kills * 15_000 },
    async (kind) => {
      const random = randomOf(seed, kind.length)
      await using service = await openBulkWorld({ seed, records: 700, requestsPerMinute: 100_000 })
      await service.publish(range(0, 3000))
      await service.files.update()
      const seen = { files: 0, pages: 0 }
      /** Runs once; resolves to its code, which is null after a kill. */
      const run = (target: Target, killed: (child: ChildProcess, event: string) => void) =>
        new Promise<{ code: number | null; text: string }>((resolve) => {
          const args = [
            'run',
            '--url',
            service.origin,
            '--sink',
            ...target.args,
            '--initial',
            'history',
            '--bulk',
            '--json',
          ]
          const child = spawn(process.execPath, [join(root, 'client/src/bin/tender-sync.ts'), ...args], {
            env: { ...process.env, TENDER_TOKEN: service.token, HOME: folder },
          })
          children.add(child)
          let text = ''
          for (const stream of [child.stdout, child.stderr])
            stream.on('data', (chunk: Buffer) => {
              text += chunk
              for (const [, event] of String(chunk).matchAll(/"event":"(run|files|progress)"/g)) killed(child, event!)
            })
          child.once('close', (code) => {
            children.delete(child)
            resolve({ code, text })
          })
        })
      let done = 0
      let lives = 0
      let resumed = 0
      while (done < kills) {
        const target = targets[kind]!(lives++)
        for (let isOver = false; !isOver; ) {
          if (random.chance(0.3)) {
            await service.publish(range(random.integer(0, 3000), random.integer(3000, 3100)).slice(0, 400))
            if (random.chance(0.5)) await service.files.update()
          }
          const at = random.integer(1, 3)
          const afterMs = random.integer(0, 500)
          let events = 0
          const mayEnd = done >= kills || random.chance(0.2)
          const { code, text } = await run(target, (child, event) => {
            if (event === 'files') seen.files++
            if (!mayEnd && ++events === at) setTimeout(() => child.kill('SIGKILL'), afterMs)
          })
          // a server may still be busy with what the killed one sent: then this run is skipped
          expect([null, 0, ...(kind === 'postgres' ? [3] : [])], text).toContain(code)
          if (text.includes('"isResumed":true')) resumed++
          if (code === null) done++
          else isOver = code === 0
        }
        const sink = await target.open()
        const { copy } = (await sink.state!.load())!
        const digest = await sink.digest!()
        await sink.end()
        if (kind === 'postgres') await dropSchema(target.args.at(-1)!.replace('schema=', ''))
        const { all } = parseDigest(service.log.newest!.checksum!)!
        expect({ life: lives, all: digest!.all, kept: copy!.all }).toEqual({ life: lives, all, kept: all })
      }
      expect(seen.files).toBeGreaterThan(0)
      // into the others it begins again, from the files that are there
      if (kills >= 100 && kind === 'sqlite') expect(resumed).toBeGreaterThan(kills / 10)
    },
  )
})
