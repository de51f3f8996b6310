import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DigestSum } from '../../sync/copy-digest.ts'
import type { SyncState } from '../../sync/sink.ts'
import { recordOf } from '../../testing/sink-conformance.ts'
import type { TenderRecord } from '../../types.ts'
import { recordHash } from '../record/record-hash.ts'
import { type CopyExport, WorkingCopy } from './working-copy.ts'

const folder = mkdtempSync(join(tmpdir(), 'tender-copy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let number = 0
const freshFolder = (): string => join(folder, `${++number}`)

const stateOf = (version: number): SyncState => ({
  schema: 1,
  filterHash: 'f1',
  updatedSince: recordOf(0, version).lastModified,
})

/** A copy that lists its export in a second file; the export fails at the step `failAt`, as on a full disk. */
function copyIn(at: string, failAt?: 'add' | 'finish' | 'putInPlace') {
  const listPath = join(at, 'list')
  const fail = (step: string): void => {
    if (step === failAt) throw new Error(`no space left (${step})`)
  }
  const openExport = async (): Promise<CopyExport> => {
    const ids: string[] = []
    return {
      add: async (record) => {
        fail('add')
        ids.push((JSON.parse(record.toString()) as TenderRecord).title)
      },
      finish: async () => fail('finish'),
      putInPlace: async () => {
        fail('putInPlace')
        writeFileSync(listPath, ids.join('\n'))
      },
      abandon: async () => {},
    }
  }
  const copy = new WorkingCopy({
    base: join(at, 'base.ndjson'),
    folder: at,
    openExport,
    exportSizes: async () => [existsSync(listPath) ? statSync(listPath).size : undefined],
  })
  const titles = (): string[] => (existsSync(listPath) ? readFileSync(listPath, 'utf8').split('\n').sort() : [])
  return { copy, titles, listPath }
}

async function run(
  copy: WorkingCopy,
  records: readonly TenderRecord[],
  version: number,
  isStaged = false,
): Promise<void> {
  await copy.begin({ isStaged, isResumed: false })
  await copy.put(records, false)
  await copy.commit(stateOf(version), 'run')
}

const titlesOf = (...versions: readonly (readonly [number, number])[]): string[] =>
  versions.map(([record, version]) => recordOf(record, version).title).sort()

describe('the working copy', () => {
  it.each(['add', 'finish', 'putInPlace'] as const)(
    'finishes at the next begin what a failure in %s left: committed is committed',
    async (step) => {
      for (const isStaged of [false, true]) {
        const at = freshFolder()
        await run(copyIn(at).copy, [recordOf(1), recordOf(2)], 0, true)
        const broken = copyIn(at, step)
        await expect(run(broken.copy, [recordOf(2, 1), recordOf(3, 1)], 1, isStaged)).rejects.toThrow(/no space left/)
        await broken.copy.end()
        expect(broken.titles()).toEqual(titlesOf([1, 0], [2, 0]))
        const mended = copyIn(at)
        expect(await mended.copy.loadState()).toEqual(stateOf(1))
        await mended.copy.begin({ isStaged: false, isResumed: false })
        const expected = isStaged ? titlesOf([2, 1], [3, 1]) : titlesOf([1, 0], [2, 1], [3, 1])
        expect(mended.titles()).toEqual(expected)
        await mended.copy.put([recordOf(4, 2)], false)
        await mended.copy.commit(stateOf(2), 'run')
        expect(mended.titles()).toEqual([...expected, recordOf(4, 2).title].sort())
        await mended.copy.end()
      }
    },
  )

  it.each([
    {
      isStaged: false,
      brought: [recordOf(2, 1), recordOf(3, 1)],
      expected: [recordOf(1), recordOf(2, 1), recordOf(3, 1)],
    },
    { isStaged: true, brought: [recordOf(2, 1)], expected: [recordOf(2, 1)] },
  ])(
    'keeps what is committed when the new base cannot be put in place, staged: $isStaged',
    async ({ isStaged, brought, expected }) => {
      const at = freshFolder()
      const options = { base: join(at, 'base.ndjson'), folder: at }
      await run(new WorkingCopy(options), [recordOf(1), recordOf(2)], 0, true)
      const aside = join(at, 'aside')
      const openExport = async (): Promise<CopyExport> => ({
        add: async () => {},
        finish: async () => {},
        // The last moment before the base: a folder in its place cannot be replaced by a file.
        putInPlace: async () => {
          renameSync(options.base, aside)
          mkdirSync(options.base)
        },
        abandon: async () => {},
      })
      await expect(run(new WorkingCopy({ ...options, openExport }), brought, 1, isStaged)).rejects.toThrow(
        'cannot be replaced',
      )
      rmdirSync(options.base)
      renameSync(aside, options.base)
      const next = new WorkingCopy(options)
      expect(await next.loadState()).toEqual(stateOf(1))
      await next.begin({ isStaged: false, isResumed: false })
      const versions: [string, string][] = []
      for await (const { id, lastModified } of next.all()) versions.push([id, lastModified])
      expect(versions.sort()).toEqual(expected.map(({ id, lastModified }) => [id, lastModified]))
      await next.end()
    },
  )

  it.each([false, true])(
    'the same version with other content replaces the held one, the same content writes nothing; staged: %s',
    async (isStaged) => {
      const at = freshFolder()
      const copy = new WorkingCopy({ base: join(at, 'base.ndjson'), folder: at })
      const [damaged, right] = [recordOf(1, 0, { title: 'Damaged' }), recordOf(1)]
      await copy.begin({ isStaged, isResumed: false })
      await copy.put([damaged], false)
      if (!isStaged) await copy.commit(stateOf(0), 'page')
      expect(await copy.put([right], false)).toEqual([right])
      expect(await copy.put([right, { ...right, checkedAt: recordOf(1, 5).lastModified }], false)).toEqual([])
      expect(await copy.put([damaged, right], false)).toEqual([right])
      const sum = new DigestSum()
      sum.add(recordHash(right), true, right.lastModified)
      expect(await copy.digest()).toEqual(sum.digest)
      await copy.commit(stateOf(1), 'run')
      expect(readFileSync(join(at, 'base.ndjson'), 'utf8')).toBe(`${JSON.stringify(right)}\n`)
      await copy.end()
    },
  )

  it('opened during a run, reads the last commit and changes nothing', async () => {
    const at = freshFolder()
    const { copy } = copyIn(at)
    await run(copy, [recordOf(1)], 0)
    await copy.begin({ isStaged: false, isResumed: false })
    await copy.put([recordOf(1, 1), recordOf(2, 1)], false)
    const before = readFileSync(join(at, 'changes.log'))
    const reader = copyIn(at).copy
    expect(await reader.loadState()).toEqual(stateOf(0))
    const ids: string[] = []
    for await (const { id } of reader.all()) ids.push(id)
    expect(ids).toEqual([recordOf(1).id])
    expect(readFileSync(join(at, 'changes.log'))).toEqual(before)
    await copy.commit(stateOf(1), 'run')
    await copy.end()
  })

  it('restores an export that somebody deleted, even if nothing changed', async () => {
    const at = freshFolder()
    const { copy, titles, listPath } = copyIn(at)
    await run(copy, [recordOf(1), recordOf(2)], 0)
    rmSync(listPath)
    await run(copy, [], 1)
    expect(titles()).toEqual(titlesOf([1, 0], [2, 0]))
    await copy.end()
  })

  it('restores an export that another program cut or extended, even if nothing changed, and in another process', async () => {
    const at = freshFolder()
    await run(copyIn(at).copy, [recordOf(1), recordOf(2)], 0, true)
    for (const content of ['', 'cut', 'longer than all titles of the records that the copy holds, by far']) {
      const { copy, titles, listPath } = copyIn(at)
      writeFileSync(listPath, content)
      await run(copy, [], 1)
      expect(titles()).toEqual(titlesOf([1, 0], [2, 0]))
      await copy.end()
    }
  })

  it('does not write the copy again when nothing changed', async () => {
    const at = freshFolder()
    const { copy, listPath } = copyIn(at)
    await run(copy, [recordOf(1), recordOf(2)], 0)
    const untouched = '-'.repeat(statSync(listPath).size)
    writeFileSync(listPath, untouched)
    await run(copy, [recordOf(1)], 1)
    await run(copy, [], 2)
    expect(readFileSync(listPath, 'utf8')).toBe(untouched)
    expect(await copy.loadState()).toEqual(stateOf(2))
    await copy.end()
  })

  it('refuses to continue from a base that somebody changed or deleted', async () => {
    const at = freshFolder()
    const { copy } = copyIn(at)
    await run(copy, [recordOf(1), recordOf(2)], 0)
    await copy.end()
    const changed = freshFolder()
    cpSync(at, changed, { recursive: true })
    writeFileSync(
      join(changed, 'base.ndjson'),
      readFileSync(join(at, 'base.ndjson'), 'utf8').split('\n').slice(1).join('\n'),
    )
    await expect(copyIn(changed).copy.begin({ isStaged: false, isResumed: false })).rejects.toThrow(
      /not as the last run left it/,
    )
    rmSync(join(at, 'base.ndjson'))
    await expect(copyIn(at).copy.begin({ isStaged: false, isResumed: false })).rejects.toThrow(/tender-sync reset/)
    await copyIn(at).copy.saveState(null)
    await run(copyIn(at).copy, [recordOf(3)], 0, true)
    expect(copyIn(at).titles()).toEqual(titlesOf([3, 0]))
  })

  it('reads the base once, unless another program changed it', async () => {
    const at = freshFolder()
    const base = join(at, 'base.ndjson')
    let prints = 0
    const options = {
      base,
      folder: at,
      printOf: (stored: unknown) => {
        prints++
        return { hash: recordHash(stored as TenderRecord), isOpen: true }
      },
    }
    const copy = new WorkingCopy(options)
    await run(copy, [recordOf(1), recordOf(2), recordOf(3)], 0, true)
    await run(copy, [recordOf(2, 1), recordOf(4)], 1)
    expect(prints).toBe(5)
    await copy.begin({ isStaged: false, isResumed: false })
    expect(prints).toBe(5)
    const other = new WorkingCopy(options)
    expect(await copy.digest()).toEqual(await other.digest())
    for (const record of [recordOf(1), recordOf(2, 1), recordOf(3), recordOf(4)])
      expect(await copy.record(record.id)).toEqual(record)
    // what a run that was given up had put is not there
    await copy.put([recordOf(1, 2)], false)
    await copy.end()
    await copy.begin({ isStaged: false, isResumed: false })
    expect(await copy.digest()).toEqual(await other.digest())
    await run(copy, [recordOf(5)], 2)
    const before = await copy.digest()
    const text = readFileSync(base, 'utf8')
    writeFileSync(base, text.replace(recordOf(1).title, '-'.repeat(recordOf(1).title.length)))
    await copy.begin({ isStaged: false, isResumed: false })
    expect((await copy.record(recordOf(1).id)) as TenderRecord).toMatchObject({ title: expect.stringMatching(/^-+$/) })
    expect(await copy.digest()).toEqual(await new WorkingCopy(options).digest())
    expect(await copy.digest()).not.toEqual(before)
    await copy.end()
  })

  it.each([
    ['as they come', [recordOf(1), recordOf(2), recordOf(3)]],
    ['and one is replaced', [recordOf(1), recordOf(2), recordOf(3), recordOf(2, 1)]],
  ])('written directly, holds nothing before its end, and then all lines: %s', async (_, records) => {
    const at = freshFolder()
    const base = join(at, 'base.ndjson')
    const copy = new WorkingCopy({ base, folder: join(at, 'work') })
    await run(copy, [recordOf(9)], 0)
    const before = readFileSync(base, 'utf8')
    await copy.saveState(null)
    const begin = () => copy.begin({ isStaged: true, isResumed: false, isDirect: true })
    await begin()
    for (const record of records) await copy.put([record], false)
    expect(await copy.record(recordOf(2).id)).toEqual(records.findLast(({ id }) => id === recordOf(2).id))
    expect(readFileSync(base, 'utf8')).toBe(before)
    await copy.discard()
    expect(readdirSync(join(at, 'work'))).toEqual(['changes.log'])
    await begin()
    for (const record of records) await copy.put([record], false)
    const digest = await copy.digest()
    await copy.commit(stateOf(1), 'run')
    const newest = records.filter(
      ({ id, lastModified }) => lastModified >= records.findLast((r) => r.id === id)!.lastModified,
    )
    expect(readFileSync(base, 'utf8')).toBe(newest.map((record) => `${JSON.stringify(record)}\n`).join(''))
    await copy.end()
    // another process reads the same, and goes on
    const other = new WorkingCopy({ base, folder: join(at, 'work') })
    expect(await other.loadState()).toEqual(stateOf(1))
    expect(await other.digest()).toEqual(digest)
    await run(other, [recordOf(3, 2)], 2)
    expect((await other.held([recordOf(3).id])).get(recordOf(3).id)).toBe(recordOf(3, 2).lastModified)
    expect(readdirSync(join(at, 'work'))).toEqual(['changes.log'])
  })

  it('killed between the lines and their state, begins again', async () => {
    const at = freshFolder()
    const [base, work] = [join(at, 'base.ndjson'), join(at, 'work')]
    const direct = async (record: TenderRecord) => {
      const copy = new WorkingCopy({ base, folder: work })
      await copy.begin({ isStaged: true, isResumed: false, isDirect: true })
      await copy.put([record], false)
      await copy.commit(stateOf(1), 'run')
    }
    // a run over an empty stock leaves a state that says how long the base is
    await run(new WorkingCopy({ base, folder: work }), [], 0)
    expect(await new WorkingCopy({ base, folder: work }).loadState()).toBeDefined()
    rmSync(base, { force: true })
    mkdirSync(base)
    await expect(direct(recordOf(1))).rejects.toThrow('cannot be replaced')
    expect(await new WorkingCopy({ base, folder: work }).loadState()).toBeUndefined()
    // as if the lines had got their name, and nothing else had happened
    rmdirSync(base)
    renameSync(join(work, 'lines.new'), base)
    await direct(recordOf(2))
    expect(readFileSync(base, 'utf8')).toBe(`${JSON.stringify(recordOf(2))}\n`)
    expect(await new WorkingCopy({ base, folder: work }).loadState()).toEqual(stateOf(1))
  })
})
