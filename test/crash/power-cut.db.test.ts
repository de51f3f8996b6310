// A power cut loses what was not synced. Emulated: at random calls of fsync, before they take effect, the folder is
// rebuilt from what had been synced by then, and opened. Limit: names, sizes and deletions count as durable
// immediately.
import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterEach, expect, test, vi } from 'vitest'
import { startParameters } from '../../src/store/embedded/start-parameters.ts'
import { SyncNodeFS } from '../../src/store/embedded/sync-node-fs.ts'
import { seed } from '../testing/seed.ts'
import { openTestStore } from '../world.ts'

/** CUTS sets how often the power is cut, SEED repeats a run. */
const cuts = Number(process.env.CUTS ?? 10)
const pageBytes = 4096
const groupSize = 5

afterEach(() => {
  vi.restoreAllMocks()
})

function randomFrom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function walk(folder: string, visit: (path: string, stat: fs.Stats) => void): void {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name)
    const stat = fs.statSync(path)
    visit(path, stat)
    if (stat.isDirectory()) walk(path, visit)
  }
}

/** The content of the files below `folder` that would survive a power cut, by inode. */
class Durable {
  readonly #folder: string
  readonly #base: string
  readonly #basePaths = new Map<number, string>()
  readonly #synced = new Map<number, Buffer>()
  tornPages = 0
  onSync: () => void = () => {}

  /** `base` is a copy of the folder as it was, all of it synced. */
  constructor(folder: string, base: string) {
    this.#folder = folder
    this.#base = base
    walk(folder, (path, stat) => this.#basePaths.set(stat.ino, relative(folder, path)))
    const { fsyncSync, unlinkSync } = fs
    vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
      const path = fs.readlinkSync(`/proc/self/fd/${descriptor}`)
      const stat = fs.fstatSync(descriptor)
      if (path.startsWith(`${folder}/`) && stat.isFile()) {
        this.onSync()
        this.#synced.set(stat.ino, fs.readFileSync(path))
      }
      fsyncSync(descriptor)
    })
    vi.spyOn(fs, 'unlinkSync').mockImplementation((path) => {
      const { ino } = fs.statSync(path)
      unlinkSync(path)
      // The number may be given to another file.
      this.#synced.delete(ino)
      this.#basePaths.delete(ino)
    })
  }

  /** Rebuilds the folder after a cut. `keepsPage` decides which unsynced pages reached the disk nevertheless. */
  cutInto(target: string, keepsPage: () => boolean): void {
    walk(this.#folder, (path, stat) => {
      const copy = join(target, relative(this.#folder, path))
      if (stat.isDirectory()) fs.mkdirSync(copy)
      else fs.writeFileSync(copy, this.#afterCut(path, stat, keepsPage))
    })
  }

  #afterCut(path: string, { ino, size }: fs.Stats, keepsPage: () => boolean): Buffer {
    const basePath = this.#basePaths.get(ino)
    const synced =
      this.#synced.get(ino) ?? (basePath === undefined ? undefined : fs.readFileSync(join(this.#base, basePath)))
    const content = Buffer.alloc(size)
    synced?.copy(content, 0, 0, size)
    const written = fs.readFileSync(path)
    for (let offset = 0; offset < size; offset += pageBytes) {
      const page = written.subarray(offset, offset + pageBytes)
      if (page.equals(content.subarray(offset, offset + pageBytes)) || !keepsPage()) continue
      page.copy(content, offset)
      this.tornPages += 1
    }
    return content
  }
}

test(`no acknowledged row is lost in ${cuts} power cuts`, { timeout: 60_000 + cuts * 30_000 }, async () => {
  await using world = await openTestStore('embedded')
  await world.close()
  const folder = join(world.options.dataFolder, 'database')
  const aside = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
  const base = join(aside, 'base')
  fs.cpSync(folder, base, { recursive: true })
  const durable = new Durable(folder, base)
  const random = randomFrom(seed)
  const pglite = await PGlite.create({ fs: new SyncNodeFS(folder), startParams: [...startParameters] })
  await pglite.exec('create table cut_row (row integer primary key, body text not null)')

  let acknowledged = 0
  let checked = 0
  for (let cut = 0; cut < cuts; cut++) {
    const target = join(aside, `cut-${cut}`)
    fs.mkdirSync(target)
    let syncsToGo = 1 + Math.floor(random() * 60)
    let acknowledgedAtCut: number | undefined
    // Every other cut lets half of the unsynced pages through: the disk writes in any order.
    const keepsPage = () => cut % 2 === 1 && random() < 0.5
    durable.onSync = () => {
      syncsToGo -= 1
      if (syncsToGo !== 0) return
      acknowledgedAtCut = acknowledged
      durable.cutInto(target, keepsPage)
    }
    const maxRows = acknowledged + 500 * groupSize
    while (acknowledgedAtCut === undefined) {
      if (acknowledged > maxRows) throw new Error('500 commits without enough calls of fsync')
      await pglite.transaction(async (trx) => {
        for (let row = acknowledged + 1; row <= acknowledged + groupSize; row++) {
          await trx.query('insert into cut_row values ($1, $2)', [row, `${row} `.repeat(1 + (row % 500))])
        }
      })
      acknowledged += groupSize
      if (random() < 0.1) await pglite.exec('update cut_row set body = body')
      if (random() < 0.1) await pglite.exec('checkpoint')
    }
    const survivor = await PGlite.create({ fs: new SyncNodeFS(target), startParams: [...startParameters] })
    const { rows } = await survivor.query<{ row: number; body: string }>('select row, body from cut_row order by row')
    const wrong = rows.filter(({ row, body }, index) => row !== index + 1 || body !== `${row} `.repeat(1 + (row % 500)))
    expect({ seed, cut, wrong, torn: rows.length % groupSize }).toEqual({ seed, cut, wrong: [], torn: 0 })
    expect(rows.length).toBeGreaterThanOrEqual(acknowledgedAtCut)
    checked += acknowledgedAtCut
    await survivor.close()
    await rm(target, { recursive: true })
  }
  console.log(
    `power cuts (seed ${seed}): ${cuts}, ${checked} acknowledged rows looked for, 0 lost, ${durable.tornPages} unsynced pages let through`,
  )
  expect(checked).toBeGreaterThan(0)
  await pglite.close()
  await rm(aside, { recursive: true })
})
