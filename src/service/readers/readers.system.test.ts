// Real reader threads on one port: the same edition, one limit, and continued service after one dies.
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { entriesOfEdition, infoOfEdition } from '../../../test/edition-of-number.ts'
import { hashToken, makeToken } from '../../domain/token.ts'
import { appendEdition, type EditionLog, openEditionLog } from '../../edition/write/edition-log.ts'
import { systemClock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { openLog } from '../../platform/log.ts'
import { systemRandom } from '../../platform/random.ts'
import type { TokenGrant } from '../../store/people/organizations.ts'
import { findPort } from '../nodes/listening-address.ts'
import type { ToReader } from './reader-messages.ts'
import { ReaderMeters } from './reader-meters.ts'
import { startReaders } from './readers.ts'

type Answer = { readonly status: number; readonly headers: { readonly [name: string]: unknown }; readonly text: string }

const host = '127.0.0.1'

/** A log with editions 1 to `editions`, answered by `count` readers. `workers`: their threads, replaced ones last. */
async function openWorld(options: {
  readonly count: number
  readonly editions: number
  readonly limit?: number
  readonly hasRateLimitFields?: boolean
  readonly lookPauseMs?: number
  readonly cpuShare?: () => number
}) {
  const folder = mkdtempSync(join(tmpdir(), 'readers-'))
  const log = await openEditionLog(folder, { clock: systemClock })
  for (let edition = 1; edition <= options.editions; edition++) await takeOver(log, edition)
  const plaintext = makeToken(systemRandom.bytes)
  const grant: TokenGrant = {
    tokenId: systemRandom.uuid(),
    tokenHash: hashToken(plaintext),
    expiresAt: undefined,
    organizationId: systemRandom.uuid(),
    hasApiAccess: true,
    requestsPerMinute: options.limit ?? 1_000_000,
  }
  const workers: Worker[] = []
  const see = (worker: Worker) => workers.push(worker)
  process.on('worker', see)
  const losses: string[] = []
  const database = { isDown: false }
  const questions = new EventEmitter()
  let keysAsked = 0
  const asked = async <Answer>(answer: Answer): Promise<Answer> => {
    if (database.isDown) throw new Error('the database is down')
    return answer
  }
  const port = await findPort(host, 0)
  const meters = new ReaderMeters()
  const readers = await startReaders({
    meters,
    count: options.count,
    host,
    port,
    addresses: { baseUrl: `http://${host}:${port}`, docsUrl: `http://${host}:${port}`, trustedHops: 0 },
    version: '0.0.0',
    editions: log,
    tokens: { load: () => asked([grant]), serial: () => asked(1), touch: () => asked(undefined) },
    cursorKeys: () => {
      keysAsked++
      questions.emit('keys')
      return asked([{ keyId: 1, key: '5c'.repeat(32) }])
    },
    config: {},
    hasRateLimitFields: options.hasRateLimitFields ?? false,
    logLevel: 'silent',
    clockShift: new Float64Array(new SharedArrayBuffer(8)),
    processCount: Int32Array.of(1),
    clock: systemClock,
    log: openLog('silent'),
    stop: new AbortController().signal,
    onLoss: (message) => losses.push(message),
    ...(options.lookPauseMs !== undefined && { lookPauseMs: options.lookPauseMs }),
    ...(options.cpuShare && { cpuShare: options.cpuShare }),
  }).catch(async (error: unknown) => {
    process.off('worker', see)
    await log.close()
    throw error
  })
  onTestFinished(async () => {
    process.off('worker', see)
    await readers.close()
    await log.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    log,
    workers,
    losses,
    meters,
    database,
    /** Emits `keys` when a reader requests them. */
    questions,
    get keysAsked() {
      return keysAsked
    },
    /** Calls a tool of assistants. */
    call: async (name: string, asked: object): Promise<unknown> => {
      const response = await fetch(`http://${host}:${port}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${plaintext}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: asked } }),
      })
      const text = await response.text()
      return JSON.parse(text.slice(text.indexOf('{'))).result.structuredContent
    },
    /** One request; rejects when the connection breaks. */
    get: (path: string, agent?: Agent, encoding = 'gzip') =>
      new Promise<Answer>((resolve, reject) => {
        const headers = { authorization: `Bearer ${plaintext}`, 'accept-encoding': encoding }
        const sent = request({ host, port, path, headers, ...(agent && { agent }) }, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.once('error', reject)
          response.once('end', () => {
            const bytes = Buffer.concat(chunks)
            const text = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
            resolve({ status: response.statusCode!, headers: response.headers, text })
          })
        })
        sent.once('error', reject)
        sent.end()
      }),
  }
}

/** Withholds new editions from a reader, so that its answers identify it. */
function holdEditions(worker: Worker): { readonly release: () => void } {
  const send = worker.postMessage.bind(worker)
  const held: ToReader[] = []
  worker.postMessage = (message: ToReader) => {
    if (message.type === 'log' && message.message.type === 'edition') held.push(message)
    else send(message)
  }
  return {
    release: () => {
      worker.postMessage = send
      for (const message of held) send(message)
    },
  }
}

async function takeOver(log: EditionLog, edition: number): Promise<void> {
  await appendEdition(log, infoOfEdition(edition), entriesOfEdition(edition))
}

/** A separate connection, so that several of them reach several readers. */
const connection = () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return agent
}

const titles = (answer: Answer): string[] =>
  (JSON.parse(answer.text) as { data: { title: string }[] }).data.map(({ title }) => title)

describe('readers', () => {
  test('C6, C54, R1: all serve an edition once it is loaded, old or new bodies, including a later reader', async () => {
    const world = await openWorld({ count: 3, editions: 2 })
    const agents = Array.from({ length: 24 }, connection)
    for (let edition = 3; edition <= 12; edition++) {
      await takeOver(world.log, edition)
      const answers = await Promise.all(
        agents.flatMap((agent) => [
          world.get('/v1/tenders?limit=100', agent),
          world.get('/v1/tenders?limit=100', agent, 'identity'),
        ]),
      )
      // each answer has its own cursor
      expect(new Set(answers.map(({ text }) => text.slice(0, text.indexOf('"nextCursor"')))).size).toBe(1)
      expect(titles(answers[0]!)).toHaveLength(100)
      for (const { headers } of answers) expect(headers['x-stock-state']).toMatch(new RegExp(`^${edition};`))
      const newest = entriesOfEdition(edition).at(-1)!
      const { id } = JSON.parse(newest.body) as { id: string }
      for (const agent of agents.slice(0, 6))
        expect((await world.get(`/v1/tenders/${id}`, agent)).text).toContain(`of edition ${edition} `)
    }
  })

  test('D34: send the draft fields of the rate limit on request, and not by default', async () => {
    const fieldsOf = async (hasRateLimitFields?: boolean) => {
      const world = await openWorld({
        count: 1,
        editions: 1,
        limit: 60,
        ...(hasRateLimitFields && { hasRateLimitFields }),
      })
      const { headers } = await world.get('/v1/tenders?limit=1')
      return [headers['ratelimit-policy'], headers.ratelimit]
    }
    expect(await fieldsOf()).toEqual([undefined, undefined])
    expect(await fieldsOf(true)).toEqual(['"default";q=60;w=60', '"default";r=59;t=60'])
  })

  test('answer tools of assistants from the index of words and the names of codes of the main thread', async () => {
    const world = await openWorld({ count: 2, editions: 2 })
    await world.log.indexed(60_000)
    expect(await world.call('search_tenders', { words: 'record edition', cpv: ['45'], limit: 2 })).toMatchObject({
      edition: 2,
      tenders: [{ status: 'open' }, { status: 'open' }],
      nextOffset: 2,
    })
    expect(await world.call('find_codes', { kind: 'nuts', words: 'Bavaria' })).toMatchObject({
      codes: expect.arrayContaining([{ code: 'DE21', name: 'Upper Bavaria', within: 'Bavaria' }]),
    })
  })

  test('C131: share one limit exactly', async () => {
    const limit = 97
    const world = await openWorld({ count: 3, editions: 1, limit })
    const agents = Array.from({ length: 30 }, connection)
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => world.get('/v1/tenders?limit=1', agents[index % agents.length])),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(300 - limit)
    const remaining = answers.flatMap(({ status, headers }) =>
      status === 200 ? Number(headers['x-ratelimit-remaining']) : [],
    )
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, index) => index))
  })

  test('one that dies is replaced by the standby; connections to the others lose no request', async () => {
    const world = await openWorld({ count: 3, editions: 2 })
    // the fourth thread stands by; it is the last to request the keys
    while (world.keysAsked < 4) await once(world.questions, 'keys')
    const [victim, , , substitute] = world.workers
    const agents = Array.from({ length: 30 }, connection)
    const held = holdEditions(victim!)
    await takeOver(world.log, 3)
    const states = await Promise.all(agents.map((agent) => world.get('/v1/tenders?limit=1', agent)))
    const ofVictim = new Set(agents.filter((_, index) => /^2;/.test(String(states[index]!.headers['x-stock-state']))))
    held.release()
    expect(ofVictim.size).toBeGreaterThan(0)
    expect(ofVictim.size).toBeLessThan(agents.length)

    let isOver = false
    const broken = new Set<Agent>()
    let answered = 0
    const loops = agents.map(async (agent) => {
      while (!isOver) {
        const answer = await world.get('/v1/tenders?limit=3', agent).catch((error: NodeJS.ErrnoException) => error)
        if (answer instanceof Error) {
          // a connection ends with the reader that held it; the system may refuse one at the moment its socket closes
          expect(['ECONNRESET', 'EPIPE', 'ECONNREFUSED']).toContain((answer as NodeJS.ErrnoException).code)
          broken.add(agent)
        } else {
          expect(answer.status).toBe(200)
          answered++
        }
      }
    })
    const until = async (count: number) => {
      while (answered < count) await new Promise((resolve) => setImmediate(resolve))
    }
    await until(100)
    const listening = new Promise<number>((resolve) => {
      substitute!.on('message', ({ type }: { type: string }) => type === 'listening' && resolve(performance.now()))
    })
    await victim!.terminate()
    const endedAt = performance.now()
    console.log(`a reader that died was replaced after ${Math.round((await listening) - endedAt)} ms`)
    await until(answered + 1000)
    isOver = true
    await Promise.all(loops)
    expect(broken.size).toBeGreaterThan(0)
    expect([...broken].filter((agent) => !ofVictim.has(agent))).toEqual([])
    expect(world.losses).toEqual([expect.stringMatching(/^A reader thread died .* and is being replaced\.$/)])

    // the new one answers like the others, and receives further editions
    await takeOver(world.log, 4)
    const others = holdEditions(substitute!)
    await takeOver(world.log, 5)
    const after = await Promise.all(
      Array.from({ length: 30 }, connection).map((agent) => world.get('/v1/tenders', agent)),
    )
    others.release()
    expect(new Set(after.map(({ headers }) => String(headers['x-stock-state']).slice(0, 2)))).toEqual(
      new Set(['4;', '5;']),
    )
  })

  test('one that dies loses no counted request', async () => {
    const world = await openWorld({ count: 1, editions: 1 })
    const answered = () =>
      world.meters
        .requests()
        .filter(({ route, status }) => route === '/v1/tenders' && status === 200)
        .reduce((sum, { buckets }) => sum + buckets.reduce((total, each) => total + each), 0)
    for (let each = 0; each < 20; each++) await world.get('/v1/tenders?limit=1', connection())
    // counted after the client has its answer
    await expect.poll(answered, { timeout: 60_000 }).toBe(20)
    expect([world.meters.alive().length, world.meters.deaths]).toEqual([1, 0])
    await world.workers[0]!.terminate()
    while (world.meters.deaths === 0 || world.meters.alive().length === 0) await delay(20)
    expect(answered()).toBe(20)
    for (let each = 0; each < 5; each++) await world.get('/v1/tenders?limit=1', connection())
    await expect.poll(answered, { timeout: 60_000 }).toBe(25)
    expect([world.meters.alive().length, world.meters.deaths]).toEqual([1, 1])
  })

  test('a standby that dies is replaced too, and is not counted: it answered nothing', async () => {
    const world = await openWorld({ count: 1, editions: 1 })
    while (world.workers.length < 2) await once(process, 'worker')
    await world.workers[1]!.terminate()
    while (world.workers.length < 3) await once(process, 'worker')
    expect([world.meters.deaths, world.losses]).toEqual([0, []])
    expect((await world.get('/v1/tenders?limit=1')).status).toBe(200)
  })

  test('one that hangs is replaced, even without a new edition', async () => {
    const world = await openWorld({ count: 1, editions: 2, lookPauseMs: 100 })
    const [victim] = world.workers
    // a thread that does not answer and one that is not heard look the same from here
    victim!.removeAllListeners('message')
    await once(victim!, 'exit')
    let answer: Answer | undefined
    while (answer === undefined) answer = await world.get('/v1/tenders?limit=3').catch(() => undefined)
    expect(answer.status).toBe(200)
    expect(world.losses[0]).toBe('A reader thread died (it stopped answering) and is being replaced.')
  })

  test('one that gets no core is not taken for one that hangs', async () => {
    let share = 0
    let looks = 0
    const enough = Promise.withResolvers<void>()
    const world = await openWorld({
      count: 1,
      editions: 2,
      lookPauseMs: 1,
      // while it loads, too: a hundred times as many looks as a thread may leave unanswered that gets a core
      cpuShare: () => {
        if (++looks > 1000) enough.resolve()
        return share
      },
    })
    const [victim] = world.workers
    victim!.removeAllListeners('message')
    looks = 0
    await enough.promise
    expect((await world.get('/v1/tenders?limit=3')).status).toBe(200)
    expect([world.losses, victim!.threadId]).toEqual([[], expect.not.stringMatching('-1')])
    share = 0.5
    await once(victim!, 'exit')
    expect(world.losses[0]).toMatch(/it stopped answering/)
  })

  test('at the start, one that stays silent is no bug of the program: the operator learns what to look at', async () => {
    const started = openWorld({ count: 2, editions: 1, lookPauseMs: 1, cpuShare: () => 100 })
    await expect(started).rejects.toThrow(OperatorError)
    await expect(started).rejects.toThrow(/load and the memory of this machine, then start again/)
  })

  test('with the database down, a replacement knows the known tokens and cursors', async () => {
    const world = await openWorld({ count: 1, editions: 2 })
    const first = await world.get('/v1/tenders?limit=3')
    const { nextCursor } = JSON.parse(first.text) as { nextCursor: string }
    world.database.isDown = true
    // first the standby, then one that was started while the database was down
    for (let deaths = 1; deaths <= 3; deaths++) {
      const listening = world.workers.length
      await world.workers[deaths - 1]!.terminate()
      let answer: Answer | undefined
      while (answer === undefined)
        answer = await world.get(`/v1/tenders?limit=3&cursor=${nextCursor}`).catch(() => undefined)
      expect(answer.status).toBe(200)
      expect(titles(answer)).toHaveLength(3)
      while (world.workers.length <= listening) await once(process, 'worker')
    }
    expect(world.losses).toHaveLength(3)
  })
})
