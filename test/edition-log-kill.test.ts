import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openEditionLog } from '../src/edition/edition-log.ts'
import { wholePage } from '../src/edition/pieces.ts'
import { entriesOfEdition } from './edition-of-number.ts'
import { randomOf } from './generate/random.ts'

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))

test('an edition log whose process is killed at any moment opens with whole editions and goes on', async () => {
  console.log(`edition-log-kill.test seed ${seed} (TEST_SEED repeats the moments)`)
  const random = randomOf(seed)
  const folder = mkdtempSync(join(tmpdir(), 'edition-log-kill-'))
  let total = 0
  for (let kill = 0; kill < 12; kill++) {
    const child = spawn(process.execPath, [fileURLToPath(new URL('append-editions.ts', import.meta.url)), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    // The moment is counted in bytes that the child has told, not in time.
    const enough = random.integer(3, 60)
    let told = ''
    for await (const text of child.stdout.setEncoding('utf8')) {
      told += text
      if (told.length >= enough) break
    }
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    const acknowledged = Number(told.slice(0, told.lastIndexOf('\n')).trim().split('\n').at(-1))
    const log = await openEditionLog(folder, { clock: () => 0 })
    const newest = log.newest!.edition
    expect(newest).toBeGreaterThanOrEqual(acknowledged)
    const current = new Map<string, unknown>()
    for (let edition = Math.max(1, newest - 4); edition <= newest; edition++)
      for (const { body } of entriesOfEdition(edition)) {
        const { id, ...record } = JSON.parse(body) as { id: string }
        current.delete(id)
        current.set(id, { id, checkedAt: new Date(newest).toISOString(), ...record })
      }
    const found: unknown[] = []
    for (let after: { lastModified: number; id: string } | undefined; ; ) {
      const { positions, next } = log.list({
        filter: { archived: true },
        edition: newest,
        limit: 100,
        ...(after && { after }),
      })
      const page = wholePage(log.pageBody(positions, newest, 'identity'), null)
      expect(gunzipSync(wholePage(log.pageBody(positions, newest, 'gzip'), null)).equals(page)).toBe(true)
      found.push(...(JSON.parse(page.toString()) as { data: unknown[] }).data)
      if (next === null) break
      after = next
    }
    expect(found).toEqual([...current.values()])
    total = newest
    await log.close()
  }
  console.log(`12 kills, ${total} editions, none torn`)
  rmSync(folder, { recursive: true })
})
