// `tender-sync run --bulk`: the first run comes from files, whatever happens to them, and the copy is one published
// edition.
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ndjsonSink } from '../../client/src/sinks/ndjson-sink.ts'
import { parseDigest } from '../../client/src/sync/copy-digest.ts'
import { openBulkProxy } from '../testing/bulk-proxy.ts'
import { type BulkWorld, openBulkWorld } from '../testing/bulk-world.ts'
import { openCommandWorld } from './command-world.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

async function openWorld(options: Parameters<typeof openBulkWorld>[0] = { records: 400 }) {
  const service = await openBulkWorld(options)
  closers.push(() => service[Symbol.asyncDispose]())
  const commands = await openCommandWorld()
  closers.push(() => commands[Symbol.asyncDispose]())
  const sync = (line: string, change = {}) =>
    commands.sync(line, { variables: { TENDER_TOKEN: service.token, HOME: commands.folder }, ...change })
  const work = () => readdirSync(join(commands.folder, 't.db.sync'))
  return { service, sync, folder: commands.folder, work }
}

/** The state of a copy, and whether it is the newest edition. */
async function copyOf(folder: string, { log }: BulkWorld, name = 't.ndjson') {
  const sink = ndjsonSink({ file: join(folder, name) })
  const state = await sink.state!.load()
  await sink.end()
  const digest = parseDigest(log.newest!.checksum!)!
  return { isEqual: state?.copy?.all === digest.all, isOpenEqual: state?.copy?.open === digest.open, state }
}

const noSleep = { sleep: async () => {} }

describe('tender-sync run --bulk', () => {
  test('C147, C162: the first run comes from files, the changes from the list, with few requests', async () => {
    const { service, sync, folder } = await openWorld()
    await service.publish(range(0, 1000))
    await service.files.update()
    await service.publish([...range(990, 1100), 5, 17, 33])
    await service.files.update()
    const first = await sync(`run --url ${service.origin} --sink ndjson:$t.ndjson --initial history --bulk --json`)
    expect(first.code, first.out + first.err).toBe(0)
    expect(await copyOf(folder, service)).toMatchObject({
      isEqual: true,
      state: { copy: { isDifferent: false, edition: 2 } },
    })
    expect(service.asked.filter((path) => path.startsWith('/v1'))).toHaveLength(1)
    // the manifest, four files of records, and their heads
    expect(service.asked.filter((path) => path.startsWith('/bulk'))).toHaveLength(9)
    expect(readdirSync(join(folder, 't.ndjson.sync'))).not.toContain('bulk')
    // an edition that has no files yet follows by the list
    await service.publish([7, 16, 2000])
    const delta = await sync(`run --url ${service.origin} --sink ndjson:$t.ndjson --initial history --bulk`)
    expect(delta.out).toContain('delta run')
    expect((await copyOf(folder, service)).isEqual).toBe(true)
  })

  test('a copy of what is open is the edition too, and goes on from a later one', async () => {
    const { service, sync, folder } = await openWorld()
    await service.publish(range(0, 700))
    await service.files.update()
    await service.publish(range(600, 800))
    const first = await sync(`run --url ${service.origin} --sink ndjson:$t.ndjson --bulk`)
    expect(first.code, first.err).toBe(0)
    expect(await copyOf(folder, service)).toMatchObject({ isOpenEqual: true, state: { copy: { edition: 2 } } })
  })

  test.each([
    ['a flipped byte', (bytes: Buffer) => bytes.fill(bytes[200]! ^ 1, 200, 201)],
    ['a cut file', () => 'cut' as const],
    ['a failure of the service', () => 503],
    ['a link that has ended', () => 403],
    ['a file that is gone', () => 404],
  ])('%s is noticed, and what is there is not loaded again', async (_name, fault) => {
    const { service, sync, folder } = await openWorld()
    await service.publish(range(0, 1000))
    await service.files.update()
    const proxy = await openBulkProxy(service.origin)
    proxy.faults.push((bytes) => bytes, fault as never)
    const run = await sync(`run --url ${proxy.origin} --sink ndjson:$t.ndjson --initial history --bulk`, noSleep)
    expect(run.code, run.out + run.err).toBe(0)
    expect(run.err).not.toContain('in place of files')
    expect((await copyOf(folder, service)).isEqual).toBe(true)
    const loads = service.asked.filter((path) => path.startsWith('/bulk/files'))
    expect(loads.filter((path) => path === loads[0])).toHaveLength(1)
  })

  test('where there are no files, or they cannot be right, the list brings the records, and that is said', async () => {
    const { service, sync, folder } = await openWorld({ records: 400, requestsPerMinute: 100_000 })
    await service.publish(range(0, 500))
    await service.files.update()
    const proxy = await openBulkProxy(service.origin)
    proxy.faults.push(...Array.from({ length: 20 }, () => (bytes: Buffer) => bytes.fill(0)))
    const wrong = await sync(`run --url ${proxy.origin} --sink ndjson:$t.ndjson --initial history --bulk`, noSleep)
    expect([wrong.code, wrong.err]).toEqual([0, expect.stringContaining('A file has another digest')])
    expect((await copyOf(folder, service)).isEqual).toBe(true)
    expect(readdirSync(join(folder, 't.ndjson.sync'))).not.toContain('bulk')
    service.tokens.grants[0] = { ...service.tokens.grants[0]!, hasBulkFiles: false }
    // the table of tokens looks again
    service.tokens.add('two')
    await new Promise((done) => setTimeout(done, 300))
    const none = await sync(`run --url ${service.origin} --sink ndjson:$u.ndjson --initial history --bulk`)
    expect([none.code, none.err]).toEqual([
      0,
      expect.stringContaining('The contract of this organization has no files.'),
    ])
    expect((await copyOf(folder, service, 'u.ndjson')).isEqual).toBe(true)
    expect((await sync(`run --url ${service.origin} --sink ndjson:$v.ndjson --bulk --filter nuts=DE`)).code).toBe(2)
  })

  test('C164: a redaction between manifest and file leaves no file, and the next manifest names none of before', async () => {
    const { service, sync, folder } = await openWorld({ records: 400, requestsPerMinute: 100_000 })
    await service.publish(range(0, 1000))
    await service.files.update()
    const before = readdirSync(service.bulk).filter((name) => name.endsWith('.gz'))
    const proxy = await openBulkProxy(service.origin)
    let isRedacted = false
    proxy.faults.push((bytes) => {
      void (async () => {
        service.pass(1000)
        await service.files.noteRedaction(Date.UTC(2026, 10, 2, 2) + 1000)
        await service.publish(range(0, 1000), 9)
        await service.files.update()
        isRedacted = true
      })()
      return bytes
    })
    const waiting = { sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, Math.min(ms, 200))) }
    const run = await sync(`run --url ${proxy.origin} --sink ndjson:$t.ndjson --initial history --bulk`, waiting)
    expect(isRedacted).toBe(true)
    expect(run.code, run.err).toBe(0)
    const named = new Set(service.shown.state!.files.map(({ sha256 }) => `${sha256}.ndjson.gz`))
    for (const name of before) {
      expect(named.has(name)).toBe(false)
      expect(readdirSync(service.bulk)).not.toContain(name)
    }
    expect(await copyOf(folder, service)).toMatchObject({ isEqual: true, state: { copy: { edition: 2 } } })
  })

  test('a run that was stopped goes on in its files; without them the list brings the rest', async () => {
    const { service, sync, folder } = await openWorld({ records: 700, requestsPerMinute: 100_000 })
    await service.publish(range(0, 2000))
    await service.files.update()
    const stopped = async () => {
      const controller = new AbortController()
      const line = `run --url ${service.origin} --sink sqlite:$t.db --initial history --bulk --json`
      const run = await sync(line, {
        signal: controller.signal,
        stdout: {
          write: (text: string) => {
            if (text.includes('"event":"files"')) setTimeout(() => controller.abort(), 300)
          },
        },
      })
      expect(run.code).toBe(4)
    }
    await stopped()
    const isThere = readdirSync(join(folder, 't.db.sync')).includes('bulk')
    if (isThere) {
      const files = readdirSync(join(folder, 't.db.sync', 'bulk'))
      writeFileSync(join(folder, 't.db.sync', 'bulk', files.find((name) => name.endsWith('.gz'))!), 'x')
    }
    rmSync(join(folder, 't.db.sync', 'bulk', 'manifest.json'), { force: true })
    const line = `--url ${service.origin} --sink sqlite:$t.db --initial history`
    const end = await sync(`run ${line} --bulk`)
    expect(end.code, end.err).toBe(0)
    expect((await sync(`verify ${line}`)).code).toBe(0)
  })
})
