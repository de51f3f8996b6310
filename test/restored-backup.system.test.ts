// The documented way back from an older backup, with PostgreSQL's own programs and real processes: nothing is dropped
// silently, and a client that saw the newer editions ends with an equal copy.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { hourMs } from '../src/domain/time.ts'
import { catchUp, openEditionLog } from '../src/edition/write/edition-log.ts'
import { publish } from '../src/publish/publish.ts'
import { openStore } from '../src/store/database/database.ts'
import { postgresBinaries } from './chaos/postgres-cluster.ts'
import { putNumbered, readNewest, startOfStock } from './numbered-tenders.ts'
import { openEmptyDatabase, testDatabaseUrl } from './world.ts'

const binaries = postgresBinaries()
const isPossible = testDatabaseUrl !== undefined && binaries !== undefined
if (!isPossible) console.log('skipped: a restored backup (no TEST_DATABASE_URL, or no programs of PostgreSQL)')

const program = fileURLToPath(new URL('../src/bin/tenderstock.ts', import.meta.url))

/** Runs `serve` until it is ready, or ends. */
async function serve(
  databaseUrl: string,
  data: string,
  ...options: string[]
): Promise<{ code: number | null; said: string }> {
  const child = spawn(
    process.execPath,
    [program, 'serve', '--data', data, '--api-port', '0', '--drain-seconds', '0', '--json', ...options],
    {
      env: { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let said = ''
  const hear = (text: string) => {
    said += text
    if (text.includes('"ready"')) child.kill('SIGTERM')
  }
  child.stdout.setEncoding('utf8').on('data', hear)
  child.stderr.setEncoding('utf8').on('data', hear)
  const code = await new Promise<number | null>((done) => child.once('close', done))
  return { code, said }
}

test.skipIf(!isPossible)(
  'a restored backup is refused, with a reason, until an operator accepts it; then clients reach equal copies',
  async () => {
    await using before = await openEmptyDatabase()
    await using after = await openEmptyDatabase()
    const folder = mkdtempSync(join(tmpdir(), 'restored-backup-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const data = join(folder, 'data')
    const editions = join(data, 'editions')
    const dump = join(folder, 'stock.dump')
    const cutAt = (edition: number) => ({ now: startOfStock + edition * hourMs, minIntervalMs: hourMs })
    const clock = () => startOfStock + 10 * hourMs
    const store = await openStore({ databaseUrl: before.url, dataFolder: folder })
    await putNumbered(store, 0, 30)
    await publish(store, cutAt(1))
    execFileSync(join(binaries!, 'pg_dump'), ['--format=custom', `--file=${dump}`, before.url])
    await putNumbered(store, 10, 40, 1)
    await publish(store, cutAt(2))
    await putNumbered(store, 20, 25, 2)
    await publish(store, cutAt(3))
    const node = await openEditionLog(editions, { clock })
    await catchUp(node, store)
    const copy = new Map(readNewest(node).map((text) => [(JSON.parse(text) as { id: string }).id, text]))
    const since = node.newest!.lastModified
    await node.close()
    await store.close()

    execFileSync(join(binaries!, 'pg_restore'), ['--exit-on-error', '--no-owner', `--dbname=${after.url}`, dump])
    const refused = await serve(after.url, data)
    expect(refused.code).toBe(1)
    expect(refused.said).toMatch(
      /The database is older than the edition log in .+ holds edition 3 .+ its newest edition is 1/,
    )
    expect(refused.said).toContain('--accept-older-database')
    expect(readdirSync(editions).filter((name) => name.startsWith('set-aside'))).toEqual([])

    const accepted = await serve(after.url, data, '--accept-older-database')
    expect(accepted.said).toContain('"edition":1')
    const aside = readdirSync(editions).filter((name) => name.startsWith('set-aside-edition-3-'))
    expect(aside).toHaveLength(1)
    expect(accepted.said).toContain(aside[0]!)
    expect((await serve(after.url, data)).said).toContain('"edition":1')

    // what the portals published since is read again
    const restored = await openStore({ databaseUrl: after.url, dataFolder: folder })
    await putNumbered(restored, 10, 40, 1)
    const outcome = await publish(restored, cutAt(4))
    if (outcome.kind !== 'published') throw new Error(JSON.stringify(outcome))
    expect(outcome.edition).toBeGreaterThan(3)
    const again = await openEditionLog(editions, { clock })
    await catchUp(again, restored)
    await restored.close()
    const published = readNewest(again)
    await again.close()
    for (const text of published) {
      const { id, lastModified } = JSON.parse(text) as { id: string; lastModified: string }
      if (Date.parse(lastModified) >= since) copy.set(id, text)
    }
    const withoutCheck = (text: string) => JSON.stringify({ ...JSON.parse(text), checkedAt: '' })
    expect([...copy.values()].map(withoutCheck).sort()).toEqual(published.map(withoutCheck).sort())
  },
  300_000,
)
