import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { SyncState } from '../../sync/sink.ts'
import { recordOf } from '../../testing/sink-conformance.ts'
import { type LoggedRecord, RecordLog, replaceLog, scanLog } from './record-log.ts'

const folder = mkdtempSync(join(tmpdir(), 'tender-log-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const stateOf = (number: number): SyncState => ({
  schema: 1,
  filterHash: 'f1',
  updatedSince: `2026-03-02T09:00:0${number}.000Z`,
})
const markOf = (number: number) => ({ state: stateOf(number), end: 'page', baseBytes: 0 }) as const

/** Writes a log of three commits with 1, 2 and 3 records. Resolves to the lengths after each commit. */
async function writtenLog(path: string): Promise<number[]> {
  const log = await RecordLog.open(path, 0)
  const lengths: number[] = []
  for (let commit = 1; commit <= 3; commit++) {
    await log.append(Array.from({ length: commit }, (_, index) => recordOf(commit * 10 + index)))
    await log.commit(markOf(commit))
    lengths.push(readFileSync(path).length)
  }
  await log.close()
  return lengths
}

async function scanned(path: string) {
  const records: LoggedRecord[] = []
  const found = await scanLog(path, (record) => records.push(record))
  return { ...found, records, state: found.mark?.state }
}

describe('the record log', () => {
  it('holds the complete commits if it is truncated anywhere, and nothing of the next one', async () => {
    const whole = join(folder, 'whole')
    const cut = join(folder, 'cut')
    const lengths = await writtenLog(whole)
    const around = [0, ...lengths].flatMap((length) => [-2, -1, 0, 1, 2].map((step) => length + step))
    const between = Array.from({ length: Math.floor(lengths[2]! / 211) }, (_, index) => index * 211)
    for (const bytes of [...around, ...between].filter((each) => each >= 0 && each <= lengths[2]!)) {
      copyFileSync(whole, cut)
      truncateSync(cut, bytes)
      const commits = lengths.filter((length) => length <= bytes).length
      const found = await scanned(cut)
      expect(found.state, `cut to ${bytes} bytes`).toEqual(commits === 0 ? undefined : stateOf(commits))
      expect(found.records).toHaveLength([0, 1, 3, 6][commits]!)
      expect(found.committedBytes).toBe(commits === 0 ? 0 : lengths[commits - 1])
    }
  })

  it('detects a power cut that kept a mark and lost bytes before it', async () => {
    const path = join(folder, 'holes')
    const lengths = await writtenLog(path)
    const bytes = readFileSync(path)
    // A page of the disk that was never written reads as zeros.
    bytes.fill(0, lengths[1]! + 40, lengths[1]! + 400)
    writeFileSync(path, bytes)
    expect((await scanned(path)).state).toEqual(stateOf(2))
  })

  it('continues after the last complete commit, over uncommitted bytes', async () => {
    const path = join(folder, 'resumed')
    await writtenLog(path)
    appendFileSync(path, '{"put":{"id":"half a li')
    const { committedBytes } = await scanned(path)
    const log = await RecordLog.open(path, committedBytes)
    const [range] = await log.append([recordOf(99)])
    await log.rollBack()
    const [again] = await log.append([recordOf(98)])
    expect(again!.offset).toBe(range!.offset)
    await log.commit(markOf(4))
    await log.close()
    const found = await scanned(path)
    expect(found.state).toEqual(stateOf(4))
    expect(found.records).toHaveLength(7)
    const { offset, length } = found.records.at(-1)!
    expect(
      JSON.parse(
        readFileSync(path)
          .subarray(offset, offset + length)
          .toString(),
      ),
    ).toEqual(recordOf(98))
  })

  it('is replaced by an empty one that carries the state', async () => {
    const path = join(folder, 'replaced')
    await writtenLog(path)
    await replaceLog(path, { state: stateOf(5), end: 'run', baseBytes: 17 })
    expect(await scanned(path)).toMatchObject({ state: stateOf(5), records: [], mark: { end: 'run', baseBytes: 17 } })
  })

  it('holds nothing if it is missing or empty', async () => {
    writeFileSync(join(folder, 'empty'), '')
    for (const name of ['missing', 'empty'])
      expect(await scanned(join(folder, name))).toMatchObject({ mark: undefined, committedBytes: 0, records: [] })
  })
})
