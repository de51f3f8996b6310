// A slot in parts: where it continues, and what its end says.
import { expect, test } from 'vitest'
import type { FetchContext, Json, SlotEnd, Step } from '../fetch.ts'
import { inParts, type Part } from './in-parts.ts'

/** A part with one step, that ends as given. */
const part = (key: string, end: SlotEnd, read: string[]): Part => ({
  key,
  delivery: {
    kind: 'own',
    fetch: async function* ({ checkpoint }: FetchContext) {
      read.push(`${key} from ${JSON.stringify(checkpoint)}`)
      yield { documents: [], entries: 0, checkpoint: `${key} at 1` }
      return end
    },
  },
})

async function run(ends: readonly SlotEnd[], checkpoint?: Json) {
  const read: string[] = []
  const fetch = inParts(async () => ends.map((end, index) => part('abc'[index]!, end, read)))
  const reading = fetch({ slot: {}, checkpoint } as unknown as FetchContext)
  const steps: Step[] = []
  for (;;) {
    const result = await reading.next()
    if (result.done) return { read, checkpoints: steps.map((step) => step.checkpoint), end: result.value }
    steps.push(result.value)
  }
}

const complete = { kind: 'complete' } as const
const short = (missing: string) => ({ kind: 'short', missing }) as const

test('a slot whose parts are complete is complete, one with a short part says which', async () => {
  expect((await run([complete, complete])).end).toEqual(complete)
  expect((await run([])).end).toEqual(complete)
  expect((await run([short('1-2026'), complete, short('5')])).end).toEqual(short('a: 1-2026; c: 5'))
})

test.each<[Json | undefined, readonly string[]]>([
  [undefined, ['a from undefined', 'b from undefined']],
  [null, ['a from undefined', 'b from undefined']],
  [['b'], ['a from undefined', 'b from undefined']],
  [{ part: 'b' }, ['a from undefined', 'b from undefined']],
  [{ part: 'gone', at: 7 }, ['a from undefined', 'b from undefined']],
  [{ part: 'a', at: 7 }, ['a from 7', 'b from undefined']],
  [{ part: 'b', at: 7 }, ['b from 7']],
])('from %j it continues inside that part', async (checkpoint, expected) => {
  const { read, checkpoints } = await run([complete, complete], checkpoint)
  expect(read).toEqual(expected)
  expect(checkpoints.at(-1)).toEqual({ part: 'b', at: 'b at 1' })
})
