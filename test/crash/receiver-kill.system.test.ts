// `tender-sync webhooks` is killed at any moment, and the power fails after it: every hit that it answered with 2xx is
// stored, once.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from '../free-port.ts'
import type { PlantedEdit } from '../planted-edit.ts'
import { proofCount, proofDraw } from '../proof/proof-count.ts'
import {
  hitKinds,
  hitMessage,
  type KeptHit,
  ndjsonHits,
  newSecret,
  openHitTarget,
  post,
  type ReceiverProcess,
  sqliteHits,
  startReceiverProcess,
} from '../tender-sync/receiver-world.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { openDeliveryWorld } from '../webhooks/delivery-world.ts'
import { openTestStore } from '../world.ts'
import { type Call, readTrace, TracedDisk, tracedCalls } from './traced-disk.ts'

const kills = proofCount({ share: 4, full: 200 })
const messagesPerLife = 15
/** The system calls at which it is killed: those that make something durable, or all that write. */
const deadly = [
  'fsync',
  'fdatasync',
  ...(proofCount({ share: 0, full: 1 }) === 1 ? ['write', 'rename', 'pwrite64'] : []),
]

test.each(hitKinds)(
  `a receiver that is killed keeps each hit once, in %s (SEED=${seed})`,
  async (kind) => {
    const random = randomOf(seed)
    await using target = await openHitTarget(kind)
    await using store = await openTestStore('embedded')
    const world = await openDeliveryWorld(store, Date.now() - 60_000)
    const port = await freePort()
    const { endpointNo, secret } = await world.addEndpoint(`http://127.0.0.1:${port}/`)
    const expected = new Map<string, string>()
    let repeats = 0
    for (let life = 1; life <= kills + 1; life++) {
      const { rows: waiting } = await sql<{ count: number }>`
        select count(*)::integer as count from delivery where state = 'due'`.execute(store.db)
      // messages left by the previous process are sent first: with 15 new ones in each, most of the time would be spent
      // on messages that nobody accepts
      for (let count = waiting[0]!.count; count < messagesPerLife; count++) {
        const hit = await world.addHit(`Asphalt ${life} ${count}`)
        expected.set(hit.hitId, await world.addDelivery(endpointNo, hit))
      }
      // time passes until the next attempt
      await sql`update delivery set due_at = 0, attempts = 0 where state = 'due'`.execute(store.db)
      await using receiver = await startReceiverProcess(target.sink, { secret, port })
      const delivering = world.deliver()
      if (life <= kills) {
        while (!receiver.events.some(({ event }) => event === 'hit')) await delay(1)
        await delay(random.integer(0, 40))
        receiver.kill()
      }
      await delivering
      repeats += receiver.events.filter(({ outcome }) => outcome === 'held').length
      await receiver[Symbol.asyncDispose]()
      const { rows } = await sql<{ id: string }>`
      select hit_id as id from delivery where state = 'delivered'`.execute(store.db)
      const kept = new Set(target.rows().map(({ hitId }) => hitId))
      expect(rows.filter(({ id }) => !kept.has(id))).toEqual([])
    }
    console.log(`${kind}: ${kills} kills, ${expected.size} hits, ${repeats} came again`)
    expect(target.rows().map(({ hitId, webhookId }) => [hitId, webhookId])).toEqual(
      [...expected].sort(([a], [b]) => (a < b ? -1 : 1)),
    )
    await world.close()
  },
  1_800_000,
)

const hasStrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0
if (!hasStrace) console.log('skipped: power cuts of the receiver (no strace, or no right to use it)')
const aside = mkdtempSync(join(tmpdir(), 'tender-cut-'))
afterAll(() => rmSync(aside, { recursive: true, force: true }))

const trace = join(aside, 'trace')
const strace = ['strace', '-f', '-x', '-s', '1000000', '-o', trace, '-e', `trace=${tracedCalls}`]

/** A new hit, and a change of an existing one, at each call. */
const trials = deadly.flatMap((call) => [false, true].map((isChange) => ({ call, isChange })))

type FileKind = 'sqlite' | 'ndjson'
const rowsIn = (kind: FileKind, folder: string): KeptHit[] =>
  kind === 'sqlite' ? sqliteHits(join(folder, 'tenders.db')) : ndjsonHits(folder)

/**
 * A receiver is killed at the nth of a system call, the next one receives the same message again, and the power fails
 * as soon as that is acknowledged. This is done for each call and kind of message, and every n until the first receiver
 * acknowledges the message itself; strace counts each call separately, so with several at once the frequent one would
 * hide the others. Returns the first hit that was lost, or undefined; `steps` is the number of moments.
 */
async function firstLost(
  kind: FileKind,
  planted?: PlantedEdit,
): Promise<{ readonly steps: number; readonly lost: string | undefined }> {
  await using target = await openHitTarget(kind)
  const { folder, sink } = target
  const secret = newSecret()
  const traced = (...more: string[]) => ({ secret, ...(planted && { planted }), before: [...strace, ...more] })
  const first = await startReceiverProcess(sink, { secret })
  const known = hitMessage()
  expect(await post(first.url, known, [secret])).toBe(204)
  await first[Symbol.asyncDispose]()
  for (let [step, nth, which] = [1, 1, 0]; ; step++, nth++) {
    expect(nth).toBeLessThan(100)
    const disk = new TracedDisk(folder)
    const { call: deadlyCall, isChange } = trials[which]!
    const message = hitMessage(isChange ? { hitId: known.hitId, modified: step, changes: ['deadline'] } : {})
    const isKept = (at: string) => rowsIn(kind, at).some(({ webhookId }) => webhookId === message.id)
    const killing = await startReceiverProcess(
      sink,
      traced('-e', `inject=${deadlyCall}:signal=KILL:when=${nth}`),
    ).catch(() => undefined)
    const answer = killing && (await post(killing.url, message, [secret]))
    await killing?.[Symbol.asyncDispose]()
    let calls = readTrace(trace)
    if (answer !== 204) {
      for (const call of calls) disk.apply(call)
      await using second = await startReceiverProcess(sink, traced())
      expect(await post(second.url, message, [secret])).toBe(204)
      await second[Symbol.asyncDispose]()
      calls = readTrace(trace)
    }
    const acknowledged = calls.findIndex((call) => isAcknowledged(call, message.id))
    expect(acknowledged).toBeGreaterThan(0)
    for (const call of calls.slice(0, acknowledged)) disk.apply(call)
    const random = randomOf(seed, step)
    for (const keepsPage of [() => false, () => random.chance(0.5)]) {
      const after = join(aside, 'after')
      rmSync(after, { recursive: true, force: true })
      mkdirSync(after)
      disk.cutInto(after, keepsPage)
      let third: ReceiverProcess | undefined
      try {
        third = await startReceiverProcess(sink.replace(folder, after), { secret })
      } catch (error) {
        return { steps: step, lost: `after step ${step} it does not start: ${(error as Error).message}` }
      }
      const isThere = isKept(after)
      const first = rowsIn(kind, after).filter(({ hitId }) => hitId === known.hitId).length
      await third[Symbol.asyncDispose]()
      if (!isThere || first !== 1) return { steps: step, lost: `after step ${step}: ${isThere}, ${first}` }
    }
    if (answer !== 204) continue
    if (++which === trials.length) return { steps: step, lost: undefined }
    nth = 0
  }
}

/** The line that the receiver prints before it answers. Strace writes a text with an umlaut in hexadecimal. */
const isAcknowledged = ({ name, args }: Call, id: string): boolean =>
  name === 'write' &&
  args.startsWith('1, ') &&
  args.includes([...Buffer.from(id)].map((byte) => `\\x${byte.toString(16)}`).join(''))

const mistakes: readonly (PlantedEdit & { readonly kind: FileKind })[] = [
  {
    name: 'SQLite commits without waiting for the disk',
    kind: 'sqlite',
    file: 'client/src/sinks/sqlite/sqlite-database.ts',
    from: 'PRAGMA synchronous = FULL',
    to: 'PRAGMA synchronous = OFF',
  },
  {
    name: 'what a killed process left is believed to be durable',
    kind: 'ndjson',
    file: 'client/src/hits/ndjson-hits.ts',
    from: '  await makeDurable(file)\n',
    to: '',
  },
  {
    name: 'a line without fsync',
    kind: 'ndjson',
    file: 'client/src/hits/ndjson-hits.ts',
    from: '        await handle.datasync()\n',
    to: '',
  },
]

describe.skipIf(!hasStrace)('a kill at each moment, and a power cut after the next acknowledgement', () => {
  test.each(['sqlite', 'ndjson'] as const)(
    'loses nothing in %s',
    async (kind) => {
      const { steps, lost } = await firstLost(kind)
      console.log(`${kind}: killed at ${steps - 1} moments`)
      expect(lost).toBeUndefined()
      expect(steps).toBeGreaterThan(1)
    },
    1_800_000,
  )

  test.each(proofDraw(mistakes, 2).map((each) => [each.name, each.kind, each] as const))(
    'the planted mistake is found: %s (%s)',
    async (name, kind, planted) => {
      const { lost } = await firstLost(kind, planted)
      console.log(`planted: ${name}: ${lost ?? 'not found'}`)
      expect(lost).toBeDefined()
    },
  )

  // Another receiver may have written it, and been killed before it was durable.
  test('a repeated message is acknowledged only after SQLite made the stored row durable', async () => {
    expect(await syncsForRepeated()).toBeGreaterThan(0)
    const planted: PlantedEdit = {
      name: 'a repeated message is believed to be durable',
      file: 'client/src/hits/sqlite-hits.ts',
      from: 'if (written === 0) touch.run',
      to: 'if (written === 2) touch.run',
    }
    expect(await syncsForRepeated(planted)).toBe(0)
  })
})

async function syncsForRepeated(planted?: PlantedEdit): Promise<number> {
  await using target = await openHitTarget('sqlite')
  const secret = newSecret()
  const receiver = await startReceiverProcess(target.sink, { secret, before: strace, ...(planted && { planted }) })
  const message = hitMessage()
  for (let time = 0; time < 2; time++) expect(await post(receiver.url, message, [secret])).toBe(204)
  await receiver[Symbol.asyncDispose]()
  const calls = readTrace(trace)
  const [first, second] = calls.flatMap((call, index) => (isAcknowledged(call, message.id) ? [index] : []))
  return calls.slice(first, second).filter(({ name }) => /sync/.test(name)).length
}
