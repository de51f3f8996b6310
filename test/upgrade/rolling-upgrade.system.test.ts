// A rolling upgrade as docs/upgrades.md describes it: real processes of two versions on one PostgreSQL, behind HAProxy,
// under load. Then the way back. No request fails. The newer version is a copy of this one with migrations of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../free-port.ts'
import { proofCount } from '../proof/proof-count.ts'
import { programOf } from '../proxies/proxy-process.ts'
import { openEmptyDatabase, testDatabaseUrl } from '../world.ts'
import { makeNewerVersion } from './newer-version.ts'

const root = join(import.meta.dirname, '../..')
const nodeCount = proofCount({ share: 2, full: 3 })
const roundTrips = proofCount({ share: 1, full: 5 })
/** On the way back a share is enough: the same steps with the older program. */
const nodesBack = proofCount({ share: 1, full: nodeCount })
const askers = proofCount({ share: 2, full: 8 })
/** Milliseconds between two requests of one client. */
const pauseMs = proofCount({ share: 20, full: 2 })

type Running = { readonly child: ChildProcess; readonly api: string; readonly events: string[] }

describe.skipIf(!testDatabaseUrl)('a rolling upgrade', () => {
  const children: ChildProcess[] = []
  let folder = ''
  let database: Awaited<ReturnType<typeof openEmptyDatabase>>

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tenderstock-upgrade-'))
    database = await openEmptyDatabase()
  })
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await database?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  async function launch(program: string, command: readonly string[], name: string, port = 0): Promise<Running> {
    const child = spawn(
      process.execPath,
      [
        join(program, 'src/bin/tenderstock.ts'),
        ...command,
        '--data',
        join(folder, name),
        '--api-port',
        String(port),
        // the balancer sends nothing more when a node stops
        '--drain-seconds',
        '0',
        '--json',
      ],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, DATABASE_URL: database.url } },
    )
    children.push(child)
    const events: string[] = []
    const ready = Promise.withResolvers<string>()
    createInterface({ input: child.stdout! }).on('line', (line) => {
      events.push(line)
      const event = JSON.parse(line) as { readonly event: string; readonly api?: string }
      if (event.event === 'ready') ready.resolve(event.api!)
    })
    child.once('exit', () => ready.reject(new Error(`${name} ended: ${events.at(-1)}`)))
    return { child, api: await ready.promise, events }
  }
  async function stop({ child }: Running): Promise<void> {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    expect(child.exitCode).toBe(0)
  }

  async function startBalancer(ports: readonly number[]) {
    const [port, admin] = [await freePort(), await freePort()]
    const config = join(folder, 'haproxy.cfg')
    writeFileSync(
      config,
      `global
  stats socket ipv4@127.0.0.1:${admin} level admin
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 10s
frontend tenderstock
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
${ports.map((each, index) => `  server node${index} 127.0.0.1:${each}\n`).join('')}`,
    )
    const child = spawn(programOf('haproxy')!, ['-f', config], { stdio: 'inherit' })
    children.push(child)
    const { connect } = await import('node:net')
    const ask = async (text: string): Promise<string> => {
      const socket = connect(admin, '127.0.0.1')
      socket.end(`${text}\n`)
      let answer = ''
      for await (const piece of socket) answer += piece
      return answer
    }
    for (let tries = 0; ; tries++) {
      const answer = await ask('show info').catch(() => '')
      if (answer !== '') break
      expect(tries).toBeLessThan(200)
      await delay(50)
    }
    return {
      port,
      /** Sends it nothing new, and waits until requests in progress are answered. */
      takeOut: async (index: number) => {
        await ask(`set server nodes/node${index} state maint`)
        for (let tries = 0; tries < 200; tries++) {
          const state = (await ask('show stat')).split('\n').find((line) => line.startsWith(`nodes,node${index},`))
          if (state?.split(',')[4] === '0') return
          await delay(50)
        }
        throw new Error(`node${index} did not become idle`)
      },
      putBack: (index: number) => ask(`set server nodes/node${index} state ready`),
    }
  }

  /** Sends requests on persistent connections, without retries, until it is stopped. */
  function load(port: number, token: string) {
    const agent = new Agent({ keepAlive: true, maxSockets: askers })
    const counts = { answered: 0, failed: [] as string[] }
    let isOver = false
    const ask = () =>
      new Promise<void>((done) => {
        const headers = { authorization: `Bearer ${token}` }
        get({ port, host: '127.0.0.1', path: '/v1/tenders?limit=5', agent, headers }, (response) => {
          if (response.statusCode === 200) counts.answered++
          else counts.failed.push(`status ${response.statusCode}`)
          response
            .on('error', (error) => counts.failed.push(error.message))
            .resume()
            .on('close', done)
        }).on('error', (error) => {
          counts.failed.push(error.message)
          done()
        })
      })
    const running = Promise.all(
      Array.from({ length: askers }, async () => {
        while (!isOver) {
          await ask()
          await delay(pauseMs)
        }
      }),
    )
    return {
      counts,
      end: async () => {
        isOver = true
        await running
        agent.destroy()
      },
    }
  }

  test('and its rollback fail no request', { timeout: 1_800_000 }, async () => {
    const newer = makeNewerVersion(join(folder, 'newer'))
    // sample portals made these records; they are not read again in this test
    const first = await launch(root, ['start', '--requests-per-minute', '1000000'], 'writer')
    const token = readFileSync(join(folder, 'writer', 'trial-token'), 'utf8').trim()
    const ports = await Promise.all(Array.from({ length: nodeCount }, freePort))
    const nodes: Running[] = []
    for (const [index, port] of ports.entries()) nodes.push(await launch(root, ['serve'], `node${index}`, port))
    const balancer = await startBalancer(ports)
    const { counts, end } = load(balancer.port, token)
    let writer = first

    const replaceWriter = async (program: string) => {
      await stop(writer)
      writer = await launch(program, ['start'], 'writer')
    }
    const replaceNodes = async (program: string, count: number) => {
      for (const [index, port] of ports.slice(0, count).entries()) {
        await balancer.takeOut(index)
        await stop(nodes[index]!)
        nodes[index] = await launch(program, ['serve'], `node${index}`, port)
        await balancer.putBack(index)
      }
    }
    const client = new pg.Client(database.url)
    client.on('error', () => {})
    await client.connect()
    const planted = async () =>
      (await client.query('select count(*)::integer as all, count(planted)::integer as done from published_tender'))
        .rows[0] as { all: number; done: number }
    for (let trip = 0; trip < roundTrips; trip++) {
      await replaceWriter(newer)
      await replaceNodes(newer, nodeCount)
      if (trip === 0) {
        expect(writer.events.filter((line) => line.includes('"migrating"')).join()).toContain('9998-planted')
        await expect.poll(async () => (await planted()).done, { timeout: 60_000 }).toBeGreaterThan(0)
        await expect.poll(async () => (({ all, done }) => all - done)(await planted()), { timeout: 60_000 }).toBe(0)
      }
      // back: the older program starts on the database of the newer one
      if (nodesBack === nodeCount) await replaceWriter(root)
      await replaceNodes(root, nodesBack)
    }
    await end()
    await client.end()
    for (const each of [writer, ...nodes]) await stop(each)
    expect(counts.failed).toEqual([])
    expect(counts.answered).toBeGreaterThan(proofCount({ share: 100, full: 20_000 }))
  })
})
