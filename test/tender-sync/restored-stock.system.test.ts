// What clients of a service notice that was restored from a backup, with and without a new epoch.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startOfTests } from '../api-world.ts'
import { plainId } from '../memory-editions.ts'
import { type CommandWorld, openCommandWorld } from './command-world.ts'

const hourMs = 3_600_000
const records = (from: number, to: number, title = 'Works') =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    id: plainId(from + index),
    title: `${title} ${from + index}`,
  }))
const awarded = (number: number) => ({ id: plainId(number), status: 'awarded', archiveReason: 'awarded' }) as const
const said = (text: string) => text.replaceAll(/\s+/g, ' ')
const lostOnce = 'no longer has 1 record of the copy; it is closed with the reason "lost"'
const schema = `restored_${process.pid}`
const postgres = process.env.TEST_DATABASE_URL
if (!postgres) console.log('skipped: a restored stock with PostgreSQL (no TEST_DATABASE_URL)')

type Held = { readonly id: string; readonly title: string; readonly status: string; readonly archiveReason?: string }
/** What an NDJSON copy holds of a record. */
const heldIn = (folder: string, number: number): Held | undefined =>
  readFileSync(join(folder, 't.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Held)
    .find(({ id }) => id === plainId(number))

/** A copy of edition 2, whose record 31 came after the backup. Then the service is restored, in a new epoch. */
async function restored(world: CommandWorld, sink: string, number = 31, change = {}): Promise<void> {
  const { editions } = world.api
  editions.publish(startOfTests, records(1, 30))
  editions.publish(startOfTests + hourMs, [{ ...records(number, number)[0]!, ...change }, awarded(3)])
  expect(await world.sync(`run ${world.url} ${sink} --quiet`)).toMatchObject({ code: 0, err: '' })
  editions.restore(1, 21_807_361)
  editions.publish(startOfTests + 3 * hourMs, records(1, 30))
}

describe('D59: a restore that lost a record, in a new epoch', () => {
  const sinks = [
    'sqlite:$t.db',
    'ndjson:$t.ndjson',
    'csv:$t.csv',
    'parquet:$t.parquet',
    'exec:cat --state $state',
    ...(postgres ? [`postgres:${postgres} --option schema=${schema}`] : []),
  ]
  it.each(sinks.flatMap((sink) => ['open', 'history'].map((initial) => [sink, initial] as const)))(
    'it is closed once in %s (%s), and said once; every run completes, and the copy equals the stock',
    async (target, initial) => {
      await using world = await openCommandWorld()
      const { sync, url } = world
      const name = target.includes('schema=') ? `${target}_${initial}` : target
      const sink = `--sink ${name} --initial ${initial}`
      await restored(world, sink)
      const first = await sync(`run ${url} ${sink} --quiet`)
      expect(first.code, first.err).toBe(0)
      expect(said(first.err)).toContain(lostOnce)
      for (let runs = 0; runs < 3; runs++) {
        world.api.editions.publish(startOfTests + (4 + runs) * hourMs, records(5, 6, `Changed ${runs}`))
        expect(await sync(`run ${url} ${sink} --quiet`)).toMatchObject({ code: 0, err: '' })
      }
      const verified = await sync(`verify ${url} --sink ${name} --json`)
      expect(JSON.parse(verified.out)).toMatchObject({ result: 'equal' })
      // The sources bring it again.
      world.api.editions.publish(startOfTests + 8 * hourMs, records(31, 31))
      expect(await sync(`run ${url} ${sink} --quiet`)).toMatchObject({ code: 0, err: '' })
      expect(JSON.parse((await sync(`verify ${url} --sink ${name} --json`)).out)).toMatchObject({
        result: 'equal',
        held: 31,
      })
    },
  )

  it('it keeps its content, with a status and a reason of its own, and is open again when it comes back', async () => {
    await using world = await openCommandWorld()
    const sink = '--sink ndjson:$t.ndjson'
    await restored(world, sink)
    await world.sync(`run ${world.url} ${sink} --quiet`)
    expect(heldIn(world.folder, 31)).toMatchObject({ title: 'Works 31', status: 'lost', archiveReason: 'lost' })
    world.api.editions.publish(startOfTests + 8 * hourMs, records(31, 31))
    await world.sync(`run ${world.url} ${sink} --quiet`)
    expect(heldIn(world.folder, 31)).toMatchObject({ status: 'open' })
    expect(heldIn(world.folder, 31)).not.toHaveProperty('archiveReason')
  })

  it('verify by the list does not count it as surplus', async () => {
    await using world = await openCommandWorld()
    const sink = '--sink sqlite:$t.db'
    await restored(world, sink)
    await world.sync(`run ${world.url} ${sink} --quiet`)
    world.api.editions.publish(startOfTests + 4 * hourMs, records(7, 7, 'Changed'))
    await world.sync(`run ${world.url} ${sink} --quiet --max-wait 0`, {
      fetch: async () => new Response('', { status: 500 }),
    })
    const { out } = await world.sync(`verify ${world.url} ${sink} --json`, {
      // Without a digest the list decides.
      fetch: async (input, init) => {
        const { body, status, headers } = await fetch(input, init)
        return new Response(body, {
          status,
          headers: [...headers].filter(([name]) => !/x-stock-digest|content-(length|encoding)/.test(name)),
        })
      },
    })
    expect(JSON.parse(out)).toMatchObject({ by: 'list', surplus: [] })
  })

  it('an archived record that was lost is closed as well where the copy keeps the archive', async () => {
    await using world = await openCommandWorld()
    const sink = '--sink ndjson:$t.ndjson --initial history'
    await restored(world, sink, 31, awarded(31))
    const { code, err } = await world.sync(`run ${world.url} ${sink} --quiet`)
    expect({ code, text: said(err) }).toEqual({ code: 0, text: expect.stringContaining(lostOnce) })
    expect(heldIn(world.folder, 31)).toMatchObject({ title: 'Works 31', status: 'lost' })
    expect(await world.sync(`run ${world.url} ${sink} --quiet`)).toMatchObject({ code: 0, err: '' })
  })
})

describe('D59: a restore without a new epoch: the API answers with older editions than the copy holds', () => {
  /** The answers as they come `hours` after the start. */
  const at =
    (hours: number): typeof globalThis.fetch =>
    async (input, init) => {
      const { body, status, headers } = await fetch(input, init)
      const kept = [...headers].filter(([name]) => !/^date$|content-(length|encoding)/.test(name))
      const date = new Date(startOfTests + (24 + hours) * hourMs).toUTCString()
      return new Response(body, { status, headers: [...kept, ['date', date]] })
    }

  it.each(['sqlite:$t.db', 'ndjson:$t.ndjson', 'exec:cat --state $state', 'sqlite:$t.db --filter cpv=45000000'])(
    'is a warning after two hours and a failure after six, in %s; it ends when the copy is reached',
    async (target) => {
      await using world = await openCommandWorld()
      const { sync, url, api } = world
      const line = `run ${url} --sink ${target} --quiet`
      const works = (from: number, to: number) => records(from, to).map((each) => ({ ...each, cpvCodes: ['45000000'] }))
      api.editions.publish(startOfTests, works(1, 30))
      for (let hour = 1; hour <= 12; hour++)
        api.editions.publish(startOfTests + hour * hourMs, works(30 + hour, 30 + hour))
      expect(await sync(line, { fetch: at(0) })).toMatchObject({ code: 0, err: '' })
      api.editions.restore(1)
      const seen: unknown[] = []
      for (let hour = 1; hour <= 8; hour++) {
        api.editions.publish(startOfTests + (12 + hour) * hourMs, works(hour, hour))
        const { code, err } = await sync(line, { fetch: at(hour) })
        seen.push([hour, code, /older editions than the copy holds for (\d+) hours/.exec(said(err))?.[1]])
        if (code === 4) expect(said(err)).toContain('Everything that was delivered is in the copy')
      }
      expect(seen).toEqual([
        ...[1, 2].map((hour) => [hour, 0, undefined]),
        ...[3, 4, 5, 6].map((hour) => [hour, 0, String(hour - 1)]),
        ...[7, 8].map((hour) => [hour, 4, String(hour - 1)]),
      ])
      // An operator begins a new epoch.
      api.editions.restore(9, 21_807_361)
      api.editions.publish(startOfTests + 24 * hourMs, works(1, 30))
      const { code, err } = await sync(line, { fetch: at(9) })
      expect(code, err).toBe(0)
      expect(err).not.toContain('older editions')
      expect(await sync(line, { fetch: at(40) })).toMatchObject({ code: 0, err: '' })
    },
  )

  it('a node that lags for an hour, and a run that reaches the newest edition in between, cause nothing', async () => {
    await using world = await openCommandWorld()
    const { sync, url, api } = world
    const line = `run ${url} --sink sqlite:$t.db --quiet`
    api.editions.publish(startOfTests, records(1, 30))
    api.editions.publish(startOfTests + hourMs, records(31, 31))
    await sync(line, { fetch: at(0) })
    for (const hour of [1, 4, 7, 10]) {
      api.editions.restore(1)
      expect(await sync(line, { fetch: at(hour) })).toMatchObject({ code: 0, err: '' })
      api.editions.publish(startOfTests + hourMs, records(31, 31))
      expect(await sync(line, { fetch: at(hour + 1) })).toMatchObject({ code: 0, err: '' })
    }
  })
})
