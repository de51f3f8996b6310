// The edition log on a disk that fills up: loaded editions are still served, and the rest follows when there is room.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { wholePage } from '../src/edition/format/pieces.ts'
import { appendEdition, type EditionLog, openEditionLog } from '../src/edition/write/edition-log.ts'
import { entriesOfEdition, infoOfEdition, recordsOfEdition } from './edition-of-number.ts'

const root = mkdtempSync(join(tmpdir(), 'edition-log-full-'))
const mounted = join(root, 'small')
const canMount = mount()
afterAll(() => {
  if (canMount) execFileSync('umount', ['--lazy', mounted])
  rmSync(root, { recursive: true })
})

function mount(): boolean {
  mkdirSync(mounted)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', mounted], { stdio: 'ignore' })
    return true
  } catch {
    console.log('skipped: a disk that is full (no right to mount a small one)')
    return false
  }
}

function readEdition(log: EditionLog, edition: number): unknown[] {
  const found: unknown[] = []
  for (let after: { lastModified: number; id: string } | undefined; ; ) {
    const query = { filter: { archived: true }, edition, limit: 100, ...(after && { after }) }
    const { positions, next } = log.list(query)
    const page = wholePage(log.pageBody(positions, edition, 'identity'), null)
    found.push(...(JSON.parse(page.toString()) as { data: unknown[] }).data)
    if (next === null) return found
    after = next
  }
}

test.skipIf(!canMount)(
  'a full disk does not stop serving; with space again the log continues, and a restart in between does no harm',
  async () => {
    const folder = join(mounted, 'editions')
    const ballast = join(mounted, 'ballast')
    const warnings: string[] = []
    const options = {
      clock: () => 0,
      toleratedEntries: 60,
      toleratedReplay: 60,
      onWarning: (warning: string) => warnings.push(warning),
    }
    writeFileSync(ballast, Buffer.alloc(7_000_000))
    let log = await openEditionLog(folder, options)
    const append = (edition: number) => appendEdition(log, infoOfEdition(edition), entriesOfEdition(edition))
    let edition = 0
    let refused: Error | undefined
    while (!refused) {
      await append(edition + 1).then(
        () => edition++,
        (error: Error) => {
          refused = error
        },
      )
      await log.idle()
    }
    expect(refused.name).toBe('OperatorError')
    expect(refused.message).toMatch(/disk of the edition log .* is full; make room/)
    expect(edition).toBeGreaterThan(1)
    for (let turn = 0; turn < 3; turn++) {
      expect(log.newest?.edition).toBe(edition)
      expect(readEdition(log, edition)).toEqual(recordsOfEdition(edition))
      await expect(append(edition + 1)).rejects.toThrow('is full')
    }
    // however often that is retried, the operator gets one message
    await log.idle()
    const warned = warnings.length
    for (let turn = 0; turn < 3; turn++) {
      await expect(append(edition + 1)).rejects.toThrow('is full')
      await log.idle()
    }
    expect(warnings).toHaveLength(warned)
    await log.close()
    log = await openEditionLog(folder, options)
    expect(readEdition(log, edition)).toEqual(recordsOfEdition(edition))
    await expect(append(edition + 1)).rejects.toThrow('is full')
    rmSync(ballast)
    for (const next of [edition + 1, edition + 2]) {
      await append(next)
      expect(readEdition(log, next)).toEqual(recordsOfEdition(next))
    }
    // It appends until nothing fits again, including copies of the log: it says so and continues to serve.
    for (edition += 2; ; edition++) {
      const isTaken = await append(edition + 1).then(
        () => true,
        () => false,
      )
      await log.idle()
      expect(readEdition(log, isTaken ? edition + 1 : edition)).toEqual(
        recordsOfEdition(isTaken ? edition + 1 : edition),
      )
      if (!isTaken || edition === 80) break
    }
    console.log(`full at edition ${edition}; ${warnings.length} warnings, the last: ${warnings.at(-1)}`)
    await log.close()
    expect(readdirSync(folder).filter((name) => name.startsWith('generation-'))).toHaveLength(1)
  },
)

test('a process that cannot extend its files fails the edition cleanly; the next process continues', async () => {
  const folder = join(root, 'limited')
  const script = fileURLToPath(new URL('append-editions.ts', import.meta.url))
  const child = spawn('sh', ['-c', `ulimit -f 400; exec "${process.execPath}" "${script}" "${folder}"`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let complaint = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  await once(child, 'close')
  expect(complaint).toContain('is full; make room')
  const acknowledged = Number(output.trim().split('\n').at(-1))
  expect(acknowledged).toBeGreaterThan(1)
  const log = await openEditionLog(folder, { clock: () => 0 })
  expect(log.newest?.edition).toBe(acknowledged)
  expect(readEdition(log, acknowledged)).toEqual(recordsOfEdition(acknowledged))
  await appendEdition(log, infoOfEdition(acknowledged + 1), entriesOfEdition(acknowledged + 1))
  expect(readEdition(log, acknowledged + 1)).toEqual(recordsOfEdition(acknowledged + 1))
  await log.close()
})
