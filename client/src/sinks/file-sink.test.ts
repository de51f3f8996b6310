// What every sink that writes a file keeps of the file that it replaces, and what it says of a disk that refuses.
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { recordOf } from '../testing/sink-conformance.ts'
import { csvSink } from './csv-sink.ts'
import type { OpenSink } from './disposable.ts'
import { ndjsonSink } from './ndjson-sink.ts'
import { parquetSink } from './parquet-sink.ts'

const sinks = [
  ['ndjson', async (file: string) => ndjsonSink({ file })],
  ['csv', (file: string) => csvSink({ file })],
  ['parquet', (file: string) => parquetSink({ file })],
] as const

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tender-file-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function fill(sink: OpenSink, version: number): Promise<void> {
  try {
    await sink.begin({ kind: 'first', filterHash: 'f1', resumed: false, keepArchived: false })
    await sink.upsert([recordOf(1, version)])
    await sink.commit({ schema: 1, filterHash: 'f1' }, 'run')
  } finally {
    await sink.end()
  }
}

describe.each(sinks)('a file of %s', (kind, open) => {
  it('keeps its mode and its group', async () => {
    const file = join(freshFolder(), `t.${kind}`)
    await fill(await open(file), 1)
    // only root may give it to a group that it is not in
    const group = process.getuid?.() === 0 ? 33 : statSync(file).gid
    chownSync(file, statSync(file).uid, group)
    chmodSync(file, 0o640)
    await fill(await open(file), 2)
    expect([statSync(file).mode & 0o777, statSync(file).gid]).toEqual([0o640, group])
  })

  it('that is named by a link is replaced where it is, and the link stays', async () => {
    const folder = freshFolder()
    mkdirSync(join(folder, 'real'))
    const [link, file] = [join(folder, `t.${kind}`), join(folder, 'real', `t.${kind}`)]
    symlinkSync(join('real', `t.${kind}`), link)
    await fill(await open(link), 1)
    await fill(await open(link), 2)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(statSync(file).size).toBeGreaterThan(100)
    expect(existsSync(`${file}.sync`)).toBe(true)
    expect(existsSync(`${link}.sync`)).toBe(false)
  })

  it.skipIf(!existsSync('/dev/full'))('on a full disk says which disk, and what to do', async () => {
    const file = join(freshFolder(), `t.${kind}`)
    await fill(await open(file), 1)
    symlinkSync('/dev/full', join(`${file}.sync`, 'base.new'))
    await expect(fill(await open(file), 2)).rejects.toThrow(
      `The disk of ${file} is full: make space; the next run continues.`,
    )
    rmSync(join(`${file}.sync`, 'base.new'), { force: true })
    await fill(await open(file), 2)
  })
})
