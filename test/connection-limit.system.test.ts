// One client opens all connections that it can, while the process may open few files: others are still served.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../src/store/database/database.ts'
import { openEmptyDatabase, testDatabaseUrl } from './world.ts'

const program = new URL('../src/bin/tenderstock.ts', import.meta.url).pathname
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env

/** A status, asked from that address of this machine; the name of the error without an answer. */
function ask(url: string, localAddress: string): Promise<number | string> {
  return new Promise((resolve) => {
    const asked = request(url, { localAddress, agent: false, timeout: 10_000 }, (answer) => {
      answer.resume()
      resolve(answer.statusCode!)
    })
    asked.on('timeout', () => asked.destroy(new Error('no answer')))
    asked.on('error', (error) => resolve(error.message))
    asked.end()
  })
}

/** Opens connections that say nothing, as many as the server leaves open. */
async function hold(url: string, count: number, localAddress: string): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: count }, () => connect({ host: hostname, port: Number(port), localAddress }))
  for (const socket of sockets) socket.on('error', () => {})
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
  return sockets
}

test('with 90 open files and 120 connections of one address, another one is served', {
  timeout: 180_000,
  skip: process.platform !== 'linux' || testDatabaseUrl === undefined,
}, async () => {
  const data = await mkdtemp(join(tmpdir(), 'connection-limit-'))
  onTestFinished(() => rm(data, { recursive: true, force: true }))
  await using database = await openEmptyDatabase()
  // makes the tables
  await (await openStore({ databaseUrl: database.url, dataFolder: data })).close()
  const args = ['serve', '--data', data, '--api-port', '0', '--readers', '2', '--json']
  const child = spawn('bash', ['-c', 'ulimit -n 90; exec "$0" "$@"', process.execPath, program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, DATABASE_URL: database.url },
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  let ready: { readonly api: string } | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line)
    if (event.event === 'ready') ready = event
    if (ready) break
  }
  child.stdout.resume()
  expect(ready, log).toBeDefined()
  const page = `${ready!.api}/healthz`
  const held = await hold(page, 120, '127.0.0.2')
  for (let turn = 0; turn < 10; turn++) expect(await ask(page, '127.0.0.1'), log).toBe(200)
  expect(log).toMatch(/The address 127\.0\.0\.2 holds \d+ connections/)
  // closed connections count no more
  for (const socket of held) socket.destroy()
  await expect.poll(() => ask(page, '127.0.0.2'), { timeout: 30_000 }).toBe(200)
})
