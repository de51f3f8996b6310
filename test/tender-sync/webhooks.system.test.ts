// `tender-sync webhooks`: what is answered with 2xx is stored once, whether messages arrive twice, late, altered, or at
// the same time.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { replayDeliveries } from '../../src/store/hits/deliveries.ts'
import { duckRows } from '../files/independent-programs.ts'
import { freePort } from '../free-port.ts'
import type { PlantedEdit } from '../planted-edit.ts'
import { proofDraw } from '../proof/proof-count.ts'
import { openDeliveryWorld } from '../webhooks/delivery-world.ts'
import { openTestStore } from '../world.ts'
import { openCommandWorld } from './command-world.ts'
import {
  type HitKind,
  hitKinds,
  hitMessage,
  newSecret,
  openHitTarget,
  post,
  psql,
  startReceiverProcess,
} from './receiver-world.ts'

const closers: AsyncDisposable[] = []
afterEach(async () => {
  for (const closer of closers.splice(0).reverse()) await closer[Symbol.asyncDispose]()
})

async function open(kind: HitKind, options: Parameters<typeof startReceiverProcess>[1] = {}) {
  const secret = newSecret()
  const target = await openHitTarget(kind)
  closers.push(target)
  const start = async (more: typeof options = {}) => {
    const receiver = await startReceiverProcess(target.sink, { secret, ...options, ...more })
    closers.push(receiver)
    return receiver
  }
  return { secret, target, start, receiver: await start() }
}

type Events = Awaited<ReturnType<typeof startReceiverProcess>>['events']
const seen = (events: Events, event: string) => events.filter((each) => each.event === event)

describe.each(hitKinds)('hits in %s', (kind) => {
  test('from the real deliverer arrive once, also when they are replayed, and other programs can read them', async () => {
    const target = await openHitTarget(kind)
    closers.push(target)
    await using store = await openTestStore('embedded')
    const world = await openDeliveryWorld(store, Date.now() - 60_000)
    const port = await freePort()
    const endpoint = await world.addEndpoint(`http://127.0.0.1:${port}/`)
    await using receiver = await startReceiverProcess(target.sink, { secret: endpoint.secret, port })
    const { events } = receiver
    const hits = []
    for (let count = 0; count < 10; count++) hits.push(await world.addHit(`Straße ${count}`))
    const messages: string[] = []
    for (const hit of hits) messages.push(await world.addDelivery(endpoint.endpointNo, hit))
    await world.deliver()
    await replayDeliveries(store, endpoint.endpointNo, { only: 'all', since: 0 }, world.now())
    await world.deliver()
    expect(target.rows()).toEqual(
      hits
        .map(({ hitId, tenderId, lastModified }, index) => ({
          hitId,
          tenderId,
          webhookId: messages[index],
          type: 'search.hit',
          changes: '',
          fitScore: 78,
          title: `Straße ${index}`,
          lastModified: new Date(lastModified).toISOString(),
        }))
        .sort((a, b) => (a.hitId < b.hitId ? -1 : 1)),
    )
    expect(
      seen(events, 'hit')
        .map(({ outcome }) => outcome)
        .sort(),
    ).toEqual([...messages.map(() => 'held'), ...messages.map(() => 'new')])
    // a change: the same hit, a later message
    const [first] = hits
    const modified = first!.lastModified + 5_000
    await sql`
      insert into edition_entry (last_modified, edition, tender_id, body, sources)
      select ${modified}, 1, tender_id, replace(replace(body, 'Straße 0', 'Straße null'), ${new Date(first!.lastModified).toISOString()},
        ${new Date(modified).toISOString()}), sources from edition_entry where last_modified = ${first!.lastModified}`.execute(
      store.db,
    )
    await sql`
      insert into delivery (message_id, endpoint_no, kind, hit_id, edition, last_modified, changes, state, due_at, created_at)
      values ('msg_changed', ${endpoint.endpointNo}, 'search.hit.changed', ${first!.hitId}, 1, ${modified}, '["deadline","value"]', 'due',
        ${world.now()}, ${world.now()})`.execute(store.db)
    await world.deliver()
    await replayDeliveries(store, endpoint.endpointNo, { only: 'all', since: 0 }, world.now())
    await world.deliver()
    expect(target.rows()).toHaveLength(10)
    expect(target.rows().find(({ hitId }) => hitId === first!.hitId)).toMatchObject({
      webhookId: 'msg_changed',
      type: 'search.hit.changed',
      changes: 'deadline value',
      title: 'Straße null',
    })
    await world.close()
  })

  test('a message on several connections at once makes one row', async () => {
    const { secret, target, receiver } = await open(kind)
    const message = hitMessage()
    const others = Array.from({ length: 5 }, () => hitMessage({ hitId: message.hitId, modified: 1 }))
    const all = Array.from({ length: 10 }, () => message).concat(others)
    expect(await Promise.all(all.map((each) => post(receiver.url, each, [secret])))).toEqual(all.map(() => 204))
    expect(target.rows()).toMatchObject([{ hitId: message.hitId, lastModified: '2026-11-22T06:00:01.000Z' }])
  })

  test.skipIf(kind === 'ndjson')('two receivers write into one table', async () => {
    const { secret, target, start, receiver } = await open(kind)
    const urls = [receiver.url, (await start()).url]
    const messages = Array.from({ length: 30 }, () => hitMessage())
    const all = messages.flatMap((message) => urls.map((url) => post(url, message, [secret])))
    expect(await Promise.all(all)).toEqual(all.map(() => 204))
    expect(target.rows().map(({ hitId }) => hitId)).toEqual(messages.map(({ hitId }) => hitId).sort())
  })

  test('a newer message replaces an older one, and never the reverse', async () => {
    const { secret, target, receiver } = await open(kind)
    const base = hitMessage({ modified: 5 })
    const { hitId } = base
    const about = async (modified: number, changes?: readonly 'closed'[]) => {
      const message = hitMessage({ hitId, modified, title: `at ${modified}`, ...(changes && { changes }) })
      expect(await post(receiver.url, message, [secret])).toBe(204)
    }
    expect(await post(receiver.url, base, [secret])).toBe(204)
    await about(7, ['closed'])
    await about(6, ['closed'])
    await about(7)
    expect(await post(receiver.url, base, [secret])).toBe(204)
    expect(target.rows()).toMatchObject([{ title: 'at 7', type: 'search.hit.changed', changes: 'closed' }])
    await about(8)
    expect(target.rows()).toMatchObject([{ title: 'at 8', type: 'search.hit', changes: '' }])
    expect(receiver.events.map(({ outcome }) => outcome)).toEqual([
      undefined,
      'new',
      'changed',
      'held',
      'held',
      'held',
      'changed',
    ])
  })

  test('SIGTERM ends it with exit code 0 after the open requests; a restart continues with its data', async () => {
    const { secret, target, start, receiver } = await open(kind)
    const messages = Array.from({ length: 20 }, () => hitMessage())
    const answers = Promise.all(messages.map((message) => post(receiver.url, message, [secret])))
    while (seen(receiver.events, 'hit').length === 0) await delay(1)
    receiver.kill('SIGTERM')
    const statuses = await answers
    expect(await receiver.ended).toBe(0)
    expect(receiver.errors()).toBe('')
    const acknowledged = messages.filter((_, index) => statuses[index] === 204).map(({ hitId }) => hitId)
    expect(target.rows().map(({ hitId }) => hitId)).toEqual(acknowledged.sort())
    expect(receiver.events.at(-1)).toMatchObject({ event: 'stopped', new: acknowledged.length })
    const again = await start()
    expect(await post(again.url, messages.find(({ hitId }) => acknowledged.includes(hitId))!, [secret])).toBe(204)
    expect(seen(again.events, 'hit')).toMatchObject([{ outcome: 'held' }])
  })

  test('lone surrogates, NUL and control characters are stored so that every program can read them', async () => {
    const { secret, target, receiver } = await open(kind)
    const title = 'a\u0000b\ud800c\u001b[2J“ü”'
    expect(await post(receiver.url, hitMessage({ title }), [secret])).toBe(204)
    expect(target.rows()[0]!.title).toMatch(kind === 'postgres' ? /^ab\ufffdc/ : /^a\0?b?\ufffd?c?/)
  })
})

describe('requests that are not genuine webhooks', () => {
  test('get a clear answer and store nothing', async () => {
    const { secret, target, receiver } = await open('sqlite', { more: ['--path', '/hits'] })
    expect(receiver.url).toMatch(/\/hits$/)
    const message = hitMessage()
    const now = Date.now()
    expect(await post(receiver.url, message, [newSecret()])).toBe(400)
    expect(await post(receiver.url, message, [secret], { at: now - 400_000 })).toBe(400)
    expect(await post(receiver.url, message, [secret], { at: now + 400_000 })).toBe(400)
    expect(await post(receiver.url, message, [secret], { headers: { 'webhook-id': 'msg_other' } })).toBe(400)
    expect(await post(receiver.url.replace('/hits', '/'), message, [secret])).toBe(404)
    expect(await post(receiver.url, message, [secret], { headers: { 'content-encoding': 'gzip' } })).toBe(415)
    const zipped = { body: gzipSync(message.body).toString('latin1'), id: message.id }
    expect(await post(receiver.url, zipped, [secret], { headers: { 'content-encoding': 'gzip' } })).toBe(415)
    const wrong = await fetch(receiver.url)
    expect([wrong.status, wrong.headers.get('allow'), await wrong.text()]).toEqual([
      405,
      'POST',
      'This receiver takes POST alone.\n',
    ])
    const lacking = JSON.parse(message.body) as { data: { tender: object; hitId?: string } }
    delete lacking.data.hitId
    expect(await post(receiver.url, { ...message, body: JSON.stringify(lacking) }, [secret])).toBe(400)
    const huge = { id: 'msg_huge', body: ' '.repeat(2 << 20) }
    expect(await post(receiver.url, huge, [secret])).not.toBe(204)
    expect(target.rows()).toEqual([])
    while (seen(receiver.events, 'refused').length < 10) await delay(10)
    const reasons = seen(receiver.events, 'refused').map(({ reason }) => reason)
    expect(reasons.join('\n')).toMatch(
      /no signature fits[\s\S]*five minutes[\s\S]*content coding[\s\S]*data lacks "hitId"[\s\S]*more than 1048576 bytes/,
    )
    // and it still accepts what is genuine
    expect(await post(receiver.url, message, [secret])).toBe(204)
    expect(target.rows()).toHaveLength(1)
  })

  test('a test event and an unknown kind are accepted and reported', async () => {
    const { secret, target, receiver } = await open('sqlite')
    const other = { id: 'msg_1', body: JSON.stringify({ type: 'search.hit.praised', timestamp: '', data: {} }) }
    expect(await post(receiver.url, other, [secret])).toBe(204)
    const trial = { id: 'msg_2', body: JSON.stringify({ type: 'webhook.test', timestamp: '', data: {} }) }
    expect(await post(receiver.url, trial, [secret])).toBe(204)
    expect(await post(receiver.url, { id: 'msg_3', body: '[]' }, [secret])).toBe(204)
    expect(receiver.events.slice(1)).toEqual([
      { event: 'ignored', webhookId: 'msg_1', type: 'search.hit.praised' },
      { event: 'test', webhookId: 'msg_2' },
      { event: 'ignored', webhookId: 'msg_3', type: 'undefined' },
    ])
    expect(target.rows()).toEqual([])
  })

  test('endless bodies, slow headers and too many connections are ended, and others are served meanwhile', async () => {
    const { secret, receiver } = await open('sqlite')
    const { port } = new URL(receiver.url)
    const dial = () => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      const closed = new Promise<number>((done) => socket.once('close', () => done(performance.now())))
      return { socket, closed }
    }
    const endless = dial()
    endless.socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
    let answer = ''
    endless.socket.on('data', (text) => (answer += text.toString()))
    const piece = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const feeding = setInterval(() => endless.socket.writable && endless.socket.write(piece), 5)
    await endless.closed
    clearInterval(feeding)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    const slow = dial()
    const startedAt = performance.now()
    slow.socket.write('POST / HTTP/1.1\r\nx-slow: ')
    const dripping = setInterval(() => slow.socket.writable && slow.socket.write('a'), 500)
    expect(await post(receiver.url, hitMessage(), [secret])).toBe(204)
    const crowd = Array.from({ length: 80 }, dial)
    await delay(300)
    expect(crowd.filter(({ socket }) => socket.destroyed || socket.readableEnded).length).toBeGreaterThan(10)
    for (const { socket } of crowd) socket.destroy()
    const took = (await slow.closed) - startedAt
    clearInterval(dripping)
    console.log(`slow headers were cut after ${Math.round(took / 1000)} s`)
    expect(took).toBeLessThan(14_000)
    expect(await post(receiver.url, hitMessage(), [secret])).toBe(204)
  })
})

describe('secrets', () => {
  test('a secret file is reread, so a rotation needs no restart', async () => {
    const target = await openHitTarget('sqlite')
    closers.push(target)
    const [old, fresh] = [newSecret(), newSecret()]
    const file = join(target.folder, 'secret')
    writeFileSync(file, `${old}\n`)
    const receiver = await startReceiverProcess(target.sink, { more: ['--secret-file', file] })
    closers.push(receiver)
    expect(await post(receiver.url, hitMessage(), [old])).toBe(204)
    expect(await post(receiver.url, hitMessage(), [fresh])).toBe(400)
    // the service signs with both for a day
    expect(await post(receiver.url, hitMessage(), [fresh, old])).toBe(204)
    writeFileSync(file, `${fresh}\n${old}\n`)
    expect(await post(receiver.url, hitMessage(), [old])).toBe(204)
    expect(await post(receiver.url, hitMessage(), [fresh])).toBe(204)
    writeFileSync(file, '')
    expect(await post(receiver.url, hitMessage(), [fresh])).toBe(503)
    writeFileSync(file, fresh)
    expect(await post(receiver.url, hitMessage(), [old])).toBe(400)
    expect(target.rows()).toHaveLength(4)
  })

  test.each([
    ['no secret', {}, /set TENDER_WEBHOOK_SECRET/],
    ['a secret that is none', { TENDER_WEBHOOK_SECRET: 'whsec_short' }, /must hold the secret of the endpoint/],
  ])('%s is a usage error', async (_, variables, message) => {
    await using world = await openCommandWorld()
    const { code, err } = await world.sync('webhooks --sink sqlite:$t.db', { variables })
    expect([code, err]).toEqual([2, expect.stringMatching(message)])
    expect(err).not.toContain('whsec_short')
  })
})

describe('a target that fails', () => {
  test('SQLite that another process writes delays the answer, which becomes 503 after too long', async () => {
    const { secret, target, receiver } = await open('sqlite')
    const other = new DatabaseSync(join(target.folder, 'tenders.db'))
    other.exec('BEGIN IMMEDIATE')
    let isAnswered = false
    const patient = post(receiver.url, hitMessage(), [secret]).finally(() => {
      isAnswered = true
    })
    await delay(1_500)
    expect(isAnswered).toBe(false)
    other.exec('ROLLBACK')
    expect(await patient).toBe(204)
    other.exec('BEGIN IMMEDIATE')
    const messages = Array.from({ length: 4 }, () => hitMessage())
    const startedAt = performance.now()
    expect(await Promise.all(messages.map((each) => post(receiver.url, each, [secret])))).toEqual([503, 503, 503, 503])
    expect(performance.now() - startedAt).toBeLessThan(13_000)
    other.exec('ROLLBACK')
    expect(await Promise.all(messages.map((each) => post(receiver.url, each, [secret])))).toEqual([204, 204, 204, 204])
    expect(target.rows()).toHaveLength(5)
    other.close()
  })

  test.skipIf(!hitKinds.includes('postgres'))(
    'PostgreSQL with lost connections, locks or a missing database loses no message',
    async () => {
      const { secret, target, receiver } = await open('postgres')
      const url = target.sink.slice('postgres:'.length)
      const kick = `select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
      expect(await post(receiver.url, hitMessage(), [secret])).toBe(204)
      psql(url, kick)
      const message = hitMessage()
      const first = await post(receiver.url, message, [secret])
      expect([204, 503]).toContain(first)
      expect(await post(receiver.url, message, [secret])).toBe(204)
      psql(url, 'alter table tenderstock.hit rename to elsewhere')
      const late = hitMessage()
      expect(await post(receiver.url, late, [secret])).toBe(503)
      psql(url, 'alter table tenderstock.elsewhere rename to hit')
      const locking = spawn('psql', [url, '-X', '-c', 'begin; lock table tenderstock.hit; select pg_sleep(12)'])
      while (
        psql(
          url,
          "select count(*) from pg_locks where mode = 'AccessExclusiveLock' and granted and relation::regclass::text like '%hit'",
        ) === '0'
      )
        await delay(20)
      expect(await post(receiver.url, late, [secret])).toBe(503)
      await new Promise((done) => locking.once('close', done))
      expect(await post(receiver.url, late, [secret])).toBe(204)
      expect(target.rows()).toHaveLength(3)
      expect(seen(receiver.events, 'failed').length).toBeGreaterThanOrEqual(2)
    },
  )

  test('a full disk gives 503, and afterwards no line is torn', async () => {
    const target = await openHitTarget('ndjson')
    closers.push(target)
    const secret = newSecret()
    // no file of this process may be larger than 16 KB
    const before = ['bash', '-c', 'trap "" XFSZ; ulimit -f 16; exec "$@"', 'bash']
    const small = await startReceiverProcess(target.sink, { secret, before })
    closers.push(small)
    const messages = Array.from({ length: 20 }, () => hitMessage({ title: 'x'.repeat(1500) }))
    const answers: (number | string)[] = []
    for (const message of messages) answers.push(await post(small.url, message, [secret]))
    expect(answers.slice(0, 3)).toEqual([204, 204, 204])
    expect(answers.at(-1)).toBe(503)
    await small[Symbol.asyncDispose]()
    const kept = messages.filter((_, index) => answers[index] === 204).map(({ hitId }) => hitId)
    closers.push(await startReceiverProcess(target.sink, { secret }))
    expect(target.rows().map(({ hitId }) => hitId)).toEqual(kept.sort())
  })
})

describe('beside the copy', () => {
  test.each(hitKinds)('run, verify and reset leave the hits alone (%s)', async (kind) => {
    const { secret, target, receiver } = await open(kind)
    await using world = await openCommandWorld()
    const ids = Array.from({ length: 20 }, (_, index) => `00000000-0000-8000-8000-${String(index).padStart(12, '0')}`)
    world.api.editions.publish(
      world.api.now,
      ids.map((id) => ({ id, title: `Works ${id}` })),
    )
    const messages = ids.slice(0, 5).map((tenderId) => hitMessage({ tenderId }))
    for (const message of messages) expect(await post(receiver.url, message, [secret])).toBe(204)
    const before = target.rows()
    const state = kind === 'postgres' ? ` --state ${target.folder}/state` : ''
    const sync = async (command: string) => {
      const { code, err } = await world.sync(`${command} --sink ${target.sink}${state}`)
      expect([command, code, err]).toEqual([command, 0, ''])
    }
    await sync(`run --quiet ${world.url}`)
    await sync(`verify ${world.url}`)
    await sync('reset --yes')
    await sync(`run --quiet ${world.url}`)
    await sync(`verify ${world.url}`)
    expect(target.rows()).toEqual(before)
    expect(await post(receiver.url, hitMessage(), [secret])).toBe(204)
    expect(target.rows()).toHaveLength(6)
    const page = readFileSync(new URL('../../docs/hits/receiver.md', import.meta.url), 'utf8')
    const [, query] = /<!-- query -->\n```sql\n([\s\S]*?)```/.exec(page)!
    if (kind === 'postgres') {
      const url = target.sink.slice('postgres:'.length)
      expect(psql(url, `set search_path to tenderstock; ${query}`).split('\n')).toHaveLength(7)
    }
    if (kind === 'sqlite') {
      const joined = await duckRows(
        `attach '${target.folder}/tenders.db' as copy (type sqlite); select t.title, h.fit_score from copy.hit h join copy.tender t on t.id = h.tender_id`,
      ).catch(() => undefined)
      const db = new DatabaseSync(join(target.folder, 'tenders.db'), { readOnly: true })
      const rows = db.prepare('SELECT t.title FROM hit h JOIN tender t ON t.id = h.tender_id').all()
      expect([rows.length, joined?.length ?? 5]).toEqual([5, 5])
      expect(db.prepare(query!).all()).toHaveLength(6)
      db.close()
    }
  })

  test('a table or a file of that name that is not ours is refused and stays unchanged', async () => {
    const target = await openHitTarget('sqlite')
    closers.push(target)
    const db = new DatabaseSync(join(target.folder, 'tenders.db'))
    db.exec("CREATE TABLE hit (mine TEXT); INSERT INTO hit VALUES ('precious')")
    db.close()
    const secret = newSecret()
    await expect(startReceiverProcess(target.sink, { secret })).rejects.toThrow(/with 4: .* holds a table hit that/)
    const again = new DatabaseSync(join(target.folder, 'tenders.db'))
    expect(again.prepare('SELECT * FROM hit').all()).toEqual([{ mine: 'precious' }])
    again.close()
    const folder = join(target.folder, 'files')
    mkdirSync(folder)
    for (const text of ['precious', 'precious\n', '{"hitId":"x"}\n{"a":1}\n', '[1]\n[2]\n']) {
      writeFileSync(join(folder, 'hits.ndjson'), text)
      await expect(startReceiverProcess(`ndjson:${folder}/t.ndjson`, { secret })).rejects.toThrow(/is not a hit that/)
      expect(readFileSync(join(folder, 'hits.ndjson'), 'utf8')).toBe(text)
    }
    if (!hitKinds.includes('postgres')) return
    const database = await openHitTarget('postgres')
    closers.push(database)
    const url = database.sink.slice('postgres:'.length)
    psql(url, 'create schema tenderstock; create table tenderstock.hit (mine text)')
    await expect(startReceiverProcess(database.sink, { secret })).rejects.toThrow(/holds a table hit that/)
  })

  test('only one process at a time writes hits.ndjson', async () => {
    const { secret, target, receiver } = await open('ndjson')
    await expect(startReceiverProcess(target.sink, { secret })).rejects.toThrow(/Another process is writing/)
    expect(await post(receiver.url, hitMessage(), [secret])).toBe(204)
  })
})

/** The first promise that is broken; undefined if all are kept. */
async function firstBroken(kind: HitKind, planted: PlantedEdit): Promise<string | undefined> {
  const { secret, target, receiver } = await open(kind, { planted })
  const send = (message: ReturnType<typeof hitMessage>) => post(receiver.url, message, [secret])
  const message = hitMessage({ modified: 5 })
  const { hitId } = message
  if (kind === 'sqlite') {
    using other = new DatabaseSync(join(target.folder, 'tenders.db'))
    other.exec('BEGIN IMMEDIATE')
    const answer = await Promise.race([send(message), delay(700, undefined)])
    other.exec('ROLLBACK')
    if (answer === 204) return 'answered before it was kept'
  }
  const twice = await Promise.all([send(message), send(message), send(message)])
  if (twice.some((status) => status !== 204)) return `a repeated message is answered with ${twice.join(', ')}`
  if (target.rows().length !== 1) return `one hit has ${target.rows().length} rows`
  await send(hitMessage({ hitId, modified: 6, title: 'newer' }))
  await send(hitMessage({ hitId, modified: 4, title: 'older' }))
  const rows = target.rows()
  return rows.length === 1 && rows[0]!.title === 'newer' ? undefined : `kept: ${rows.map(({ title }) => title).join()}`
}

const newer = '(excluded.tender_last_modified, excluded.type) > '
const mistakes: readonly (PlantedEdit & { readonly kind: HitKind })[] = [
  {
    name: 'the answer comes before the commit',
    kind: 'sqlite',
    file: 'client/src/webhooks/receive-webhooks.ts',
    from: "on({ event: 'hit', outcome: await keep(hit), hit })",
    to: "void keep(hit).then((outcome) => on({ event: 'hit', outcome, hit }))",
  },
  {
    name: 'an older message replaces a newer one',
    kind: 'sqlite',
    file: 'client/src/hits/sqlite-hits.ts',
    from: newer,
    to: newer.replace('>', '<>'),
  },
  {
    name: 'an older message replaces a newer one',
    kind: 'postgres',
    file: 'client/src/hits/postgres-hits.ts',
    from: newer,
    to: newer.replace('>', '<>'),
  },
  {
    name: 'an older message replaces a newer one',
    kind: 'ndjson',
    file: 'client/src/hits/ndjson-hits.ts',
    from: 'ageOf(hit) <= known.age',
    to: 'ageOf(hit) === known.age',
  },
  {
    name: 'hits are not looked up',
    kind: 'ndjson',
    file: 'client/src/hits/ndjson-hits.ts',
    from: 'const known = current.held.get(hitId)',
    to: 'const known = undefined as Held | undefined',
  },
  {
    name: 'hits are written at the same time',
    kind: 'ndjson',
    file: 'client/src/hits/ndjson-hits.ts',
    from: 'oneAtATime(write)',
    to: 'write',
  },
]

test.each(
  proofDraw(
    mistakes.filter(({ kind }) => hitKinds.includes(kind)),
    2,
  ).map((each) => [each.name, each.kind, each] as const),
)('the planted mistake is found: %s (%s)', async (name, kind, planted) => {
  const found = await firstBroken(kind, planted).catch((error: Error) => error.message)
  console.log(`planted: ${name}: ${found ?? 'not found'}`)
  expect(found).toBeDefined()
})
