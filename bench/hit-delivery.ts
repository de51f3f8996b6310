// What writing and delivering hits costs compared with bare programs, and whether failing endpoints delay the others.
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { Agent, request } from 'undici'
import { matchEditions } from '../src/hits/match-editions.ts'
import { systemRandom } from '../src/platform/random.ts'
import { createSealer } from '../src/platform/sealing.ts'
import { openStore, type Store } from '../src/store/database/database.ts'
import { createEndpoint } from '../src/store/hits/webhook-endpoints.ts'
import { createOrganization } from '../src/store/people/organizations.ts'
import { deliverDue } from '../src/webhooks/deliver.ts'
import { openSender } from '../src/webhooks/send-attempt.ts'
import { makeWebhookSecret, webhookSecretBytes } from '../src/webhooks/signature.ts'
import { generateTender } from '../test/testing/generate/stock.ts'
import { type Cluster, startCluster } from './postgres-cluster.ts'
import { runCommand, startProcess, stopAll, temporaryFolder } from './processes.ts'

const at = Date.parse('2026-11-22T06:00:00.000Z')
/** Number of records of the edition for each hit. */
const searches = 100
const goodEndpoints = 500
const deliveriesEach = 4
/** Number of deliveries that wait for each of the two endpoints that fail. */
const deliveriesOfBad = 200
const allAtOnce = 64

export type DeliveryReport = {
  readonly hits: number
  /** Wall seconds of each round. */
  readonly writing: readonly number[]
  readonly copying: readonly number[]
  readonly delivering: readonly number[]
  readonly posting: readonly number[]
  /** Milliseconds until the good endpoints had received theirs, 95th percentile of each round. */
  readonly alone: readonly number[]
  readonly besideBad: readonly number[]
}

export type DeliveryOptions = {
  readonly hits: number
  readonly rounds: number
  readonly onProgress: (text: string) => void
}

/** Undefined if no PostgreSQL is installed. */
export async function benchDelivery(options: DeliveryOptions): Promise<DeliveryReport | undefined> {
  const cluster = await startCluster()
  if (!cluster) return undefined
  const report = {
    hits: options.hits,
    writing: [],
    copying: [],
    delivering: [],
    posting: [],
    alone: [],
    besideBad: [],
  } as { -readonly [name in keyof DeliveryReport]: name extends 'hits' ? number : number[] } & { hits: number }
  try {
    const receiver = await startReceiver()
    for (let round = 0; round < options.rounds; round++) {
      const world = await openWorld(cluster, `round${round}`, options.hits)
      options.onProgress(`round ${round + 1} of ${options.rounds}: writing`)
      await world.addEndpoints(receiver.good, 1)
      report.writing.push(await world.write())
      report.copying.push(world.copy())
      options.onProgress('delivering')
      report.posting.push(await world.post(receiver.good))
      await world.spreadOver(await world.addEndpoints(receiver.good, searches - 1))
      report.delivering.push((await world.deliver()).seconds)
      const good = await world.addEndpoints(receiver.good, goodEndpoints)
      options.onProgress(`${goodEndpoints} endpoints alone`)
      report.alone.push(await world.timeGood(good, []))
      options.onProgress('beside a dead and a slow one')
      const bad = [...(await world.addEndpoints(receiver.dead, 1)), ...(await world.addEndpoints(receiver.slow, 1))]
      report.besideBad.push(await world.timeGood(good, bad))
      await world.close()
    }
    return report
  } finally {
    await stopAll()
    await cluster.stop()
  }
}

/** Starts a server in a separate process: it answers immediately, after 15 seconds, or never. */
async function startReceiver(): Promise<{ readonly good: string; readonly slow: string; readonly dead: string }> {
  const program = `const { createServer } = require('node:http')
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        if (request.url === '/dead') return
        setTimeout(() => response.writeHead(204).end(), request.url === '/slow' ? 15000 : 0)
      })
    }).listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const port = await new Promise<string>((resolve) => {
    startProcess(process.execPath, ['-e', program], { onLine: resolve })
  })
  const address = (path: string) => `http://127.0.0.1:${port}/${path}`
  return { good: address('good'), slow: address('slow'), dead: address('dead') }
}

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedMs = performance.now()
  await work()
  return (performance.now() - startedMs) / 1000
}

/** Creates a database with an edition whose records are hits of a hundred searches. */
async function openWorld(cluster: Cluster, database: string, hits: number) {
  cluster.psql('postgres', `create database ${database}`)
  const store: Store = await openStore({ dataFolder: temporaryFolder('hits'), databaseUrl: cluster.url(database) })
  const { organization } = await createOrganization(store.db, { name: 'Bauwerk' }, { now: at, random: systemRandom })
  const { organizationId } = organization
  const sealer = createSealer(createSecretKey(randomBytes(32)), randomBytes)
  const records = Array.from({ length: hits }, (_, index) => {
    const { archiveReason: _reason, ...record } = generateTender({ seed: 3, count: hits, now: at }, index)
    const lastModified = at + 1 + index
    const id = randomUUID()
    return {
      id,
      lastModified,
      text: JSON.stringify({ ...record, id, lastModified: new Date(lastModified).toISOString() }),
    }
  })
  await sql`
    insert into saved_search (search_id, organization_id, name, created_at, created_by)
    select gen_random_uuid()::text, ${organizationId}, 'Search ' || i, ${at}, 'bench' from generate_series(1, ${searches}) i`.execute(
    store.db,
  )
  await sql`
    insert into saved_search_version (search_no, version, from_edition, is_active, filter, filter_hash, threshold, created_at)
    select search_no, 1, 1, true, '{"cpv":["45000000"]}', 'bench', 50, ${at} from saved_search`.execute(store.db)
  const found = await sql<{ searchNo: number }>`
    select search_no as "searchNo" from saved_search order by search_no`.execute(store.db)
  await sql`
    insert into edition (edition, last_modified, published_at, records, changes, checks, counts, checksum)
    values (1, ${at + hits}, ${at}, ${hits}, ${hits}, '{}', '{"live": 1000000}', ${'0'.repeat(64)})`.execute(store.db)
  for (let from = 0; from < records.length; from += 500) {
    const slice = records.slice(from, from + 500)
    await sql`
      insert into edition_entry (last_modified, edition, tender_id, body, sources)
      select e."lastModified", 1, e.id, e.text, '[]'
      from json_to_recordset(${JSON.stringify(slice)}::json) e ("lastModified" bigint, id text, text text)`.execute(
      store.db,
    )
  }
  let isFirst = true
  let organizations = 1
  /** Creates another organization, because each may have only a few endpoints. */
  const anotherOrganization = async (): Promise<string> => {
    const made = await createOrganization(
      store.db,
      { name: `Organization ${++organizations}` },
      { now: at, random: systemRandom },
    )
    return made.organization.organizationId
  }
  const sender = openSender({ version: 'bench', now: Date.now })
  const searchNos = found.rows.map(({ searchNo }) => searchNo)
  const matches = new Map(
    records.map(({ id }, index) => [
      id,
      {
        searchNo: searchNos[index % searchNos.length]!,
        tenderId: id,
        fitScore: 78,
        fit: { raw: 81.9, parts: [{ name: 'cpv', points: 40 }] },
        matched: ['cpv: 45233141 in lot 2 by 45233000'],
      },
    ]),
  )

  return {
    close: async () => {
      await sender.close()
      await store.close()
    },
    addEndpoints: async (address: string, count: number): Promise<number[]> => {
      const made: number[] = []
      for (let each = 0; each < count; each++) {
        const owner = isFirst ? organizationId : await anotherOrganization()
        isFirst = false
        const secretId = randomUUID()
        const secret = webhookSecretBytes(makeWebhookSecret(randomBytes))!
        const endpoint = await createEndpoint(
          store,
          {
            endpointId: randomUUID(),
            organizationId: owner,
            address,
            description: '',
            kinds: ['search.hit'],
            searches: undefined,
            requestsPerSecond: 10_000,
            secret: { secretId, sealed: sealer.seal(secret, secretId) },
          },
          at - 1000,
        )
        made.push(endpoint!.endpointNo)
      }
      // as if they had existed before the edition
      await sql`update webhook_endpoint set from_edition = 1`.execute(store.db)
      return made
    },
    /** Measures the seconds in which the hits of the edition and their deliveries are written, without the matching. */
    write: () =>
      secondsOf(async () => {
        const matcher = {
          load: async () => {},
          match: async (bodies: readonly string[]) =>
            bodies.map((body) => matches.get(body.slice(7, 43) as (typeof records)[number]['id'])! as never),
        }
        const outcome = await matchEditions(store, { matcher, clock: () => at })
        if (outcome.kind !== 'matched' || outcome.hits !== hits) throw new Error(JSON.stringify(outcome))
      }),
    /** Measures the seconds in which `psql` copies the same rows into tables with the same indexes. */
    copy: (): number => {
      let seconds = 0
      for (const table of ['hit', 'delivery']) {
        const input = cluster.psql(database, `copy ${table} to stdout`)
        cluster.psql(database, `create table copied_${table} (like ${table} including all)`)
        const startedMs = performance.now()
        runCommand(...cluster.psqlArguments(database, `copy copied_${table} from stdin`), { input })
        seconds += (performance.now() - startedMs) / 1000
      }
      return seconds
    },
    /** Moves the waiting deliveries to these endpoints too, so that no endpoint's limit is measured. */
    spreadOver: (endpoints: readonly number[]) =>
      sql`
        update delivery set endpoint_no = (${sql.val(endpoints)}::integer[])[1 + abs(hashtext(message_id)) % ${endpoints.length}]
        where state = 'due'`.execute(store.db),
    /** Measures the seconds in which bare posts of the same sizes arrive, with the same number in parallel. */
    post: async (url: string): Promise<number> => {
      const agent = new Agent({ connections: allAtOnce })
      const bodies = records.map(({ text }) => text)
      const seconds = await secondsOf(async () => {
        let next = 0
        await Promise.all(
          Array.from({ length: allAtOnce }, async () => {
            for (let each = bodies[next++]; each !== undefined; each = bodies[next++]) {
              const { body } = await request(url, { method: 'POST', body: each, dispatcher: agent })
              await body.dump()
            }
          }),
        )
      })
      await agent.close()
      return seconds
    },
    deliver: async () => {
      const seconds = await secondsOf(() =>
        deliverDue(
          {
            store,
            clock: Date.now,
            wallClock: Date.now,
            random: () => 0.5,
            send: sender.send,
            sealer,
            addresses: { allowsLoopback: true },
            worker: 'bench',
            mailDomain: 'example.org',
          },
          new AbortController().signal,
        ),
      )
      return { seconds }
    },
    /** Milliseconds after which 95 of 100 deliveries to good endpoints had arrived. */
    timeGood: async (good: readonly number[], bad: readonly number[]): Promise<number> => {
      const queue = async (endpoints: readonly number[], each: number) =>
        await sql`
          insert into delivery (message_id, endpoint_no, kind, hit_id, edition, last_modified, state, due_at, created_at)
          select gen_random_uuid()::text, e, 'search.hit', h.hit_id, 1, h.last_modified, 'due', ${at}, ${at}
          from unnest(${sql.val(endpoints)}::integer[]) e,
            (select hit_id, last_modified from hit order by hit_id limit ${each}) h`.execute(store.db)
      await queue(good, deliveriesEach)
      if (bad.length > 0) await queue(bad, deliveriesOfBad)
      const stopping = new AbortController()
      const arrived: number[] = []
      const wanted = good.length * deliveriesEach
      const startedMs = performance.now()
      await deliverDue(
        {
          store,
          clock: Date.now,
          wallClock: Date.now,
          random: () => 0.5,
          send: sender.send,
          sealer,
          addresses: { allowsLoopback: true },
          worker: 'bench',
          mailDomain: 'example.org',
          onAttempt: ({ outcome }) => {
            if (outcome.kind === 'answered' && arrived.push(performance.now() - startedMs) === wanted)
              stopping.abort(new Error('all have arrived'))
          },
        },
        stopping.signal,
      )
      await sql`delete from delivery where state = 'due'`.execute(store.db)
      return arrived.sort((a, b) => a - b)[Math.ceil(arrived.length * 0.95) - 1]!
    },
  }
}

export function deliveryAsMarkdown(report: DeliveryReport): string {
  const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!
  const row = (what: string, ours: readonly number[], theirs: readonly number[], unit: string, most: number): string =>
    `| ${what} | ${median(ours).toFixed(2)} ${unit} | ${median(theirs).toFixed(2)} ${unit} | ${(median(ours) / median(theirs)).toFixed(2)} | at most ${most} |`
  const hits = report.hits.toLocaleString('en')
  return [
    `Medians of ${report.writing.length} rounds, PostgreSQL on the same machine.`,
    '',
    '| Step | Ours | Peer | Ratio | Target |',
    '|---|--:|--:|--:|---|',
    row(`writing ${hits} hits with deliveries; COPY of the same rows`, report.writing, report.copying, 's', 4),
    row(`${hits} deliveries to loopback; bare posts of undici`, report.delivering, report.posting, 's', 3),
    row(
      `95 % of ${goodEndpoints * deliveriesEach} deliveries to ${goodEndpoints} endpoints beside a dead and a slow one; without these`,
      report.besideBad,
      report.alone,
      'ms',
      1.2,
    ),
  ].join('\n')
}
