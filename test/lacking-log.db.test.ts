// A log on disk whose files are intact by all their checksums, but which lacks records: what a fault of the program
// would leave. It is found when the log is opened, not served, and rebuilt.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hourMs } from '../src/domain/time.ts'
import { type Frame, IndexFile } from '../src/edition/format/index-file.ts'
import { catchUp, openEditionLog } from '../src/edition/write/edition-log.ts'
import { publish } from '../src/publish/publish.ts'
import { putNumbered, readNewest, startOfStock } from './numbered-tenders.ts'
import { openTestStore } from './world.ts'

const batchSize = 256

/**
 * Writes what a fault leaves of the frames of edition 2, which has more than one batch; `missing` entries of it are not
 * there.
 */
const faults: readonly [name: string, missing: (count: number) => number][] = [
  ['all records of an edition', (count) => count],
  ['the last of them', (count) => count - Math.floor((count - 1) / batchSize) * batchSize],
]

test.each(faults)('a log that lacks %s is not served, and is rebuilt from the database', async (_, missingOf) => {
  await using store = await openTestStore('embedded')
  const folder = mkdtempSync(join(tmpdir(), 'lacking-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const warnings: string[] = []
  const options = { clock: () => startOfStock, onWarning: (warning: string) => warnings.push(warning) }
  const log = await openEditionLog(folder, options)
  for (const [edition, from] of [
    [1, 0],
    [2, 100],
  ] as const) {
    await putNumbered(store, from, from + 300, edition)
    await publish(store, { now: startOfStock + edition * hourMs, minIntervalMs: hourMs })
    await catchUp(log, store)
  }
  const whole = readNewest(log)
  expect(whole).toHaveLength(400)
  await log.close()

  const generation = join(folder, 'generation-1')
  rmSync(join(generation, 'checkpoint'), { force: true })
  const index = await IndexFile.open(join(generation, 'index.log'))
  const frames: Pick<Frame, 'type' | 'payload'>[] = []
  for await (const { type, payload } of index.frames()) frames.push({ type, payload: Uint8Array.from(payload) })
  const editions = frames.flatMap(({ type }, position) => (type === 'edition' ? [position] : []))
  expect(editions).toHaveLength(2)
  const missing = missingOf(300)
  const left = frames.slice(0, frames.length - 1 - Math.ceil(missing / batchSize))
  const last = JSON.parse(Buffer.from(frames.at(-1)!.payload).toString()) as { end: number }
  await index.truncate(0)
  for (const { type, payload } of left) await index.append(type, payload)
  await index.append('edition', Buffer.from(JSON.stringify({ ...last, end: last.end - missing })))
  await index.close()

  const opened = await openEditionLog(folder, options)
  onTestFinished(() => opened.close())
  expect(opened.newest).toBeUndefined()
  expect(warnings).toEqual([expect.stringMatching(/does not hold the records of edition 2, according to its checksum/)])
  await catchUp(opened, store)
  expect(opened.newest).toMatchObject({ edition: 2, records: 400 })
  expect(readNewest(opened)).toEqual(whole)
})
