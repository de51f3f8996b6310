import { expect, test } from 'vitest'
import { GradualSync } from './gradual-sync.ts'

const step = 8 * 1024 * 1024

/** A file whose disk is as slow as the test says. */
function slowFile() {
  const syncs: PromiseWithResolvers<void>[] = []
  return {
    syncs,
    datasync: () => {
      const sync = Promise.withResolvers<void>()
      syncs.push(sync)
      return sync.promise
    },
  }
}

async function isDone(work: Promise<unknown>): Promise<boolean> {
  let done = false
  void work.then(
    () => (done = true),
    () => (done = true),
  )
  await new Promise((resolve) => setImmediate(resolve))
  return done
}

test('a step begins when enough was written, and writing waits only if the disk is behind by one', async () => {
  const file = slowFile()
  const sync = new GradualSync(file)
  await sync.wrote(step - 1)
  expect(file.syncs).toHaveLength(0)
  await sync.wrote(1)
  expect(file.syncs).toHaveLength(1)
  await sync.wrote(step - 1)
  const behind = sync.wrote(1)
  expect(await isDone(behind)).toBe(false)
  expect(file.syncs).toHaveLength(1)
  file.syncs[0]!.resolve()
  await behind
  expect(file.syncs).toHaveLength(2)
})

test('the end waits for the running step, and then for everything', async () => {
  const file = slowFile()
  const sync = new GradualSync(file)
  await sync.wrote(step)
  const end = sync.finish()
  expect(await isDone(end)).toBe(false)
  file.syncs[0]!.resolve()
  expect(await isDone(end)).toBe(false)
  expect(file.syncs).toHaveLength(2)
  file.syncs[1]!.resolve()
  await end
})

test.each(['wrote', 'settle', 'finish'] as const)(
  'a step that failed is reported by the next %s, once',
  async (next) => {
    const file = slowFile()
    const sync = new GradualSync(file)
    await sync.wrote(step)
    file.syncs[0]!.reject(new Error('the disk is gone'))
    await expect(sync[next](step)).rejects.toThrow('the disk is gone')
    const end = sync.finish()
    expect(await isDone(end)).toBe(false)
    file.syncs[1]!.resolve()
    await end
  },
)
