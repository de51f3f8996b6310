// A whole service with notices that name made-up people, and everything that can be read of it from outside.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { main } from '../../client/src/bin/main.ts'
import { timerSleep } from '../../client/src/sleep.ts'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import type { Notice } from '../../src/domain/notice.ts'
import { hourMs } from '../../src/domain/time.ts'
import { matchEditions } from '../../src/hits/match-editions.ts'
import { openMatcher } from '../../src/hits/matcher.ts'
import { allowLoopbackWebhooks } from '../../src/service/hits/loopback-webhooks.ts'
import { deliverDue } from '../../src/webhooks/deliver.ts'
import { openSender } from '../../src/webhooks/send-attempt.ts'
import { startApi } from '../api-world.ts'
import { openConsoleWorld } from '../console/console-world.ts'
import { parquetRows } from '../files/independent-programs.ts'
import { receiveNotices } from '../receive-notices.ts'
import { lot, notice, uuid } from '../testing/generate/notices.ts'
import type { Random } from '../testing/generate/random.ts'
import { startReceiver } from '../webhooks/delivery-world.ts'
import { type MadeUpPerson, spellingsOf } from './made-up-people.ts'

/** A call whose members and texts have about twenty spellings of a person. */
export function noticeOf(random: Random, person: MadeUpPerson, number: number): Notice {
  const spellings = spellingsOf(person)
  const spelling = () => random.pick(spellings)
  const told = () => `Please ask (${spelling()}), ${spelling()}; or write: ${spelling()}`
  return notice({
    noticeKey: `ted:${number}-2026`,
    publicationNumber: `${number}-2026`,
    procedureId: uuid(number),
    internalReference: `V-${number}`,
    title: { de: `Neubau ${number}, Frau ${spelling()}` },
    description: { de: told(), en: told() },
    contractingAuthorities: [
      {
        name: `Amt ${number}`,
        nationalId: `DE${100_000_000 + number}`,
        country: 'DE',
        contactName: `Frau ${person.rotations[0]}`,
        email: person.mail,
        phone: person.phone,
        city: told(),
      },
    ],
    documentsUrl: `https://example.org/?m=${person.mail}`,
    lots: [lot('LOT-0001', { title: { de: told() }, description: { de: told() } })],
  })
}

/** A call with a text about somebody else. */
export const noticeWith = (text: string, number: number): Notice =>
  notice({
    noticeKey: `ted:${number}-2026`,
    publicationNumber: `${number}-2026`,
    procedureId: uuid(number),
    internalReference: `V-${number}`,
    title: { de: `Umbau ${number}` },
    description: { de: text },
    contractingAuthorities: [{ name: `Amt ${number}`, nationalId: `DE${100_000_000 + number}`, country: 'DE' }],
  })

type ReadRecord = { readonly id: string; readonly lastModified: string; readonly description?: string }

export async function openPeopleWorld(notices: readonly Notice[]) {
  await using opening = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-people-'))
  opening.defer(() => rm(folder, { recursive: true, force: true }))
  const world = opening.use(await openConsoleWorld('embedded', { start: Date.UTC(2026, 0, 12) }))
  const api = opening.use(await startApi({ reader: world.editions, clock: world.now }))
  const receiver = opening.use(await startReceiver())
  await allowLoopbackWebhooks(world.store, true)
  const organizationId = await world.organization('Acme')
  const operator = await world.person('operator@example.org', {
    isOperator: true,
    memberOf: [[organizationId, 'owner']],
  })
  const command = async (
    name: Parameters<typeof world.command>[0]['command'],
    options: object,
    operands: string[] = [],
  ) => {
    const { events } = await world.command({ command: name, operands, options: { ...options } })
    return events
  }
  const acme = { organization: 'Acme' }
  await command('search create', { ...acme, name: 'Building', cpv: ['45000000'], threshold: 1 })
  await command('webhook create', { ...acme, url: receiver.url, kind: ['search.hit', 'search.hit.changed'] })
  for (let from = 0; from < notices.length; from += 500)
    await receiveNotices(world.store, notices.slice(from, from + 500))
  await consolidate(world.store, { now: world.now() })

  const publish = async () => {
    world.wait(hourMs)
    await command('publish', { 'override-gate': true })
    const matcher = openMatcher()
    await matchEditions(world.store, { matcher, clock: world.now, cap: { hits: 1e6, fewHits: 1e6, share: 1 } })
    await matcher.close()
  }
  const deliver = async () => {
    const sender = openSender({ version: 'test', now: world.now, timeoutMs: 60_000 })
    const dependencies = {
      store: world.store,
      clock: world.now,
      wallClock: Date.now,
      random: () => 0.5,
      send: sender.send,
      sealer: await world.context.webhooks.sealer(),
      addresses: { allowsLoopback: true },
      worker: 'test',
      mailDomain: 'example.org',
      onDisabled: () => {},
    }
    await deliverDue(dependencies, new AbortController().signal)
    await sender.close()
  }
  const records = async (): Promise<Map<string, string>> => {
    const found = new Map<string, string>()
    for (let cursor = ''; ; ) {
      const answer = await api.get(`/v1/tenders?limit=100&archived=true${cursor}`)
      const page = (await answer.json()) as { data: ReadRecord[]; nextCursor: string | null }
      for (const record of page.data) found.set(record.id, JSON.stringify(record))
      if (page.nextCursor === null) return found
      cursor = `&cursor=${page.nextCursor}`
    }
  }
  const page = async (path: string) => (await world.get(path, operator.cookie)).text()
  /** The raw documents of a stock as an operator sees them. */
  const documents = async (limit: number) => {
    const { rows } = await sql<{ id: string }>`
      select document_id as id from source_document order by document_id limit ${limit}`.execute(world.store.db)
    const texts: string[] = []
    // one after the other: the console limits the connections of an address
    for (const { id } of rows) texts.push(await page(`/operator/documents/${id}`))
    return texts
  }
  const hitPages = async () => {
    return (await page(`/o/${organizationId}/hits`)) + JSON.stringify(await command('hit list', { limit: 1_000_000 }))
  }
  let exports = 0
  const exported = async (format: string): Promise<string> => {
    const out = join(folder, `export-${exports++}`)
    await command('edition export', { format, out, 'ocid-prefix': 'ocds-a1b2c3' })
    let text = ''
    for (const name of await readdir(out)) text += await textOf(join(out, name))
    return text
  }
  /** Brings a copy up to date, and reads it. */
  const copied = async (sink: string): Promise<string> => {
    const file = join(folder, sink.replace(':', '.'))
    const said = { text: '' }
    const write = (text: string) => (said.text += text)
    const code = await main(['run', '--url', api.origin, '--sink', `${sink}:${file}`], {
      variables: { TENDER_TOKEN: api.token, HOME: folder },
      input: Readable.from([]),
      stdout: { write },
      stderr: { write },
      ask: async () => undefined,
      now: world.now,
      clock: () => performance.now(),
      random: () => 0.5,
      sleep: timerSleep,
      signal: new AbortController().signal,
    })
    if (code !== 0) throw new Error(`tender-sync ended with ${code}: ${said.text}`)
    return sink === 'sqlite' ? rowsOf(file) : (await readFile(file)).toString()
  }
  const open = opening.move()
  return {
    world,
    command,
    publish,
    deliver,
    records,
    page,
    documents,
    hitPages,
    exported,
    copied,
    receiver,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** All rows of a database. Freed space in its file may hold more: docs/privacy.md. */
function rowsOf(file: string): string {
  using database = new DatabaseSync(file, { readOnly: true })
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
  return JSON.stringify(tables.map(({ name }) => database.prepare(`select * from "${name}"`).all()))
}

async function textOf(path: string): Promise<string> {
  if (path.endsWith('.parquet'))
    return JSON.stringify(await parquetRows(path), (_, value) => (typeof value === 'bigint' ? String(value) : value))
  const bytes = await readFile(path)
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
}
