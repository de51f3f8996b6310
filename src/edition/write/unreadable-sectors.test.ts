// A disk that reports what it cannot read (EIO) instead of returning other bytes: damage like any other. The errors are
// injected into Node's file functions, and end when the position is overwritten, as with a real disk.
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { toInstant } from '../../domain/time.ts'
import { wholePage } from '../format/pieces.ts'
import { readUpTo, readUpToNow } from '../format/transfer.ts'
import { appendEdition, type EditionLog, openEditionLog } from './edition-log.ts'
import type { LogState } from './log-state.ts'

const start = Date.UTC(2026, 0, 1)
const count = 40
const editions = 3

const uuidOf = (number: number): string => `${number.toString(16).padStart(8, '0')}-7d3e-8b64-9a10-5c2e7f4b9d31`

type Damage = { readonly ino: number; readonly from: number; to: number; readonly isFinal: boolean }
const damages: Damage[] = []

/**
 * Makes the bytes from `from` to `to` of a file unreadable until they are overwritten; `isFinal`: they cannot be
 * written either.
 */
function breakSector(path: string, from: number, to: number, isFinal = false): Damage {
  const damage = { ino: statSync(path).ino, from, to, isFinal }
  damages.push(damage)
  return damage
}

function damageOf(fd: number, at: number, length: number): Damage | undefined {
  if (damages.length === 0) return undefined
  const { ino } = fs.fstatSync(fd)
  return damages.find(({ from, to, ...damage }) => damage.ino === ino && to > from && at < to && at + length > from)
}

const eio = (): Error => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })

/** Number of bytes that can be read before the damaged sector, as the system does; EIO when there are none. */
function readable(damage: Damage, at: number): number {
  if (at >= damage.from) throw eio()
  return damage.from - at
}

type Transfer<Result> = (this: FileHandle, bytes: Uint8Array, offset: number, length: number, at: number) => Result
type Transfers = { read: Transfer<Promise<{ bytesRead: number }>>; write: Transfer<Promise<{ bytesWritten: number }>> }

beforeAll(async () => {
  const readSync = fs.readSync as (fd: number, bytes: Uint8Array, offset: number, length: number, at: number) => number
  fs.readSync = ((fd: number, bytes: Uint8Array, offset: number, length: number, at: number) => {
    const damage = damageOf(fd, at, length)
    return readSync(fd, bytes, offset, damage ? readable(damage, at) : length, at)
  }) as typeof fs.readSync
  syncBuiltinESMExports()
  const probe = await open(import.meta.filename, 'r')
  const prototype = Object.getPrototypeOf(probe) as Transfers
  await probe.close()
  const { read, write } = prototype
  prototype.read = async function (bytes, offset, length, at) {
    const damage = damageOf(this.fd, at, length)
    return await read.call(this, bytes, offset, damage ? readable(damage, at) : length, at)
  }
  prototype.write = async function (bytes, offset, length, at) {
    const damage = damageOf(this.fd, at, length)
    if (damage?.isFinal) throw eio()
    if (damage) damage.to = damage.from
    return await write.call(this, bytes, offset, length, at)
  }
  return () => {
    fs.readSync = readSync as typeof fs.readSync
    syncBuiltinESMExports()
    Object.assign(prototype, { read, write })
  }
})
afterEach(() => {
  damages.length = 0
})

async function makeLog(): Promise<{ readonly folder: string; readonly warnings: string[]; readonly log: EditionLog }> {
  const folder = mkdtempSync(join(tmpdir(), 'unreadable-sectors-'))
  const warnings: string[] = []
  const log = await openLog(folder, warnings)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (let edition = 1; edition <= editions; edition++) {
    const first = start + edition * 1000
    const entries = Array.from({ length: count }, (_, index) => ({
      lastModified: first + index,
      body: JSON.stringify({
        id: uuidOf((edition - 1) * count + index),
        status: 'open',
        lastModified: toInstant(first + index),
        title: `Neubau ${index} `.repeat(40),
        contractAmount: null,
        cpvCodes: [],
        nutsCodes: [],
        lots: [],
      }),
      sources: '["ted"]',
    }))
    const [lastModified, records] = [first + count - 1, edition * count]
    await appendEdition(
      log,
      { edition, lastModified, publishedAt: start + edition, records, changes: count, checks: {} },
      entries,
    )
  }
  await log.idle()
  return { folder, warnings, log }
}

async function openLog(folder: string, warnings: string[]): Promise<EditionLog> {
  const log = await openEditionLog(folder, {
    clock: () => start,
    onWarning: (warning) => warnings.push(warning),
    // a checkpoint after few entries
    toleratedReplay: 20,
  })
  onTestFinished(() => log.close())
  return log
}

function fileOf(folder: string, name: string): string {
  const found = (readdirSync(folder, { recursive: true }) as string[]).find((path) => path.endsWith(name))
  if (found === undefined) throw new Error(`no ${name}`)
  return join(folder, found)
}

const positions = Array.from({ length: editions * count }, (_, index) => index)
const pageOf = (log: EditionLog, encoding: 'gzip' | 'identity'): Buffer =>
  wholePage(log.pageBody([...positions], log.newest!.edition, encoding), null)

for (const kind of ['gzip', 'plain'] as const)
  test(`an unreadable part of the ${kind} bodies is served from the other file, and rewritten`, async () => {
    const { folder, warnings, log } = await makeLog()
    const [gzip, identity] = [pageOf(log, 'gzip'), pageOf(log, 'identity')]
    const records = positions.slice(4, 7).map((position) => Buffer.from(log.record(position, 'gzip').bytes))
    const { held } = log as unknown as { held: LogState }
    const at = held.offsetOf(kind, 5)
    const damage = breakSector(fileOf(folder, `${kind}.bin`), at + 100, at + 200)
    expect(pageOf(log, 'gzip').equals(gzip)).toBe(true)
    expect(pageOf(log, 'identity').equals(identity)).toBe(true)
    expect(gunzipSync(gzip).equals(identity)).toBe(true)
    expect(positions.slice(4, 7).map((position) => Buffer.from(log.record(position, 'gzip').bytes))).toEqual(records)
    await log.idle()
    expect(damage.to).toBe(damage.from)
    expect(warnings).toEqual([
      expect.stringMatching(/^The disk changed \d+ pieces of the edition log; they were repaired/),
    ])
    expect(pageOf(log, 'gzip').equals(gzip)).toBe(true)
  })

test('a part that cannot be rewritten either causes a rebuild of the log, and is served from the other file until then', async () => {
  const { folder, warnings, log } = await makeLog()
  const identity = pageOf(log, 'identity')
  const { held } = log as unknown as { held: LogState }
  const at = held.offsetOf('plain', 5)
  breakSector(fileOf(folder, 'plain.bin'), at + 100, at + 200, true)
  expect(pageOf(log, 'identity').equals(identity)).toBe(true)
  await log.idle()
  expect(warnings).toContain(
    'The disk lost records of the edition log; it is rebuilt from the database. Check the disk.',
  )
  expect(log.isDamaged).toBe(true)
  expect(pageOf(log, 'identity').equals(identity)).toBe(true)
})

test('an unreadable checkpoint does not count, wherever the damage is', async () => {
  const { folder, log } = await makeLog()
  const identity = pageOf(log, 'identity')
  await log.close()
  const path = fileOf(folder, 'checkpoint')
  const intact = readFileSync(path)
  const size = intact.length
  for (const place of [0, size >> 1, size - 10]) {
    writeFileSync(path, intact)
    breakSector(path, place, place + 5)
    const again = await openLog(folder, [])
    expect(pageOf(again, 'identity').equals(identity)).toBe(true)
    await again.close()
  }
})

test('an unreadable index ends there: complete editions are shown, or none', async () => {
  const { folder, log } = await makeLog()
  await log.close()
  rmSync(fileOf(folder, 'checkpoint'))
  const path = fileOf(folder, 'index.log')
  const shown = new Set<number | undefined>()
  for (let place = statSync(path).size - 20; place > 0; place -= 1500) {
    const damage = breakSector(path, place, place + 10)
    const again = await openLog(folder, [])
    const edition = again.newest?.edition
    if (edition !== undefined)
      expect(again.list({ filter: { archived: true }, edition, limit: 1000 }).positions).toHaveLength(edition * count)
    shown.add(edition)
    await again.close()
    damage.to = damage.from
  }
  expect(shown).toContain(editions - 1)
})

test.skipIf(process.platform !== 'linux')('the error of the system counts as the end of what can be read', async () => {
  // there is nothing at the beginning of a process's memory: the kernel answers EIO
  const handle = await open('/proc/self/mem', 'r')
  try {
    const bytes = Buffer.alloc(16)
    expect(() => fs.readSync(handle.fd, bytes, 0, 16, 0)).toThrow(/EIO/)
    expect(await readUpTo(handle, bytes, 0)).toBe(0)
    expect(readUpToNow(handle.fd, bytes, 0, 16, 0)).toBe(0)
  } finally {
    await handle.close()
  }
})
