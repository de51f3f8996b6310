import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { generateTender } from '../../test/generate/stock.ts'
import { type NewEntry, type PackedEntries, packEntries } from './pack-entries.ts'
import { Packers } from './packers.ts'

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
console.log(`packers.test seed ${seed} (TEST_SEED repeats it)`)

const packers = new Packers()
afterEach(() => packers.rest())

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

test('packers give what packing in this thread gives, to each task its own', async () => {
  const packed = await Promise.all(batches.map((entries, index) => packers.pack(index + 1, entries)))
  for (const [index, entries] of batches.entries()) {
    const expected = packedHere(index + 1, entries)
    expect(packed[index]!.batch).toEqual(expected.batch)
    for (const kind of ['plain', 'gzip'] as const)
      expect(Buffer.concat(packed[index]![kind]).equals(Buffer.concat(expected[kind]))).toBe(true)
  }
})

test('what is no record is refused with the reason, and the packer goes on', async () => {
  const bad = [{ lastModified: now, body: '{"name":"no id"}', sources: '[]' }]
  const answers = await Promise.allSettled([packers.pack(1, bad), packers.pack(1, batches[0]!), packers.pack(1, bad)])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
  await expect(packers.pack(1, bad)).rejects.toThrow('not the body of a record: {"name":"no id"}')
  expect((await packers.pack(1, batches[1]!)).batch.count).toBe(batches[1]!.length)
})

test('who waits is told when packers are sent to rest, and later work finds new ones', async () => {
  const waiting = packers.pack(1, batches[0]!)
  packers.rest()
  await expect(waiting).rejects.toThrow('a packer ended')
  expect((await packers.pack(1, batches[0]!)).batch.count).toBe(batches[0]!.length)
})

test.runIf(process.platform === 'linux')('packers give way to other threads, which keep their priority', async () => {
  const priorities = (): Map<string, number> =>
    new Map(
      readdirSync('/proc/self/task').map((thread) => {
        const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]!.split(' ')
        return [thread, Number(fields[16])]
      }),
    )
  const before = priorities()
  await packers.pack(1, batches[0]!)
  const during = priorities()
  const usual = before.get(String(process.pid))!
  expect([...during].filter(([, nice]) => nice > usual)).toHaveLength(1)
  for (const [thread, nice] of before) if (during.has(thread)) expect(during.get(thread)).toBe(nice)
})
