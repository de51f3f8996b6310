// A whole console over real HTTP on a separate stock, with people of every role and a clock that tests move.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import { commandActor } from '../../src/actions/acting.ts'
import { openConsole } from '../../src/console/console.ts'
import { auditTexts } from '../../src/console/desk/audit-texts.ts'
import { brandOf } from '../../src/console/frame/brand.ts'
import type { CommandOutcome, CommandRequest, ConsoleContext } from '../../src/console/frame/console-context.ts'
import { Directory, keyHashOf } from '../../src/console/frame/directory.ts'
import { StockLimits } from '../../src/console/frame/stock-access.ts'
import { catchUp, type EditionLog, openEditionLog } from '../../src/edition/write/edition-log.ts'
import type { Config } from '../../src/platform/config.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { publish } from '../../src/publish/publish.ts'
import { workQueue } from '../../src/service/control/work-queue.ts'
import { webhookAddressRule } from '../../src/service/hits/loopback-webhooks.ts'
import { openSealer } from '../../src/service/hits/webhook-sealer.ts'
import { runOperation } from '../../src/service/operations/operations.ts'
import { stockReads } from '../../src/service/start/stock-reads.ts'
import { inTransaction, openStore } from '../../src/store/database/database.ts'
import { openDatabaseClock } from '../../src/store/database/database-clock.ts'
import { listAuditEntries } from '../../src/store/people/audit.ts'
import { createOrganization } from '../../src/store/people/organizations.ts'
import { addMember, createPerson, type Role } from '../../src/store/people/people.ts'
import { startSession } from '../../src/store/people/sessions.ts'
import { freePort } from '../free-port.ts'
import { type Engine, openTestStore, type TestStore } from '../world.ts'

export const startOfConsole = Date.UTC(2026, 10, 23, 8)

/** The sender of a request: a session cookie, or none. */
type Asking = string | undefined

export type ConsoleWorld = AsyncDisposable & {
  readonly store: TestStore
  readonly context: ConsoleContext
  readonly editions: EditionLog
  readonly origin: string
  /**
   * Returns how often the pages have waited for the database since the last call: a single statement is one wait, a
   * transaction another. `statements` includes those in transactions.
   */
  readonly waits: () => { readonly waits: number; readonly statements: number }
  /** Runs a command as a person with access to the command line does. */
  readonly command: (request: Omit<CommandRequest, 'by'>) => Promise<CommandOutcome>
  /** Bugs of ours that pages threw. */
  readonly faults: unknown[]
  readonly now: () => number
  readonly wait: (ms: number) => void
  /** A person and the value of their session cookie, signed in now. */
  readonly person: (
    mail: string,
    how?: { readonly isOperator?: boolean; readonly memberOf?: readonly [organizationId: string, role: Role][] },
  ) => Promise<{ readonly personId: string; readonly cookie: string }>
  /** A new organization's id. */
  readonly organization: (name: string, hasApiAccess?: boolean) => Promise<string>
  /** A further session of a person, as of now. */
  readonly signIn: (personId: string) => Promise<string>
  readonly get: (path: string, who?: Asking, headers?: { readonly [name: string]: string }) => Promise<Response>
  /** Sends a form from a page of the console; a value of undefined is left out. */
  readonly post: (
    path: string,
    form: { readonly [name: string]: string | readonly string[] | undefined },
    who?: Asking,
    headers?: { readonly [name: string]: string },
  ) => Promise<Response>
  /** Publishes the content of the stock, and serves it. */
  readonly publish: () => Promise<void>
}

export type ConsoleWorldOptions = {
  readonly config?: Config
  readonly start?: number
  /** An existing stock, which stays; absent: an empty one. */
  readonly on?: TestStore['options']
  readonly samples?: ConsoleContext['samples']
  readonly client?: ConsoleContext['client']
}

async function openAgain(options: TestStore['options']): Promise<TestStore> {
  const store = await openStore(options)
  return { ...store, options, [Symbol.asyncDispose]: () => store.close() }
}

export async function openConsoleWorld(
  engine: Engine,
  { client, config = {}, start = startOfConsole, samples = () => 'failed', on }: ConsoleWorldOptions = {},
): Promise<ConsoleWorld> {
  await using opening = new AsyncDisposableStack()
  const stock = opening.use(on ? await openAgain(on) : await openTestStore(engine))
  const counted = { waits: 0, statements: 0 }
  const store = countedStore(stock, counted)
  let now = start
  const clock = () => now
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-console-'))
  opening.defer(() => rm(folder, { recursive: true, force: true }))
  const editions = await openEditionLog(join(folder, 'editions'), { clock, onWarning: () => {} })
  opening.defer(() => editions.close())
  const directory = new Directory(store, clock)
  await directory.refresh()
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const service = {
    store,
    dataFolder: folder,
    clock,
    wallClock: clock,
    random: systemRandom,
    queue: workQueue(),
    keyOf: () => undefined,
    config,
    version: '0.0.0-test',
    databaseClock: openDatabaseClock(clock),
    onPublished: () => catchUp(editions, store).then(() => {}),
  }
  const context: ConsoleContext = {
    ...service,
    brand: brandOf(config),
    editions,
    directory,
    stockLimits: new StockLimits(directory),
    origin,
    apiAddress: 'http://api.example.org',
    client,
    hasSamples: true,
    // pages of the explorer are tried on a whole service
    explore: async () => {
      throw new Error('this world has no API')
    },
    samples,
    reads: stockReads(service, editions),
    webhooks: { sealer: () => openSealer(service), addressRule: () => webhookAddressRule(store, config) },
    run: async ({ by, command, operands = [], options = {} }: CommandRequest) => {
      const events: { readonly event: string }[] = []
      const exitCode = await runOperation(
        { ...service, by },
        { command, operands, options },
        (event) => void events.push(event),
      )
      return { exitCode, events }
    },
  }
  const faults: unknown[] = []
  const opened = await openConsole(context, {
    host: '127.0.0.1',
    port,
    trustedHops: 0,
    onFault: (error) => void faults.push(error),
  })
  opening.defer(() => opened.close())
  opening.defer(async () => {
    // every member of an entry has words on the page of the audit log; some tests leave the world without its database
    const entries = await listAuditEntries(store.db, { limit: 1000 }).catch(() => [])
    // other names were put into the database by a test
    const isName = (name: string) => /^[a-z][A-Za-z]*$/.test(name)
    const members = new Set(entries.flatMap(({ detail }) => Object.keys(detail)).filter(isName))
    const unknown = [...members].filter((name) => !(name.replace(/Before$/, '') in auditTexts.en.members))
    if (unknown.length > 0) throw new Error(`the audit log has no words for ${unknown}`)
  })
  const signIn = async (personId: string) => {
    const cookie = systemRandom.bytes(32).toString('base64url')
    const session = { sessionId: keyHashOf(cookie), personId, createdAt: now, seenAt: now, signedInAt: now }
    await inTransaction(store, (trx) =>
      startSession(trx, { ...session, agent: 'test', addressPrefix: '127.0.0.0/24' }, undefined),
    )
    await directory.refresh()
    return cookie
  }
  const headersOf = (who: Asking) => (who === undefined ? {} : { cookie: `session=${who}` })
  const open = opening.move()
  return {
    store: stock,
    waits: () => {
      const { ...found } = counted
      Object.assign(counted, { waits: 0, statements: 0 })
      return found
    },
    context,
    editions,
    origin,
    command: (request) => context.run({ by: commandActor, ...request }),
    faults,
    now: clock,
    wait: (ms) => {
      now += ms
    },
    person: async (mail, { isOperator = false, memberOf = [] } = {}) => {
      const { personId } = await inTransaction(store, async (trx) => {
        const person = await createPerson(trx, { personId: systemRandom.uuid(), mail, name: '', isOperator }, now)
        for (const [organizationId, role] of memberOf)
          await addMember(trx, { organizationId, personId: person.personId, role }, now)
        return person
      })
      return { personId, cookie: await signIn(personId) }
    },
    organization: async (name, hasApiAccess = false) => {
      const { organization } = await createOrganization(store.db, { name, hasApiAccess }, { now, random: systemRandom })
      await directory.refresh()
      return organization.organizationId
    },
    signIn,
    get: (path, who, headers = {}) =>
      fetch(`${origin}${path}`, { redirect: 'manual', headers: { ...headersOf(who), ...headers } }),
    post: (path, form, who, headers = {}) => {
      const body = new URLSearchParams()
      for (const [name, value] of Object.entries(form))
        for (const each of value === undefined ? [] : typeof value === 'string' ? [value] : value)
          body.append(name, each)
      return fetch(`${origin}${path}`, {
        method: 'POST',
        redirect: 'manual',
        body,
        headers: { 'sec-fetch-site': 'same-origin', ...headersOf(who), ...headers },
      })
    },
    publish: async () => {
      await publish(store, { now, minIntervalMs: 0 })
      await catchUp(editions, store)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** The same store, with its queries counted. */
function countedStore(store: TestStore, counted: { waits: number; statements: number }): TestStore {
  const counting = (count: () => void): KyselyPlugin => ({
    transformQuery: ({ node }) => {
      count()
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const inside = store.db.withPlugin(counting(() => void counted.statements++))
  const outside = store.db.withPlugin(
    counting(() => {
      counted.waits++
      counted.statements++
    }),
  )
  const db = new Proxy(outside, {
    get: (target, name) => {
      if (name === 'transaction')
        return () => {
          counted.waits++
          return inside.transaction()
        }
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { ...store, db }
}
