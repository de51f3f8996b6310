import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { fileLock } from './file-lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'tender-lock-'))
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})
let number = 0
const freshPath = (): string => join(folder, `${++number}`, 'lock')

/** The file that counts. */
const fileOf = (path: string): string => join(dirname(path), readdirSync(dirname(path)).sort().at(-1)!)
const contentOf = (path: string) => JSON.parse(readFileSync(fileOf(path), 'utf8')) as Record<string, unknown>

/** Another process that takes the lock and reports it; it holds the lock until it is killed. */
async function holderProcess(path: string): Promise<ChildProcess> {
  const source = `
    import { fileLock } from ${JSON.stringify(join(import.meta.dirname, 'file-lock.ts'))}
    const held = await fileLock({ path: ${JSON.stringify(path)} }).acquire()
    console.log(held ? 'held' : 'refused')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const answer = await new Promise<string>((resolve) =>
    child.stdout!.once('data', (chunk: Buffer) => resolve(String(chunk).trim())),
  )
  expect(answer).toBe('held')
  return child
}

const end = (child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> =>
  new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill(signal)
  })

describe('the file lock', () => {
  it('blocks a second run until the first releases the lock (C154)', async () => {
    const path = freshPath()
    const held = await fileLock({ path }).acquire()
    expect(await held!.isHeld()).toBe(true)
    expect(await fileLock({ path }).acquire()).toBeUndefined()
    expect((await fileLock({ path }).holder())!.pid).toBe(process.pid)
    await held!.release()
    expect(await fileLock({ path }).holder()).toBeUndefined()
    const again = await fileLock({ path }).acquire()
    expect(await again!.isHeld()).toBe(true)
    await again!.release()
  })

  it('blocks other processes while they live, and takes the lock over as soon as they are killed', async () => {
    const path = freshPath()
    const child = await holderProcess(path)
    expect(await fileLock({ path }).acquire()).toBeUndefined()
    await end(child, 'SIGKILL')
    expect((await fileLock({ path }).holder())!.pid).toBe(child.pid)
    const held = await fileLock({ path }).acquire()
    expect(await held!.isHeld()).toBe(true)
    await held!.release()
  })

  it('is not misled by another process with the ID of the killed one', async () => {
    const path = freshPath()
    const child = await holderProcess(path)
    const lock = contentOf(path)
    await end(child, 'SIGKILL')
    // This process has that ID now; only the start time distinguishes the two.
    writeFileSync(fileOf(path), JSON.stringify({ ...lock, pid: process.pid }))
    const held = await fileLock({ path }).acquire()
    expect(held).toBeDefined()
    await held!.release()
  })

  it('waits for the lease of a holder that it cannot check, by the clock of the disk', async () => {
    const path = freshPath()
    const held = await fileLock({ path }).acquire()
    const lock = contentOf(path)
    await held!.release()
    writeFileSync(fileOf(path), JSON.stringify({ ...lock, host: 'another-machine', token: 'x' }))
    expect(await fileLock({ path, leaseMs: 60_000 }).acquire()).toBeUndefined()
    const old = Date.now() / 1000 - 61
    utimesSync(fileOf(path), old, old)
    const taken = await fileLock({ path, leaseMs: 60_000 }).acquire()
    expect(await taken!.isHeld()).toBe(true)
    await taken!.release()
  })

  it('renews the lease as long as it is held', async () => {
    const path = freshPath()
    const held = await fileLock({ path, renewEveryMs: 5 }).acquire()
    const old = Date.now() / 1000 - 3600
    utimesSync(fileOf(path), old, old)
    const isRenewed = async (): Promise<boolean> => statSync(fileOf(path)).mtimeMs / 1000 - old > 1800
    await expect.poll(isRenewed, { timeout: 30_000 }).toBe(true)
    expect(await held!.isHeld()).toBe(true)
    await held!.release()
  })

  it('tells a holder that was considered dead that it lost the lock, and does not disturb the new one', async () => {
    const path = freshPath()
    const first = await fileLock({ path }).acquire()
    const second = await fileLock({ path, isAlive: async () => false }).acquire()
    expect(await first!.isHeld()).toBe(false)
    expect(await second!.isHeld()).toBe(true)
    await first!.release()
    expect(await second!.isHeld()).toBe(true)
    await second!.release()
  })

  it('tolerates a file that holds no lock: it counts as one until its lease expires', async () => {
    const path = freshPath()
    await (await fileLock({ path }).acquire())!.release()
    writeFileSync(fileOf(path), 'scrawl')
    expect(await fileLock({ path }).acquire()).toBeUndefined()
    utimesSync(fileOf(path), 1, 1)
    const held = await fileLock({ path }).acquire()
    expect(held).toBeDefined()
    await held!.release()
  })

  it('leaves one file, however often the lock is taken', async () => {
    const path = freshPath()
    for (let round = 0; round < 12; round++) await (await fileLock({ path }).acquire())!.release()
    expect(readdirSync(dirname(path))).toEqual(['lock.12'])
  })

  it('exactly one of many processes that race for the lock of a dead one wins', async () => {
    for (let round = 0; round < 50; round++) {
      const path = freshPath()
      const dead = await fileLock({ path }).acquire()
      const lock = contentOf(path)
      await dead!.release()
      writeFileSync(fileOf(path), JSON.stringify({ ...lock, started: 'before the flood', token: 'dead' }))
      const got = await Promise.all(Array.from({ length: 8 }, () => fileLock({ path }).acquire()))
      const holding = await Promise.all(got.map(async (held) => (await held?.isHeld()) === true))
      expect(holding.filter(Boolean)).toHaveLength(1)
      await Promise.all(got.map((held) => held?.release()))
    }
  })
})
