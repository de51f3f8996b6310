// The main paths of the program in every run, on one stock that a real process makes once: start, what each sink that
// needs no server copies, backup and restore, export, rebuild, and a process that only serves.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sinkKinds, sinkNames } from '../../client/src/bin/sink-kinds.ts'
import { hourMs } from '../../src/domain/time.ts'
import { sampleDocuments } from '../../src/simulator/samples/sample-documents.ts'
import { type PrintedEvent, readPrintedEvent } from '../testing/printed-event.ts'
import { putEmptyStock } from '../world.ts'

const program = new URL('../../src/bin/tenderstock.ts', import.meta.url).pathname
const client = new URL('../../client/src/bin/tender-sync.ts', import.meta.url).pathname
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env

const folder = mkdtempSync(join(tmpdir(), 'tenderstock-short-'))
const data = join(folder, 'data')
const running: ChildProcess[] = []
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

async function launch(...args: readonly string[]): Promise<{ child: ChildProcess; ready: PrintedEvent }> {
  const child = spawn(process.execPath, [program, ...args, '--data', data, '--api-port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment,
  })
  running.push(child)
  for await (const line of createInterface({ input: child.stdout! })) {
    const event = readPrintedEvent(line)
    if (event.event === 'ready') {
      child.stdout!.resume()
      return { child, ready: event }
    }
  }
  throw new Error(`${args.join(' ')} ended before it was ready`)
}

async function end(child: ChildProcess): Promise<number | null> {
  child.kill('SIGTERM')
  if (child.exitCode === null) await once(child, 'close')
  return child.exitCode
}

/** The last event of a command that has to succeed. */
async function run(...args: readonly string[]): Promise<PrintedEvent> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, ...args, '--json'], { env: environment }, (error, out, err) => {
      if (error) reject(new Error(`${args.join(' ')} ended with ${error.code}: ${err || out}`))
      else resolve(readPrintedEvent(out.trim().split('\n').at(-1)!))
    })
  })
}

let token: string

async function firstPage({ api }: PrintedEvent): Promise<string> {
  const answer = await fetch(`${api}/v1/tenders?limit=20`, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.status).toBe(200)
  return JSON.stringify(((await answer.json()) as { data: unknown[] }).data)
}

describe('one stock', () => {
  let service: Awaited<ReturnType<typeof launch>>
  let page: string
  beforeAll(async () => {
    await putEmptyStock(data)
    const notices = join(folder, 'notices')
    mkdirSync(notices)
    const now = Date.now()
    for (const { path, write } of sampleDocuments(now - (now % hourMs), 'ted', now).slice(-60))
      writeFileSync(join(notices, path.replaceAll('/', '_')), write())
    service = await launch('start', '--ingest', notices, '--no-samples', '--trial-clock')
    await run('organization', 'create', 'Acme', '--requests-per-minute', '500', '--data', data)
    const created = await run('token', 'create', 'Acme', '--data', data)
    token = String(created.token)
    page = await firstPage(service.ready)
  })

  test('start reads the notices, publishes edition 1 and answers a token made beside it', () => {
    expect(service.ready).toMatchObject({ edition: 1, records: expect.any(Number) })
    expect(JSON.parse(page)).toHaveLength(20)
  })

  // those of servers have their imitations and databases in tests of their own
  const files = sinkNames.filter((kind) => sinkKinds[kind].isFile)
  const kinds: readonly (readonly [string, readonly string[]])[] = [
    ...files.map((kind) => [kind, [`${kind}:${join(folder, `a.${kind}`)}`]] as const),
    ['exec', ['exec', '--state', join(folder, 'exec'), '--', process.execPath, '-e', 'process.stdin.resume()']],
  ]
  let copied: number | undefined
  test.each(kinds)('tender-sync run copies every record: %s', async (_, sink) => {
    const { code, out } = await new Promise<{ code: number; out: string }>((resolve) => {
      execFile(
        process.execPath,
        [client, 'run', '--url', String(service.ready.api), '--json', '--sink', ...sink],
        { env: { ...environment, TENDER_TOKEN: token } },
        (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, out: stdout + stderr }),
      )
    })
    expect(code, out).toBe(0)
    const { counts } = JSON.parse(out.trim().split('\n').at(-1)!) as { counts: { records: number; upserted: number } }
    copied ??= counts.records
    expect(counts).toMatchObject({ records: copied, upserted: copied })
    expect(copied).toBeGreaterThan(20)
  })

  test('status and doctor find nothing wrong beside it', async () => {
    expect(await run('status', '--data', data)).toMatchObject({ event: 'status' })
    await run('doctor', '--data', data)
  })

  test('a backup beside it, restored into an empty folder, is rebuilt, exported and equal', async () => {
    const [backup, other] = [join(folder, 'backup'), join(folder, 'other')]
    expect(await run('backup', backup, '--data', data)).toMatchObject({ event: 'backedUp', edition: 1 })
    expect(await end(service.child)).toBe(0)
    expect(await run('restore', backup, '--data', other)).toMatchObject({ event: 'restored' })
    await run('rebuild', '--data', other)
    for (const [name, source] of [
      ['original', data],
      ['restored', other],
    ] as const)
      await run('edition', 'export', '--format', 'ndjson', '--out', join(folder, name), '--data', source)
    const files = readdirSync(join(folder, 'original')).sort()
    expect(files.length).toBeGreaterThan(1)
    expect(readdirSync(join(folder, 'restored')).sort()).toEqual(files)
    for (const file of files)
      expect(readFileSync(join(folder, 'restored', file)), file).toEqual(readFileSync(join(folder, 'original', file)))
  })

  test('serve alone answers the same page', async () => {
    const server = await launch('serve')
    expect(await firstPage(server.ready)).toBe(page)
    expect(await end(server.child)).toBe(0)
  })
})
