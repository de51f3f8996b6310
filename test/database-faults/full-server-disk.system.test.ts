// The disk of the database server fills up under a running service: a real server on a small file system.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { watchProcesses } from '../chaos/living-processes.ts'
import { openPostgresCluster, postgresBinaries } from '../chaos/postgres-cluster.ts'
import { freePort } from '../free-port.ts'
import { launchNode, runCommand } from './node-process.ts'

const binaries = postgresBinaries()
const isRoot = process.getuid?.() === 0
if (binaries === undefined || !isRoot)
  console.log('skipped: a full disk of the server (no PostgreSQL, or this user may not mount a file system)')

/** A file system of 400 MB in memory; undefined if this machine allows none. */
function mountSmallDisk(): string | undefined {
  const disk = mkdtempSync(join(tmpdir(), 'full-server-disk-'))
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=755', 'tmpfs', disk]).status === 0
  onTestFinished(() => {
    if (isMounted) spawnSync('umount', [disk])
    rmSync(disk, { recursive: true, force: true })
  })
  return isMounted ? disk : undefined
}

test.skipIf(binaries === undefined || !isRoot)(
  'reads never stop while the disk of the server is full, and all goes on once it has room',
  async ({ skip }) => {
    const data = mkdtempSync(join(tmpdir(), 'full-server-disk-data-'))
    onTestFinished(() => rmSync(data, { recursive: true, force: true }))
    const disk = mountSmallDisk()
    if (disk === undefined) return skip('this machine mounts no file system')
    const living = watchProcesses()
    onTestFinished(() => living.close())
    const folder = join(disk, 'postgres')
    mkdirSync(folder)
    const cluster = await openPostgresCluster({ binaries: binaries!, folder, port: await freePort(), living })
    onTestFinished(() => cluster.end())
    await cluster.createDatabase('stock')
    const databaseUrl = cluster.urlOf('stock')

    await using node = launchNode(
      ['start', '--data', data, '--console-port', '0', '--publish-interval-minutes', '0.05'],
      { databaseUrl },
    )
    await node.event('ready')
    const token = readFileSync(join(data, 'trial-token'), 'utf8').trim()
    const editions = () => node.events.filter(({ event }) => event === 'published').length
    const statuses = new Set<number>()
    const read = async () => {
      const answer = await node.get('/v1/tenders?limit=100', token)
      await answer.arrayBuffer()
      statuses.add(answer.status)
    }
    const readiness = async () => (await node.get('/readyz')).text()
    await read()

    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=64k'], { stdio: 'ignore' })
    const slowly = { timeout: 120_000, interval: 1500 }
    await expect
      .poll(async () => {
        await read()
        return `${node.log()}${JSON.stringify(node.events)}`
      }, slowly)
      .toContain('The disk of the database server is full; delete files there or enlarge it.')
    await expect.poll(readiness, slowly).toContain('"status":"degraded"')
    const refused = await runCommand(['organization', 'create', 'While full', '--data', data], { databaseUrl })
    expect(refused.exitCode).not.toBe(0)
    for (let time = 0; time < 10; time++) {
      await read()
      await delay(1500)
    }
    const before = editions()

    rmSync(join(disk, 'filler'))
    // a server that could not write its log has ended
    await cluster.restart()
    await expect.poll(editions, slowly).toBeGreaterThan(before)
    await expect.poll(readiness, slowly).toContain('"status":"ready"')
    const made = await runCommand(['organization', 'create', 'Afterwards', '--data', data], { databaseUrl })
    expect(made).toMatchObject({ exitCode: 0 })
    await read()
    expect([...statuses]).toEqual([200])
  },
  600_000,
)
