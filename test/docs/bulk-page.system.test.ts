// The line for DuckDB on the page about files: it is run unchanged, by jq and DuckDB, on files of whole editions. What
// reads addresses in DuckDB is an extension that it downloads; here each address is asked as it stands, without the
// token and without tidying its path, and DuckDB reads the file.
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { duckRows } from '../files/independent-programs.ts'
import { openBulkWorld } from '../testing/bulk-world.ts'

const page = readFileSync(new URL('../../docs/sync/bulk.md', import.meta.url), 'utf8')
const hasPrograms = ['jq', 'curl'].every((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0)
if (!hasPrograms) console.log('skipped: the line for DuckDB on the page about files (no jq or no curl)')

function load(address: string): Promise<Buffer> {
  const { hostname, port, origin } = new URL(address)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  get({ hostname, port, path: address.slice(origin.length) }, async (response) => {
    const parts: Buffer[] = []
    for await (const part of response) parts.push(part as Buffer)
    if (response.statusCode === 200) resolve(Buffer.concat(parts))
    else reject(new Error(`${response.statusCode} for ${address}`))
  }).on('error', reject)
  return promise
}

test.skipIf(!hasPrograms)('the line for DuckDB counts every tender once, by its newest row', async () => {
  await using world = await openBulkWorld({ records: 40 })
  await world.publish(Array.from({ length: 100 }, (_, number) => number))
  await world.files.update()
  await world.publish([3, 16, 33, 50, 101])
  await world.files.update()
  const [, script] = /## DuckDB and Polars[\s\S]*?```sh\n([\s\S]*?)```/.exec(page)!
  const folder = mkdtempSync(join(tmpdir(), 'bulk-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'bin'))
  // what it is asked goes into a file: DuckDB is a library here
  writeFileSync(join(folder, 'bin/duckdb'), '#!/bin/sh\nprintf %s "$2" > asked.sql\n', { mode: 0o755 })
  await promisify(execFile)(
    'bash',
    ['-euo', 'pipefail', '-c', script!.replace('https://api.example.org', world.origin)],
    {
      cwd: folder,
      env: { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, TENDER_TOKEN: world.token },
      timeout: 60_000,
    },
  )
  let asked = readFileSync(join(folder, 'asked.sql'), 'utf8')
  const addresses = [...asked.matchAll(/'(http[^']*)'/g)].map(([, address]) => address!)
  expect(addresses.length).toBeGreaterThan(2)
  for (const [index, address] of addresses.entries()) {
    const file = join(folder, `${index}.parquet`)
    writeFileSync(file, await load(address))
    asked = asked.replace(address, file)
  }
  const rows = (await duckRows(asked)) as unknown as { readonly status: string; readonly 'count_star()': string }[]
  const counted = Object.fromEntries(rows.map(({ status, ...row }) => [status, Number(row['count_star()'])]))
  const expected: Record<string, number> = {}
  for (let cursor: string | null = ''; cursor !== null; ) {
    const address = `${world.origin}/v1/tenders?archived=true&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`
    const answer = await fetch(address, { headers: { authorization: `Bearer ${world.token}` } })
    const { data, nextCursor } = (await answer.json()) as { data: { status: string }[]; nextCursor: string | null }
    for (const { status } of data) expected[status] = (expected[status] ?? 0) + 1
    cursor = nextCursor
  }
  expect(counted).toEqual(expected)
})
