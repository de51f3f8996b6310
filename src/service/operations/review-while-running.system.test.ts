// Review decisions through a running service: its process holds the stock, and each command reaches it over the control
// socket.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import { type PrintedEvent, readPrintedEvent } from '../../../test/testing/printed-event.ts'
import { systemClock } from '../../platform/clock.ts'

const program = new URL('../../bin/tenderstock.ts', import.meta.url).pathname
// the embedded engine: only the service can open the stock, so no command can bypass it
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const day = (offset: number) => `${new Date(systemClock() + offset * 86_400_000).toISOString().slice(0, 10)}T10:00:00Z`

/** A made-up call on one of two British portals. */
function call(prefix: string, number: string, title: string, times: { published: number; deadline: number }) {
  return {
    ocid: `${prefix}-${number}`,
    id: `${prefix}-${number}-1`,
    date: day(times.published),
    tag: ['tender'],
    language: 'en',
    buyer: { id: 'B1', name: 'Quillbridge Harbour Commissioners' },
    parties: [{ id: 'B1', name: 'Quillbridge Harbour Commissioners', roles: ['buyer'] }],
    tender: { id: number, title, status: 'active', tenderPeriod: { endDate: day(times.deadline) } },
  }
}

const quay = 'Replacement of timber fenders, mooring bollards and ladders along Saltmarsh Quay'
const documents = {
  // much indicates one tender, but nothing corroborates it: left to people
  'a.json': call('ocds-h6vhtk', '0a1b2c', quay, { published: -12, deadline: 30 }),
  'b.json': call('ocds-r6ebe6', '77', `${quay}, including dredging`, { published: -1, deadline: 41 }),
  // equal to the minute: joined by the rules
  'c.json': call('ocds-h6vhtk', '0d1e2f', 'Overhaul of the pilot cutter Marigold', { published: -3, deadline: 25 }),
  'd.json': call('ocds-r6ebe6', '78', 'Overhaul of the pilot cutter Marigold', { published: -3, deadline: 25 }),
}
const notices = { a: 'gb-find-a-tender', b: 'gb-public-contracts-scotland' }

function run(...args: readonly string[]) {
  return new Promise<{ exitCode: number; events: PrintedEvent[]; err: string }>((resolve) => {
    execFile(process.execPath, [program, ...args, '--json'], { env: environment }, (error, out, err) =>
      resolve({
        exitCode: error ? Number(error.code) : 0,
        events: out
          .split('\n')
          .filter(Boolean)
          .map((line) => readPrintedEvent(line)),
        err,
      }),
    )
  })
}

test('review list, show, merge and split reach the running service, are published, and survive a rebuild', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-review-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  const [data, given] = [join(folder, 'data'), join(folder, 'given')]
  await mkdir(given)
  for (const [name, release] of Object.entries(documents)) await writeFile(join(given, name), JSON.stringify(release))

  const options = ['--data', data, '--api-port', '0', '--no-samples', '--ingest', given]
  const child = spawn(process.execPath, [program, 'start', ...options, '--publish-interval-minutes', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment,
  })
  const exited = once(child, 'close')
  closers.push(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const ready = await new Promise<PrintedEvent>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const event = readPrintedEvent(line)
      if (event.event === 'ready') resolve(event)
    })
    child.once('exit', () => reject(new Error('the service ended before it was ready')))
  })

  const command = async (...args: readonly string[]) => {
    const outcome = await run(...args, '--data', data)
    expect(outcome, outcome.err).toMatchObject({ exitCode: 0 })
    return outcome.events
  }
  await command('organization', 'create', 'Acme')
  const { token } = (await command('token', 'create', 'Acme'))[0]!
  /** What clients see once everything so far is published. */
  const published = async () => {
    await command('publish')
    const reply = await fetch(`${ready.api}/v1/tenders?limit=100`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { data: records } = (await reply.json()) as { data: { id: string; title: string; archiveReason?: string }[] }
    return records.filter(({ archiveReason }) => archiveReason === undefined)
  }
  const titled = async (start: string) => (await published()).filter(({ title }) => title.startsWith(start))
  expect(await titled('Replacement')).toHaveLength(2)
  expect(await titled('Overhaul')).toHaveLength(1)

  const [review, ...others] = await command('review', 'list')
  expect(others).toEqual([])
  const [left, right] = [review!.left as { key: string }, review!.right as { key: string }]
  expect(review).toMatchObject({ event: 'review', rule: 'uncorroborated', isHeldApart: false })
  expect([left.key, right.key].map((key) => key.split(':')[0]).sort()).toEqual([notices.a, notices.b])

  const show = async (a: string, b: string) => (await command('review', 'show', a, b)).at(-1)
  expect(await show(left.key, right.key)).toMatchObject({ isOneRecord: false, decision: null })
  expect((await run('review', 'show', left.key, 'unknown', '--data', data)).exitCode).toBe(8)

  const merged = await command('review', 'merge', left.key, right.key, '--note', 'same quay')
  expect(merged.at(-1)).toMatchObject({ event: 'reviewDecided', decision: 'merge', records: [expect.any(String)] })
  expect(await titled('Replacement')).toHaveLength(1)

  // two that the rules had joined, named by what `explain` shows of the record
  const [cutter] = await titled('Overhaul')
  const explained = (await command('explain', cutter!.id)).at(-1)
  const [first, second] = (explained!.notices as { key: string }[]).map(({ key }) => key) as [string, string]
  expect((await command('review', 'split', first, second)).at(-1)).toMatchObject({
    decision: 'split',
    records: [expect.any(String), expect.any(String)],
  })
  expect(await titled('Overhaul')).toHaveLength(2)

  const before = await published()
  const rebuilt = (await command('rebuild')).find(({ event }) => event === 'rebuilt')
  expect(rebuilt).toMatchObject({ isSame: true, documents: 4 })
  expect(await published()).toEqual(before)
  expect(await show(left.key, right.key)).toMatchObject({ isOneRecord: true, decision: 'merge' })
  expect(await show(first, second)).toMatchObject({ isOneRecord: false, decision: 'split' })
  expect(await command('review', 'list')).toMatchObject([{ event: 'none' }])

  child.kill('SIGTERM')
  await exited
  expect(child.exitCode).toBe(0)
}, 300_000)
