// The commands as an operator runs them: separate processes, beside a running service, with a folder and with a bucket
// of a store that somebody else wrote.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
// @ts-expect-error: it comes without types
import S3Server from 's3rver'
import { afterEach, expect, test } from 'vitest'
import { type PrintedEvent, readPrintedEvent } from './testing/printed-event.ts'
import { putEmptyStock } from './world.ts'

const program = new URL('../src/bin/tenderstock.ts', import.meta.url).pathname
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

type Outcome = { readonly code: number; readonly events: readonly PrintedEvent[] }

function run(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args, '--json'], { env: { ...environment, ...env } }, (error, out) =>
      resolve({
        code: error ? Number(error.code) : 0,
        events: out
          .split('\n')
          .filter(Boolean)
          .map((line) => readPrintedEvent(line)),
      }),
    )
  })
}

/** A store like S3, which checks no signature, with one bucket. */
async function startBucket(directory: string): Promise<Record<string, string>> {
  const server = new S3Server({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'backups', configs: [] }],
  })
  const { port } = await server.run()
  closers.push(() => server.close())
  return {
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
  }
}

test('a backup is made with the service running or stopped, is checked, and is restored only into an empty target', {
  timeout: 600_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'backup-command-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  const data = await putEmptyStock(join(folder, 'data'))
  const [backup, other] = [join(folder, 'backup'), join(folder, 'other')]
  const bucket = await startBucket(join(folder, 's3'))
  const service = spawn(
    process.execPath,
    [program, 'start', '--no-samples', '--data', data, '--api-port', '0', '--console-port', '0', '--json'],
    { stdio: ['ignore', 'pipe', 'ignore'], env: environment },
  )
  closers.push(() => service.kill('SIGKILL'))
  for await (const line of createInterface({ input: service.stdout }))
    if (readPrintedEvent(line).event === 'ready') break
  expect((await run(['organization', 'create', 'Acme', '--requests-per-minute', '60', '--data', data])).code).toBe(0)
  const made = await run(['backup', backup, '--data', data])
  expect(made.events.at(-1)).toMatchObject({
    event: 'backedUp',
    location: backup,
    edition: null,
    longestHoldMs: expect.any(Number),
  })
  const again = await run(['backup', backup, '--data', data])
  expect([again.code, again.events.at(-1)?.message]).toEqual([1, expect.stringContaining('already holds a backup')])
  const drilled = await run(['drill', folder, '--data', data, '--scratch', folder])
  expect(drilled.events.at(-1)).toMatchObject({ event: 'drilled', location: backup, edition: null, digest: null })
  const gone = once(service, 'close')
  service.kill('SIGTERM')
  await gone

  const inBucket = await run(['backup', 's3://backups/nightly/1', '--data', data], bucket)
  expect(inBucket.events.at(-1)).toMatchObject({ event: 'backedUp', location: 's3://backups/nightly/1' })
  const checked = await run(['restore', '--dry-run', 's3://backups/nightly/1', '--data', data], bucket)
  expect([checked.code, checked.events.at(-1)]).toMatchObject([0, { event: 'backupVerified', isTargetEmpty: false }])
  await run(['backup', 's3://backups/nightly/2', '--data', data], bucket)
  const kept = await run(['drill', 's3://backups/nightly', '--keep', '1', '--data', data], bucket)
  expect([kept.code, kept.events.at(-1)]).toMatchObject([
    0,
    // before its first edition a stock has no name by which its backups are known
    { event: 'drilled', location: 's3://backups/nightly/2', removed: [], kept: 2 },
  ])
  const refused = await run(['restore', backup, '--data', data])
  expect([refused.code, refused.events.at(-1)?.message]).toEqual([1, expect.stringContaining('is not empty')])
  const restored = await run(['restore', 's3://backups/nightly/2', '--data', other], bucket)
  expect([restored.code, restored.events.at(-1)]).toMatchObject([0, { event: 'restored' }])
  expect(JSON.stringify(restored.events.at(-1)!.advice)).toContain('secret-key')
  const listed = await run(['organization', 'list', '--data', other])
  expect(listed.events).toContainEqual(expect.objectContaining({ event: 'organization', name: 'Acme' }))
})
