// The whole program: what its readers count, and what commands about tokens leave behind.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store/database/database.ts'
import { listAuditEntries } from '../../src/store/people/audit.ts'
import { findOrganization, listTokens } from '../../src/store/people/organizations.ts'
import { putEmptyStock } from '../world.ts'

const program = new URL('../../src/bin/tenderstock.ts', import.meta.url).pathname
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env
const run = promisify(execFile)

test('counts requests by token, and commands about tokens are in the audit log of the organization', async () => {
  const folder = await putEmptyStock(await mkdtemp(join(tmpdir(), 'tenderstock-access-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const args = ['start', '--data', folder, '--api-port', '0', '--console-port', '0', '--source', 'gb-contracts-finder']
  const child: ChildProcess = spawn(process.execPath, [program, ...args, '--json', '--readers', '2'], {
    env: environment,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ready = await new Promise<{ readonly api: string; readonly tokenFile: string }>((resolve, reject) => {
    let output = ''
    child.stdout!.on('data', (chunk: Buffer) => {
      output += chunk
      const line = output.split('\n').find((each) => each.includes('"event":"ready"') && each.endsWith('}'))
      if (line) resolve(JSON.parse(line))
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${output}`)))
  })
  const trial = readFileSync(ready.tokenFile, 'utf8').trim()
  const ask = async (token: string) =>
    (
      await fetch(`${ready.api}/v1/tenders?limit=1`, {
        headers: { authorization: `Bearer ${token}`, connection: 'close', 'user-agent': 'crm/1' },
      })
    ).status
  const events = async (...words: readonly string[]) =>
    (await run(process.execPath, [program, ...words, '--data', folder, '--json'], { env: environment })).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly [name: string]: string })
  for (let turn = 0; turn < 6; turn++) expect(await ask(trial)).toBe(200)
  const [old] = await events('token', 'list', 'Trial')
  const [fresh] = await events('token', 'rotate', old!['tokenId']!, '--old-ends-in-days', '7')
  expect(fresh!['name']).toBe(old!['name'])
  for (let turn = 0; turn < 5; turn++) expect(await ask(fresh!['token']!)).toBe(200)
  expect(await ask(trial)).toBe(200)
  await events('token', 'revoke', old!['tokenId']!, '--yes')
  await expect.poll(() => ask(trial), { timeout: 30_000, interval: 500 }).toBe(401)
  child.kill('SIGTERM')
  await once(child, 'exit')

  await using stack = new AsyncDisposableStack()
  const store = await openStore({ dataFolder: folder })
  stack.defer(() => store.close())
  const { organizationId } = (await findOrganization(store.db, 'Trial'))!
  const counted = await store.db
    .selectFrom('api_use')
    .select(({ fn }) => ['token_id', fn.sum('answered').as('answered')])
    .where('organization_id', '=', organizationId)
    .groupBy('token_id')
    .execute()
  const answered = new Map(counted.map((row) => [row.token_id, Number(row.answered)]))
  // until the revocation arrived, the old token was still accepted a few times
  expect(answered.get(fresh!['tokenId']!)).toBe(5)
  expect(answered.get(old!['tokenId']!)).toBeGreaterThanOrEqual(7)
  expect(answered.get('')).toBe(5 + answered.get(old!['tokenId']!)!)
  const tokens = await listTokens(store.db, organizationId)
  expect(tokens.map(({ lastUsedFrom, lastUsedAgent }) => [lastUsedFrom, lastUsedAgent])).toEqual([
    ['127.0.0.0/24', 'crm/1'],
    ['127.0.0.0/24', 'crm/1'],
  ])
  const entries = await listAuditEntries(store.db, { organizationId, limit: 10 })
  expect(entries.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
    'operator token.revoke',
    'operator token.limit',
    'operator token.create',
  ])
  expect(JSON.stringify(entries)).not.toContain(fresh!['token'])
})
