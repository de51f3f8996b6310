// A token that was revoked stays revoked on nodes that read a bucket, whatever the bucket returns and however often
// they restart: as processes, seen from outside.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fixtureXml } from './conformance/fixture-notice.ts'
import { launchNode, type NodeProcess, runCommand } from './database-faults/node-process.ts'
import { startObjectStore } from './imitations/object-store.ts'

const patience = { timeout: 60_000, interval: 250 }

test('a node that restarts does not revive revoked tokens, and follows a stock that was restored', {
  timeout: 900_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'revoked-tokens-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const store = await startObjectStore()
  const env = { ...store.env, TENDERSTOCK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
  const notices = join(folder, 'notices')
  mkdirSync(notices)
  writeFileSync(join(notices, 'call.xml'), fixtureXml({ procedure: 'revoked', title: 'Made-up road works' }))
  const publish = async (data: string) => {
    const args = ['start', '--console-port', '0', '--no-samples', '--ingest', notices, '--data', data]
    const publisher = launchNode(args, { databaseUrl: '', env })
    await publisher.event('ready')
    return publisher
  }
  const data = join(folder, 'publisher')
  const command = async (args: readonly string[], place = data) => {
    const { exitCode, out, err } = await runCommand([...args, '--data', place, '--json'], { databaseUrl: '', env })
    if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${out} ${err}`)
    const last = out.trim().split('\n').at(-1)!
    return JSON.parse(last) as { readonly organizationId: string; readonly tokenId: string; readonly token: string }
  }
  const serve = async () => {
    const node = launchNode(['serve', '--data', join(folder, 'node')], { databaseUrl: '', env })
    await node.event('ready')
    return node
  }
  const statusOf = async (node: NodeProcess, { token }: { readonly token: string }) =>
    (await node.get('/v1/tenders?limit=1', token)).status

  const publisher = await publish(data)
  const { organizationId } = await command(['organization', 'create', 'Acme'])
  const kept = await command(['token', 'create', organizationId])
  const lost = await command(['token', 'create', organizationId])
  await command(['backup', join(folder, 'backup')])
  await using first = await serve()
  await expect.poll(() => statusOf(first, lost), patience).toBe(200)
  const stolen = store.versions.get('access.sealed')!.at(-1)!
  await command(['token', 'revoke', lost.tokenId, '--yes'])
  await expect.poll(() => statusOf(first, lost), patience).toBe(401)
  await publisher.end(30_000)
  await first.end(30_000)

  // a version rolled back, or a cache in front
  store.putBack('access.sealed', stolen)
  for (let restart = 0; restart < 2; restart++) {
    await using node = await serve()
    expect([await statusOf(node, lost), await statusOf(node, kept)]).toEqual([401, 200])
    await expect
      .poll(async () => (await node.get('/readyz')).json(), patience)
      .toMatchObject({ status: 'degraded', degraded: [expect.stringContaining('revoked tokens would work again')] })
    await node.end(30_000)
  }

  // honest: the restored stock knows fewer changes, and says so by its epoch
  const restored = join(folder, 'restored')
  await command(['restore', join(folder, 'backup')], restored)
  await using again = await publish(restored)
  await using node = await serve()
  await expect.poll(() => statusOf(node, lost), patience).toBe(200)
  await command(['token', 'revoke', lost.tokenId, '--yes'], restored)
  await expect.poll(() => statusOf(node, lost), patience).toBe(401)
  expect(await statusOf(node, kept)).toBe(200)
  await again.end(30_000)
})
