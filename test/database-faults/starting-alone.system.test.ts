// `serve` starts while its database is down, from what it stored: a real process, and a real server behind a port that
// is closed.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hashToken } from '../../src/domain/token.ts'
import { publish } from '../../src/publish/publish.ts'
import { revokeToken } from '../../src/store/people/organizations.ts'
import { putNumbered } from '../numbered-tenders.ts'
import { openTestStore, testDatabaseUrl } from '../world.ts'
import { launchNode, runCommand } from './node-process.ts'
import { makeTokens } from './tokens.ts'

if (testDatabaseUrl === undefined) console.log('skipped: starting without the database (no TEST_DATABASE_URL)')

/** A port that leads to the server while it is open, and refuses connections while it is closed. */
async function openDoor(target: { readonly host: string; readonly port: number }) {
  const sockets = new Set<Socket>()
  let server: Server
  let port = 0
  const open = async () => {
    server = createServer((near) => {
      const far = connect(target)
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from)
        from.on('error', () => to.destroy()).on('close', () => to.destroy())
        from.pipe(to)
      }
    })
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
    ;({ port } = server.address() as AddressInfo)
  }
  const shut = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  await open()
  return { port, open, shut }
}

test.skipIf(testDatabaseUrl === undefined)(
  'a node starts and answers without the database, and says so',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'starting-alone-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await using store = await openTestStore('server')
    const direct = new URL(store.options.databaseUrl!)
    const door = await openDoor({ host: direct.hostname, port: Number(direct.port) })
    onTestFinished(() => door.shut())
    const byDoor = new URL(direct)
    byDoor.host = `127.0.0.1:${door.port}`
    const databaseUrl = byDoor.href
    let version = 0
    const publishNext = async () => {
      await putNumbered(store, 0, 60, ++version)
      await publish(store, { now: Date.now(), minIntervalMs: 0, overrideGate: true })
    }
    await publishNext()
    const [kept, revoked] = await makeTokens(store, 'Acme', 2)
    const serve = () => launchNode(['serve', '--data', folder], { databaseUrl })
    let next = ''
    {
      await using node = serve()
      const page = await node.get('/v1/tenders?limit=1', kept!.token)
      expect(page.status).toBe(200)
      ;({ nextCursor: next } = (await page.json()) as { nextCursor: string })
      expect(next).toEqual(expect.any(String))
      expect((await node.get(`/v1/tenders?limit=1&cursor=${encodeURIComponent(next)}`, kept!.token)).status).toBe(200)
      expect((await node.get('/v1/tenders?limit=1', revoked!.token)).status).toBe(200)
      await revokeToken(store, revoked!.tokenId, Date.now())
      await expect
        .poll(async () => (await node.get('/v1/tenders?limit=1', revoked!.token)).status, { timeout: 30_000 })
        .toBe(401)
      await node.end(20_000)
    }
    const sealed = await readFile(join(folder, 'access.sealed'))
    expect(sealed.includes(hashToken(kept!.token))).toBe(false)

    door.shut()
    await using node = serve()
    const ready = await node.event('ready')
    expect(ready).toMatchObject({ edition: 1, records: 60 })
    expect((await node.get('/v1/tenders?limit=1', kept!.token)).status).toBe(200)
    expect((await node.get(`/v1/tenders?limit=1&cursor=${encodeURIComponent(next)}`, kept!.token)).status).toBe(200)
    expect((await node.get('/v1/tenders?limit=1', revoked!.token)).status).toBe(503)
    const readiness = async () => {
      const answer = await node.get('/readyz')
      return { status: answer.status, text: await answer.text() }
    }
    expect(await readiness()).toMatchObject({
      status: 200,
      text: expect.stringContaining('started without the database'),
    })
    expect(node.log()).toContain('started without the database')

    await door.open()
    const [later] = await makeTokens(store, 'Later', 1)
    await publishNext()
    const news = { timeout: 60_000, interval: 300 }
    await expect.poll(async () => (await node.get('/v1/tenders?limit=1', later!.token)).status, news).toBe(200)
    await expect.poll(async () => (await readiness()).text, news).not.toContain('started without the database')
    await expect
      .poll(async () => (await node.get('/v1/tenders?limit=1', kept!.token)).headers.get('x-stock-state'), news)
      .toMatch(/^2; /)
  },
  600_000,
)

describe.skipIf(testDatabaseUrl === undefined)('a node without stored editions', () => {
  test('does not start without the database, and the error names it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'starting-alone-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const { exitCode, err } = await runCommand(['serve', '--data', folder, '--api-port', '0'], {
      databaseUrl: 'postgres://u:secret@127.0.0.1:1/stock',
    })
    expect(exitCode).toBe(1)
    expect(err).toContain('The database 127.0.0.1:1/stock does not answer')
    expect(err).toContain('start the database first')
    expect(err).not.toContain('secret')
  }, 90_000)
})
