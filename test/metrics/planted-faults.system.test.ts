// Every alert that operators get, with real parts: services, a Prometheus and an Alertmanager. In normal running none
// is delivered; then the fault of each is planted, and it is delivered. Rules that wait only wait for some seconds.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { publish } from '../../src/publish/publish.ts'
import { sampleDocuments } from '../../src/simulator/samples/sample-documents.ts'
import { openStore } from '../../src/store/database/database.ts'
import { asleep } from '../asleep.ts'
import { launchNode, runCommand } from '../database-faults/node-process.ts'
import { makeTokens } from '../database-faults/tokens.ts'
import { fakeTimeLibrary, openWrongClock } from '../database-faults/wrong-clock.ts'
import { startMailReceiver } from '../digests/mail-receiver.ts'
import { putNumbered } from '../numbered-tenders.ts'
import { proofCount } from '../proof/proof-count.ts'
import { testRedisUrl } from '../redis.ts'
import { openEmptyDatabase, testDatabaseUrl } from '../world.ts'
import { openDoor } from './door.ts'
import { startService } from './watched-process.ts'
import { shippedRules, startWatching } from './watching-prometheus.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const endpoints = 30
/** An hour of the shipped rules is a minute here: none of them waits for more than that in normal running. */
const quietMs = proofCount({ share: 15_000, full: 60_000 })
const needsTenMinutes = 'TenderstockNoLook'
/** With so little patience, they are delivered where other work takes the CPU of this machine, and rightly so. */
const ofBusyMachines = /^Tenderstock(?:EventLoopDelayed|Slow) /

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-faults-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A disk of 1.2 GB; false if this user cannot mount one. */
function mountDisk(folder: string): boolean {
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1200m', 'tmpfs', folder]).status !== 0) return false
  onTestFinished(() => void spawnSync('umount', ['--lazy', folder]))
  return true
}

async function openDoorTo(address: string) {
  const url = new URL(address)
  const door = await openDoor({ host: url.hostname, port: Number(url.port) })
  url.host = `127.0.0.1:${door.port}`
  return { door, url: url.href }
}

test.runIf(testDatabaseUrl !== undefined && testRedisUrl !== undefined)(
  'each alert is delivered in its fault, and none in normal running',
  async () => {
    await using database = await openEmptyDatabase()
    await using emptyDatabase = await openEmptyDatabase()
    const [mainDatabase, nodeDatabase] = [await openDoorTo(database.url), await openDoorTo(database.url)]
    const [nodeRedis, slowRedis] = [await openDoorTo(testRedisUrl!), await openDoorTo(testRedisUrl!)]
    await using _doors = {
      [Symbol.asyncDispose]: async () => {
        for (const { door } of [mainDatabase, nodeDatabase, nodeRedis, slowRedis]) await door[Symbol.asyncDispose]()
      },
    }
    await using mails = await startMailReceiver()
    mails.judge.recipient = (address) =>
      address.startsWith('gone') ? { code: 550, text: 'no such user' } : { code: 451, text: 'try again later' }

    const mainFolder = await newFolder()
    const startMain = () =>
      launchNode(
        [
          'start',
          '--source',
          'no-doffin',
          '--data',
          mainFolder,
          '--metrics-port',
          '0',
          '--publish-interval-minutes',
          '1',
        ],
        {
          databaseUrl: mainDatabase.url,
          env: {
            TENDERSTOCK_SMTP_URL: `smtp://127.0.0.1:${mails.settings.port}`,
            TENDERSTOCK_MAIL_FROM: 'tenders@example.org',
          },
        },
      )
    await using main = startMain()
    const metricsOf = async (node: {
      readonly event: (name: string) => Promise<{ readonly [member: string]: unknown }>
    }) => String((await node.event('ready'))['metrics'])
    const mainMetrics = await metricsOf(main)
    await using store = await openStore({ databaseUrl: database.url, dataFolder: await newFolder() }).then(
      (opened) => ({
        ...opened,
        [Symbol.asyncDispose]: opened.close,
      }),
    )
    const admin = new pg.Client(database.url)
    // the database is removed below it
    admin.on('error', () => {})
    await admin.connect()
    await admin.query(`create function planted() returns trigger language plpgsql as
      $$ begin raise exception 'planted at %', tg_table_name; end $$`)
    const plant = (table: string, change: string) =>
      admin.query(`create trigger planted before ${change} on ${table} for each row execute function planted()`)

    const serve = ['serve', '--metrics-port', '0', '--data']
    const disk = await newFolder()
    const canMount = mountDisk(disk)
    if (!canMount) console.log('skipped: alerts about the disk (this user cannot mount a small one)')
    const library = fakeTimeLibrary()
    if (library === undefined) console.log('skipped: the alert about the clock (no package faketime)')
    const clock = library && (await openWrongClock(library, join(await newFolder(), 'clock'), 0))
    const ended = join(await newFolder(), 'ended')
    await using node = launchNode([...serve, disk], {
      databaseUrl: nodeDatabase.url,
      env: { REDIS_URL: nodeRedis.url },
    })
    await using wrong = launchNode([...serve, await newFolder()], {
      databaseUrl: database.url,
      env: clock ? clock.env : {},
    })
    await using slow = await startService(['serve'], {
      env: { DATABASE_URL: database.url, REDIS_URL: slowRedis.url, ENDED_READERS: ended },
      nodeArgs: ['--import', new URL('./ended-readers.ts', import.meta.url).pathname],
    })
    const [made] = await makeTokens(store, 'Acme', 1)
    await admin.query(
      `insert into webhook_endpoint (endpoint_id, organization_id, address, description, from_edition, kinds,
        requests_per_second, created_at)
      select 'endpoint ' || n, organization_id, 'https://example.org/', '', 0, '[]', 1, 0
      from organization, generate_series(1, $1) n where name = 'Acme'`,
      [endpoints + 1],
    )

    const { watch, query, delivered } = await startWatching('3s')
    const normal = [mainMetrics, await metricsOf(node), await metricsOf(wrong), slow.ready.metrics]
    const nameOf = (metrics: string) => new URL(metrics).host
    const [mainName, nodeName, wrongName, slowName] = normal.map(nameOf) as [string, string, string, string]
    const askAt = (api: unknown) =>
      fetch(`${api}/v1/tenders?limit=1`, { headers: { authorization: `Bearer ${made!.token}` } })
        .then((answer) => answer.text())
        .catch(() => undefined)
    const ask = () => askAt(slow.ready.api)
    const { api: nodeApi } = await node.event('ready')
    // what the start of five processes cost is over
    for (let request = 0; request < 20; request++) await Promise.all([ask(), askAt(nodeApi), delay(100)])
    watch(normal)
    await expect.poll(() => query('up == 1'), { timeout: 60_000 }).toHaveLength(normal.length)
    for (const end = Date.now() + quietMs; Date.now() < end; await delay(200))
      await Promise.all([ask(), askAt(nodeApi)])
    expect([...delivered].filter((each) => !ofBusyMachines.test(each))).toEqual([])

    const awaited = new Set(shippedRules.map(({ alert }) => alert))
    if (proofCount({ share: 0, full: 1 }) === 0) awaited.delete(needsTenMinutes)
    const seen = async (alert: string, instance?: string, timeout = 120_000) => {
      const name = `${alert} firing${instance === undefined ? '' : ` ${instance}`}`
      await expect.poll(() => [...delivered], { timeout, message: alert }).toContain(name)
      awaited.delete(alert)
    }

    // a node loses its database and its Redis, and its disk fills up
    nodeDatabase.door.shut()
    const cutOffAt = Date.now()
    nodeRedis.door.shut()
    if (canMount) execFileSync('fallocate', ['-l', '1050m', join(disk, 'filler')])
    if (clock) await clock.setOff(-20)
    // a node that has nothing to serve
    const emptyStore = await openStore({ databaseUrl: emptyDatabase.url, dataFolder: await newFolder() })
    const [lackingToken] = await makeTokens(emptyStore, 'Acme', 1)
    await emptyStore.close()
    await using lacking = launchNode([...serve, await newFolder()], { databaseUrl: emptyDatabase.url })
    const lackingMetrics = await metricsOf(lacking)
    watch([...normal, lackingMetrics])

    // what the figures of the stock say
    const now = Date.now()
    await plant('hit_mark', 'update')
    await admin.query('update source_check set checked_at = $1', [now - 4 * hourMs])
    await admin.query(
      "insert into source_alarm (source_id, kind, raised_at, detail, share) values ('no-doffin', 'silent', $1, '', 0)",
      [now],
    )
    // after the last success, whatever is read meanwhile
    await admin.query(
      `insert into source_run (source_id, channel, slot, started_at, ended_at, outcome, requests, entries, documents,
        notices, rejections, detail, reason)
      select 'no-doffin', 'c', 'feed', $1::bigint + i, $1::bigint + i, 'failed', 1, 0, 0, 0, 0, 'nobody there', 'no-answer'
      from generate_series(1, 9) i`,
      [now + hourMs],
    )
    await admin.query("insert into setting (name, value) values ('last-backup', $1), ('last-drill', $1)", [
      String(now - 90 * hourMs),
    ])
    await admin.query("update webhook_endpoint set state = 'disabled' where endpoint_id = 'endpoint 1'")
    await admin.query(
      `with search as (
        insert into saved_search (search_id, organization_id, name, created_at, created_by)
        select 'search', organization_id, 'Roads', 0, 'test' from organization where name = 'Acme'
        returning search_no, organization_id
      ), recipient as (
        insert into digest (digest_id, search_no, person, rhythm, hour, zone, last_edition, made_day, due_at,
          created_at)
        select person, search_no, person || '@example.org', 'daily', 8, 'Europe/Berlin', 0, 0, $1::bigint, 0
        from search, unnest(array['gone', 'later']) person returning digest_id
      )
      insert into mail (message_id, digest_id, content, due_at, created_at, attempts, refusals)
      select '<' || digest_id || '@example.org>', digest_id, $2, $3::bigint, $3::bigint,
        case digest_id when 'gone' then 12 else 0 end, case digest_id when 'gone' then 12 else 0 end from recipient`,
      [now + 100 * hourMs, JSON.stringify({ search: 'Roads', zone: 'UTC', count: 1, items: [] }), now - 20 * minuteMs],
    )
    await putNumbered(store, 0, 20, 1)
    await publish(store, { now: Date.now(), minIntervalMs: 0, overrideGate: true })
    await seen('TenderstockSourceAlarm', mainName)
    await seen('TenderstockNothingRead', mainName)
    await seen('TenderstockSourcesFail', mainName)
    await seen('TenderstockBackupOld')
    await seen('TenderstockBackupNotRestored')
    await seen('TenderstockEndpointDisabled', mainName)
    await seen('TenderstockMailsGivenUp', mainName)
    await seen('TenderstockMailsLate', mainName)
    await seen('TenderstockHitsBehind', mainName)
    await seen('TenderstockNodeBehind', nodeName)
    await seen('TenderstockDatabaseDown', nodeName)
    await seen('TenderstockDegraded', nodeName)
    await askAt(nodeApi)
    await seen('TenderstockRateLimitsPerNode', nodeName)
    if (clock) await seen('TenderstockClockOff', wrongName)
    else awaited.delete('TenderstockClockOff')
    for (const alert of ['TenderstockDiskLow', 'TenderstockDiskFull']) {
      if (canMount) await seen(alert, nodeName)
      else awaited.delete(alert)
      if (canMount) spawnSync('fallocate', ['-l', '120m', join(disk, 'more')])
    }

    // the answers of a node
    const { api } = await lacking.event('ready')
    const errors = (async () => {
      while (awaited.has('TenderstockErrors')) {
        await fetch(`${api}/v1/tenders`, { headers: { authorization: `Bearer ${lackingToken!.token}` } })
        await delay(50)
      }
    })()
    await seen('TenderstockErrors', nameOf(lackingMetrics))
    await errors
    // frozen again and again, with requests in progress that wait for a slow Redis
    slowRedis.door.slowDown(30)
    let isAsking = true
    const asking = Array.from({ length: 6 }, async () => {
      while (isAsking) {
        await ask()
        await delay(10)
      }
    })
    const freezing = (async () => {
      while (awaited.has('TenderstockSlow') || awaited.has('TenderstockEventLoopDelayed')) {
        process.kill(slow.pid, 'SIGSTOP')
        await asleep(slow.pid)
        await delay(4000)
        process.kill(slow.pid, 'SIGCONT')
        await delay(3000)
      }
    })()
    await seen('TenderstockEventLoopDelayed', slowName)
    await seen('TenderstockSlow', slowName)
    await freezing
    isAsking = false
    await Promise.all(asking)
    await writeFile(ended, '')
    await seen('TenderstockReaderDied', slowName)
    await seen('TenderstockReadersMissing', slowName)

    // the stages
    const [broken, good] = [await newFolder(), await newFolder()]
    for (let number = 0; number < 60; number++)
      await writeFile(
        join(broken, `${number}.xml`),
        `<ContractNotice xmlns="urn:oasis:names:specification:ubl:schema:xsd:ContractNotice-2"><ID>${number}</ID>`,
      )
    for (const { path, write } of sampleDocuments(Math.floor(now / hourMs) * hourMs, 'ted', now).slice(-10))
      await writeFile(join(good, path.replaceAll('/', '_')), write())
    const command = (...args: string[]) =>
      runCommand([...args, '--data', mainFolder], { databaseUrl: mainDatabase.url })
    await putNumbered(store, 0, 20, 2)
    await command('ingest', broken)
    await seen('TenderstockEditionHeld', mainName, 180_000)
    await plant('tender', 'insert or update')
    await command('ingest', good)
    await seen('TenderstockRoundsFailing', mainName)

    // something holds the connections of the database, while deliveries are due
    const blocker = new pg.Client(database.url)
    blocker.on('error', () => {})
    await blocker.connect()
    await blocker.query('begin')
    await blocker.query('lock table webhook_secret, invitation in access exclusive mode')
    await admin.query(
      `insert into delivery (message_id, endpoint_no, kind, state, due_at, created_at)
      select endpoint_no || ' ' || n, endpoint_no, 'search.hit', 'due', $1, $2
      from webhook_endpoint, generate_series(1, 40) n where state = 'active' and endpoint_id like 'endpoint %'`,
      [now, now - 20 * 60_000],
    )
    await seen('TenderstockDeliveriesLate', mainName)
    const { console: consoleOrigin } = await main.event('ready')
    const visits = Array.from({ length: 25 }, async () => {
      while (awaited.has('TenderstockDatabaseBusy'))
        await fetch(`${consoleOrigin}/invitation/none`).then(
          (answer) => answer.text(),
          () => delay(100),
        )
    })
    await seen('TenderstockDatabaseBusy', mainName)
    await blocker.end()
    await Promise.all(visits)

    mainDatabase.door.shut()
    await seen('TenderstockFiguresStale', mainName, 180_000)
    if (awaited.has(needsTenMinutes)) await seen(needsTenMinutes, nodeName, cutOffAt + 11 * minuteMs - Date.now())
    process.kill(main.child.pid!, 'SIGKILL')
    await seen('TenderstockDown', mainName)
    await seen('TenderstockNoPublisher')

    // a day later, with rounds that still fail
    mainDatabase.door.open()
    await admin.query('update edition set published_at = published_at - $1::bigint', [27 * hourMs])
    const { rows } = await admin.query<{ name: string; value: string }>(
      "select * from setting where name like 'rounds %'",
    )
    for (const { name, value } of rows)
      await admin.query('update setting set value = $2 where name = $1', [
        name,
        JSON.stringify({ ...JSON.parse(value), lastRoundAt: now - 4 * hourMs }),
      ])
    await rm(join(mainFolder, 'editions'), { recursive: true })
    await using again = startMain()
    watch([await metricsOf(again)])
    await seen('TenderstockRoundsStuck')
    await seen('TenderstockEditionOld')
    expect([...awaited]).toEqual([])
    await admin.end()
  },
  1_500_000,
)
