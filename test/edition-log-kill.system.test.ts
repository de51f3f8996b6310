import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { wholePage } from '../src/edition/format/pieces.ts'
import { type EditionLog, openEditionLog } from '../src/edition/write/edition-log.ts'
import { recordsOfEdition } from './edition-of-number.ts'
import { randomOf } from './testing/generate/random.ts'
import { seed } from './testing/seed.ts'

function readEdition(log: EditionLog, edition: number): unknown[] {
  const found: unknown[] = []
  for (let after: { lastModified: number; id: string } | undefined; ; ) {
    const query = { filter: { archived: true }, edition, limit: 100, ...(after && { after }) }
    const { positions, next } = log.list(query)
    const page = wholePage(log.pageBody(positions, edition, 'identity'), null)
    expect(gunzipSync(wholePage(log.pageBody(positions, edition, 'gzip'), null)).equals(page)).toBe(true)
    found.push(...(JSON.parse(page.toString()) as { data: unknown[] }).data)
    if (next === null) return found
    after = next
  }
}

test('an edition log whose process is killed at any moment opens with complete editions and continues', async () => {
  console.log(`edition-log-kill.test seed ${seed} (SEED repeats the moments)`)
  const random = randomOf(seed)
  const folder = mkdtempSync(join(tmpdir(), 'edition-log-kill-'))
  let total = 0
  let inCheckpoint = 0
  let inCopy = 0
  let copies = 0
  for (let kill = 0; kill < 16; kill++) {
    const child = spawn(process.execPath, [fileURLToPath(new URL('append-editions.ts', import.meta.url)), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    // The moment is measured in bytes that the child has reported, not in time.
    const enough = random.integer(3, kill < 2 ? 120 : 40)
    let output = ''
    for await (const text of child.stdout.setEncoding('utf8')) {
      output += text
      if (output.length >= enough) break
    }
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    const acknowledged = Number(output.slice(0, output.lastIndexOf('\n')).trim().split('\n').at(-1))
    const generations = readdirSync(folder).filter((name) => name.startsWith('generation-'))
    const files = generations.flatMap((name) => readdirSync(join(folder, name)))
    if (files.includes('checkpoint.new')) inCheckpoint++
    if (files.includes('index.building')) inCopy++
    copies = Math.max(copies, ...generations.map((name) => Number(name.slice('generation-'.length)) - 1))
    const log = await openEditionLog(folder, { clock: () => 0 })
    const newest = log.newest!.edition
    expect(newest).toBeGreaterThanOrEqual(acknowledged)
    // A record that is held besides: what a copy leaves behind must not be missed.
    for (const edition of [newest, Math.max(1, newest - random.integer(1, 24))])
      expect(readEdition(log, edition)).toEqual(recordsOfEdition(edition))
    total = newest
    await log.close()
  }
  console.log(
    `16 kills, ${inCheckpoint} within a checkpoint, ${inCopy} within one of ${copies} copies, ${total} editions, none torn`,
  )
  expect(copies).toBeGreaterThan(0)
  rmSync(folder, { recursive: true })
})
