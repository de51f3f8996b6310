import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { generateTender } from '../../../test/testing/generate/stock.ts'
import { seed } from '../../../test/testing/seed.ts'
import { type NewEntry, type PackedEntries, packEntries } from './pack-entries.ts'
import { Packers, packersFor } from './packers.ts'

console.log(`packers.test seed ${seed} (SEED repeats it)`)

const packers = new Packers()
afterEach(() => packers.end())
const most = 3

const now = Date.UTC(2026, 0, 1)
const batches: NewEntry[][] = Array.from({ length: 12 }, (_, batch) =>
  Array.from({ length: 1 + ((batch * 37) % 90) }, (_, index) => ({
    lastModified: now + batch * 100 + index,
    body: JSON.stringify(generateTender({ seed, count: 2000, now }, batch * 100 + index)),
    sources: index % 3 === 0 ? '["ted","doe"]' : '["ted"]',
  })),
)

function packedHere(edition: number, entries: readonly NewEntry[]): PackedEntries {
  const steps = packEntries(edition, entries)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

test('packers give the same as packing in this thread, each task its own', async () => {
  const packed = await Promise.all(batches.map((entries, index) => packers.pack(index + 1, entries, most)))
  for (const [index, entries] of batches.entries()) {
    const expected = packedHere(index + 1, entries)
    expect(packed[index]!.batch).toEqual(expected.batch)
    for (const kind of ['plain', 'gzip'] as const)
      expect(Buffer.concat(packed[index]![kind]).equals(Buffer.concat(expected[kind]))).toBe(true)
  }
})

test('released memory is reused, and holds what was packed last', async () => {
  let largest = 0
  for (const [index, entries] of batches.entries()) {
    const expected = packedHere(index + 1, entries)
    const packed = await packers.pack(index + 1, entries, 1)
    for (const kind of ['plain', 'gzip'] as const)
      expect(Buffer.concat(packed[kind]).equals(Buffer.concat(expected[kind]))).toBe(true)
    const { byteLength } = packed.plain[0]!.buffer
    expect(byteLength).toBeGreaterThanOrEqual(largest)
    largest = byteLength
    packers.giveBack(packed)
  }
})

test('an invalid record is refused with the reason, and the packer continues', async () => {
  const bad = [{ lastModified: now, body: '{"name":"no id"}', sources: '[]' }]
  const answers = await Promise.allSettled([
    packers.pack(1, bad, most),
    packers.pack(1, batches[0]!, most),
    packers.pack(1, bad, most),
  ])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
  await expect(packers.pack(1, bad, most)).rejects.toThrow('not the body of a record: {"name":"no id"}')
  expect((await packers.pack(1, batches[1]!, most)).batch.count).toBe(batches[1]!.length)
})

test('waiting calls are rejected when packers end, and later work finds new ones', async () => {
  const waiting = packers.pack(1, batches[0]!, most)
  packers.end()
  await expect(waiting).rejects.toThrow('a packer ended')
  expect((await packers.pack(1, batches[0]!, most)).batch.count).toBe(batches[0]!.length)
})

test('one packer stands by after a stock was built, and no more are started than an edition justifies', async () => {
  const threads = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
  expect([packersFor(1000), packersFor(100_000)]).toEqual([1, 1])
  expect(packersFor(5_000_000)).toBe(Math.min(4, availableParallelism()))
  const before = threads()
  const work = [packers.pack(1, batches[0]!, 2), packers.pack(1, batches[1]!, 2), packers.pack(1, batches[2]!, 2)]
  expect(threads() - before).toBe(2)
  await Promise.all(work)
  packers.rest()
  const more = [packers.pack(1, batches[0]!, 1), packers.pack(1, batches[1]!, 1)]
  expect((await Promise.all(more)).map(({ batch }) => batch.count)).toEqual([batches[0]!.length, batches[1]!.length])
})

test.runIf(process.platform === 'linux')('packers yield to other threads, which keep their priority', async () => {
  const priorities = (): Map<string, number> =>
    new Map(
      readdirSync('/proc/self/task').map((thread) => {
        const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]!.split(' ')
        return [thread, Number(fields[16])]
      }),
    )
  const before = priorities()
  await packers.pack(1, batches[0]!, most)
  const during = priorities()
  const usual = before.get(String(process.pid))!
  expect([...during].filter(([, nice]) => nice > usual)).toHaveLength(1)
  for (const [thread, nice] of before) if (during.has(thread)) expect(during.get(thread)).toBe(nice)
})
