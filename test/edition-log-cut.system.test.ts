import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { wholePage } from '../src/edition/format/pieces.ts'
import { appendEdition, catchUp, type EditionLog } from '../src/edition/write/edition-log.ts'
import { entriesOfEdition, infoOfEdition, recordsOfEdition } from './edition-of-number.ts'
import { common, lost, next, nextEntries, nextInfo, olderSource, openOlder, recordsOfNext } from './older-source.ts'
import { proofCount } from './proof/proof-count.ts'
import { randomOf } from './testing/generate/random.ts'
import { seed } from './testing/seed.ts'

const program = fileURLToPath(new URL('older-source.ts', import.meta.url))

function readEdition(log: EditionLog, edition: number): unknown[] {
  const found: unknown[] = []
  for (let after: { lastModified: number; id: string } | undefined; ; ) {
    const { positions, next: following } = log.list({
      filter: { archived: true },
      edition,
      limit: 100,
      ...(after && { after }),
    })
    const page = wholePage(log.pageBody(positions, edition, 'identity'), null)
    found.push(...(JSON.parse(page.toString()) as { data: unknown[] }).data)
    if (following === null) return found
    after = following
  }
}

const digestIn = (log: EditionLog, edition: number): string => {
  const { checksum } = log.edition(edition)!
  if (checksum === undefined) throw new Error(`edition ${edition} has no digest`)
  return checksum
}

const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.startsWith('generation-'))
    .map((name) => readdirSync(join(folder, name)).length)

test('P5 a node that is killed while it cuts its log back opens with a whole edition, and ends with the right one', async () => {
  console.log(`edition-log-cut.test seed ${seed} (SEED repeats the moments)`)
  const random = randomOf(seed)
  const folder = mkdtempSync(join(tmpdir(), 'edition-log-cut-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const base = join(folder, 'base')
  const log = await openOlder(base)
  const other = await openOlder(join(folder, 'other'))
  for (let edition = 1; edition <= lost; edition++) {
    await appendEdition(log, infoOfEdition(edition), entriesOfEdition(edition))
    if (edition <= common) await appendEdition(other, infoOfEdition(edition), entriesOfEdition(edition))
  }
  const digests: { [edition: number]: string } = { [common]: digestIn(other, common) }
  await appendEdition(other, nextInfo, nextEntries)
  digests[next] = digestIn(other, next)
  await log.close()
  await other.close()
  const bodies = statSync(join(base, 'generation-1', 'plain.bin'))

  const start = (copy: string) => {
    cpSync(base, copy, { recursive: true })
    const child = spawn(process.execPath, [program, copy, JSON.stringify(digests)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const said = async (pattern: RegExp) => {
      while (!pattern.test(output) && child.exitCode === null) await once(child.stdout, 'data')
    }
    return { child, said, output: () => output }
  }
  const whole = start(join(folder, 'whole'))
  await once(whole.child, 'close')
  const tookMs = Number(whole.output().split('\n')[1])
  expect(tookMs).toBeGreaterThan(0)
  // the files of the log are the same ones, shorter; the records that were given up are beside it
  const [generation, ...more] = readdirSync(join(folder, 'whole')).filter((name) => name.startsWith('generation-'))
  expect([generation, more]).toEqual(['generation-2', []])
  expect(statSync(join(folder, 'whole', generation!, 'plain.bin')).size).toBeLessThan(bodies.size)

  const kills = proofCount({ share: 10, full: 100 })
  const openedWith = new Map<number, number>()
  let inLinks = 0
  for (let kill = 0; kill < kills; kill++) {
    const copy = join(folder, `copy-${kill}`)
    const { child, said } = start(copy)
    await said(/begins/)
    await delay(random.integer(0, Math.ceil(tookMs)))
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    if (filesIn(copy).length > 1) inLinks++
    const opened = await openOlder(copy)
    const { edition } = opened.newest!
    openedWith.set(edition, (openedWith.get(edition) ?? 0) + 1)
    expect([common, lost, next]).toContain(edition)
    expect(readEdition(opened, edition)).toEqual(edition === next ? recordsOfNext() : recordsOfEdition(edition))
    await catchUp(opened, olderSource(digests))
    expect(readEdition(opened, next)).toEqual(recordsOfNext())
    expect(readEdition(opened, common)).toEqual(recordsOfEdition(common))
    await opened.close()
    const again = await openOlder(copy)
    expect(readEdition(again, next)).toEqual(recordsOfNext())
    await again.close()
    rmSync(copy, { recursive: true })
  }
  const states = [...openedWith].map(([edition, count]) => `${count} with edition ${edition}`).join(', ')
  console.log(`${kills} kills within ${Math.round(tookMs)} ms, ${inLinks} with two generations; opened ${states}`)
}, 600_000)

test('a log whose files do not prove the common edition is loaded again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'edition-log-cut-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const log = await openOlder(join(folder, 'node'))
  onTestFinished(() => log.close())
  const other = await openOlder(join(folder, 'other'))
  for (let edition = 1; edition <= lost; edition++) {
    // another record of the same size: only the digest tells the difference
    const entries = entriesOfEdition(edition).map((entry, index) =>
      edition === common && index === 3 ? { ...entry, body: entry.body.replace('Record', 'Rekord') } : entry,
    )
    await appendEdition(log, infoOfEdition(edition), entries)
    if (edition <= common) await appendEdition(other, infoOfEdition(edition), entriesOfEdition(edition))
  }
  const digests = { [common]: digestIn(other, common) }
  await appendEdition(other, nextInfo, nextEntries)
  const source = olderSource({ ...digests, [next]: digestIn(other, next) })
  await other.close()
  await catchUp(log, source)
  expect(readEdition(log, next)).toEqual(recordsOfNext())
  expect(readdirSync(join(folder, 'node')).filter((name) => /^set-aside-.+Z$/.test(name))).toHaveLength(1)
})
