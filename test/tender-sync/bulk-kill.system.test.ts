// `tender-sync run --bulk` killed at random moments of its first run, publications in between: the run that may finish
// leaves a copy whose digest is that of the newest edition.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ndjsonSink } from '../../client/src/sinks/ndjson-sink.ts'
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

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

const sinks: { readonly [kind: string]: (file: string) => Sink | Promise<Sink> } = {
  sqlite: (file) => sqliteSink({ file }),
  ndjson: (file) => ndjsonSink({ file }),
}

describe(`tender-sync run --bulk, killed ${kills} times (SEED=${seed})`, () => {
  test.each(Object.keys(sinks))(
    'C160, C162: %s is the edition by its digest afterwards, each time',
    { timeout: 120_000 + kills * 15_000 },
    async (kind) => {
      const random = randomOf(seed, kind.length)
      await using service = await openBulkWorld({ seed, records: 700, requestsPerMinute: 100_000 })
      await service.publish(range(0, 3000))
      await service.files.update()
      const seen = { files: 0, pages: 0 }
      /** Runs once; resolves to its code, which is null after a kill. */
      const run = (file: string, killed: (child: ChildProcess, event: string) => void) =>
        new Promise<{ code: number | null; text: string }>((resolve) => {
          const args = [
            'run',
            '--url',
            service.origin,
            '--sink',
            `${kind}:${file}`,
            '--initial',
            'history',
            '--bulk',
            '--json',
          ]
          const child = spawn(process.execPath, [join(root, 'client/src/bin/tender-sync.ts'), ...args], {
            env: { ...process.env, TENDER_TOKEN: service.token },
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
        const file = join(folder, `${kind}-${lives++}`)
        for (let isOver = false; !isOver; ) {
          if (random.chance(0.3)) {
            await service.publish(range(random.integer(0, 3000), random.integer(3000, 3100)).slice(0, 400))
            if (random.chance(0.5)) await service.files.update()
          }
          const at = random.integer(1, 3)
          const afterMs = random.integer(0, 500)
          let events = 0
          const mayEnd = done >= kills || random.chance(0.2)
          const { code, text } = await run(file, (child, event) => {
            if (event === 'files') seen.files++
            if (!mayEnd && ++events === at) setTimeout(() => child.kill('SIGKILL'), afterMs)
          })
          expect(code === null || code === 0, text).toBe(true)
          if (text.includes('"isResumed":true')) resumed++
          if (code === null) done++
          else isOver = true
        }
        const sink = await sinks[kind]!(file)
        const { copy } = (await sink.state!.load())!
        const digest = await sink.digest!()
        await sink.end()
        const { all } = parseDigest(service.log.newest!.checksum!)!
        expect({ life: lives, all: digest!.all, kept: copy!.all }).toEqual({ life: lives, all, kept: all })
      }
      expect(seen.files).toBeGreaterThan(0)
      if (kills >= 100) expect(resumed).toBeGreaterThan(kills / 10)
    },
  )
})
